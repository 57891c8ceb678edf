"""Blocks of a plan that mean something as a whole: DAPO's filter and shaping, run-ahead and its correction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner import bypass
from rftconf_runner.value_text import render_plan_value

OF_SHAPING = {"overlong_buffer_cfg", "max_resp_len"}
OF_BUFFER = {"enable", "len", "penalty_factor", "log"}
OF_CORRECTION = {"rollout_is", "rollout_is_threshold", "rollout_is_batch_normalize", "rollout_rs", "loss_type"}
"""What is read, or has one value with which nothing is to do."""


def of_dapo(stage: Stage) -> Iterator[tuple[str, str]]:
    """One filter that draws groups without spread again; the punishment of long answers in numbers."""
    filters = stage.algorithm.filters
    if len(filters) > 1:
        yield "algorithm.filters", f"{len(filters)} filters; the runner applies one"
    for dapo_filter in filters[:1]:
        if (dapo_filter.kind, dapo_filter.action) != ("zero_std", "refill"):
            yield (
                "algorithm.filters",
                f"is {dapo_filter.kind} with {dapo_filter.action}; the runner executes zero_std with refill",
            )
        if dapo_filter.threshold is not None and not _is_number(dapo_filter.threshold):
            yield "algorithm.filters[].threshold", f"is {render_plan_value(dapo_filter.threshold)}, and no number"
    settings = stage.reward.manager_args or {}
    if not settings or stage.reward.manager != "dapo":
        if settings:
            yield "reward.manager_args", f"is {render_plan_value(settings)}; the runner reads it with the manager dapo"
        return
    buffer = settings.get("overlong_buffer_cfg") or {}
    if not isinstance(buffer, dict):
        yield "reward.manager_args", f"has overlong_buffer_cfg {render_plan_value(buffer)}, and no block"
        return
    strange = sorted({*settings} - OF_SHAPING) + sorted({*buffer} - OF_BUFFER)
    if strange:
        yield "reward.manager_args", f"has {', '.join(strange)}, which the runner does not read"
    numbers = (buffer.get("len"), settings.get("max_resp_len"), buffer.get("penalty_factor"))
    if buffer.get("enable") and not _is_shaping(*numbers):
        yield (
            "reward.manager_args",
            f"{numbers} as len, max_resp_len and penalty_factor; len must be in 1..max_resp_len",
        )


def _is_shaping(buffer: object, longest: object, factor: object) -> bool:
    return _is_number(buffer) and _is_number(longest) and _is_number(factor) and 0 < buffer <= longest


def of_lag(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """Refuse settings of drawing ahead that are no numbers, and corrections of stale answers that are not executed."""
    sync, ahead = stage.sync, stage.sync.run_ahead_rollouts
    if not (sync.every_rollouts is None or (isinstance(sync.every_rollouts, int) and sync.every_rollouts > 0)):
        yield "sync.every_rollouts", f"is {render_plan_value(sync.every_rollouts)}; the runner needs a whole number"
    if not (ahead is None or (_is_number(ahead) and float(str(ahead)) >= 0)):
        yield "sync.run_ahead_rollouts", f"is {render_plan_value(ahead)}, and no number"
    block = stage.algorithm.rollout_correction or {}
    bypasses = bypass.bypasses(stage, source)
    yield from bypass.of_bypass(stage) if bypasses else _of_correction(stage, block)
    yield from _of_weights(block)
    learns = sync.old_logprob == "rollout_engine"
    yield from _of_truncation(stage, learns_from_engine=bool(block.get("rollout_is")) or learns)


def _of_correction(stage: Stage, block: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Refuse what of a correction by the weights of a period's beginning is not executed."""
    path = "algorithm.rollout_correction"
    strange = sorted({*block} - OF_CORRECTION - {"rollout_rs_threshold"})
    if strange:
        yield path, f"has {', '.join(strange)}, which the runner does not read"
    if block.get("rollout_rs") is not None:
        yield path, f"has rollout_rs {render_plan_value(block['rollout_rs'])}; the runner rejects no sequence"
    if block.get("loss_type", "ppo_clip") != "ppo_clip":
        yield path, f"has loss_type {render_plan_value(block['loss_type'])}; the runner executes ppo_clip"
    if block.get("rollout_is") is not None:
        yield from _whose(stage)


def _of_weights(block: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Refuse importance weights that are not executed."""
    path = "algorithm.rollout_correction"
    if block.get("rollout_is") not in (None, "token", "sequence"):
        yield path, f"has rollout_is {render_plan_value(block['rollout_is'])}; the runner executes token, sequence"
    if block.get("rollout_is_batch_normalize") not in (True, False, None):
        yield (
            path,
            f"has rollout_is_batch_normalize {render_plan_value(block['rollout_is_batch_normalize'])}; true or false",
        )
    if not _is_threshold(block.get("rollout_is_threshold", 2.0)):
        yield (
            path,
            f"has rollout_is_threshold {render_plan_value(block['rollout_is_threshold'])}; a number, or LOWER_UPPER",
        )


def _of_truncation(stage: Stage, *, learns_from_engine: bool) -> Iterator[tuple[str, str]]:
    """Answers that are drawn from less than the whole distribution: the engine's log-probs are of the whole, at temperature 1."""
    sampling, algorithm = stage.sampling.train, stage.algorithm
    cut = {"top_p": sampling.top_p not in (None, 1), "top_k": sampling.top_k not in (None, -1, 0)}
    tempered = algorithm.divide_logits_by_temperature is not False and sampling.temperature not in (None, 1)
    for name in (name for name, is_cut in cut.items() if is_cut):
        path, value = f"sampling.train.{name}", getattr(sampling, name)
        if learns_from_engine:
            yield (
                path,
                f"is {render_plan_value(value)} while the engine's log-probs are learned from: of all tokens or of these, the plan leaves open",
            )
        elif tempered:
            why = "the engine then has no log-probs that the trainer's can be compared with"
            yield (
                path,
                f"is {render_plan_value(value)} at temperature {render_plan_value(sampling.temperature)}, by which logits are divided; {why}",
            )


def _whose(stage: Stage) -> Iterator[tuple[str, str]]:
    """Weights are of the trainer's log-probs as the period begins."""
    batch = stage.batch
    whole = batch.passes in (1, None) and batch.sequences_per_update == _product(stage)
    if stage.sync.old_logprob == "rollout_engine":
        yield (
            "sync.old_logprob",
            "is 'rollout_engine': the ratio corrects already, and importance weights are of no use",
        )
    elif stage.sync.old_logprob in ("recompute_at_update", "current") and not whole:
        yield (
            "sync.old_logprob",
            f"is {render_plan_value(stage.sync.old_logprob)}; weights are taken once a period, as it begins",
        )


def _product(stage: Stage) -> object:
    prompts, n = stage.batch.prompts_per_rollout, stage.batch.responses_per_prompt
    return prompts * n if isinstance(prompts, int) and isinstance(n, int) else None


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_threshold(value: object) -> bool:
    try:
        parts = [float(part) for part in str(value).split("_")]
    except ValueError:
        return False
    return 1 <= len(parts) <= 2 and parts == sorted(parts) and parts[0] > 0
