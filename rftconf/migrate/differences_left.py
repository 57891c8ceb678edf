"""Differences that are left after a migration, and whether the file could avoid them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rftconf.base.older_python import StrEnum
from rftconf.diff.compare import Comparison, Difference, Own
from rftconf.diff.effects import Effect
from rftconf.load.load import main_stage
from rftconf.load.loaded import Loaded
from rftconf.migrate.key_changes import KeyEdit, Kind
from rftconf.plan.origin import Kind as Said
from rftconf.schemas import catalogue, registry, versions


class Nature(StrEnum):
    """The reason of a difference: the file's own words have no place, or no file of the asked release could say it."""

    LOST = "lost"
    RELEASE = "release"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Unlike:
    """One thing that differs: a plan field, or a key outside the plan. None where nobody says anything.

    `asleep`: the file's keys, by their newest names, that said it and do nothing in the asked release.
    """

    name: str
    a: Any
    b: Any
    nature: Nature
    why: str = ""
    asleep: tuple[str, ...] = ()


def unlike(comparison: Comparison, after: Loaded, edits: Iterable[KeyEdit]) -> list[Unlike]:
    """List all differences that are left, sorted by nature."""
    removed = {edit.leaf.key: edit for edit in edits if edit.kind is Kind.REMOVED}
    asleep = _asleep(comparison, after)
    leftovers = [_field(difference, after, asleep) for effect in Effect for difference in comparison.of(effect)]
    leftovers += [_unlike_own_key(own_key, removed, asleep) for own_key in comparison.own]
    compared = {own_key.key for own_key in comparison.own}
    nobodys = [edit for key, edit in removed.items() if edit.nobodys and key not in compared]
    leftovers += [Unlike(edit.leaf.key, edit.leaf.value, None, Nature.LOST, edit.why) for edit in nobodys]
    leftovers += [Unlike(f"stage {name}", name, None, Nature.LOST) for name in comparison.only_a]
    leftovers += [Unlike(f"stage {name}", None, name, Nature.LOST) for name in comparison.only_b]
    return sorted(leftovers, key=lambda leftover: list(Nature).index(leftover.nature))


def _asleep(comparison: Comparison, after: Loaded) -> Mapping[str, str]:
    """Keys that do nothing in the result, with the reason."""
    return {**{idle.key: idle.why for idle in comparison.idle[1]}, **main_stage(after).reading.inactive}


def _field(difference: Difference, after: Loaded, asleep: Mapping[str, str]) -> Unlike:
    asked_keys = difference.a.said.asked if difference.a.said is not None else ()
    written = difference.a.said is not None and difference.a.said.kind is Said.WRITTEN
    still = tuple(key for key in asked_keys if key in asleep)
    beside = after.document.launch.unread if after.document.launch is not None else ""
    if beside and not written:
        return Unlike(
            difference.path,
            difference.a.value,
            difference.b.value,
            Nature.RELEASE,
            f"unless {beside} says it: migrate that as well",
        )
    why = next((asleep[key] for key in asked_keys if key in asleep), "") or difference.b.idle or ""
    if difference.b.value is None or difference.b.idle is not None:
        is_kept = not written or _usual(after, asked_keys, difference.a.value)
        return Unlike(difference.path, difference.a.value, None, Nature.RELEASE if is_kept else Nature.LOST, why, still)
    if difference.a.value is None:
        return Unlike(difference.path, None, difference.b.value, Nature.NEW)
    if not (written and still) and (difference.b.said is None or not difference.b.said.asked):
        return Unlike(
            difference.path,
            difference.a.value,
            difference.b.value,
            Nature.RELEASE,
            difference.b.said.how if difference.b.said else "",
        )
    reasons = [versions.reason_value_is_fixed(after.framework, after.release, key) for key in asked_keys]
    if any(reasons) and not written:
        return Unlike(
            difference.path, difference.a.value, difference.b.value, Nature.RELEASE, next(why for why in reasons if why)
        )
    said_keys = difference.b.said.asked if difference.b.said is not None else ()
    if not written and not _sayable(after, (*asked_keys, *said_keys)):
        why = f"{registry.framework(after.framework).title} {after.release} has no key for it"
        return Unlike(difference.path, difference.a.value, difference.b.value, Nature.RELEASE, why)
    return Unlike(difference.path, difference.a.value, difference.b.value, Nature.LOST, difference.a.idle or why, still)


def _sayable(after: Loaded, keys: tuple[str, ...]) -> bool:
    """True where the release has a key, by whatever name, for one of the newest release's."""
    known = catalogue.load(after.framework, after.release, after.guess.trainer)
    trainer = after.guess.trainer
    names = {name for key in keys for name in versions.names_in(after.framework, key, after.release, trainer)}
    return any(name in known or known.is_node(name) for name in names)


def _usual(after: Loaded, keys: tuple[str, ...], value: Any) -> bool:
    """True where what is said is what the release does anyway."""
    newest = catalogue.load(after.framework, None, after.guess.trainer)
    return any(key in newest and newest.default(key) == value for key in keys)


def _unlike_own_key(own_key: Own, removed: Mapping[str, KeyEdit], asleep: Mapping[str, str]) -> Unlike:
    edit = removed.get(own_key.key)
    why = edit.why if edit is not None else asleep.get(own_key.key, "")
    harmless = edit is not None and not edit.lossy
    still = (own_key.key,) if own_key.key in asleep else ()
    return Unlike(own_key.key, own_key.a, own_key.b, Nature.RELEASE if harmless else Nature.LOST, why, still)


def lost(leftovers: Iterable[Unlike]) -> Iterator[Unlike]:
    """Return the differences that the file states, and that the asked release has no words for."""
    return (leftover for leftover in leftovers if leftover.nature is Nature.LOST)
