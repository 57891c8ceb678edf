"""A plan and outputs hold no secret: a reference to the environment stands in its place, as `$WANDB_API_KEY`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rftconf.base.secrets import Secrets
from rftconf.base.symbols import OpenKey, Value, Var
from rftconf.text.document import Leaf

_PLAIN = frozenset({"KEY", "TOKEN", "VALUE", "NAME", "PATH", "URL", "AUTH", "SECRET", "PASSWORD", "DATA"})
"""Last words of keys that would be no name for a variable without the one before them."""


def without_secrets(leaves: Mapping[str, Leaf], secrets: Secrets) -> tuple[dict[str, Leaf], frozenset[str]]:
    """Return the leaves with a reference in place of every secret, and the keys, as written, that had one.

    `secrets` are those of the config that the leaves come from: they count under every key.
    """
    secret_leaves = {key: leaf for key, leaf in leaves.items() if secrets.are_in(leaf.key, _usable_value(leaf))}
    if not secret_leaves:
        return dict(leaves), frozenset()
    remaining = dict(leaves)
    for key, leaf in secret_leaves.items():
        remaining[key] = replace(leaf, value=reference(leaf.key, _usable_value(leaf), secrets), raw="")
    return remaining, frozenset(leaf.key for leaf in secret_leaves.values())


def variable_of(key: str) -> str:
    """Return the environment variable that is to hold the secret of `key`: `monitor_args.wandb_key` is `WANDB_KEY`."""
    segments = [part for part in re.split(r"\W+", key) if part and not part.isdigit()]
    name = segments[-1].upper() if segments else "SECRET"
    if name in _PLAIN and len(segments) > 1:
        name = f"{segments[-2].upper()}_{name}"
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"


def _usable_value(leaf: Leaf) -> Any:
    """The value, or its text where it is none that the key can have."""
    return leaf.raw if isinstance(leaf.value, OpenKey) else leaf.value


def reference(key: str, value: Value, secrets: Secrets) -> Any:
    """The value with a reference in place of each secret in it: of a mapping or list in place of the items that hold one."""
    if isinstance(value, dict):
        return {name: _withhold(f"{key}.{name}", item, secrets) for name, item in value.items()}
    if isinstance(value, list):
        return [_withhold(key, item, secrets) for item in value]
    return Var(variable_of(key))


def _withhold(key: str, value: Value, secrets: Secrets) -> Any:
    return reference(key, value, secrets) if secrets.are_in(key, value) else value
