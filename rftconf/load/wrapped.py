"""A config that stands as a whole below a section of another file: `verl: {data: ..., trainer: ...}`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.symbols import Value
from rftconf.load.recognise import recognise
from rftconf.schemas import own_keys, registry
from rftconf.schemas.guess import guess
from rftconf.schemas.sections import has_one, starts_of
from rftconf.text.document import WRAPPED, Document, Leaf

_DEEPEST = 3
"""Sections that a config may stand below, one in another: `config: {value: ...}`."""
_FEWEST_KNOWN = 3


def unwrapped(document: Document) -> Document:
    """The document with the one section of a YAML that is a config of a known framework, where the whole is none."""
    if document.form != "yaml" or _may_be_known(leaf.key for leaf in document.leaves):
        return document
    sections = _configs_below(document.leaves, "", _DEEPEST)
    if len(sections) != 1 or recognise(document).dialect:
        return document
    ((section, leaves),) = sections.items()
    others = len(document.leaves) - len(leaves)
    more = f"; {others} other key{'s are' if others != 1 else ' is'} left out"
    message = f"the config stands below {section}: what stands there is read{more if others else ''}"
    diagnostic = Diagnostic(
        WRAPPED, Severity.INFO, message, leaves[0].key_place, help="give the section a file of its own"
    )
    return replace(document, leaves=leaves, diagnostics=(*document.diagnostics, diagnostic))


def _configs_below(leaves: Iterable[Leaf], above: str, depth: int) -> dict[str, tuple[Leaf, ...]]:
    """Each section at most `depth` deep that shows a framework's keys, with its leaves under their names in it."""
    sections: dict[str, list[Leaf]] = {}
    for leaf in leaves:
        section, dot, key = leaf.key.partition(".")
        if dot and key:
            sections.setdefault(section, []).append(replace(leaf, key=key, value=_seen_from(section, leaf.value)))
    configs: dict[str, tuple[Leaf, ...]] = {}
    for section, below in sections.items():
        name = f"{above}.{section}" if above else section
        if _is_config(below):
            configs[name] = tuple(below)
        elif depth > 1:
            configs |= _configs_below(below, name, depth - 1)
    return configs


def _is_config(leaves: list[Leaf]) -> bool:
    keys = {leaf.key: leaf.value for leaf in leaves}
    return _may_be_known(keys) and own_keys.knows(guess(keys, overrides=False), keys, _FEWEST_KNOWN)


def _may_be_known(keys: Iterable[str]) -> bool:
    starts = starts_of(key for key in keys if key not in own_keys.COMMON)
    return any(has_one(framework.name, starts) for framework in registry.variants())


def _seen_from(section: str, value: Value) -> Value:
    """A value whose interpolations lead from inside the section: `${verl.data.x}` is `${data.x}` there."""
    if isinstance(value, str):
        return re.sub(rf"\$\{{\s*{re.escape(section)}\.", "${", value)
    if isinstance(value, list):
        return [_seen_from(section, item) for item in value]
    return {name: _seen_from(section, item) for name, item in value.items()} if isinstance(value, dict) else value
