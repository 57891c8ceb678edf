"""A file for another release of its framework: changed where it must be, read back, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rftconf.base.errors import RefusedError, RftconfError
from rftconf.convert.since_release import refuse_earlier_releases
from rftconf.diff.compare import Comparison, Verdict, compare
from rftconf.diff.effects import Effect
from rftconf.diff.sides import side
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.migrate.differences_left import Unlike, lost, unlike
from rftconf.migrate.key_changes import KeyEdit, Kind, Route, plan_edits
from rftconf.migrate.keys_without_effect import asked_by_release, asleep, without, woken
from rftconf.migrate.launches import MigrationRequest, launches_of
from rftconf.migrate.parts_not_run import unread
from rftconf.migrate.patching import Editor, make
from rftconf.migrate.pins import Pin, candidates, implied_names, looked_at, written_with
from rftconf.migrate.remembered import Read, Remembered
from rftconf.migrate.shares import divided
from rftconf.migrate.words import whereabouts
from rftconf.schemas import registry
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document

MOST_ROUNDS = 3
"""How often defaults are written out: once for switches, once for what they wake, once for what that wakes."""


@dataclass(frozen=True, slots=True)
class Run:
    """One launch of the file: which, what it was and what it became, and in what they differ."""

    launch: int | None
    before: Loaded
    after: Loaded
    comparison: Comparison
    unlike: tuple[Unlike, ...]


@dataclass(frozen=True, slots=True)
class Migration:
    """The migrated file. `edits` are made (or only reported), `pins` added; `notes` name what was passed over."""

    document: Document
    found: Guess
    to: str
    text: str
    edits: tuple[KeyEdit, ...]
    pins: tuple[Pin, ...]
    runs: tuple[Run, ...]
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """True when the text is another one."""
        return self.text != self.document.text

    @property
    def unlike(self) -> tuple[Unlike, ...]:
        """Return the differences of all launches, each once."""
        return tuple(
            {(leftover.name, leftover.nature): leftover for run in self.runs for leftover in run.unlike}.values()
        )

    @property
    def keys_that_stay_wrong(self) -> tuple[KeyEdit, ...]:
        """Keys that stay although they no longer mean, or no longer may say, what they did."""
        return tuple(edit for edit in self.edits if edit.lossy and edit.kind is not Kind.REMOVED)

    @property
    def refused(self) -> tuple[KeyEdit, ...]:
        """Keys that the asked release refuses, as the file's own did. They stay: a fork may read them."""
        return tuple(edit for edit in self.edits if edit.refused)

    @property
    def faithful(self) -> bool:
        """True when all that the file says holds in the asked release."""
        return not self.keys_that_stay_wrong and not any(lost(self.unlike))


def migrate(text: str, read: Read, request: MigrationRequest) -> Migration:
    """Migrate `text` to the release that is asked for.

    Raises RefusedError where the characters that must change cannot be changed, or the result cannot be read.
    """
    reader = Remembered(read)
    loaded, notes = launches_of(text, reader, request)
    document, guess = loaded[0][1].document, loaded[0][1].guess
    routes = {number: _route(loaded, request.to) for number, loaded in loaded}
    edits = _once(
        [divided(want, loaded, routes[n]) for n, loaded in loaded for want in plan_edits(loaded.document, routes[n])]
    )
    if document.form == "shell":
        edits += [e for e in _once(unread(document, routes.values())) if _place(e) not in set(map(_place, edits))]
    editor = Editor(document)
    _refuse_conflicts(edits)
    stuck = [want for want in _ordered(edits) if not make(editor, want)]
    if stuck:
        raise _cannot(stuck, routes[loaded[0][0]], document)
    target = next(iter(routes.values())).to
    text, pins = editor.text, list[Pin]()
    for number, loaded_run in loaded:
        text, roused = _without_woken(text, reader, number, loaded_run, routes[number], edits)
        text, more = _pinned(text, reader, number, loaded_run, routes[number])
        text, slept = _without_asleep(text, reader, number, loaded_run, routes[number], edits)
        edits += [*roused, *slept]
        pins += more
    advice = "is not given: defaults are written out there, not here; migrate it by its name"
    notes += [f"{_unread(loaded)} {advice}" for _, loaded in loaded if _unread(loaded)]
    runs = tuple(_run(number, loaded, text, reader, routes[number], edits) for number, loaded in loaded)
    return Migration(document, guess, target, text, tuple(edits), tuple(dict.fromkeys(pins)), runs, tuple(notes))


def _route(loaded: Loaded, to: str) -> Route:
    guess = loaded.guess
    known = registry.framework(guess.framework)
    number = registry.release(known, to)
    for stage in loaded.stages:
        refuse_earlier_releases(registry.framework(known.family), stage.values.get("stage.kind"), number)
    if guess.trainer not in known.trainers_of(number):
        recipe = known.recipes[guess.trainer]
        raise RefusedError(
            f"{known.title} {number} has no {recipe.name} program", choices=(f"--to-release {recipe.since} or newer",)
        )
    return Route(guess, number)


def _place(want: KeyEdit) -> tuple[int, int]:
    return want.leaf.key_place.span.start, want.leaf.place.span.start


def _once(edits: Sequence[KeyEdit] | Any) -> list[KeyEdit]:
    """Each change of the same characters once: launches may share them."""
    return list({(_place(e), e.leaf.key, e.key, e.kind): e for e in edits}.values())


def _refuse_conflicts(edits: Sequence[KeyEdit]) -> None:
    edits_by_place: dict[tuple[tuple[int, int], str], KeyEdit] = {}
    for edit in edits:
        earlier = edits_by_place.setdefault((_place(edit), edit.leaf.key), edit)
        if earlier.key != edit.key:
            raise RefusedError(
                f"{edit.leaf.place}: launches share {edit.leaf.key}, and need {earlier.key} and {edit.key} for it",
                choices=("--launch N, with a file for each",),
            )


def _ordered(edits: Sequence[KeyEdit]) -> list[KeyEdit]:
    """Keys that make room for another one's new name first, then new names, then all other removals."""
    named = {edit.key.lstrip("+~") for edit in edits if edit.key is not None}

    def rank(edit: KeyEdit) -> int:
        return (0 if edit.leaf.key in named else 2) if edit.key is None else 1

    return sorted(edits, key=rank)


def _cannot(stuck: Sequence[KeyEdit], route: Route, document: Document) -> RefusedError:
    title = f"{registry.framework(route.found.framework).title} {route.to}"
    what = [_stuck(want, document) for want in stuck]
    return RefusedError(
        f"the characters that {title} wants changed cannot be changed: {what[0]}"
        + (f" (and {len(what) - 1} more)" if len(what) > 1 else ""),
        choices=(*what[1:], "change these by hand, or write the keys out where they are used"),
    )


def _stuck(want: KeyEdit, document: Document) -> str:
    leaf = want.leaf
    to = "has to go" if want.key is None else f"becomes {want.key}" if want.key != want.was else "takes another value"
    return f"{leaf.key_place}: {want.was} {to}, and is {whereabouts(document, leaf)}"


def _run(
    number: int | None, before: Loaded, text: str, read: Remembered, route: Route, edits: Sequence[KeyEdit]
) -> Run:
    after = _load_again(text, read, number, route, before)
    comparison = _sides(before, after)
    return Run(number, before, after, comparison, tuple(unlike(comparison, after, edits)))


def _compared(before: Loaded, text: str, read: Remembered, number: int | None, route: Route) -> Comparison:
    return _sides(before, _load_again(text, read, number, route, before))


def _sides(before: Loaded, after: Loaded) -> Comparison:
    return compare(side(before.document.name, before), side(before.document.name, after))


def _load_again(text: str, read: Remembered, number: int | None, route: Route, before: Loaded) -> Loaded:
    rows = next((stage.reading.facts.rows for stage in before.stages), None)
    assumed = next((stage.reading.facts.assumed for stage in before.stages), None)
    known = (text, number)
    if known in read.loaded:
        return read.loaded[known]
    try:
        loaded = load(read(text, number), framework=route.found.framework, release=route.to, rows=rows, assume=assumed)
    except RftconfError as error:
        title = registry.framework(route.found.framework).title
        raise RefusedError(f"what it would become is no config of {title} {route.to}: {error}") from error
    read.loaded[known] = loaded
    return loaded


def _pinned(text: str, read: Remembered, number: int | None, before: Loaded, route: Route) -> tuple[str, list[Pin]]:
    """The text with every default written out that the asked release has otherwise, where that mattered.

    A switch that is written may wake keys, whose defaults matter then: so it is asked again until nothing is added.
    """
    pins = list[Pin]()
    if _unread(before):
        return text, pins  # a default written here would overrule what that file says
    for _ in range(MOST_ROUNDS):
        text, more = _pinned_once(text, read, number, before, route)
        pins += more
        if not more:
            break
    return text, pins


def _pinned_once(
    text: str, read: Remembered, number: int | None, before: Loaded, route: Route
) -> tuple[str, list[Pin]]:
    first = _compared(before, text, read, number, route)
    if first.verdict(tuple(Effect)) is Verdict.SAME:
        return text, []
    document = read(text, number)
    have = document.last()
    best, most, kept_pins = text, _weight(first), list[Pin]()
    pins = candidates(before, route, have, looked_at(first, down=route.down, implied=implied_names(before, route)))
    written, pins = written_with(document, pins)
    weight = _try(before, written, read, number, route)
    if weight is not None and weight < most:
        best, most, kept_pins = written, weight, pins
    for pin in list(kept_pins):  # what restores nothing by itself is left out
        written, fewer = written_with(document, [some_pin for some_pin in kept_pins if some_pin is not pin])
        weight = _try(before, written, read, number, route)
        if weight is not None and weight <= most:
            best, most, kept_pins = written, weight, fewer
    return best, kept_pins


def _unread(loaded: Loaded) -> str:
    """The config of the run's own that the command names and nobody gave."""
    return loaded.document.launch.unread if loaded.document.launch is not None else ""


def _without_woken(
    text: str, read: Remembered, number: int | None, before: Loaded, route: Route, edits: Sequence[KeyEdit]
) -> tuple[str, list[KeyEdit]]:
    """The text without keys that did nothing in the old release, and that would say something else now."""
    done = list[KeyEdit]()
    after = _load_again(text, read, number, route, before)
    reasons = {key: why for key, why in woken(before, after) if key not in asked_by_release(edits)}
    most = _weight(_sides(before, after)) if reasons else 0
    for key, why in reasons.items():
        written, edits = without(read(text, number), {key: why}, before, route, lossy=False)
        weight = _try(before, written, read, number, route) if edits else None
        if weight is not None and weight < most:
            text, most, done = written, weight, [*done, *edits]
    return text, done


def _without_asleep(
    text: str, read: Remembered, number: int | None, before: Loaded, route: Route, edits: Sequence[KeyEdit]
) -> tuple[str, list[KeyEdit]]:
    """The text without keys that said something in the old release, and that this one takes and ignores."""
    run = _run(number, before, text, read, route, ())
    keys = {edit.leaf.key for edit in edits if edit.kind is Kind.LEFT} | asked_by_release(edits)
    reasons = {key: why for key, why in asleep(run.unlike, run.after).items() if key not in keys}
    return without(run.after.document, reasons, before, route, lossy=True) if reasons else (text, [])


def _try(before: Loaded, text: str, read: Remembered, number: int | None, route: Route) -> int | None:
    """Return the number of differences from `before`; None where the text is no config."""
    try:
        return _weight(_compared(before, text, read, number, route))
    except RefusedError:
        return None


def _weight(comparison: Comparison) -> int:
    """Return the number of differences: plan fields of all effects, and keys outside the plan."""
    return sum(len(comparison.of(effect)) for effect in Effect) + len(comparison.own)


__all__ = ["Migration", "MigrationRequest", "Read", "RefusedError", "Run", "migrate"]
