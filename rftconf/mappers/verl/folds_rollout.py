"""veRL's old log-probabilities, group filters and output folder."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import open_keys
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.filters import first_filter
from rftconf.mappers.run_folders import RunFolder, joined
from rftconf.mappers.shapes import carry, known_below, lose_known, settle, settle_known, take, together
from rftconf.mappers.verl.conditions import dapo_recipe, local_updates, v1_trainer
from rftconf.mappers.verl.trees import put_tree
from rftconf.schemas.registry import VERL


def read_old_logprob(r: ReadContext) -> None:
    """Read which log-probabilities the ratio is taken against, and the correction for the engine's mismatch."""
    block = "algorithm.rollout_correction"
    bypass = r.native(f"{block}.bypass_mode", False)
    update = r.plan("stage.batch.sequences_per_update")
    whole = _sequences(r)
    single = update is not None and update == whole and r.plan("stage.batch.passes") == 1
    shortcut = single and r.since("0.6.0") and not r.since("0.8.0")
    # separate_async restores the period's first weights; elsewhere a hand-set step recomputes with those of the moment
    moving = local_updates(r) != 1 and r.facts.trainer_mode not in ("separate_async", "fully_async")
    recomputed = "recompute_at_update" if moving else "recompute_at_rollout"
    source = "rollout_engine" if bypass is True else "current" if shortcut else recomputed
    # how many updates a period has decides, so what leaves that open is part of the answer
    r.set("stage.sync.old_logprob", source, f"{block}.bypass_mode", *sorted(open_keys([update, whole])))
    rest = {k: v for k, v in r.source.branch(block).items() if k != "bypass_mode" and r.written(f"{block}.{k}")}
    if rest and all(r.native(f"{block}.{k}") is None for k in CORRECTS):
        # with the engine's own log-probabilities another loss may act still, and the clipped one is as ever
        acts = {"loss_type"} if bypass and rest.get("loss_type") not in (None, "ppo_clip") else set()
        r.inactive.update({f"{block}.{k}": NO_CORRECTION for k in rest if k not in acts})
        rest = {k: value for k, value in rest.items() if k in acts}
    r.set("stage.algorithm.rollout_correction", rest or None, *(f"{block}.{k}" for k in rest))


CORRECTS = ("rollout_is", "rollout_rs", "rollout_token_veto_threshold")
"""What of the block weighs or masks answers, where it is set (rollout_corr_helper: compute_rollout_correction_and_rejection_mask)."""
NO_CORRECTION = "nothing is corrected: neither rollout_is nor rollout_rs is set"


BLOCK, CORRECTION = "algorithm.rollout_correction", "stage.algorithm.rollout_correction"


def write_old_logprob(w: WriteContext) -> None:
    """`bypass_mode` takes the engine's log-probabilities; otherwise veRL recomputes them once per period."""
    source = w.plan("stage.sync.old_logprob")
    if source == "rollout_engine":
        w.put("algorithm.rollout_correction.bypass_mode", True, "stage.sync.old_logprob", always=True)
        if w.since("0.6.1") and not w.since("0.9.0"):
            why = "bypass_mode needs the engine's log-probabilities; off by default before 0.9"
            w.put("actor_rollout_ref.rollout.calculate_log_probs", True, always=True, how=why)
    elif source in ("recompute_at_update", "current"):
        single = w.plan("stage.batch.sequences_per_update") == _sequences(w)
        other = "veRL recomputes once per rollout period, not per update"
        settle(w, "stage.sync.old_logprob", single, "with one update a period this is the same", other)
    elif source is not None:
        w.lose("stage.sync.old_logprob", State.DEFAULT, "veRL recomputes them once per rollout period")
    put_tree(w, BLOCK, CORRECTION)
    key, correction = f"{BLOCK}.rollout_is_threshold", w.plan(CORRECTION)
    bounds = correction.get("rollout_is_threshold") if isinstance(correction, dict) else None
    if isinstance(bounds, str) and "_" in bounds and not w.since("0.8.0"):
        upper = bounds.partition("_")[2]
        note = f"releases before 0.8 have no weights of 0 outside of {bounds.replace('_', ' to ')}; they cut them at {upper}"
        w.put(key, float(upper), CORRECTION, state=State.NARROWED, note=note, always=True)


def _sequences(c: Context) -> Any:
    """The answers of a rollout period."""
    prompts, n = c.plan("stage.batch.prompts_per_rollout"), c.plan("stage.batch.responses_per_prompt")
    return None if prompts is None or n is None else prompts * n


ROLLOUT = "actor_rollout_ref.rollout."
EVAL_TEMPERATURE, DO_SAMPLE = ROLLOUT + "val_kwargs.temperature", ROLLOUT + "val_kwargs.do_sample"


def read_eval_temperature(r: ReadContext) -> None:
    """Up to 0.6 the synchronous rollout validates greedily unless do_sample is true."""
    value = r.native(EVAL_TEMPERATURE)
    mode = r.source.cells.get(ROLLOUT + "mode")
    # as written: later releases have the asynchronous rollout only
    heard = not r.since("0.7.0") and (mode is None or mode.leaf is None or mode.leaf.value != "async")
    if heard and r.native(DO_SAMPLE, False) is False:
        if r.written(EVAL_TEMPERATURE) and value != 0:
            r.inactive[EVAL_TEMPERATURE] = "val_kwargs.do_sample is False: validation is greedy up to 0.6"
        value = 0
    if not heard:
        r.inactive[DO_SAMPLE] = "nothing reads it: temperature 0 is how to sample greedily"
    keys = (EVAL_TEMPERATURE, DO_SAMPLE) if heard else (EVAL_TEMPERATURE,)
    r.set("stage.sampling.eval.temperature", value, *keys)


def write_eval_temperature(w: WriteContext) -> None:
    """do_sample must say so where it is heard."""
    path = "stage.sampling.eval.temperature"
    value = w.plan(path)
    if value is None:
        return
    w.put(EVAL_TEMPERATURE, value, path, always=True)
    if not w.since("0.7.0") and value != 0:
        w.put(DO_SAMPLE, True, path, always=True, how="False would mean greedy up to 0.6")


FILTER = "algorithm.filter_groups."


def read_filters(r: ReadContext) -> None:
    """DAPO's dynamic sampling, built in since 0.9."""
    _read_draws(r)
    if r.native(FILTER + "enable", False) is not True:
        for key in ("metric", "max_inflight_gen_batches", "max_num_gen_batches"):
            r.inactive[FILTER + key] = "no effect while algorithm.filter_groups.enable is False"
        return
    if not v1_trainer(r) and r.facts.program == VERL.mains[0]:
        why = "main_ppo reads it with the trainer of 0.9 only; before, it is a slot for recipes"
        for key in ("enable", "metric", "max_inflight_gen_batches", "max_num_gen_batches"):
            r.inactive[FILTER + key] = why
        return
    if not dapo_recipe(r):
        why = "0.9 ignores it with a warning: max_inflight_gen_batches bounds the refill"
        r.inactive[FILTER + "max_num_gen_batches"] = why
    if not v1_trainer(r) and not dapo_recipe(r):
        r.note("filter_groups is only a slot without the trainer of 0.9: a recipe reads it, main_ppo does not")
    prefix = "stage.algorithm.filters[0]."
    r.set(prefix + "kind", "zero_std", FILTER + "enable")
    take(r, FILTER + "metric", prefix + "metric", "reward")
    r.set(prefix + "action", "refill", FILTER + "enable")
    take(r, FILTER + "max_inflight_gen_batches", prefix + "max_in_flight_rollouts", 1)


def _read_draws(r: ReadContext) -> None:
    """Record that DAPO's recipe draws so many prompts at a time until enough are left, or trains on all of them."""
    key = "data.gen_batch_size"
    if dapo_recipe(r) and key in r.source.cells and r.source.cells[key].leaf is not None:
        filters = r.native(FILTER + "enable", False) is True
        why = "draws so many prompts at a time until enough are left" if filters else "trains on so many prompts a step"
        r.narrowed[key] = f"the recipe {why}; elsewhere it is data.train_batch_size"


def write_filters(w: WriteContext) -> None:
    """Refilling filters only; veRL has none that just drops."""
    only = "veRL's filter_groups evicts groups of equal metric and refills; nothing else"
    prefix = first_filter(
        w, lambda path: w.plan(path + "kind") == "zero_std" and w.plan(path + "action") != "duplicate", only
    )
    if prefix is None:
        return
    if not w.since("0.9.0"):
        since = "main_ppo filters groups since 0.9; before, a recipe of its own did"
        lose_known(w, State.NO_COUNTERPART, since, *known_below(w, prefix))
        return
    same, note = not w.plan(prefix + "threshold"), "veRL evicts groups whose metric does not vary at all"
    settle_known(w, prefix + "threshold", same, note)
    dropped = w.plan(prefix + "action") == "drop"
    note = "veRL refills where the source only drops (H40)" if dropped else ""
    w.put(FILTER + "enable", True, prefix + "kind", prefix + "action", note=note, always=True)
    w.put(FILTER + "metric", w.plan(prefix + "metric") or "reward", prefix + "metric", always=True)
    carry(w, FILTER + "max_inflight_gen_batches", prefix + "max_in_flight_rollouts")


def _name_or_default(w: WriteContext, what: str) -> Any:
    """The plan's name, or the default that holds where the source has none."""
    name = w.plan(f"identity.{what}")
    return name if name is not None else w.defaults(f"trainer.{what}_name")


_DEFAULT = "checkpoints/<project>/<experiment>"
FOLDER = together(
    RunFolder(
        "trainer.default_local_dir",
        lambda project, name: (joined("/", project, "/", name),),
        lambda w: (_name_or_default(w, "project"), _name_or_default(w, "experiment")),
        default=("checkpoints", f"default {_DEFAULT}", f"veRL's default is {_DEFAULT}"),
        empty=".",
    ),
    why="trainer: checkpoint folder",
)
