"""Defaults that changed between two releases and mattered to the run: they are written out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import TargetLine
from rftconf.base.symbols import Expr
from rftconf.convert.convert import Options, convert_loaded, spelt_out
from rftconf.diff.compare import Comparison
from rftconf.load.load import main_stage
from rftconf.load.loaded import Loaded
from rftconf.migrate.key_changes import KeyEdit, Kind, Route
from rftconf.migrate.patching import Editor, add, make
from rftconf.schemas import registry, versions
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.text.document import Document, Leaf


@dataclass(frozen=True, slots=True)
class Pin:
    """A key to write, with Hydra's prefix where it needs one. `newest`: what the newest release calls it.

    `over`: the file has the key, and another value of it means in the asked release what the file's own did.
    """

    key: str
    value: Any
    why: str
    newest: str
    over: bool = False


def candidates(loaded: Loaded, route: Route, written: Mapping[str, Leaf], asked_keys: frozenset[str]) -> list[Pin]:
    """Keys that say what the file left to the old release, where the plan was read from one of `asked_keys`.

    First what a conversion to the asked release writes, then what its rows would write for every field of the plan.
    """
    pins: dict[str, Pin] = {}
    for key, value, why, over in (
        *_of_lines(loaded, route),
        *_implied(loaded, route),
        *_flipped(loaded, route, asked_keys),
    ):
        bare = key.lstrip("+")
        newest = versions.name_in_newest(loaded.framework, bare, route.to, loaded.guess.trainer)
        if bare in pins or not _is_asked(newest, asked_keys) or not _takes(route, bare, value):
            continue
        if bare not in written or (over and _another(written[bare], value)):
            pins[bare] = Pin(key, value, why, newest, bare in written)
    return list(pins.values())


def _another(leaf: Leaf, value: Any) -> bool:
    """True where a literal stands, and another value is wanted."""
    return not leaf.via and not isinstance(leaf.value, (Expr, dict, list)) and leaf.value != value


def _takes(route: Route, key: str, value: Any) -> bool:
    """False for a null where the asked release wants a value, and for what it takes with its default only."""
    if versions.reason_value_is_fixed(route.found.framework, route.to, key) is not None:
        return False
    known = route.new.get(key)
    return value is not None or (known is not None and known.optional)


def _of_lines(loaded: Loaded, route: Route) -> Iterator[tuple[str, Any, str, bool]]:
    ways: tuple[tuple[Callable[[], Sequence[TargetLine]], bool], ...] = (
        (lambda: convert_loaded(loaded, loaded.framework, Options(route.to)).lines, False),
        (lambda: spelt_out(loaded, main_stage(loaded), route.to) if len(loaded.stages) == 1 else (), True),
    )
    for lines, over in ways:
        try:
            for line in lines():
                for key, value in _leaves(line.key, line.value, route):
                    yield key, value, line.comment, over
        except RefusedError:
            continue


def _implied(loaded: Loaded, route: Route) -> Iterator[tuple[str, Any, str, bool]]:
    if route.down:
        return
    old = registry.framework(loaded.framework).title
    for key, value in versions.implied(loaded.framework, loaded.release, route.to, loaded.guess.trainer).items():
        yield key, value, f"what {old} {loaded.release} does without the key", False


def _flipped(loaded: Loaded, route: Route, asked_keys: frozenset[str]) -> Iterator[tuple[str, Any, str, bool]]:
    """Defaults that the older release has otherwise, where the newer one's says no more to the plan than silence."""
    if not route.down:
        return
    old = registry.framework(loaded.framework).title
    for key in sorted(asked_keys):
        names_here, names_there = (
            versions.names_in(loaded.framework, key, release, loaded.guess.trainer)
            for release in (loaded.release, route.to)
        )
        if (
            len(names_here) != 1
            or len(names_there) != 1
            or names_here[0] not in route.old
            or names_there[0] not in route.new
        ):
            continue
        value = route.old.default(names_here[0])
        if value is not None and value != route.new.default(names_there[0]):
            yield names_there[0], value, f"{old} {loaded.release} default of {names_here[0]}", False


def _leaves(key: str, value: Any, route: Route) -> Iterator[tuple[str, Any]]:
    """A mapping by its leaves, those that the asked release has by default left out."""
    if not isinstance(value, dict):
        yield key, value
        return
    bare = key.lstrip("+")
    usual = route.new.default(bare)
    for name, item in value.items():
        below = f"{bare}.{name}"
        if isinstance(usual, dict) and name in usual and usual[name] == item:
            continue
        plus = judge(route.new, below, item) in (Verdict.NEEDS_PLUS, Verdict.UNKNOWN)
        yield from _leaves(f"+{below}" if plus else below, item, route)


def _is_asked(newest: str, asked_keys: frozenset[str]) -> bool:
    return newest in asked_keys or any(newest.startswith(f"{key}.") for key in asked_keys)


def looked_at(comparison: Comparison, *, down: bool = False, implied: Collection[str] = ()) -> frozenset[str]:
    """Every key, by its newest name, that a field which differs was read from on either side.

    `down`: also those of fields of which the newer release says nothing, which is what its default may mean. `implied`:
    keys whose value tells what an older release did by having none.
    """
    keys: set[str] = set()
    for stage in comparison.stages:
        for difference in stage.differences:
            implied_by_keys = difference.b.said is not None and not set(implied).isdisjoint(difference.b.said.asked)
            if difference.a.value is None and not down and not implied_by_keys:
                continue  # the old release says nothing that could be written out
            for value in (difference.a, difference.b):
                keys |= set(value.said.asked) if value.said is not None else set()
    return frozenset(keys)


def implied_names(loaded: Loaded, route: Route) -> frozenset[str]:
    """Keys, by their newest names, that say what the old release did without them."""
    name, trainer = loaded.framework, loaded.guess.trainer
    if route.down:
        return frozenset()
    keys = versions.implied(name, loaded.release, route.to, trainer)
    return frozenset(versions.name_in_newest(name, key, route.to, trainer) for key in keys)


def written_with(document: Document, pins: Sequence[Pin]) -> tuple[str, list[Pin]]:
    """The text with the keys added, each beside what it is like, and those that found a place."""
    editor, leaves = Editor(document), document.last()
    written_pins = [pin for pin in pins if _write(editor, document, leaves, pin)]
    return editor.text, written_pins


def _write(editor: Editor, document: Document, leaves: Mapping[str, Leaf], pin: Pin) -> bool:
    bare = pin.key.lstrip("+")
    if pin.over:
        return make(editor, KeyEdit(leaves[bare], Kind.RESPELT, leaves[bare].mode.value + bare, pin.value))
    return add(editor, _leaves_by_likeness(document, bare), pin.key, pin.value)


def _leaves_by_likeness(document: Document, key: str) -> list[Leaf]:
    """The leaves of this file, the likest first."""
    leaves = [leaf for leaf in document.leaves if leaf.place.file == leaf.key_place.file == document.name]
    return sorted(leaves, key=lambda leaf: -_common(leaf.key, key))


def _common(key: str, key_b: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(key, key_b, strict=False)) if a != b), min(len(key), len(key_b)))
