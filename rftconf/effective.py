"""Which keys are in force: written leaves that win, stage by stage, over the defaults of the source's own release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rftconf.errors import UnreadableError
from rftconf.mappers.native import Cell, Native
from rftconf.plan.symbols import ShellOnly
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.schemas.values import coerced, wrong
from rftconf.text.document import Document, Leaf, Mode
from rftconf.text.interpolation import Resolver

STAGED = ("mode", "algorithm", "buffer", "data_processor", "explorer", "trainer")
"""Sections that a stage replaces as a whole (row 11.1)."""


RANGES = ("algorithm.rollout_correction.",)
"""Keys whose defaults are numbers, but that also take ranges as text (`0.5_4.0`)."""


def live_leaves(document: Document) -> dict[str, Leaf]:
    """The leaves that win, deletions taken out, a single `taskset` as the first of `tasksets`."""
    live: dict[str, Leaf] = {}
    for leaf in document.leaves:
        if leaf.mode is Mode.DELETE:
            live = {k: v for k, v in live.items() if k != leaf.key and not k.startswith(leaf.key + ".")}
        else:
            live.pop(leaf.key, None)
            live[leaf.key] = leaf
    return {_usual(key): leaf for key, leaf in live.items()}


def _usual(key: str) -> str:
    """One spelling where Trinity takes two: a single `taskset`, and trainer_config without its outer section."""
    key = re.sub(r"\bexplorer_input\.taskset\b", "explorer_input.tasksets[0]", key)
    return re.sub(r"\btrainer_config\.(?=(?:actor|ref|rollout|model)\.)", "trainer_config.actor_rollout_ref.", key)


def stages_of(leaves: dict[str, Leaf]) -> list[tuple[str | None, dict[str, Leaf]]]:
    """Each stage's own leaves: a stage's section replaces the common one as a whole (H58)."""
    numbered = sorted({int(m[1]) for k in leaves if (m := re.match(r"stages\[(\d+)\]\.", k))})
    if not numbered:
        return [(None, leaves)]
    common = {k: v for k, v in leaves.items() if not k.startswith("stages[")}
    parts: list[tuple[str | None, dict[str, Leaf]]] = []
    for number in numbered:
        prefix = f"stages[{number}]."
        own = {k.removeprefix(prefix): v for k, v in leaves.items() if k.startswith(prefix)}
        sections = {re.split(r"[.\[]", k)[0] for k in own}
        merged = {k: v for k, v in common.items() if re.split(r"[.\[]", k)[0] not in sections}
        name = own.pop("stage_name", None)
        parts.append((str(name.value) if name else f"stage_{number}", {**merged, **own}))
    return parts


def effective(found: Guess, leaves: Mapping[str, Leaf]) -> tuple[Native, tuple[Change, ...]]:
    """Every effective key in the newest shape: written ones, and the defaults of the source's own release."""
    known = catalogue.load(found.framework, found.release, found.trainer)
    own: dict[str, Any] = {
        k.name: k.interpolation or k.default for k in known.keys.values() if not k.plus_only and "[]" not in k.name
    }
    resolver = Resolver({**own, **{k: leaf.value for k, leaf in leaves.items()}})
    written = {k: Cell(_typed(known, k, leaf, _resolved(resolver, k, leaf)), leaf) for k, leaf in leaves.items()}
    follow = {
        key.name: Cell(_resolved(resolver, key.name))
        for key in known.keys.values()
        if key.interpolation and key.name not in leaves and "[]" not in key.name
    }
    up = versions.upgrade(found.framework, written, found.release, trainer=found.trainer)
    following = {k: c for k, c in follow.items() if c.value != known.default(k)}
    down = versions.upgrade(found.framework, following, found.release, trainer=found.trainer) if following else None
    defaults = versions.defaults(found.framework, found.release, found.trainer)
    # a mandatory key has no default; veRL up to 0.5 spells one null as the text None
    cells = {
        k: Cell(None if isinstance(v, str) and v in ("None", "???") else v)
        for k, v in defaults.items()
        if "[]" not in k
    }
    cells.update(down.flat if down else {})
    if registry.framework(found.framework).family == registry.VERL.name:
        up.flat.update(_merged(up.flat, cells))
    above = tuple(f"{key}." for key in up.flat)
    nodes = {key[:end] for key in up.flat for end, char in enumerate(key) if char == "."}
    # what is written replaces defaults below it, and an empty default mapping above it
    cells = {key: cell for key, cell in cells.items() if not key.startswith(above) and key not in nodes}
    cells.update(up.flat)
    native = Native(found.framework, found.release, found.trainer, cells, defaults)
    return native, up.changes


def _merged(written: Mapping[str, Cell], defaults: Mapping[str, Cell]) -> dict[str, Cell]:
    """Written mappings as Hydra leaves them: `+section={a: 1}` adds to what the section holds by default."""
    found: dict[str, Cell] = {}
    for key, cell in written.items():
        if isinstance(cell.value, dict):
            below = {name[len(key) + 1 :]: c.value for name, c in defaults.items() if name.startswith(f"{key}.")}
            flat = {name: value for name, value in below.items() if "." not in name}
            if flat:
                found[key] = replace(cell, value={**flat, **cell.value})
    return found


def _typed(known: catalogue.Catalogue, name: str, leaf: Leaf, value: Any) -> Any:
    """The value as the framework's loader converts it; a text where a number or switch belongs is an error."""
    key = known.get(name)
    if value == "???":  # nobody told: unknown like a variable, and written back as it came
        return ShellOnly("???")
    if name.startswith(RANGES):
        return value
    if key is not None and key.type == "bool" and key.inferred and value == "":
        return False  # an unset variable of a script: a loader without types takes it, and code asks only for its truth
    if key is None or not isinstance(value, str) or key.type not in ("int", "float", "bool"):
        return value
    problem = wrong(known, key, value)
    if problem is not None:
        span = leaf.place.span
        raise UnreadableError(f"KEY004 {name} {problem}", file=leaf.place.file, line=span.line, col=span.col)
    return coerced(key, value)


def _resolved(resolver: Resolver, key: str, leaf: Leaf | None = None) -> Any:
    done = resolver.resolve(key)
    if done.problem and leaf is not None:
        span = leaf.place.span
        raise UnreadableError(f"{done.code} {done.problem}", file=leaf.place.file, line=span.line, col=span.col)
    return done.value
