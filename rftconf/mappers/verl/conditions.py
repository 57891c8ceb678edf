"""The keys of veRL act under these conditions, and veRL's own counters follow this arithmetic."""

from __future__ import annotations

from math import ceil
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.codecs import Codec, Number, Put, Same, words
from rftconf.mappers.context import Context, ReadContext, When
from rftconf.mappers.native import Native
from rftconf.mappers.rates import data_parallel, ratio, sequence_gpus, sequences_per_rollout, worth_with_rollouts
from rftconf.mappers.verl.chosen_engine import other_engine
from rftconf.plan.units import Unit
from rftconf.schemas.registry import VERL

FSDP = When(lambda c: c.backend == "fsdp" and not other_engine(c), "only the FSDP trainer reads it")
TORCH_OPTIMIZER = When(lambda c: c.backend != "torchtitan", "TorchTitan's optimizer has keys of its own")
FSDP_OR_VEOMNI = When(lambda c: c.backend in ("fsdp", "veomni"), "only the FSDP and VeOmni trainers read it")
MEGATRON = When(
    lambda c: c.backend == "megatron", "only the Megatron trainer reads it (--config-name=ppo_megatron_trainer)"
)
KL_LOSS = When(
    lambda c: c.plan("stage.algorithm.kl_loss.enabled") is not False, "no effect while actor.use_kl_loss is False"
)
KL_REWARD = When(
    lambda c: c.plan("stage.algorithm.kl_reward.enabled") is not False,
    "no effect while algorithm.use_kl_in_reward is False",
)
ADAPTIVE = When(
    lambda c: KL_REWARD.test(c) and c.plan("stage.algorithm.kl_reward.controller") != "fixed",
    "read only by the adaptive KL controller of KL in reward",
)
GAE = When(
    lambda c: (
        c.plan("stage.algorithm.advantage") in ("gae", None) or isinstance(c.plan("stage.algorithm.advantage"), Expr)
    ),
    "read only by the gae estimator",
)
DISCOUNTED = When(
    lambda c: (
        c.plan("stage.algorithm.advantage") in ("gae", "reinforce_pp", "reinforce_pp_baseline", "remax", None)
        or isinstance(c.plan("stage.algorithm.advantage"), Expr)
    ),
    "group estimators do not discount",
)
CRITIC = When(lambda c: c.plan("stage.algorithm.critic.enabled") is not False, "there is no critic in this run")
CRITIC_FSDP = When(
    lambda c: CRITIC.test(c) and FSDP.test(c),
    "no critic, or not on FSDP: veRL's config has the critic's section for the actor's trainer alone",
)
CRITIC_TORCH_OPTIMIZER = When(lambda c: CRITIC.test(c) and c.backend != "torchtitan", "no critic, or TorchTitan's")
CRITIC_FSDP_OR_VEOMNI = When(
    lambda c: CRITIC.test(c) and FSDP_OR_VEOMNI.test(c), "no FSDP or VeOmni critic in this run"
)
CRITIC_MEGATRON = When(lambda c: CRITIC.test(c) and c.backend == "megatron", "no Megatron critic in this run")


def _reference(c: Context) -> bool:
    on = (c.plan("stage.algorithm.kl_loss.enabled"), c.plan("stage.algorithm.kl_reward.enabled"))
    return any(flag is not False and flag is not None for flag in on)


REFERENCE = When(_reference, "there is no reference model: KL is neither in the loss nor in the reward")
REFERENCE_FSDP = When(lambda c: _reference(c) and FSDP.test(c), "there is no FSDP reference model in this run")
REFERENCE_MEGATRON = When(
    lambda c: _reference(c) and c.backend == "megatron", "there is no Megatron reference model in this run"
)
DYNAMIC = When(
    lambda c: c.plan("stage.batch.micro.dynamic") is not False, "no effect while actor.use_dynamic_bsz is False"
)
STATIC = When(
    lambda c: c.plan("stage.batch.micro.dynamic") is not True, "no effect while actor.use_dynamic_bsz is True"
)
LOG_PROB_DYNAMIC = When(
    lambda c: c.plan("stage.batch.log_prob.dynamic") is not False,
    "no effect while rollout.log_prob_use_dynamic_bsz is False",
)
LOG_PROB_STATIC = When(
    lambda c: c.plan("stage.batch.log_prob.dynamic") is not True,
    "no effect while rollout.log_prob_use_dynamic_bsz is True",
)
REF_DYNAMIC = When(
    lambda c: _reference(c) and c.plan("stage.batch.reference.dynamic") is not False,
    "no reference model, or ref.log_prob_use_dynamic_bsz is False",
)
REF_STATIC = When(
    lambda c: _reference(c) and c.plan("stage.batch.reference.dynamic") is not True,
    "no reference model, or ref.log_prob_use_dynamic_bsz is True",
)
CRITIC_DYNAMIC = When(
    lambda c: CRITIC.test(c) and c.plan("stage.batch.critic.dynamic") is not False,
    "no critic, or critic.use_dynamic_bsz is False",
)
CRITIC_STATIC = When(
    lambda c: CRITIC.test(c) and c.plan("stage.batch.critic.dynamic") is not True,
    "no critic, or critic.use_dynamic_bsz is True",
)
CRITIC_STATIC_FSDP = When(
    lambda c: CRITIC_STATIC.test(c) and c.trainer != "megatron", "no FSDP critic, or critic.use_dynamic_bsz is True"
)


def total(static: When) -> When:
    """For a micro-batch counted over all ranks: the workers divide it up to 0.7, and look for the other key since."""
    return When(
        lambda c: static.test(c) and not c.since("0.8.0"),
        f"the workers read only the key that ends in _per_gpu since 0.8, or {static.otherwise}",
    )


OWN_POOL = When(
    lambda c: c.plan("stage.placement.layout") not in ("colocated", None),
    "engines that share the trainer's GPUs get weights in place, whatever it says",
)
SAPO = When(lambda c: c.plan("stage.algorithm.policy_loss.family") in ("sapo", None), "only the sapo loss reads it")
LORA = When(lambda c: c.plan("stage.model_options.lora.rank") not in (0, None), "no effect while the rank of LoRA is 0")
FSDP_LORA = When(
    lambda c: LORA.test(c) and FSDP.test(c), "no LoRA in this run, or Megatron's, whose settings are model.lora.*"
)
MEGATRON_LORA = When(
    lambda c: LORA.test(c) and MEGATRON.test(c), "no LoRA in this run, or FSDP's, whose settings are model.lora_*"
)
COSINE = When(lambda c: c.plan("stage.optim.actor.schedule") != "constant", "no effect on a constant learning rate")
CRITIC_DECAYS = When(lambda c: c.plan("stage.optim.critic.schedule") != "constant", "the critic's rate is constant")
FSDP_DECAY = When(lambda c: FSDP.test(c) and c.since("0.4.0") and COSINE.test(c), "FSDP's cosine reads it since 0.4")
CRITIC_COSINE = When(
    lambda c: CRITIC_FSDP.test(c) and c.since("0.4.0") and CRITIC_DECAYS.test(c),
    "no critic, a constant learning rate, or a release before 0.4",
)


def worth(context: Context, unit: Unit) -> Any:
    """Return the number of sequences (or tokens per rank) that one `unit` is worth in a veRL run."""
    match unit:
        case Unit.LR_TICKS:
            # one scheduler tick per update_actor call: a rollout period, except in separate_async (B/s prompts)
            return ratio(sequences_per_rollout(context), local_updates(context))
        case Unit.SEQUENCES_PER_RANK:
            return data_parallel(context, megatron=context.backend == "megatron")
        case Unit.TOKENS_PER_GPU:
            if context.backend == "torchtitan":  # its engine counts the tokens of a tensor-parallel group
                return context.plan("stage.placement.actor.mesh.tp") or 1
            return sequence_gpus(context, megatron=context.backend == "megatron")
    return worth_with_rollouts(context, unit, "rollout.n", "actor.ppo_mini_batch_size", "actor.ppo_epochs")


def local_updates(context: Context) -> Any:
    """`parameter_sync_step` of the mode that runs: local updates between two weight syncs."""
    context.plan("stage.placement.layout")  # the row that learns it
    return context.facts.parameter_sync_step


WHITENED = ("gae", "reinforce_pp", "reinforce_pp_baseline", "gdpo")
"""Estimators whose advantages are whitened."""


def dapo_recipe(r: ReadContext) -> bool:
    """True for DAPO's own program and that of its kin (recipe/entropy), which went with 0.7: they read keys that main_ppo does not."""
    program = str(r.facts.program).replace("/", ".").removesuffix(".py")
    return program in VERL.mains[1:] and not r.since("0.8.0")


def v1_trainer(context: Context) -> bool:
    """The trainer of 0.9, unless `trainer.use_v1` asks for the older one that is still shipped."""
    return context.since("0.9.0") and context.effective("trainer.use_v1") is not False


def single_ticks(context: Context) -> bool:
    """True where a local update is one mini-batch: always in separate_async, by a hand-set step elsewhere."""
    context.plan("stage.placement.layout")  # the row that learns it
    return bool(context.facts.single_ticks)


def separate_async(context: Context) -> bool:
    """True in the mode whose trainer asserts that a period is whole mini-batches."""
    return single_ticks(context) and context.facts.trainer_mode in ("", "separate_async")


class _SkippedPeriods(Codec[float, Number]):
    """veRL counts steps from 1 and updates the actor when `critic_warmup <= step`: w skips w-1 periods (H20)."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        if isinstance(value, Expr):
            return value - 1
        return max(0, value - 1) if value else 0

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if isinstance(value, Expr):
            return Put(value + 1, State.DERIVED, "", "skipped periods + 1")
        if value and value != int(value):
            whole = ceil(value)
            note = f"{float(value):g} rollout periods without actor updates: veRL skips whole ones, {whole} (H20)"
            return Put(whole + 1, State.ROUNDED, note, "skipped periods + 1")
        return Put(value + 1, State.DERIVED, "", "skipped periods + 1") if value else Put(0)


SKIPPED_PERIODS = _SkippedPeriods()


class _Optimizers(words[Any, Any]):
    """FSDP and TorchTitan name a class of torch, Megatron and VeOmni a word of their own."""

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if value == "adamw" and context.backend == "megatron":
            return Put("adam")
        if value == "adamw" and context.backend == "veomni":
            return Put("adamw")
        if context.backend != "megatron" and value == "sgd":
            return Put("SGD")
        return super().put(value, context, unit)


OPTIMIZERS = _Optimizers(
    {**dict.fromkeys(("AdamW", "adam", "adamw"), "adamw"), "AnyPrecisionAdamW": "anyprecision_adamw", "sgd": "sgd", "SGD": "sgd"}
)  # fmt: skip


class _Schedules(words[Any, Any]):
    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if context.since("0.4.0") or context.same_framework:
            return super().put(value, context, unit)
        state = State.DEFAULT if value in ("constant", None) else State.NO_COUNTERPART
        return Put(None, state, "up to 0.3.0 the rate is constant after its warm-up (fsdp_workers)")


FSDP_SCHEDULES = _Schedules({"constant": "constant", "cosine": "cosine"}, asks=True)
"""FSDPOptimizerConfig asserts these two; its default is constant, which a decay is not."""
MEGATRON_SCHEDULES = words(
    {"constant": "constant", "linear": "linear", "cosine": "cosine", "inverse_square_root": "inv_sqrt", "WSD": "wsd"}
)


class _FsdpOnly(Same):
    """The other member of a duplicated pair, which the blocks of other engines lack."""

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if context.backend != "fsdp":
            return Put(None, State.NO_COUNTERPART)
        return super().put(value, context, unit)


FSDP_TWIN = _FsdpOnly()


def _live_in_optim(c: Context) -> bool:
    return c.since("0.8.0") or c.backend != "fsdp"


GRAD_CLIP_OPTIM = When(_live_in_optim, "nothing reads it before 0.8 with FSDP (actor.grad_clip is the live key, H48)")
GRAD_CLIP_ACTOR = When(lambda c: not _live_in_optim(c), "nothing reads it: optim.clip_grad is the live key (H48)")
CRITIC_GRAD_CLIP_OPTIM = When(
    lambda c: CRITIC.test(c) and _live_in_optim(c),
    "no critic, or a release in which critic.grad_clip is the live key (H48)",
)
CRITIC_GRAD_CLIP_OLD = When(
    lambda c: CRITIC.test(c) and not _live_in_optim(c),
    "no critic, or a release in which optim.clip_grad is the live key (H48)",
)
MEGATRON_DECAY = When(lambda c: MEGATRON.test(c) and COSINE.test(c), "read only by Megatron's decaying schedules")
CRITIC_MEGATRON_DECAY = When(
    lambda c: CRITIC_MEGATRON.test(c) and CRITIC_DECAYS.test(c), "no Megatron critic that decays"
)
CRITIC_SP_ENGINE = When(lambda c: CRITIC_FSDP.test(c) and c.since("0.8.0"), "no FSDP critic, or a release before 0.8")
CRITIC_SP_OLD = When(
    lambda c: CRITIC_FSDP.test(c) and not c.since("0.8.0"),
    "no FSDP critic; since 0.8 it is validated but never reaches the engine: set critic.fsdp.ulysses_sequence_parallel_size (H65)",
)


def kind_of(source: Native, program: str) -> str:
    """Return what the training program's config starts: training, its validation alone, or the generation server."""
    if "main_generation" in program:
        return "generate"
    return "eval" if source.value("trainer.val_only", False) is True else "rl"
