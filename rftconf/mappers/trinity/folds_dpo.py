"""Runs on pairs of answers: the trainer alone, on a file of them (`mode: train`, `algorithm_type: dpo`)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rates import data_parallel, refuse_torn_ranks, worth_supervised
from rftconf.mappers.shapes import carry, settle, take, together
from rftconf.mappers.trinity import folds_kl, folds_sft, folds_steps
from rftconf.mappers.trinity.unread_arguments import leave_unread
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit

A, B, DATA = "stage.algorithm.", "stage.batch.", folds_sft.DATA
SIZE = "buffer.train_batch_size"
ARGS = "algorithm.policy_loss_fn_args."
DEFAULTS = {"beta": 0.1, "label_smoothing": 0.0}
CONFIG = "trainer.trainer_config.actor_rollout_ref."
MICRO = {
    CONFIG + "actor.ppo_micro_batch_size_per_gpu": B + "micro.sequences_per_rank",
    CONFIG + "ref.log_prob_micro_batch_size_per_gpu": B + "reference.sequences_per_rank",
}
CHECKED = CONFIG + "rollout.log_prob_micro_batch_size_per_gpu"
SCORED = B + "log_prob.sequences_per_rank"
UNSCORED = (
    "nothing but the reference computes log-probabilities beforehand (algorithm.bypass_old_logprobs); the trainer only asks that "
    "the key is there"
)
COLUMNS = {
    "prompt_key": "keys.prompt", "messages_key": "keys.messages", "chosen_key": "keys.chosen", "rejected_key": "keys.rejected",
    "system_prompt_key": "keys.system", "system_prompt": "system_prompt", "prompt_type": "prompt_type",
}  # fmt: skip
ANSWERS = ("keys.chosen", "keys.rejected", "prompt_type")
BY_KIND = {
    "plaintext": ("keys.prompt", "keys.system", "system_prompt", *ANSWERS),
    "messages": ("keys.messages", *ANSWERS),
}
TWO_UPDATES = (
    "a train step reads train_batch_size pairs, which are twice as many rows, and cuts them into mini-batches of train_batch_size rows: "
    "two updates of half the pairs each"
)
SUMMED = (
    "Trinity adds the log-ratios of all pairs of a micro-batch up before it takes the sigmoid: only micro-batches of one pair have the "
    "loss of DPO"
)
TORN = "micro-batches filled by tokens put rows in a new order, and take chosen and rejected answers of different pairs for one"


def worth(context: Context, unit: Unit) -> Any:
    """Count what a unit is worth in pairs: a train step is two updates, and the rate's schedule ticks once in a train step."""
    once = worth_supervised(context, unit)
    return once * 2 if unit in (Unit.TRAIN_STEPS, Unit.LR_TICKS) else once


def read_update(r: ReadContext) -> None:
    """Half of the pairs that are read at a time; all GPUs train."""
    folds_sft.read_update(r)
    size = r.native(SIZE, 0)
    update = arith("/", size, 2) if isinstance(size, Expr) else None if not size or size % 2 else size // 2
    if size and update is None:
        r.note(f"{SIZE}={size} is odd: {TWO_UPDATES}, and here a pair is torn apart")
    r.set(folds_sft.SAMPLES, update, SIZE, how="half of the pairs of a train step")
    r.note(f"{SIZE}: {TWO_UPDATES}")


def write_update(w: WriteContext) -> None:
    """Twice the pairs of an update; a rank's share of an update is whole pairs, or pairs are torn apart."""
    update = w.plan(folds_sft.SAMPLES)
    folds_sft.write_update(w)
    if update is None:
        return
    how = f"2 x {formula(update)} pairs: a train step makes two updates"
    w.put(SIZE, update * 2, folds_sft.SAMPLES, state=State.DERIVED, always=True, how=how)
    if not w.same_framework:
        _refuse_torn(w, update)
        w.note(f"{SIZE}: {TWO_UPDATES}")


def _refuse_torn(w: WriteContext, update: Any) -> None:
    nodes, size = w.plan("cluster.nodes"), w.plan("cluster.gpus_per_node")
    if w.plan("stage.placement.actor.gpus") is None or not all(isinstance(n, int) for n in (update, nodes, size)):
        return
    own = w.plan("stage.placement.actor.gpus")
    ranks = data_parallel(w, megatron=w.plan("stage.placement.actor.backend") == "megatron")
    if isinstance(ranks, Expr) or isinstance(own, Expr):
        return
    ranks = Fraction(ranks) / own * nodes * size  # all GPUs of all nodes train
    refuse_torn_ranks(w, nodes * size, ranks)
    if Fraction(update) % ranks:
        near = [int(ranks * times) for times in (update // ranks, update // ranks + 1) if times]
        raise RefusedError(
            f"{update} pairs an update cannot be shared by {int(ranks)} data-parallel ranks; Trinity would tear pairs apart",
            choices=tuple(f"{pairs} pairs an update" for pairs in near),
        )


def read_micro(r: ReadContext) -> None:
    """Rows since 0.6, two for each pair; before it the trainer doubles the number itself."""
    dynamic = r.native("trainer.use_dynamic_bsz", True)
    r.set(B + "micro.dynamic", dynamic, "trainer.use_dynamic_bsz")
    for key, path in MICRO.items():
        if dynamic is True:
            r.inactive[key] = "no effect while trainer.use_dynamic_bsz is true (its default)"
            continue
        rows = r.native(key)
        r.set(path, _pairs(r, rows), key, how="two rows are a pair" if r.since("0.6.0") else "")
    if dynamic is not True and r.native("algorithm.bypass_old_logprobs", True) is False:
        r.set(SCORED, _pairs(r, r.native(CHECKED)), CHECKED)
    else:
        r.inactive[CHECKED] = UNSCORED
    micro = r.plan(B + "micro.sequences_per_rank")
    if dynamic is True:
        r.narrowed["trainer.use_dynamic_bsz"] = TORN
        r.note(f"trainer.use_dynamic_bsz is true: {TORN}")
    elif micro is not None and micro != 1:
        r.narrowed[next(iter(MICRO))] = SUMMED
        r.note(f"{next(iter(MICRO))}: {SUMMED}")


def _pairs(r: ReadContext, rows: Any) -> Any:
    if rows is None or not r.since("0.6.0"):
        return rows
    return arith("/", rows, 2) if isinstance(rows, Expr) else Fraction(rows, 2) if rows % 2 else rows // 2


def write_micro(w: WriteContext) -> None:
    """One pair at a time, whatever the source's micro-batch: the loss of DPO has no other here."""
    each = 2 if w.since("0.6.0") else 1
    torn = w.plan(B + "micro.dynamic") is True
    state, note = (State.NARROWED, TORN) if torn else (State.DERIVED, "")
    how = "" if torn else TORN
    w.put("trainer.use_dynamic_bsz", False, B + "micro.dynamic", state=state, note=note, always=True, how=how)
    for key, path in MICRO.items():
        trained = path.startswith(B + "micro.")
        size = w.plan(path)
        single = (trained and not w.same_framework) or size is None
        value = each if single else folds_steps.whole(size * each)
        paths = () if size is None else (path,)
        other = trained and size not in (1, None) and not w.same_framework
        how = SUMMED if trained else "checked without dynamic batches" if size is None else ""
        state, note = (State.NARROWED, SUMMED) if other else (State.DERIVED, "")
        w.put(key, value, *paths, state=state, note=note, always=True, how="" if other else how)
    size = w.plan(SCORED)
    if w.same_framework and size is not None:
        w.put(CHECKED, folds_steps.whole(size * each), SCORED, state=State.DERIVED, always=True)
    else:
        w.put(CHECKED, each, always=True, how="checked without dynamic batches")
        if size is not None:
            w.lose(SCORED, State.NO_COUNTERPART, UNSCORED)
    w.lose(B + "micro.tokens_per_rank", State.DERIVED, "micro-batches are one pair")


DATA_SET = together(
    folds_sft.Samples(COLUMNS, BY_KIND), why="buffer/reader/file_reader: ExperienceFileReader; DPOFormatter"
)


def read_loss(r: ReadContext) -> None:
    """DPO's sigmoid loss, and a KL term beside it that cannot be taken out."""
    leave_unread(r)
    for name, default in DEFAULTS.items():
        take(r, ARGS + name, f"{A}preference.{name}", default)
    r.set(A + "preference.loss", "sigmoid", kind=Kind.DEFAULT, how="policy_loss_fn/dpo_loss has no other")
    folds_kl.KL_LOSS.read(r)
    if r.plan(A + "kl_loss.enabled") is False:
        r.set(A + "kl_loss.enabled", True, "algorithm.kl_loss_fn", how="dpo turns `none` into k2")
        r.set(A + "kl_loss.estimator", "k2", "algorithm.kl_loss_fn")
        take(r, "algorithm.kl_loss_fn_args.kl_coef", A + "kl_loss.coef", 0.001)
        r.inactive.pop("algorithm.kl_loss_fn_args", None)
        r.note("algorithm.kl_loss_fn: none: dpo turns it into k2, with coefficient 0.001 where none is written")
    if r.plan(A + "kl_loss.coef") in (0, 0.0):
        r.set(A + "kl_loss.enabled", False, "algorithm.kl_loss_fn_args.kl_coef", how="a weight of 0 is none")
    folds_kl.read_entropy(r)
    folds_sft.SCOPE.read(r)


def write_loss(w: WriteContext) -> None:
    """A KL term of weight 0 stands for none."""
    for name in DEFAULTS:
        carry(w, ARGS + name, f"{A}preference.{name}", always=True)
    own = w.plan(A + "preference.loss") in ("sigmoid", None)
    settle(w, A + "preference.loss", own, "Trinity's loss of pairs is the sigmoid one", state=State.NO_COUNTERPART)
    if w.plan(A + "kl_loss.enabled"):
        folds_kl.KL_LOSS.write(w)
    else:
        how = "dpo turns `none` into k2 with coefficient 0.001; a weight of 0 is none"
        w.put("algorithm.kl_loss_fn", "k2", A + "kl_loss.enabled", state=State.DERIVED, always=True, how=how)
        w.put("algorithm.kl_loss_fn_args.kl_coef", 0.0, A + "kl_loss.enabled", state=State.DERIVED, always=True)
    folds_kl.write_entropy(w)
    if not w.same_framework:
        folds_sft.SCOPE.write(w)
