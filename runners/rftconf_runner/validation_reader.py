"""This module reads from a plan's stage what it validates on, how, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rftconf.base.symbols import Expr
from rftconf.plan.data_parts import DataSet
from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner.data_reader import rows_of
from rftconf_runner.framework_rewards import own_reward
from rftconf_runner.job_data import Sampling, Validation, ValidationSet
from rftconf_runner.job_rewards import Grader, RewardSource
from rftconf_runner.stage_reader import StageReader
from rftconf_runner.trinity_tasks import asks_once, is_asked_once

PATH = "data.eval[]."


def validation_of(
    stage: Stage, source: Source, rewards: Sequence[RewardSource], graders: Sequence[Grader]
) -> Validation | None:
    """Return None where the plan asks for no validation. A set that the runner cannot ask or score is left out, with the reason."""
    read = StageReader(stage)
    every, before = read.exact("cadence.eval_rollouts", 0), read.value("cadence.eval_at_start", False) is True
    if every <= 0 and not before and not read.open:
        return None
    most = max(read.whole("data.eval_max_samples", 0), 0)
    open_values = [f"validation: the plan leaves open {path}" for path in read.open]
    scored = {"" for grader in graders if not grader.domain} | {reward.domain for reward in rewards}
    sets, reasons = list[ValidationSet](), [*open_values]
    for number, data_set in enumerate(stage.data.eval):
        own = StageReader(stage)
        name = str(data_set.name or f"validation {number + 1}")
        validation_set = _set_of(own, data_set, name, source, scored)
        why = [*_unlike(stage, data_set, source, scored), *(f"the plan leaves open {path}" for path in own.open)]
        reasons += [f"validation on {name}: {reason}" for reason in why]
        sets += [] if why else [validation_set]
    if not stage.data.eval:
        reasons.append("validation: the plan names no data for it")
    return Validation(() if open_values else tuple(sets), every, before, most, tuple(reasons))


def _set_of(read: StageReader, data_set: DataSet, name: str, source: Source, scored: set[str]) -> ValidationSet:
    rows = rows_of(read, data_set, PATH, source, once=asks_once(read.stage))
    stated = [sampling for sampling in (data_set.sampling, read.stage.sampling.eval) if sampling is not None]

    def value(field: str, otherwise: Any) -> Any:
        values = [getattr(sampling, field) for sampling in stated]
        first = next((entry for entry in values if entry is not None), otherwise)
        read.text(f"sampling.eval.{field}", first)  # a symbol is noted there, and the set is left out
        return otherwise if isinstance(first, Expr) else first

    sampling = Sampling(
        float(value("temperature", 1.0)), float(value("top_p", 1.0)), int(value("top_k", -1)),
        float(value("repetition_penalty", 1.0)), value("ignore_eos", False) is True,
    )  # fmt: skip
    return ValidationSet(name, rows, sampling, int(value("responses", 1)), name if name in scored else "")


def _unlike(stage: Stage, data_set: DataSet, source: Source, scored: set[str]) -> Iterator[str]:
    """Yield the reasons why this set is not asked and scored as the training sets are."""
    if asks_once(stage) and data_set.workflow is not None and not is_asked_once(data_set):
        yield f"its workflow {data_set.workflow} is not executed"
    if {data_set.name, ""}.isdisjoint(scored):
        yield "no reward is given for it; `--reward` without a name is that of all others"
    own = own_reward(stage, source)
    named = own.arguments.get("name") if own else None
    if data_set.reward is not None and data_set.name not in scored and data_set.reward != named:
        yield f"its reward {data_set.reward} is another than the training sets'"
