"""Causes why two runs learn differently: plan fields that act together, and how much their difference does.

A cause is a row of data: the fields, and a function that measures their difference on the two plans and says what would
make up for it. Printing is elsewhere. A number that nobody told stays an expression, and its size is not known.
"""

from __future__ import annotations

from typing import NamedTuple

from rftconf.diff.deviations import deviation, guard
from rftconf.diff.measured_difference import Measure, Tier, changed, scaled, term
from rftconf.diff.measures import (
    adapter,
    batches,
    capping,
    clipping,
    gradient_scale,
    length_of_run,
    logits,
    room,
    schedule,
    staleness,
    temperature,
    the_critic,
    the_data,
    the_domains,
)

B, Y, L, O, S = "stage.batch.", "stage.sync.", "stage.algorithm.", "stage.optim.actor.", "stage.sampling.train."  # noqa: E741
CLIP, N, LENGTH = O + "grad_clip", B + "responses_per_prompt", "stage.length."


class Cause(NamedTuple):
    """Fields (`*` stands for one part, `**` for the rest of a path) that are one reason, and what measures it."""

    name: str
    fields: tuple[str, ...]
    measure: Measure


CAUSES: tuple[Cause, ...] = (
    Cause("kind", ("stage.kind",), changed(Tier.OBJECTIVE, "What is learned from", whole_sentence=True)),
    Cause("loss", (L + "policy_loss.family",), changed(Tier.OBJECTIVE, "The policy loss", whole_sentence=True)),
    Cause("preference", (L + "preference.**",), changed(Tier.OBJECTIVE, "The loss of a pair")),
    Cause("distillation", (L + "distillation.**",), changed(Tier.OBJECTIVE, "The distance from the teacher")),
    Cause("estimator", (L + "advantage", L + "gamma", L + "lam"), changed(Tier.OBJECTIVE, "How rewards become advantages")),
    Cause("critic", (L + "critic.**", "stage.optim.critic.**", B + "critic_*", "stage.model.critic_*", "stage.placement.critic.**"),
          the_critic),
    Cause("KL in the loss", (L + "kl_loss.**",), term("The KL term of the loss", L + "kl_loss.enabled", L + "kl_loss.coef")),
    Cause("KL in the reward", (L + "kl_reward.**",), term("The KL penalty of the reward", L + "kl_reward.enabled", L + "kl_reward.coef")),
    Cause("entropy", (L + "entropy_coef",), term("The entropy bonus", "", L + "entropy_coef")),
    Cause("adapter", ("stage.model_options.**",), adapter),
    Cause("aggregation", (L + "loss_agg", L + "loss_agg_tokens"), changed(Tier.SCALE, "How token losses become one loss")),
    Cause("gradient scale", (L + "loss_norm_scope",), gradient_scale),
    Cause("advantage scale", (L + "std_scope", L + "std_ddof"), deviation),
    Cause("guard of the deviation", (L + "std_guard",), guard),
    Cause("whitening", (L + "whiten_advantage",), changed(Tier.SCALE, "Advantages are whitened", whole_sentence=True)),
    Cause("scope of advantages", (L + "advantage_scope",), changed(Tier.SAMPLES, "Advantages are computed", whole_sentence=True)),
    Cause("learning rate", (O + "lr",), scaled("The learning rate")),
    Cause("schedule", (O + "schedule", O + "warmup_updates", O + "decay_updates", O + "min_lr", O + "min_lr_ratio", O + "updates_per_tick"), schedule),
    Cause("gradient clipping", (CLIP,), scaled("The limit of the gradient's norm")),
    Cause("optimiser", (O + "**",), changed(Tier.SCALE, "The optimiser")),
    Cause("clip", (L + "policy_loss.clip_*", L + "policy_loss.tau_*"), clipping),
    Cause("cap of the loss", (L + "policy_loss.dual_clip_c", L + "policy_loss.value_cap"), capping),
    Cause("batch", (B + "**",), batches),
    Cause("staleness", (Y + "every_rollouts", Y + "run_ahead_rollouts", Y + "in_flight", Y + "driver"), staleness),
    Cause("old policy", (Y + "old_logprob",), changed(Tier.SAMPLES, "Old log-probabilities, below the ratio", whole_sentence=True)),
    Cause("correction", (L + "rollout_correction",), changed(Tier.SCALE, "The correction between engine and trainer", whole_sentence=True)),
    Cause("temperature", (S + "temperature",), temperature),
    Cause("logits", (L + "divide_logits_by_temperature",), logits),
    Cause("sampling", (S + "**",), changed(Tier.SAMPLES, "How training answers are drawn")),
    Cause("answer length", (LENGTH + "response_*",), scaled("The limit of an answer", Tier.SAMPLES)),
    Cause("prompt length", (LENGTH + "prompt_max_tokens",), scaled("The limit of a prompt", Tier.SAMPLES)),
    Cause("longest sequence", (LENGTH + "model_max_tokens",), room),
    Cause("long prompts", (LENGTH + "overlong_prompt",),
          changed(Tier.SAMPLES, "Prompts over the limit", "filter such prompts out of the file first, and both are the same", whole_sentence=True)),
    Cause("filter", (L + "filters[].**",), changed(Tier.SAMPLES, "Which groups are learned from")),
    Cause("reward", ("stage.reward.**", "stage.data.domains[].reward", "stage.data.*[].reward", "stage.data.*[].reward_args",
                     "stage.data.*[].workflow", "stage.data.*[].workflow_args"), changed(Tier.SAMPLES, "What scores answers")),
    Cause("environment", ("stage.data.environments[].**",), changed(Tier.SAMPLES, "The environment")),
    Cause("turns", ("stage.turns.**",), changed(Tier.SAMPLES, "Turns and tools of an answer")),
    Cause("domains", ("stage.data.domains[].**",), the_domains),
    Cause("order", ("stage.data.shuffle", "stage.data.seed", "stage.data.mixing", "stage.data.*[].selector", "stage.data.*[].seed"),
          changed(Tier.CHANCE, "The order of rows")),
    Cause("data", ("stage.data.**",), the_data),
    Cause("thinking", ("stage.model.thinking",),
          changed(Tier.SAMPLES, "Whether the model thinks before it answers (enable_thinking of its chat template)", whole_sentence=True)),
    Cause("model", ("stage.model.**", "stage.init_from"), changed(Tier.SAMPLES, "The model")),
    Cause("further models", ("stage.placement.auxiliary[].**",), changed(Tier.SAMPLES, "Models beside the policy")),
    Cause("run length", ("stage.run_length.rollouts", "stage.run_length.epochs"), length_of_run),
    Cause("end of an epoch", ("stage.run_length.last_partial",), changed(Tier.CHANCE, "Rows left over at an epoch's end", whole_sentence=True)),
    Cause("seed", ("stage.seeds.**", "stage.placement.*.seed", "stage.placement.*.megatron.seed", "stage.placement.*.full_determinism"),
          changed(Tier.CHANCE, "Seeds")),
    Cause("precision", ("stage.placement.**",), changed(Tier.CHANCE, "Precision")),
    Cause("evaluation", ("stage.sampling.eval.**", "stage.cadence.**", "stage.checkpoint.**"),
          changed(Tier.SAMPLES, "What is evaluated")),
)  # fmt: skip
"""The first cause that fits a field has it. Fields that only say how an evaluation is done are no cause."""
