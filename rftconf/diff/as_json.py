"""A comparison as plain JSON data, with a stable order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.base.secrets import is_secret
from rftconf.diff.effects import COUNTED, Effect
from rftconf.diff.ranking import Ranked, of_stages
from rftconf.plan.totals import total_json
from rftconf.report.values import place_json, value_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rftconf.diff.compare import Comparison, Counted, Difference, Own
    from rftconf.diff.halves import Seen
    from rftconf.diff.sides import Idle, Said, Side

VERSION = 1
"""Of the JSON form. It grows only when a field changes its meaning or goes."""


def comparison_json(found: Comparison, effects: Sequence[Effect] = tuple(Effect)) -> dict[str, Any]:
    """Everything that was found; what is not known is null, and secrets are absent."""
    counted = tuple(effect for effect in effects if effect in COUNTED) or tuple(effects)
    return {
        "version": VERSION,
        "verdict": str(found.verdict(counted)),
        "a": _side(found.a, found.math_ids[0], found.plan_ids[0]),
        "b": _side(found.b, found.math_ids[1], found.plan_ids[1]),
        "counts": {str(effect): len(found.of(effect)) for effect in effects},
        "stages": [
            {
                "a": stage.a,
                "b": stage.b,
                "name": stage.name,
                "totals": [counted_json(one) for one in stage.totals],
                "causes": [_cause(one) for one in of_stages(found, stage)] if Effect.MATHEMATICS in effects else [],
                "differences": [difference_json(one) for one in stage.differences if one.known.effect in effects],
            }
            for stage in found.stages
        ],
        "only_in_a": list(found.only_a),
        "only_in_b": list(found.only_b),
        "outside_the_plan": [_own_key_json(one, compared=True) for one in found.own]
        + [_own_key_json(one, compared=False) for one in found.uncompared],
        "without_effect": {"a": [_idle(one) for one in found.idle[0]], "b": [_idle(one) for one in found.idle[1]]},
    }


def _cause(one: Ranked) -> dict[str, Any]:
    """One reason why the two learn differently; they stand in the order of their effect."""
    size = one.measured.doublings
    return {
        "cause": one.cause.name,
        "tier": one.tier.name.lower(),
        "says": one.measured.says,
        "doublings": None if size is None else value_json(size),
        "paths": [difference.path for difference in one.found],
    }


def counted_json(one: Counted) -> dict[str, Any]:
    """A derived total on both sides."""
    total = one.total
    return {
        "name": total.name,
        "unit": total.unit,
        "formula": total.how,
        "mathematics": total.mathematics,
        "a": total_json(one.a),
        "b": total_json(one.b),
        "same": one.same,
    }


def difference_json(one: Difference) -> dict[str, Any]:
    """A field that is not the same."""
    return {
        "path": one.path,
        "group": one.known.group,
        "effect": str(one.known.effect),
        "does": one.known.does,
        "certain": one.certain,
        "a": _seen(one.path, one.a),
        "b": _seen(one.path, one.b),
    }


def _side(side: Side, math: str, plan: str) -> dict[str, Any]:
    return {"file": side.name, "framework": side.framework, "release": side.release, "math_id": math, "plan_id": plan}


def _seen(path: str, seen: Seen) -> dict[str, Any]:
    hidden = is_secret(path.rpartition(".")[2], seen.value)
    value = None if hidden else value_json(total_json(seen.value))
    return {"value": value, "origin": _told_json(seen.said), "no_effect_because": seen.idle}


def _told_json(said: Said | None) -> dict[str, Any] | None:
    if said is None:
        return None
    keys = [{"key": key, "place": place_json(place)} for key, place in said.keys]
    return {"kind": str(said.kind), "keys": keys, "how": said.how, "default_of": said.release or None}


def _own_key_json(one: Own, *, compared: bool) -> dict[str, Any]:
    values = {"a": one.a, "b": one.b}
    plain = {side: None if is_secret(one.key, value) else value_json(value) for side, value in values.items()}
    return {"key": one.key, **plain, "compared": compared}


def _idle(one: Idle) -> dict[str, Any]:
    return {"key": one.key, "place": place_json(one.place), "why": one.why}
