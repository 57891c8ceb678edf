"""Which keys are in force: written leaves that win, stage by stage, over the defaults of the source's own release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rftconf import silence
from rftconf.errors import UnreadableError
from rftconf.mappers.native import Cell, Native, nodes_above
from rftconf.mappers.tables import table_of
from rftconf.plan.symbols import Expr, ShellOnly, Value
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.schemas.values import coerced, wrong
from rftconf.text.document import Document, Leaf, Mode
from rftconf.text.interpolation import Resolver, may_interpolate

STAGED = ("mode", "algorithm", "buffer", "data_processor", "explorer", "trainer")
"""Sections that a stage replaces as a whole (row 11.1)."""


RANGES = ("algorithm.rollout_correction.",)
"""Keys whose defaults are numbers, but that also take ranges as text (`0.5_4.0`)."""


class UnreadableLeavesError(UnreadableError):
    """Values that cannot be read: the first of them is told, `keys` names all."""

    def __init__(self, broken: Mapping[str, UnreadableError]) -> None:
        first = next(iter(broken.values()))
        super().__init__(first.message, file=first.file, line=first.line, col=first.col)
        self.keys = frozenset(broken)


def live_leaves(document: Document, framework: str) -> dict[str, Leaf]:
    """The leaves that win, deletions taken out, under the names that the framework's rows have for them."""
    live: dict[str, Leaf] = {}
    for leaf in document.leaves:
        if leaf.mode is Mode.DELETE:
            live = {k: v for k, v in live.items() if k != leaf.key and not k.startswith(leaf.key + ".")}
        else:
            live.pop(leaf.key, None)
            live[leaf.key] = leaf
    spelled = table_of(framework).spelled
    return live if spelled is None else spelled(live)


def deletions(document: Document, found: Guess) -> list[str]:
    """`~key` of a key that the framework's own config has: there is none then, and no row that says so."""
    live = {leaf.key for leaf in document.leaves if leaf.mode is not Mode.DELETE}
    known = catalogue.load(found.framework, found.release, found.trainer)
    return [
        f"~{leaf.key} takes the key out of the framework's config: here it is read with its default, and not written"
        for leaf in document.leaves
        if leaf.mode is Mode.DELETE and leaf.key not in live
        if known.get(leaf.key) is not None or known.is_node(leaf.key)
    ]


def stages_of(leaves: dict[str, Leaf]) -> list[tuple[str | None, dict[str, Leaf]]]:
    """Each stage's own leaves: a stage's section replaces the common one as a whole (H58)."""
    staged = [key for key in leaves if key.startswith("stages[")]
    numbered = sorted({int(m[1]) for k in staged if (m := re.match(r"stages\[(\d+)\]\.", k))})
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


def effective(
    found: Guess, leaves: Mapping[str, Leaf], *, shipped: str = "", environment: Mapping[str, Value] | None = None
) -> tuple[Native, tuple[Change, ...]]:
    """Every effective key in the newest shape: written ones, and the defaults of the source's own release.

    `shipped`: the config file of the framework's own that the run starts from; its values then stand for defaults.
    `environment`: variables that are known, for `${oc.env:NAME}`.
    """
    chosen = _choices(found, leaves)
    leaves = {key: leaf for key, leaf in leaves.items() if key not in chosen} if chosen else leaves
    silent = silence.of(found.framework, found.release, found.trainer)
    known, defaults = silent.known, silent.defaults
    template = {key: value for key, value in known.template.items() if shipped and known.get(key) is not None}
    texts = {name: leaf.value for key, leaf in leaves.items() for name in (leaf.key, key)}
    resolver = Resolver({**template, **texts}, environment, silent.tree)
    written = _written(known, resolver, leaves)
    up = versions.upgrade(found.framework, written, found.release, trainer=found.trainer)
    follow = silent.following({*template, *leaves}, resolver)
    follow |= {key: _shipped(resolver, key, shipped) for key in template if key not in leaves}
    down = versions.upgrade(found.framework, follow, found.release, trainer=found.trainer).flat if follow else {}
    told = {key: cell for key, cell in up.flat.items() if not _says_nothing(known, key, cell)}
    if registry.framework(found.framework).family == registry.VERL.name:
        up.flat.update(_merged(up.flat, defaults.cells, down))
    # what is written replaces defaults below it, and an empty default mapping above it
    nodes = {node for key in up.flat for node in nodes_above(key)}
    cells = {**defaults.cells, **down}
    gone = nodes.union(*(defaults.below.get(key, ()) for key in told))
    for name in gone:
        cells.pop(name, None)
    for key in down:
        if key in cells and not told.keys().isdisjoint(nodes_above(key)):
            del cells[key]
    up.flat.update(chosen)
    cells.update(up.flat)
    for key in _of_newer_releases(known, found, leaves):
        if key in cells and cells[key].leaf is leaves[key]:
            cells[key] = replace(cells[key], unread=True)
    last = (key for key in (*down, *up.flat) if key in cells and (key in gone or key not in defaults.at))
    added = {key: len(defaults.at) + at for at, key in enumerate(dict.fromkeys(last))}
    named = tuple(sorted(up.flat, key=lambda key: added[key] if key in added else defaults.at[key]))
    return Native(found.framework, found.release, found.trainer, cells, defaults, added, named), up.changes


def _says_nothing(known: catalogue.Catalogue, key: str, cell: Cell) -> bool:
    """`section: {}` is merged over the section's defaults and changes none of them."""
    return cell.value == {} and key not in known and known.is_node(key)


def _choices(found: Guess, leaves: Mapping[str, Leaf]) -> dict[str, Cell]:
    """What chooses config groups: `engine=megatron` names a part of the config and sets none."""
    groups = registry.framework(found.framework).groups
    if groups.isdisjoint(leaves):
        return {}
    chosen = ((key, leaf) for key, leaf in leaves.items() if key in groups)
    return {key: Cell(leaf.value, leaf) for key, leaf in chosen if isinstance(leaf.value, (str, Expr))}


def _written(known: catalogue.Catalogue, resolver: Resolver, leaves: Mapping[str, Leaf]) -> dict[str, Cell]:
    """Every leaf with its value as the loader has it. Raises UnreadableLeavesError with all that have none."""
    cells: dict[str, Cell] = {}
    broken: dict[str, UnreadableError] = {}
    for key, leaf in leaves.items():
        value = leaf.value
        try:
            if may_interpolate(value):
                value = _resolved(resolver, key, leaf)
            if isinstance(value, str):
                value = _typed(known, key, leaf, value)
        except UnreadableError as error:
            broken[key] = error
        else:
            cells[key] = Cell(value, leaf)
    if broken:
        raise UnreadableLeavesError(broken)
    return cells


def _merged(written: Mapping[str, Cell], *defaults: Mapping[str, Cell]) -> dict[str, Cell]:
    """Written mappings as Hydra leaves them: `+section={a: 1}` adds to what the section holds by default."""
    found: dict[str, Cell] = {}
    for key, cell in written.items():
        if isinstance(cell.value, dict):
            start = f"{key}."
            below = {
                name[len(start) :]: c.value for some in defaults for name, c in some.items() if name.startswith(start)
            }
            flat = {name: value for name, value in below.items() if "." not in name}
            if flat:
                found[key] = replace(cell, value={**flat, **cell.value})
    return found


def _shipped(resolver: Resolver, key: str, file: str) -> Cell:
    """A value of the framework's own file. Raises UnreadableError where it takes one that nobody gives."""
    done = resolver.resolve(key)
    if done.problem:
        raise UnreadableError(f"{done.code} {key} there: {done.problem}", file=file)
    return Cell(done.value)


def _of_newer_releases(known: catalogue.Catalogue, found: Guess, leaves: Mapping[str, Leaf]) -> list[str]:
    """Keys that the source's release does not have and the newest one does: nothing read them when the file was written."""
    newest = catalogue.load(found.framework, None, found.trainer)
    if newest.release == found.release:
        return []
    return [
        key
        for key in leaves
        if known.get(key) is None
        and not known.is_node(key)
        and newest.canonical(key) in newest.keys
        and not versions.asked_for(found.framework, found.release, key)
    ]


def _typed(known: catalogue.Catalogue, name: str, leaf: Leaf, value: str) -> Any:
    """A text as the framework's loader converts it; where a number or switch belongs it may be an error."""
    if value == "???":  # nobody told: unknown like a variable, and written back as it came
        return ShellOnly("???")
    if name.startswith(RANGES):
        return value
    key = known.get(name)
    if key is not None and key.type == "bool" and key.inferred and value == "":
        return False  # an unset variable of a script: a loader without types takes it, and code asks only for its truth
    if key is None or key.type not in ("int", "float", "bool"):
        return value
    problem = wrong(known, key, value)
    if problem is not None:
        span = leaf.place.span
        raise UnreadableError(f"KEY004 {name} {problem}", file=leaf.place.file, line=span.line, col=span.col)
    return coerced(key, value)


def _resolved(resolver: Resolver, key: str, leaf: Leaf) -> Any:
    done = resolver.resolve(key)
    if done.problem:
        span = leaf.place.span
        raise UnreadableError(f"{done.code} {done.problem}", file=leaf.place.file, line=span.line, col=span.col)
    return done.value
