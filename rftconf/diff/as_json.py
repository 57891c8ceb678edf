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
    from rftconf.diff.halves import SideValue
    from rftconf.diff.sides import Idle, Side, Statement

VERSION = 1
"""Of the JSON form. It grows only when a field changes its meaning or goes."""


def comparison_json(comparison: Comparison, effects: Sequence[Effect] = tuple(Effect)) -> dict[str, Any]:
    """The comparison as JSON data; what is not known is null, and secrets are absent."""
    counted = tuple(effect for effect in effects if effect in COUNTED) or tuple(effects)
    return {
        "version": VERSION,
        "verdict": str(comparison.verdict(counted)),
        "a": _side(comparison.a, comparison.math_ids[0], comparison.plan_ids[0]),
        "b": _side(comparison.b, comparison.math_ids[1], comparison.plan_ids[1]),
        "counts": {str(effect): len(comparison.of(effect)) for effect in effects},
        "stages": [
            {
                "a": stage.a,
                "b": stage.b,
                "name": stage.name,
                "totals": [counted_json(total) for total in stage.totals],
                "causes": [_cause(cause) for cause in of_stages(comparison, stage)]
                if Effect.MATHEMATICS in effects
                else [],
                "differences": [difference_json(d) for d in stage.differences if d.known.effect in effects],
            }
            for stage in comparison.stages
        ],
        "only_in_a": list(comparison.only_a),
        "only_in_b": list(comparison.only_b),
        "outside_the_plan": [_own_key_json(own_key, compared=True) for own_key in comparison.own]
        + [_own_key_json(own_key, compared=False) for own_key in comparison.uncompared],
        "without_effect": {
            "a": [_idle(idle) for idle in comparison.idle[0]],
            "b": [_idle(idle) for idle in comparison.idle[1]],
        },
    }


def _cause(cause: Ranked) -> dict[str, Any]:
    """One reason why the two learn differently; they stand in the order of their effect."""
    size = cause.measured.doublings
    return {
        "cause": cause.cause.name,
        "tier": cause.tier.name.lower(),
        "says": cause.measured.says,
        "doublings": None if size is None else value_json(size),
        "paths": [d.path for d in cause.found],
    }


def counted_json(counted: Counted) -> dict[str, Any]:
    """A derived total on both sides."""
    total = counted.total
    return {
        "name": total.name,
        "unit": total.unit,
        "formula": total.how,
        "mathematics": total.mathematics,
        "a": total_json(counted.a),
        "b": total_json(counted.b),
        "same": counted.same,
    }


def difference_json(difference: Difference) -> dict[str, Any]:
    """A field that is not the same."""
    return {
        "path": difference.path,
        "group": difference.known.group,
        "effect": str(difference.known.effect),
        "does": difference.known.does,
        "certain": difference.certain,
        "doubts": dict(difference.doubts),
        "a": _side_json(difference.path, difference.a),
        "b": _side_json(difference.path, difference.b),
    }


def _side(side: Side, math: str, plan: str) -> dict[str, Any]:
    return {"file": side.name, "framework": side.framework, "release": side.release, "math_id": math, "plan_id": plan}


def _side_json(path: str, side: SideValue) -> dict[str, Any]:
    hidden = is_secret(path.rpartition(".")[2], side.value)
    value = None if hidden else value_json(total_json(side.value))
    return {"value": value, "origin": _statement_json(side.said), "no_effect_because": side.idle}


def _statement_json(statement: Statement | None) -> dict[str, Any] | None:
    if statement is None:
        return None
    keys = [{"key": key, "place": place_json(place)} for key, place in statement.keys]
    return {"kind": str(statement.kind), "keys": keys, "how": statement.how, "default_of": statement.release or None}


def _own_key_json(own_key: Own, *, compared: bool) -> dict[str, Any]:
    values = {"a": own_key.a, "b": own_key.b}
    plain = {side: None if is_secret(own_key.key, value) else value_json(value) for side, value in values.items()}
    return {"key": own_key.key, **plain, "compared": compared}


def _idle(idle: Idle) -> dict[str, Any]:
    return {"key": idle.key, "place": place_json(idle.place), "why": idle.why}
