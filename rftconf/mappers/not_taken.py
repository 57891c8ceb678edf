"""A target's release may refuse words and keys: a person settles words; keys that stop it are left out and said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING
from rftconf.mappers.outcomes import Out, Outcome
from rftconf.mappers.paths import without_indices
from rftconf.mappers.writing import Writing
from rftconf.schemas import catalogue, registry, versions
from rftconf.schemas.acceptance import Verdict, judge
from rftconf.schemas.closed_words import takes_word, words_of


@dataclass(frozen=True, slots=True)
class Slot:
    """A cell that the release edits carry along: an output with its value."""

    value: Any
    out: Out


def leave_out_what_is_not_taken(
    flat: dict[str, Slot], newest: Mapping[str, Slot], known: catalogue.Catalogue, writing: Writing, was: str
) -> None:
    """Leave to the person what the asked release does not take, and leave out what would stop it. In its own release (`was`)
    a file's words stay."""
    if writing.same_framework and was == writing.release:
        return
    _leave_unregistered_open(flat, newest, known, writing)
    _leave_out_what_stops(flat, newest, writing)
    if writing.same_framework:
        _leave_out_what_nobody_reads(flat, known, catalogue.load(writing.framework, was, writing.trainer), writing)
    _leave_refused_open(flat, newest, known, writing)


def _leave_unregistered_open(
    flat: dict[str, Slot], newest: Mapping[str, Slot], known: catalogue.Catalogue, writing: Writing
) -> None:
    """Leave to the person each name that the framework registers, and the asked release does not; a user's own stay."""
    names = newest_names(flat, newest)
    for key, slot in list(flat.items()):
        have = known.names(key)
        if not have or not isinstance(slot.value, str) or slot.value in (*have, MISSING):
            continue
        if not _is_registered(writing, {key, names.get(key, key)}, slot.value):
            continue
        title = registry.framework(writing.framework).title
        _leave_open(
            flat, key, writing, f"{title} {writing.release} has no {slot.value} for {key}; it has {', '.join(have)}"
        )


def _leave_out_what_stops(flat: dict[str, Slot], newest: Mapping[str, Slot], writing: Writing) -> None:
    names = newest_names(flat, newest)
    values = {key: slot.value for key, slot in flat.items()}
    for key, why in versions.stopping(writing.framework, writing.release, writing.trainer, values).items():
        for name in {key, names.get(key, key)}:
            account_change(writing, name, (), why, lossy=True)
        for path in flat.pop(key).out.plans:
            outcome = writing.outcomes[path]
            if outcome.state is State.EXACT:  # said by other keys, too
                writing.outcomes[path] = replace(outcome, state=State.NARROWED, note=why)


def _leave_out_what_nobody_reads(
    flat: dict[str, Slot], known: catalogue.Catalogue, before: catalogue.Catalogue, writing: Writing
) -> None:
    """Leave out a key of the user's own that the asked release refuses: the source's took it with `+`, or its fork has it."""
    if not registry.framework(writing.framework).adds_with_plus:
        return
    for key, slot in list(flat.items()):
        verdict, own = (judge(release, f"+{key}", slot.value) for release in (known, before))
        if verdict is Verdict.UNKNOWN and own in (Verdict.FREE, Verdict.UNKNOWN):
            del flat[key]
            title = registry.framework(writing.framework).title
            writing.note(f"{key} is left out: {title} {known.release} refuses keys there that it does not know")


def _leave_refused_open(
    flat: dict[str, Slot], newest: Mapping[str, Slot], known: catalogue.Catalogue, writing: Writing
) -> None:
    """Leave to the person each word that the asked release refuses."""
    names = newest_names(flat, newest)
    title = f"{registry.framework(writing.framework).title} {writing.release}"
    for key, slot in list(flat.items()):
        if not isinstance(slot.value, str) or slot.value == MISSING:
            continue
        words = words_of(writing.framework, writing.release, without_indices(names.get(key, key)))
        lacks = bool(words) and not takes_word(words, key, slot.value)
        if lacks or judge(known, key, slot.value, overrides=False) is Verdict.VALUE_REFUSED:
            has = f"; it has {', '.join(words)}" if lacks else ""
            _leave_open(flat, key, writing, f"{title} does not take {slot.value} for {key}{has}")


def _leave_open(flat: dict[str, Slot], key: str, writing: Writing, note: str) -> None:
    out = replace(flat[key].out, value=MISSING, state=State.NO_COUNTERPART, note=note, always=True)
    flat[key] = Slot(MISSING, out)
    for path in out.plans:
        writing.outcomes[path] = Outcome(out.state, (key,), note)


def _is_registered(writing: Writing, keys: set[str], name: str) -> bool:
    """True for a name of the framework's own: another release registers it, or the newest takes one of a few anyway."""
    of = registry.framework(writing.framework)
    having = [release for release in of.releases if writing.trainer in of.trainers_of(release)]
    sets = [catalogue.load(of.name, release, writing.trainer).names(key) for release in having for key in keys]
    return any(name in names for names in sets) or not any(sets[-len(keys) :])


def newest_names(flat: Mapping[str, Slot], newest: Mapping[str, Slot]) -> dict[str, str]:
    """Each key of the asked release to its name before the downgrade."""
    names = {id(slot): key for key, slot in newest.items()}
    return {key: names[id(slot)] for key, slot in flat.items() if id(slot) in names}


def account_change(writing: Writing, key: str, became: tuple[str, ...], why: str, lossy: bool) -> None:
    """A key renamed or dropped on the way down to the asked release."""
    for path, outcome in list(writing.outcomes.items()):
        if key not in [t.lstrip("+") for t in outcome.targets]:
            continue
        targets = tuple(t for old in outcome.targets for t in (became if old.lstrip("+") == key else (old,)))
        state = State.NO_COUNTERPART if lossy and not became else State.NARROWED if lossy else outcome.state
        if not became and not lossy and not targets:
            state = State.DEFAULT
        note = "; ".join(dict.fromkeys(n for n in (outcome.note, why if lossy or not became else "") if n))
        writing.outcomes[path] = Outcome(state, targets, note)
