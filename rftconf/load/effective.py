"""Keys in force are computed stage by stage: written leaves win over the defaults of the source's own release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.symbols import MISSING, Expr, OpenKey, Value
from rftconf.load import release_defaults as silence
from rftconf.load.fork import translation_of
from rftconf.mappers.native import Cell, Native, nodes_above
from rftconf.mappers.tables import table_of
from rftconf.mappers.value_errors import Spot, ValueFinding, judge_section, spot_of
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.schemas.values import RANGES, coerced, coerced_items, wrong
from rftconf.text.document import Document, Leaf, Mode
from rftconf.text.key_tree import Tree
from rftconf.text.keys import conflicting_keys
from rftconf.text.omegaconf.interpolation import Resolver, may_interpolate

if TYPE_CHECKING:
    from rftconf.dialects.translation import Translation

STAGED = ("mode", "algorithm", "buffer", "data_processor", "explorer", "trainer")
"""Sections that a stage replaces as a whole."""
MOST_STAGES = 100
"""Stages that are read; each is a run of its own, and no published config has more than four."""


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


def deletions(document: Document, guess: Guess) -> list[str]:
    """`~key` of a key that the framework's own config has: there is none then, and no row that says so."""
    live = {leaf.key for leaf in document.leaves if leaf.mode is not Mode.DELETE}
    known = catalogue.load(guess.framework, guess.release, guess.trainer)
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
    of_stage: dict[int, dict[str, Leaf]] = {number: {} for number in numbered}
    for key in staged:
        if match := re.match(r"stages\[(\d+)\]\.", key):
            of_stage[int(match[1])][key[match.end() :]] = leaves[key]
    parts: list[tuple[str | None, dict[str, Leaf]]] = []
    for number, own in of_stage.items():
        sections = {re.split(r"[.\[]", k)[0] for k in own}
        merged = {k: v for k, v in common.items() if re.split(r"[.\[]", k)[0] not in sections}
        name = own.pop("stage_name", None)
        called = None if name is None else name.value
        parts.append((f"stage_{number}" if called is None else str(called), {**merged, **own}))
    return parts


def too_many_stages(leaves: Mapping[str, Leaf]) -> Diagnostic | None:
    """Return an error where a config has more stages than are read; None where it has not."""
    first_leaves = {key.partition("]")[0]: leaf for key, leaf in leaves.items() if key.startswith("stages[")}
    if len(first_leaves) <= MOST_STAGES:
        return None
    text = f"there are {len(first_leaves):,} stages, more than {MOST_STAGES}, so that none is read"
    place = list(first_leaves.values())[MOST_STAGES].key_place
    return Diagnostic("SYN511", Severity.ERROR, text, place, help="split the run")


@dataclass(frozen=True, slots=True)
class Effective:
    """Every effective key of a stage, what its upgrade to the newest shape changed, and what is wrong with its values."""

    native: Native
    changes: tuple[Change, ...]
    value_errors: tuple[ValueFinding, ...] = ()


def effective(
    guess: Guess,
    leaves: Mapping[str, Leaf],
    *,
    shipped: str = "",
    environment: Mapping[str, Value] | None = None,
    set_aside: Mapping[Spot, ValueFinding] | None = None,
    partial: bool = False,
    program: str = "",
) -> Effective:
    """Every effective key in the newest shape: written ones, and the defaults of the source's own release.

    `shipped`: the config file of the framework's own that the run starts from; its values then stand for defaults.
    `environment`: variables that are known, for `${oc.env:NAME}`. `set_aside`: values that cannot be
    used, by where they stand; they are left open like every value that cannot be what its key is.
    `partial`: a config that this one starts from is not here, so that what is not written is not known.
    `program`: what the file starts; some read keys that the release's own config lacks.
    """
    own = translation_of(guess, leaves)
    leaves = leaves if own is None else own.leaves
    chosen = _choices(guess, leaves)
    leaves = {key: leaf for key, leaf in leaves.items() if key not in chosen} if chosen else leaves
    silent = silence.of(guess.framework, guess.release, guess.trainer)
    known, defaults = silent.known, silent.defaults
    template = {key: value for key, value in known.template.items() if shipped and known.get(key) is not None}
    texts = {name: leaf.value for key, leaf in leaves.items() for name in (leaf.key, key)}
    resolver = Resolver({**template, **texts}, environment, Tree({}) if partial else silent.tree, silent.functions)
    values = _Values(known, resolver, set_aside or {}, partial)
    written = {key: values.cell(key, leaf) for key, leaf in leaves.items()} | values.misplaced(leaves)
    up = versions.upgrade(guess.framework, written, guess.release, trainer=guess.trainer)
    follow = {} if partial else silent.following({*template, *leaves}, resolver)
    follow |= {key: _shipped(resolver, key, shipped) for key in template if key not in leaves}
    follow |= {} if own is None else {key: _of_fork(own, key) for key in own.defaults}
    down = versions.upgrade(guess.framework, follow, guess.release, trainer=guess.trainer).flat if follow else {}
    alive = {key: cell for key, cell in up.flat.items() if not cell.unread and not _says_nothing(known, key, cell)}
    if (of := registry.framework(guess.framework)).adds_with_plus:
        up.flat.update(_merged(up.flat, defaults.cells, down))
    # what is written replaces defaults below it, and an empty default mapping above it
    nodes = {node for key, cell in up.flat.items() if not cell.unread for node in nodes_above(key)}
    cells = _open_numbers({**defaults.cells, **down}) if partial else {**defaults.cells, **down}
    replaced = nodes.union(*(defaults.below.get(key, ()) for key in alive))
    for name in replaced:
        cells.pop(name, None)
    for key in down:
        if key in cells and not alive.keys().isdisjoint(nodes_above(key)):
            del cells[key]
    up.flat.update(chosen)
    cells.update(up.flat)
    for key in _of_newer_releases(known, guess, leaves):
        if (own is not None and key in own.newer) or registry.recipe_reads(of, program, key):
            continue
        if key in cells and cells[key].leaf is leaves[key]:
            cells[key] = replace(cells[key], unread=True)
    last = (key for key in (*down, *up.flat) if key in cells and (key in replaced or key not in defaults.at))
    added = {key: len(defaults.at) + index for index, key in enumerate(dict.fromkeys(last))}
    named = tuple(sorted(up.flat, key=lambda key: added[key] if key in added else defaults.at[key]))
    native = Native(guess.framework, guess.release, guess.trainer, cells, defaults, added, named, own is not None)
    return Effective(native, (*up.changes, *_folded(own)), tuple(values.findings))


def _of_fork(own: Translation, key: str) -> Cell:
    """A default of the fork's own, by the name that the fork has for its key."""
    return Cell(own.defaults[key], fork=own.title, name=own.silent_names[key])


def _folded(own: Translation | None) -> tuple[Change, ...]:
    """The written keys of a fork that say their part through another key."""
    if own is None:
        return ()
    return tuple(Change(name, Cell(leaf.value, leaf), (heir,), why) for name, leaf, heir, why in own.folded)


def _open_numbers(defaults: Mapping[str, Cell]) -> dict[str, Cell]:
    """Defaults of a release where a config that is not here may say otherwise: the numbers, which sizes are computed from."""
    return {
        key: Cell(OpenKey(key)) if isinstance(cell.value, (int, float)) and not isinstance(cell.value, bool) else cell
        for key, cell in defaults.items()
    }


def _says_nothing(known: catalogue.Catalogue, key: str, cell: Cell) -> bool:
    """`section: {}` is merged over the section's defaults and changes none of them."""
    return cell.value == {} and key not in known and known.is_node(key)


def _choices(guess: Guess, leaves: Mapping[str, Leaf]) -> dict[str, Cell]:
    """Return the leaves that choose config groups: `engine=megatron` names a part of the config and sets none."""
    groups = registry.framework(guess.framework).groups
    if groups.isdisjoint(leaves):
        return {}
    chosen = ((key, leaf) for key, leaf in leaves.items() if key in groups)
    return {key: Cell(leaf.value, leaf) for key, leaf in chosen if isinstance(leaf.value, (str, Expr))}


_ONE_KEY = re.compile(r"\$\{([\w.\[\]]+)\}")


@dataclass(slots=True)
class _Values:
    """Written values as the loader has them; what cannot be used is left open, or its default holds, and is reported."""

    known: catalogue.Catalogue
    resolver: Resolver
    set_aside: Mapping[Spot, ValueFinding]
    partial: bool = False
    findings: list[ValueFinding] = field(default_factory=list)

    def cell(self, key: str, leaf: Leaf) -> Cell:
        """The leaf with its value, `key` being its name for the rows."""
        section = judge_section(self.known, key, leaf.value)
        if section is not None:
            self.findings.append(ValueFinding(leaf, section))
        if section is not None or (spot_of(leaf) in self.set_aside and self.known.is_node(key)):
            return Cell(leaf.value, leaf, unread=True)
        if spot_of(leaf) in self.set_aside:
            return Cell(OpenKey(leaf.key), leaf)
        value = leaf.value
        if may_interpolate(value):
            value = self._resolved(key, leaf)
        if isinstance(value, str):
            value = self._typed(key, leaf, value)
        if isinstance(value, str | list) and registry.framework(self.known.framework).one_or_several:
            items = coerced_items(self.known, key, value if isinstance(value, list) else [value])
            value = items if isinstance(value, list) else items[0]
        return Cell(value, leaf)

    def misplaced(self, leaves: Mapping[str, Leaf]) -> dict[str, Cell]:
        """Leaves of a section that is a list by one key and a mapping by another: those of the later one are left out."""
        conflicts = conflicting_keys(leaves)
        for key, (section, shape) in conflicts.items():
            self.findings.append(ValueFinding(leaves[key], f"{section} is a {shape} by a key before it"))
        return {key: Cell(leaves[key].value, leaves[key], unread=True) for key in conflicts}

    def _resolved(self, key: str, leaf: Leaf) -> Any:
        done = self.resolver.resolve(key)
        if not done.problem:
            return done.value
        if not (self.partial and done.code == "SYN402"):  # the config that is not here may have the key
            self.findings.append(ValueFinding(leaf, done.problem, done.code))
        only = _ONE_KEY.fullmatch(leaf.value) if isinstance(leaf.value, str) else None
        return OpenKey(only[1] if only is not None else leaf.key)

    def _typed(self, name: str, leaf: Leaf, value: str) -> Any:
        """A text as the framework's loader converts it, where a number or switch belongs."""
        if value == MISSING:  # unknown like a variable, and written back as it came
            return OpenKey(leaf.key)
        if name.startswith(RANGES):
            return value
        key = self.known.get(name)
        if key is not None and key.type == "bool" and key.inferred and value == "":
            return False  # an unset variable of a script: a loader without types takes it, and code asks only for its truth
        if key is None or key.type not in ("int", "float", "bool"):
            return value
        problem = wrong(self.known, key, value)
        if problem is None:
            return coerced(key, value)
        self.findings.append(ValueFinding(leaf, problem, "KEY004"))
        return OpenKey(leaf.key)


def _merged(written: Mapping[str, Cell], *defaults: Mapping[str, Cell]) -> dict[str, Cell]:
    """Written mappings as Hydra leaves them: `+section={a: 1}` adds to what the section holds by default."""
    cells: dict[str, Cell] = {}
    for key, cell in written.items():
        if isinstance(cell.value, dict):
            start = f"{key}."
            below = {
                name[len(start) :]: c.value for some in defaults for name, c in some.items() if name.startswith(start)
            }
            flat = {name: value for name, value in below.items() if "." not in name}
            if flat:
                cells[key] = replace(cell, value={**flat, **cell.value})
    return cells


def _shipped(resolver: Resolver, key: str, template: str) -> Cell:
    """A value of the framework's own file; one that nobody gives is left open."""
    done = resolver.resolve(key)
    return Cell(OpenKey(key) if done.problem else done.value, template=template)


def _of_newer_releases(known: catalogue.Catalogue, guess: Guess, leaves: Mapping[str, Leaf]) -> list[str]:
    """Keys that the source's release does not have and the newest one does: nothing read them when the file was written."""
    newest = catalogue.load(guess.framework, None, guess.trainer)
    if newest.release == guess.release:
        return []
    return [
        key
        for key in leaves
        if known.get(key) is None
        and not known.is_node(key)
        and newest.canonical(key) in newest.keys
        and not versions.asked_for(guess.framework, guess.release, key)
    ]
