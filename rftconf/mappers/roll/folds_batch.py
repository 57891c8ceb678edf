"""ROLL keys that only make sense together: lengths and the arithmetic of an update."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.episodes import assumed, in_episodes
from rftconf.mappers.rates import data_parallel, divisor_of, longest_sample, refuse_torn_ranks
from rftconf.mappers.roll.conditions import CRITIC, RL, on_megatron, trained
from rftconf.mappers.roll.folds_environments import counts_steps
from rftconf.mappers.roll.folds_preference import PAIRS_SINCE
from rftconf.mappers.roll.uneven import refuse_uneven, refuse_uneven_period
from rftconf.mappers.shapes import Behaves, Pair, Where, carry, leave_open, lose_known, settle_known, take, together
from rftconf.mappers.supposing import may_hold
from rftconf.plan.kinds import WITH_ROLLOUTS

B, N, G = (f"stage.batch.{f}" for f in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update"))
MICRO = "stage.batch.micro."
LENGTH = "stage.length."


def read_rollout(r: ReadContext) -> None:
    """Prompts of a period and answers to each; agentic runs count trajectories (H15)."""
    if r.trainer == "rlvr":
        take(r, "rollout_batch_size", B)
        take(r, "num_return_sequences_in_group", N, 1)
        drawn = "actor_infer.generating_args.num_return_sequences"
        r.inactive[drawn] = "num_return_sequences_in_group is written over it"
    elif r.trainer == "agentic":
        trajectories, group = r.native("rollout_batch_size"), r.native("train_env_manager.group_size", 1)
        r.set(N, group, "train_env_manager.group_size")
        prompts: Any
        if isinstance(trajectories, Expr) or isinstance(group, Expr):
            prompts = arith("/", trajectories, group)
        else:
            prompts = trajectories // group if trajectories and group and trajectories % group == 0 else None
        r.set(B, prompts, "rollout_batch_size", "train_env_manager.group_size",
              how=f"{formula(trajectories)} trajectories in groups of {formula(group)} (H15)")  # fmt: skip
    else:
        r.inactive["rollout_batch_size"] = "only pipelines with rollouts read it"


def write_rollout(w: WriteContext) -> None:
    """The RLVR pipeline counts prompts."""
    carry(w, "rollout_batch_size", B, always=True)
    carry(w, "num_return_sequences_in_group", N, always=True)


PASSES = "stage.batch.passes"


ONE_PASS = Behaves(PASSES, 1, "each batch is seen once an epoch", only_told=True, state=State.NO_COUNTERPART)
SWEEPS = together(Where(RL, Pair("ppo_epochs", PASSES, 1), ONE_PASS), why="base_worker: make_iterator(epochs=)")
"""Sweeps over a period's data; pipelines without rollouts go once over each batch."""


def read_update(r: ReadContext) -> None:
    """G = micro-batch x accumulation x data-parallel ranks; token-capped micro-batches only by estimate (H5)."""
    role = trained(r)
    micro, steps = (
        f"{role}.training_args.per_device_train_batch_size",
        f"{role}.training_args.gradient_accumulation_steps",
    )
    dynamic, cap = f"{role}.use_dynamic_batching_in_train", f"{role}.max_tokens_per_microbatch_in_train"
    take(r, micro, MICRO + "sequences_per_rank")
    rows = _rows_of_pairs(r, micro)
    on = r.native(dynamic, False)
    r.set(MICRO + "dynamic", on, dynamic)
    if on is False:
        r.inactive[cap] = "no effect while use_dynamic_batching_in_train is false"
    r.set(MICRO + "tokens_per_rank", (r.native(cap) or None) if on is not False else None, cap)
    update = _update(r, r.native(micro) if rows is None else rows, r.native(steps), "actor")
    r.set(G, update, micro, steps, f"{role}.device_mapping", how=_formula(r, micro, steps))
    if on is True and r.plan("stage.kind") in WITH_ROLLOUTS:
        sentence = (
            f"with dynamic batching one update is {formula(r.native(steps))} micro-batches of up to {formula(r.native(cap))} tokens on each rank, "
            "however many sequences they hold; read as micro-batch x accumulation x ranks, as ROLL's own schedule does (H5)"
        )
        r.note(sentence)
        r.narrowed[dynamic] = sentence


def _rows_of_pairs(r: ReadContext, micro: str) -> Any:
    """Before 0.2.1 a DPO micro-batch held rows, two for each pair, and a step trained on train_batch_size pairs."""
    size = r.native(micro)
    if r.trainer != "dpo" or r.since(PAIRS_SINCE) or size is None:
        return None
    pairs = arith("/", size, 2) if isinstance(size, Expr) else Fraction(size, 2)
    r.set(MICRO + "sequences_per_rank", pairs, micro, how="two rows are a pair")
    r.note(
        f"ROLL {r.release} makes a step of train_batch_size pairs, in updates of micro-batch x accumulation x ranks rows; max_steps, "
        "save_steps and eval_steps count steps, and are read as if a step were one update"
    )
    return pairs


def _formula(r: ReadContext, micro: str, steps: str) -> str:
    return f"{formula(r.native(micro))} x {formula(r.native(steps))} x data-parallel ranks"


def _ranks(c: Context, role: str, otherwise: Any = None) -> Any:
    """Data-parallel ranks of a role on its GPUs, else on `otherwise`; None while neither is known."""
    gpus = c.plan(f"stage.placement.{role}.gpus") or otherwise
    if gpus is None:
        return None
    if role == "actor":
        return data_parallel(c, megatron=c.plan("stage.placement.actor.backend") == "megatron")
    sizes = [f"megatron.{s}" for s in ("tp", "pp", "cp")] if on_megatron(c, role) else ["sp"]
    for size in sizes:
        part = c.plan(f"stage.placement.{role}.{size}") or 1
        gpus = arith("/", gpus, part) if isinstance(gpus, Expr) or isinstance(part, Expr) else Fraction(gpus) / part
    return gpus


def _update(r: ReadContext, micro: Any, steps: Any, role: str) -> Any:
    ranks, prompts, n = _ranks(r, role), r.plan(B), r.plan(N)
    if assumed(r, "mini_batch") == "capped" and not (prompts is None or n is None):
        return prompts * n  # the fork makes one update of all that a period yields
    if micro is None or steps is None or ranks is None:
        return None
    whole = arith("*", arith("*", micro, steps), ranks) if isinstance(ranks, Expr) else micro * steps * ranks
    if isinstance(whole, Fraction):
        if whole.denominator != 1:
            r.note(f"{role}: its GPUs are no whole number of data-parallel ranks; ROLL stops when it starts")
            return None
        whole = int(whole)
    return in_episodes(whole, r) if counts_steps(r) else whole


def read_critic_update(r: ReadContext) -> None:
    """The critic has its own arithmetic and always one pass."""
    if not may_hold(CRITIC, r):
        r.inactive["critic"] = CRITIC.otherwise
        return
    section = "critic.training_args."
    micro, steps = r.native(section + "per_device_train_batch_size"), r.native(section + "gradient_accumulation_steps")
    r.set("stage.batch.critic.sequences_per_rank", micro, section + "per_device_train_batch_size")
    dynamic, cap = "critic.use_dynamic_batching_in_train", "critic.max_tokens_per_microbatch_in_train"
    take(r, dynamic, "stage.batch.critic.dynamic", False)
    r.set("stage.batch.critic.tokens_per_rank", r.native(cap) or None, cap)
    keys = (section + "per_device_train_batch_size", section + "gradient_accumulation_steps", "critic.device_mapping")
    r.set("stage.batch.critic_sequences_per_update", _update(r, micro, steps, "critic"), *keys)


def write_update(w: WriteContext) -> None:
    """Accumulation follows from G, the micro-batch and the ranks; fixed micro-batches keep G what it is (H5)."""
    update = w.plan(G)
    if update is None:
        return
    role, ranks = trained(w), _ranks(w, "actor")
    micro_key, steps_key = (
        f"{role}.training_args.{k}" for k in ("per_device_train_batch_size", "gradient_accumulation_steps")
    )
    known = isinstance(update, int) and isinstance(ranks, (int, Fraction))
    if known and not w.same_framework:
        refuse_uneven(w, update, ranks)
    elif isinstance(update, int) and not w.same_framework:
        refuse_uneven_period(w, update, 1)
    known = known and Fraction(update) % ranks == 0
    per_rank = int(Fraction(update) / ranks) if known else None
    micro, state, note = _micro(w, per_rank, update)
    w.put(micro_key, micro, MICRO + "sequences_per_rank", G, state=state, note=note, always=True)
    if ranks is None:
        steps: Any = "???"
    elif per_rank is not None and isinstance(micro, int):
        steps = per_rank // micro
    else:
        steps = arith("/", update, arith("*", ranks, micro))
    how = f"{formula(update)} sequences an update / ({formula(micro)} x {formula(ranks) if ranks is not None else 'data-parallel ranks'})"
    w.put(steps_key, steps, G, state=State.UNRESOLVED if steps == "???" else State.DERIVED, always=True, how=how)
    _write_dynamic(w)


def _micro(w: WriteContext, per_rank: int | None, update: Any) -> tuple[Any, State, str]:
    """The source's micro-batch where it divides a rank's share (the update, while the ranks are open), else the next below."""
    micro, tokens = w.plan(MICRO + "sequences_per_rank"), w.plan(MICRO + "tokens_per_rank")
    state, note, longest = State.EXACT, "", longest_sample(w)
    wish = micro
    if w.plan(MICRO + "dynamic") is True and longest is not None and isinstance(tokens, int | Fraction):
        wish = max(1, int(tokens) // longest)
    if wish is None or w.plan(MICRO + "dynamic") is True:
        state = State.DERIVED
    share = update if per_rank is None and not w.same_framework else per_rank
    if isinstance(wish, Expr) or not isinstance(share, int):
        return (1 if wish is None else wish), state, note
    share = max(1, share)
    fits = divisor_of(share, wish)
    if micro is not None and fits != micro and w.plan(MICRO + "dynamic") is not True:
        whose = "an update" if per_rank is None else "a rank"
        return fits, State.NARROWED, f"{formula(micro)} does not divide the {share} sequences of {whose}; wrote {fits}"
    return fits, state, note


def _write_dynamic(w: WriteContext) -> None:
    note = "micro-batches filled by tokens would change what an update is in ROLL; fixed ones keep it (H5)"
    settle_known(w, MICRO + "dynamic", w.plan(MICRO + "dynamic") is not True, "fixed micro-batches", note)
    lose_known(w, State.NARROWED, note, MICRO + "tokens_per_rank")


def write_critic_update(w: WriteContext) -> None:
    """Write the critic's update size: the actor's, unless the plan says otherwise."""
    paths = ("stage.batch.critic_sequences_per_update", "stage.batch.critic.sequences_per_rank", "stage.batch.critic.dynamic",
             "stage.batch.critic.tokens_per_rank")  # fmt: skip
    if not CRITIC.test(w):
        for path in paths:
            w.asleep.setdefault(path, CRITIC.otherwise)
        return
    own, ranks = w.plan(paths[0]) or w.plan(G), _ranks(w, "critic", w.plan("stage.placement.actor.gpus"))
    section = "critic.training_args."
    if not isinstance(own, int) or not isinstance(ranks, (int, Fraction)):
        leave_open(w, section + "gradient_accumulation_steps", "depends on values nobody told", paths[0])
        return
    if not w.same_framework:
        refuse_torn_ranks(w, w.plan("stage.placement.actor.gpus"), ranks, "critic")
    if Fraction(own) % ranks and not w.same_framework:
        raise RefusedError(f"{own} sequences an update of the critic cannot be shared by {int(ranks)} ranks (H4)")
    per_rank, wish = max(1, int(Fraction(own) / ranks)), w.plan(paths[1])
    top = wish if isinstance(wish, int) and w.plan(paths[2]) is not True else 1
    micro = divisor_of(per_rank, top)
    other = wish is not None and micro != wish
    state = State.NARROWED if other else State.EXACT if micro == wish else State.DERIVED
    torn = f"{formula(wish)} sequences a rank do not make up the {per_rank} of an update; wrote {micro}"
    note = torn if other else ""
    w.put(section + "per_device_train_batch_size", micro, paths[1], state=state, note=note, always=True)
    how = f"{own} sequences an update / ({micro} x {float(ranks):g} ranks)"
    w.put(
        section + "gradient_accumulation_steps", per_rank // micro, paths[0], state=State.DERIVED, always=True, how=how
    )
    for path in paths[2:]:
        settle_known(w, path, w.plan(path) is False, "fixed micro-batches keep what an update is (H5)")
