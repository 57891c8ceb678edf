"""What is not the same after a migration, and whether the file could say it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rftconf.base.older_python import StrEnum
from rftconf.diff.compare import Comparison, Difference, Own
from rftconf.diff.effects import Effect
from rftconf.load.load import main_stage
from rftconf.load.loaded import Loaded
from rftconf.migrate.key_changes import Kind, Wanted
from rftconf.plan.origin import Kind as Said
from rftconf.schemas import catalogue, registry, versions


class Nature(StrEnum):
    """Why something differs: the file's own words have no place, or no file of the asked release could say it."""

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


def unlike(found: Comparison, after: Loaded, edits: Iterable[Wanted]) -> list[Unlike]:
    """Everything that differs, sorted by nature."""
    removed = {edit.leaf.key: edit for edit in edits if edit.kind is Kind.REMOVED}
    asleep = _asleep(found, after)
    seen = [_field(one, after, asleep) for effect in Effect for one in found.of(effect)]
    seen += [_unlike_own_key(one, removed, asleep) for one in found.own]
    compared = {one.key for one in found.own}
    nobodys = [edit for key, edit in removed.items() if edit.nobodys and key not in compared]
    seen += [Unlike(edit.leaf.key, edit.leaf.value, None, Nature.LOST, edit.why) for edit in nobodys]
    seen += [Unlike(f"stage {name}", name, None, Nature.LOST) for name in found.only_a]
    seen += [Unlike(f"stage {name}", None, name, Nature.LOST) for name in found.only_b]
    return sorted(seen, key=lambda one: list(Nature).index(one.nature))


def _asleep(found: Comparison, after: Loaded) -> Mapping[str, str]:
    """Keys that do nothing in the result, with the reason."""
    return {**{one.key: one.why for one in found.idle[1]}, **main_stage(after).reading.inactive}


def _field(one: Difference, after: Loaded, asleep: Mapping[str, str]) -> Unlike:
    asked = one.a.said.asked if one.a.said is not None else ()
    beside = after.document.launch.unread if after.document.launch is not None else ""
    if beside and (one.a.said is None or one.a.said.kind is not Said.WRITTEN):
        return Unlike(
            one.path, one.a.value, one.b.value, Nature.RELEASE, f"unless {beside} says it: migrate that as well"
        )
    why = next((asleep[key] for key in asked if key in asleep), "") or one.b.idle or ""
    if one.b.value is None or one.b.idle is not None:
        written = one.a.said is not None and one.a.said.kind is Said.WRITTEN
        kept = not written or _usual(after, asked, one.a.value)
        still = tuple(key for key in asked if key in asleep)
        return Unlike(one.path, one.a.value, None, Nature.RELEASE if kept else Nature.LOST, why, still)
    if one.a.value is None:
        return Unlike(one.path, None, one.b.value, Nature.NEW)
    if one.b.said is None or not one.b.said.asked:
        return Unlike(one.path, one.a.value, one.b.value, Nature.RELEASE, one.b.said.how if one.b.said else "")
    told = [versions.reason_value_is_fixed(after.framework, after.release, key) for key in asked]
    if any(told) and (one.a.said is None or one.a.said.kind is not Said.WRITTEN):
        return Unlike(one.path, one.a.value, one.b.value, Nature.RELEASE, next(why for why in told if why))
    if (one.a.said is None or one.a.said.kind is not Said.WRITTEN) and not _sayable(after, (*asked, *one.b.said.asked)):
        why = f"{registry.framework(after.framework).title} {after.release} has no key for it"
        return Unlike(one.path, one.a.value, one.b.value, Nature.RELEASE, why)
    return Unlike(one.path, one.a.value, one.b.value, Nature.LOST, one.a.idle or why)


def _sayable(after: Loaded, asked: tuple[str, ...]) -> bool:
    """True where the release has a key, by whatever name, for one of the newest release's."""
    known = catalogue.load(after.framework, after.release, after.guess.trainer)
    trainer = after.guess.trainer
    names = {name for key in asked for name in versions.names_in(after.framework, key, after.release, trainer)}
    return any(name in known or known.is_node(name) for name in names)


def _usual(after: Loaded, asked: tuple[str, ...], value: Any) -> bool:
    """True where what is said is what the release does anyway."""
    newest = catalogue.load(after.framework, None, after.guess.trainer)
    return any(key in newest and newest.default(key) == value for key in asked)


def _unlike_own_key(one: Own, removed: Mapping[str, Wanted], asleep: Mapping[str, str]) -> Unlike:
    edit = removed.get(one.key)
    why = edit.why if edit is not None else asleep.get(one.key, "")
    harmless = edit is not None and not edit.lossy
    still = (one.key,) if one.key in asleep else ()
    return Unlike(one.key, one.a, one.b, Nature.RELEASE if harmless else Nature.LOST, why, still)


def lost(found: Iterable[Unlike]) -> Iterator[Unlike]:
    """Those that the file said, and that the asked release has no words for."""
    return (one for one in found if one.nature is Nature.LOST)
