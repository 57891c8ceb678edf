"""veRL's experimental programs with trainers of their own: one step off and fully asynchronous (H23)."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import arith, formula
from rftconf.mappers.context import Context, ReadContext, When, WriteContext
from rftconf.mappers.shapes import carry, take
from rftconf.plan.origin import Kind
from rftconf.schemas.registry import VERL

ASYNC = "async_training."
TRIGGER, REQUIRE, STALENESS, PARTIAL, VALIDATES, LENDS = (
    ASYNC + name for name in ("trigger_parameter_sync_step", "require_batches", "staleness_threshold", "partial_rollout",
                              "use_trainer_do_validate", "use_dynamic_resource_scheduling")
)  # fmt: skip
ENGINE_POOL = ("rollout.nnodes", "rollout.n_gpus_per_node")
HYBRID = "actor_rollout_ref.hybrid_engine"
"""What these programs assert to be false, as their default is not."""
PROMPTS_IN_ALL = "rollout.total_rollout_steps"
FETCH, MINI = "data.train_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size"
B, S, P = "stage.batch.prompts_per_rollout", "stage.sync.", "stage.placement."


def recipe_of(context: Context) -> str:
    """`fully_async`, `one_step_off`, or nothing for main_ppo."""
    recipe = VERL.recipes.get(context.trainer)
    return recipe.name if recipe else ""


def fully_async(context: Context) -> bool:
    """True for the program that streams prompts and counts in `async_training`'s keys."""
    return recipe_of(context) == "fully_async"


BY_BATCHES = When(
    lambda c: not fully_async(c), "the fully asynchronous program fetches one prompt after the other, whatever it says"
)

FULLY_ASYNC = When(fully_async, "only the fully asynchronous program reads it")


def read_prompts(r: ReadContext) -> None:
    """Prompts between two weight syncs: the data loader's batch, or what the streaming trainer collects (H23)."""
    if not fully_async(r):
        take(r, FETCH, B)
        return
    trigger, require, mini = (r.native(key) for key in (TRIGGER, REQUIRE, MINI))
    r.inactive[FETCH] = "the fully asynchronous program does not count in it: it must be 0"
    how = f"{formula(trigger)} x {formula(require)} x {formula(mini)} prompts between two weight syncs (H23)"
    r.set(B, arith("*", arith("*", trigger, require), mini), TRIGGER, REQUIRE, MINI, how=how)


def write_prompts(w: WriteContext) -> None:
    """The loader's batch; the streaming program wants 0 there and keeps its own counters."""
    if not fully_async(w):
        carry(w, FETCH, B, always=True)
        return
    _keep(w, TRIGGER, B)
    _keep(w, REQUIRE, B)


def read_recipe(r: ReadContext) -> None:
    """Read which GPUs generate and train, and how far apart the two may be."""
    lends = fully_async(r) and (r.native(VALIDATES) is True or r.native(LENDS) is True)
    keys = [VALIDATES, LENDS] if lends else []
    r.set(P + "layout", "lendable" if lends else "disaggregated", *ENGINE_POOL, HYBRID, *keys)
    r.set(S + "every_rollouts", 1, kind=Kind.DERIVED, how="1 by construction: a period is what one sync consumes")
    r.facts.trainer_mode = recipe_of(r)
    if not fully_async(r):
        r.facts.parameter_sync_step = 1
        r.set(S + "run_ahead_rollouts", 1, kind=Kind.DEFAULT, how="one-step-off: answers are one period old")
        how = "one-step-off: trainer and engines meet after each period"
        r.set(S + "driver", "lockstep", kind=Kind.DEFAULT, how=how)
        r.set(S + "in_flight", "finish", kind=Kind.DEFAULT, how="one-step-off: a period's answers are finished first")
        return
    # one scheduler tick per update_actor call, which trains require_batches mini-batches
    r.facts.parameter_sync_step = r.native(TRIGGER)
    r.facts.single_ticks = r.native(REQUIRE) == 1
    take(r, STALENESS, S + "run_ahead_rollouts")
    r.set(S + "driver", "free", kind=Kind.DEFAULT, how="fully asynchronous: neither side waits for the other")
    r.set(S + "in_flight", "interrupt" if r.native(PARTIAL) is not False else "finish", PARTIAL)
    _note_cap(r)


def _note_cap(r: ReadContext) -> None:
    prompts, more = r.plan(B), r.native(STALENESS)
    if isinstance(prompts, int) and isinstance(more, (int, float)):
        r.note(
            f"the engines may start int({prompts} x {1 + more:g}) = {int(prompts * (1 + more))} prompts "
            f"between two weight syncs; the trainer consumes {prompts} (H23)"
        )


def write_recipe(w: WriteContext) -> None:
    """Write the recipe's own keys again, only for the same program."""
    _keep(w, STALENESS, S + "run_ahead_rollouts")
    _keep(w, PARTIAL, S + "in_flight")
    for key in (VALIDATES, LENDS, HYBRID):
        _keep(w, key, P + "layout")
    for key in ENGINE_POOL:
        _keep(w, key, P + "rollout.gpus")
    _keep(w, "trainer.nnodes", P + "actor.gpus", "cluster.nodes")
    _keep(w, "trainer.n_gpus_per_node", P + "actor.gpus", "cluster.gpus_per_node")


def keep_limits(w: WriteContext) -> None:
    """Write the length of the run again, only for the same program."""
    _keep(w, PROMPTS_IN_ALL, "stage.run_length.rollouts")
    _keep(w, "trainer.total_epochs", "stage.run_length.epochs")


def _keep(w: WriteContext, key: str, *paths: str) -> None:
    value: Any = None if w.facts.source is None else w.facts.source.value(key)
    if value is not None:
        w.put(key, value, *paths, always=True)
