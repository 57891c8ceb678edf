"""The changes that every key of a file needs for another release of its framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from rftconf.base.older_python import StrEnum
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.edits import Change
from rftconf.schemas.guess import Guess
from rftconf.schemas.values import coerced, wrong
from rftconf.text.document import Document, Leaf, Mode

_MOST_REWRITTEN = 200_000
"""Keys that are rewritten for values which later ones replace; beyond it such a value is looked at without the other keys."""


class Kind(StrEnum):
    """The kind of change that is made to a key."""

    RENAMED = "renamed"
    MOVED = "moved"
    SPLIT = "split"
    RESPELT = "respelt"
    PREFIX = "prefix"
    REMOVED = "removed"
    PINNED = "pinned"
    LEFT = "left"


class Unchanged:
    """The mark of a value that stays as it is written."""


KEPT = Unchanged()


@dataclass(frozen=True, slots=True)
class Beside:
    """A key that is added beside another one; `value` is KEPT where it repeats that one's text."""

    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class KeyEdit:
    """The change of one written leaf. `key` has Hydra's prefix where it is an override; None where it is taken out."""

    leaf: Leaf
    kind: Kind
    key: str | None
    value: Any = KEPT
    beside: tuple[Beside, ...] = ()
    why: str = ""
    lossy: bool = False
    refused: bool = False
    """Whether the asked release refuses the key, as the file's own release did."""
    nobodys: bool = False
    """True where no release's catalogue has the key, so that nobody knows what its removal loses."""

    @property
    def was(self) -> str:
        """The key as written."""
        return self.leaf.mode.value + self.leaf.key

    @property
    def changes_text(self) -> bool:
        """False for what is only said."""
        return self.kind is not Kind.LEFT


@dataclass(frozen=True, slots=True)
class Slot:
    """A value on its way through the edits, with the leaf it came from and the value that it came with."""

    value: Any
    leaf: Leaf
    first: Any = None


@dataclass(frozen=True, slots=True)
class Route:
    """A way from one release of a framework and trainer to another."""

    found: Guess
    to: str

    @property
    def old(self) -> catalogue.Catalogue:
        """The keys of the source's release."""
        return catalogue.load(self.found.framework, self.found.release, self.found.trainer)

    @property
    def new(self) -> catalogue.Catalogue:
        """The keys of the asked release."""
        return catalogue.load(self.found.framework, self.to, self.found.trainer)

    @property
    def down(self) -> bool:
        """True towards an older release."""
        order = registry.framework(self.found.framework).releases
        return order.index(self.to) < order.index(self.found.release)

    def rewritten(self, flat: Mapping[str, Slot]) -> versions.Rewritten[Slot]:
        """`flat` with the edits of every release on the way."""
        name, release, trainer = self.found.framework, self.found.release, self.found.trainer
        if self.down:
            return versions.downgrade(name, flat, self.to, release, trainer=trainer)
        return versions.upgrade(name, flat, release, self.to, trainer=trainer)


def plan_edits(document: Document, route: Route) -> list[KeyEdit]:
    """List the changes of every leaf of the document that has to change, or that needs a note."""
    groups = registry.framework(route.found.framework).groups
    own = [leaf for leaf in document.leaves if leaf.key not in groups and "@" not in leaf.key and "/" not in leaf.key]
    last = {leaf.key: leaf for leaf in own if leaf.mode is not Mode.DELETE}
    flat = {key: _slot(leaf, route.old) for key, leaf in last.items()}
    done = route.rewritten(flat)
    ends = _by_leaf(done)
    overrides = document.form != "yaml"
    edits: list[KeyEdit] = []
    alone = len(flat) * (len(own) - len(last)) > _MOST_REWRITTEN
    for leaf in [*own, *(leaf for _, leaf in document.conditional)]:
        if leaf.mode is Mode.DELETE:
            edits += _deletion(leaf, route)
            continue
        ours = ends
        if last.get(leaf.key) is not leaf:
            slot = {leaf.key: _slot(leaf, route.old)}
            ours = _by_leaf(route.rewritten(slot if alone else {**flat, **slot}))
        edits += _wanted_of_leaf(leaf, *ours.get(id(leaf), ({}, [])), route, overrides=overrides)
    return edits + [
        _without_group(leaf, document, route) for leaf in document.leaves if _loses_group(leaf, groups, route)
    ]


def _slot(leaf: Leaf, known: catalogue.Catalogue) -> Slot:
    """The leaf's value as the edits count with it: a word of a command line is the number or switch of its option."""
    key, value = known.get(leaf.key), leaf.value
    if key is not None and isinstance(value, str) and key.type in ("int", "float", "bool"):
        value = coerced(key, value) if wrong(known, key, value) is None else value
    return Slot(value, leaf, value)


def _loses_group(leaf: Leaf, groups: frozenset[str], route: Route) -> bool:
    """True for a word that chooses a trainer's config, where the asked release has no such word."""
    chosen = leaf.key in groups and leaf.mode is not Mode.DELETE
    return chosen and leaf.key in route.old and leaf.key not in route.new


def _without_group(leaf: Leaf, document: Document, route: Route) -> KeyEdit:
    """The word is taken out; where nothing else chooses that trainer's config, it is lost, and the reason says what does."""
    known, trainer = registry.framework(route.found.framework), route.found.trainer
    usual = known.config_names[known.trainer]
    started = (document.launch.options.get("--config-name") if document.launch is not None else None) or usual
    lossy = trainer != known.trainer and started == usual
    why = f"{known.title} {route.to} does not know {leaf.key}"
    if lossy and known.config_names[trainer] != usual:
        why += f"; start it with --config-name={known.config_names[trainer]}"
    return KeyEdit(leaf, Kind.REMOVED, None, why=why, lossy=lossy)


_Ends: TypeAlias = dict[int, tuple[dict[str, Any], list[Change]]]


def _by_leaf(done: versions.Rewritten[Slot]) -> _Ends:
    """Return for each leaf, by its identity, the keys and values that it became and the changes that made them."""
    ends: _Ends = {}
    for key, slot in done.flat.items():
        value = slot.leaf.value if type(slot.value) is type(slot.first) and slot.value == slot.first else slot.value
        ends.setdefault(id(slot.leaf), ({}, []))[0][key] = value
    for change in done.changes:
        if isinstance(change.cell, Slot):
            ends.setdefault(id(change.cell.leaf), ({}, []))[1].append(change)
    return ends


def _wanted_of_leaf(
    leaf: Leaf, ends: dict[str, Any], changes: list[Change], route: Route, *, overrides: bool
) -> Iterator[KeyEdit]:
    """Yield the changes of one leaf, given the `ends` and changes that the edits made of it."""
    slept = versions.dead(route.found.framework, route.found.release, leaf.key, route.found.trainer)
    if slept is not None and leaf.value is not None and not _dead_there(leaf, route):
        yield KeyEdit(leaf, Kind.REMOVED, None, why=slept)
        return
    ends = dict(ends)
    why = "; ".join(dict.fromkeys(change.why for change in changes if _worth_saying(change)))
    lossy = any(change.lossy for change in changes)
    if not ends:
        yield KeyEdit(leaf, Kind.REMOVED, None, why=why or f"{_title(route)} has no {leaf.key}", lossy=lossy)
        return
    first = leaf.key if leaf.key in ends else next(iter(ends))
    value = ends.pop(first)
    new_value = KEPT if value is leaf.value or (type(value) is type(leaf.value) and value == leaf.value) else value
    prefix, refused = _standing(leaf, first, value, route, overrides=overrides)
    if refused is Verdict.DEAD:
        why = versions.dead(route.found.framework, route.to, first, route.found.trainer) or why
        yield KeyEdit(leaf, Kind.REMOVED, None, why=why, lossy=False)
        return
    settled = versions.reason_value_is_fixed(route.found.framework, route.to, first)
    if settled is not None and value != route.new.default(first):
        yield KeyEdit(leaf, Kind.REMOVED, None, why=f"{_title(route)}: {settled}", lossy=True)
        return
    if refused is Verdict.UNKNOWN and not _unknown_before(leaf, route, overrides=overrides):
        why, nobodys = f"{_title(route)} takes no {prefix}{first}", leaf.key not in route.old
        yield KeyEdit(leaf, Kind.REMOVED, None, why=why, lossy=True, nobodys=nobodys)
        return
    problem = _unregistered(first, value, route)
    if problem:
        why, lossy = problem, True
    beside = tuple(
        Beside(_prefix(route, key, value, overrides=overrides) + key, KEPT if value is leaf.value else value)
        for key, value in ends.items()
    )
    key = prefix + first
    kind = _kind(leaf, key, new_value, beside)
    if refused is not None:
        why, lossy = f"{_title(route)}: {key}={leaf.raw or value} {refused.value}", refused is not Verdict.UNKNOWN
    if kind is not Kind.LEFT or lossy or refused is not None:
        yield KeyEdit(leaf, kind, key, new_value, beside, why, lossy, refused=refused is Verdict.UNKNOWN)


def _unregistered(key: str, value: Any, route: Route) -> str:
    """Return the reason why a registered name is gone in the asked release; empty for others and a user's own."""
    before, now = route.old.names(key), route.new.names(key)
    if not now or value in now or (before and value not in before) or not isinstance(value, str):
        return ""
    return f"{_title(route)} has no {value}: write your own under that name, or take one of {', '.join(now)}"


def _dead_there(leaf: Leaf, route: Route) -> bool:
    return versions.dead(route.found.framework, route.to, leaf.key, route.found.trainer) is not None


def _worth_saying(change: Change) -> bool:
    return not change.why.startswith(("renamed ", "called ")) or not change.became


def _kind(leaf: Leaf, key: str, value: Any, beside: tuple[Beside, ...]) -> Kind:
    bare = key.lstrip("+")
    if beside:
        return Kind.SPLIT if bare != leaf.key else Kind.PINNED
    if bare != leaf.key:
        same_node = bare.rpartition(".")[0] == leaf.key.rpartition(".")[0]
        return Kind.RENAMED if same_node else Kind.MOVED
    if value is not KEPT:
        return Kind.RESPELT
    return Kind.PREFIX if key != leaf.mode.value + leaf.key else Kind.LEFT


def _standing(leaf: Leaf, key: str, value: Any, route: Route, *, overrides: bool) -> tuple[str, Verdict | None]:
    """The prefix that the asked release wants, and what it still says against the key."""
    mode = leaf.mode.value
    verdict = judge(route.new, mode + key, value, overrides=overrides)
    if verdict is Verdict.CANNOT_APPEND:
        mode, verdict = "", judge(route.new, key, value, overrides=overrides)
    elif verdict in (Verdict.NEEDS_PLUS, Verdict.UNKNOWN) and overrides and not mode and _adds(leaf, key, route):
        adds = judge(route.new, f"+{key}", value, overrides=overrides)
        mode, verdict = ("+", adds) if adds.fits else (mode, verdict)
    elif verdict is Verdict.NEEDS_PLUS:
        mode, verdict = "+", judge(route.new, f"+{key}", value, overrides=overrides)
    return mode, None if verdict.fits else verdict


def _adds(leaf: Leaf, key: str, route: Route) -> bool:
    """True for another name of the key, and for a key that the asked release's code asks for and its YAML lacks."""
    return key != leaf.key or versions.asked_for(route.found.framework, route.to, key)


def _prefix(route: Route, key: str, value: Any, *, overrides: bool) -> str:
    return "+" if overrides and judge(route.new, key, value) is Verdict.NEEDS_PLUS else ""


def _unknown_before(leaf: Leaf, route: Route, *, overrides: bool) -> bool:
    return not judge(route.old, leaf.mode.value + leaf.key, leaf.value, overrides=overrides).fits


def _deletion(leaf: Leaf, route: Route) -> Iterator[KeyEdit]:
    """`~key`: the key may have another name, or be gone, which is all that was asked."""
    if leaf.key in route.new or route.new.is_node(leaf.key):
        return
    moved = list(route.rewritten({leaf.key: Slot("", replace(leaf, mode=Mode.SET))}).flat)
    if len(moved) == 1 and moved[0] != leaf.key and moved[0] in route.new:
        yield KeyEdit(leaf, Kind.RENAMED, f"~{moved[0]}")
    elif leaf.key in route.old or route.old.is_node(leaf.key):
        yield KeyEdit(leaf, Kind.REMOVED, None, why=f"{_title(route)} has no {leaf.key} to delete")


def _title(route: Route) -> str:
    return f"{registry.framework(route.found.framework).title} {route.to}"
