"""A release judges an override by Hydra's rules for `key`, `+key`, `++key`, `~key`, or by Trinity's strict loader."""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from rftconf.base.record import record
from rftconf.base.symbols import Value
from rftconf.schemas import registry, versions
from rftconf.schemas.catalogue import Catalogue, Key
from rftconf.schemas.closed_words import takes_word, words_of


class Verdict(Enum):
    """A release's answer to a key as it is written; the value is a sentence about it."""

    TAKEN = "is a key of this release"
    FREE = "is the user's own key: accepted, and read only by code that asks for it"
    UNKNOWN = "is not a key of this release"
    NEEDS_PLUS = "is not in the YAML: only +key=value adds it"
    CANNOT_APPEND = "is in the YAML already: +key=value is refused, key=value sets it"
    DEAD = "is accepted and ignored"
    VALUE_REFUSED = "is known, but not with this value any more"
    WORD_UNKNOWN = "is known, but the release's code has no such word for it"

    @property
    def fits(self) -> bool:
        """True when the release neither refuses nor ignores it."""
        return self in (Verdict.TAKEN, Verdict.FREE)


def judge(known: Catalogue, prefixed: str, value: Value, *, overrides: bool = True) -> Verdict:
    """The verdict on `prefixed` (with Hydra's prefix, where it is an override) set to `value`.

    `overrides=False` for a whole YAML, in which added keys carry no prefix.
    """
    standing = _standing(known, prefixed, overrides)
    if standing.whatever:
        return standing.verdict
    if standing.dead and value is not None:
        return Verdict.DEAD
    if value in standing.refused or (standing.choices and _no_choice(value, standing.choices)):
        return Verdict.VALUE_REFUSED
    if standing.words and _no_choice(value, ()) and not takes_word(standing.words, prefixed.lstrip("+~"), str(value)):
        return Verdict.WORD_UNKNOWN
    if standing.verdict is Verdict.CANNOT_APPEND and isinstance(value, (list, dict)):
        return Verdict.TAKEN  # Hydra appends where nothing or null stands, and merges lists and mappings
    return standing.verdict


@record
class _Standing:
    """A release's answer to a key before it sees the value. `whatever`: the value changes nothing."""

    verdict: Verdict
    whatever: bool = False
    dead: bool = False
    refused: tuple[Value, ...] = ()
    choices: tuple[Value, ...] = ()
    words: tuple[str, ...] = ()


@lru_cache(maxsize=50_000)
def _standing(known: Catalogue, prefixed: str, overrides: bool) -> _Standing:
    key = prefixed.lstrip("+~")
    if key != prefixed and not registry.framework(known.framework).adds_with_plus:
        return _Standing(Verdict.UNKNOWN, whatever=True)  # the prefix is taken for a part of the name
    entry = known.get(key)
    if entry is None and not known.is_node(key):
        free = known.family == "verl" and not known.strict(key) and (prefixed.startswith("+") or not overrides)
        return _Standing(Verdict.FREE if free else Verdict.UNKNOWN, whatever=True)
    verdict = _judge_override(entry, prefixed) if overrides and known.family == "verl" else Verdict.TAKEN
    dead = bool(versions.dead(known.framework, known.release, key, known.trainer))
    refused = versions.refused_values(known.framework, known.release, key)
    # closed lists of words tell releases apart: ROLL's loader checks them, and the code of the others
    choices = entry.choices if entry is not None and known.framework == "roll" else ()
    words = () if refused else words_of(known.framework, known.release, key)
    whatever = verdict is Verdict.TAKEN and not (dead or refused or choices or words)
    return _Standing(verdict, whatever, dead, refused, choices, words)


def _judge_override(entry: Key | None, prefixed: str) -> Verdict:
    """Judge an override of a key that is there, given a plain value, by Hydra's rules."""
    if entry is None or prefixed.startswith(("++", "~")):
        return Verdict.TAKEN
    if prefixed.startswith("+"):
        return Verdict.TAKEN if entry.plus_only or entry.default in (None, "???") else Verdict.CANNOT_APPEND
    return Verdict.NEEDS_PLUS if entry.plus_only else Verdict.TAKEN


def _no_choice(value: Value, choices: tuple[Value, ...]) -> bool:
    return isinstance(value, str) and "${" not in value and value != "???" and value not in choices
