"""Two names for a plan: `math_id` over what changes the mathematics, `plan_id` over placement and performance as well.

Both are taken over what acts (`plan.acting`): a setting that does nothing in its run changes neither. Number types, seeds and
what decays are the same whichever back end a config says them of (`plan.trainer_numbers`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rftconf.base.symbols import Expr, formula, names_in, to_shell
from rftconf.plan.acting import acting
from rftconf.plan.field_roles import BOOKKEEPING, MEASUREMENT, PERFORMANCE
from rftconf.plan.flat import flat_stages
from rftconf.plan.index import role_of
from rftconf.plan.trainer_numbers import in_every_trainers_words

if TYPE_CHECKING:
    from rftconf.plan.model import Plan

VERSION = "4"
"""Part of every id: changes when the meaning of a field does."""
ONLY_MEASURES = ("eval", "generate")
"""Kinds of runs that do nothing but what others do to see how far they are."""


def math_id(plan: Plan) -> str:
    """Stable over machines and releases: equal when two plans train the same way."""
    return _digest(plan, leave_out=(PERFORMANCE, MEASUREMENT, BOOKKEEPING))


def plan_id(plan: Plan) -> str:
    """Identify a plan as `math_id` does, and by the same placement, performance settings, validation and saving."""
    return _digest(plan, leave_out=(BOOKKEEPING,))


def effect_of(path: str, kind: object) -> str:
    """The role of a plan field (indices allowed) in a run of `kind`; "" where it changes the mathematics."""
    role = role_of(re.sub(r"\[\d+\]", "[]", path))
    return "" if role == MEASUREMENT and kind in ONLY_MEASURES else role


def flatten(plan: Plan) -> dict[str, Any]:
    """Every set leaf of the plan's identity, cluster and stages as `stages[0].batch.passes -> value`."""
    return _stages_by_path(flat_stages(plan))


def _digest(plan: Plan, leave_out: tuple[str, ...]) -> str:
    stages = [acting(in_every_trainers_words(stage)) for stage in flat_stages(plan)]
    digested = [
        {path: value for path, value in stage.items() if effect_of(path, stage.get("stage.kind")) not in leave_out}
        for stage in stages
    ]
    text = json.dumps([VERSION, sorted(_stages_by_path(digested).items())], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _stages_by_path(stages: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """All stages under the plan's own paths."""
    values: dict[str, Any] = {}
    for index, stage in enumerate(stages):
        for path, value in stage.items():
            own = path.startswith("stage.")
            values[f"stages[{index}].{path.removeprefix('stage.')}" if own else path] = _json(value)
    return values


def _json(value: Any) -> Any:
    if isinstance(value, Expr):
        return {"$expr": formula(value), "shell": to_shell(value), "names": sorted(names_in(value))}
    if isinstance(value, list):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _json(item) for key, item in value.items()}
    return value if isinstance(value, (bool, int, float, str)) else str(value)
