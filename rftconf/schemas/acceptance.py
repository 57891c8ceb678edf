"""What a release says to one override: Hydra's rules for `key`, `+key`, `++key`, `~key`, or Trinity's strict loader."""

from __future__ import annotations

from enum import Enum

from rftconf.plan.symbols import Value
from rftconf.schemas import registry, versions
from rftconf.schemas.catalogue import Catalogue, Key


class Verdict(Enum):
    """How a release takes a key as it is written; the value is a sentence about it."""

    TAKEN = "is a key of this release"
    FREE = "is the user's own key: accepted, and read only by code that asks for it"
    UNKNOWN = "is not a key of this release"
    NEEDS_PLUS = "is not in the YAML: only +key=value adds it"
    CANNOT_APPEND = "is in the YAML already: +key=value is refused, key=value sets it"
    DEAD = "is accepted and ignored"
    VALUE_REFUSED = "is known, but not with this value any more"

    @property
    def fits(self) -> bool:
        """True when the release neither refuses nor ignores it."""
        return self in (Verdict.TAKEN, Verdict.FREE)


def judge(known: Catalogue, prefixed: str, value: Value, *, overrides: bool = True) -> Verdict:
    """The verdict on `prefixed` (with Hydra's prefix, where it is an override) set to `value`.

    `overrides=False` for a whole YAML, in which added keys carry no prefix.
    """
    key = prefixed.lstrip("+~")
    if key != prefixed and not registry.framework(known.framework).adds_with_plus:
        return Verdict.UNKNOWN  # the prefix is taken for a part of the name
    found = known.get(key)
    if found is None and not known.is_node(key):
        free = known.family == "verl" and not known.strict(key) and (prefixed.startswith("+") or not overrides)
        return Verdict.FREE if free else Verdict.UNKNOWN
    if value is not None and versions.dead(known.framework, known.release, key):
        return Verdict.DEAD
    if versions.refused(known.framework, known.release, key, value) or _no_choice(known, found, value):
        return Verdict.VALUE_REFUSED
    if found is None or known.family != "verl" or not overrides or prefixed.startswith(("++", "~")):
        return Verdict.TAKEN
    if prefixed.startswith("+"):
        # Hydra appends where nothing or null stands, and merges lists and mappings into what is there.
        room = found.plus_only or found.default in (None, "???") or isinstance(value, (list, dict))
        return Verdict.TAKEN if room else Verdict.CANNOT_APPEND
    return Verdict.NEEDS_PLUS if found.plus_only else Verdict.TAKEN


def _no_choice(known: Catalogue, found: Key | None, value: Value) -> bool:
    """ROLL's loader checks closed lists of words; they tell releases apart."""
    plain = isinstance(value, str) and "${" not in value and value != "???"
    return (
        plain and known.framework == "roll" and found is not None and bool(found.choices) and value not in found.choices
    )
