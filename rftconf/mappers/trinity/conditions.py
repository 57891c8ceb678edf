"""Trinity's keys act under these conditions, and Trinity's own counters follow this arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING as OPEN
from rftconf.base.symbols import Expr
from rftconf.mappers.codecs import MISSING, Codec, Number, Put, counts, words
from rftconf.mappers.context import Context, When
from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.rates import known_plan_value, longest_sample, sequence_gpus, worth_with_rollouts
from rftconf.mappers.trinity.algorithms import algorithm
from rftconf.plan.units import Unit


def _critic(c: Context) -> bool:
    """The algorithm class decides, not the advantage function; one that a person has yet to name may have one."""
    name = c.effective("algorithm.algorithm_type")
    if name == OPEN:
        return c.plan("stage.algorithm.critic.enabled") is True
    has = algorithm(name).critic is not False
    return has and c.plan("stage.algorithm.critic.enabled") is not False


CRITIC = When(_critic, "there is no critic in this run")
FSDP = When(lambda c: c.plan("stage.placement.actor.backend") != "megatron", "the Megatron trainer does not read it")
MEGATRON = When(
    lambda c: c.plan("stage.placement.actor.backend") in ("megatron", None), "only the Megatron trainer reads it"
)
CRITIC_FSDP = When(lambda c: CRITIC.test(c) and FSDP.test(c), "no FSDP critic in this run")
STATIC = When(
    lambda c: c.plan("stage.batch.micro.dynamic") is not True,
    "no effect while trainer.use_dynamic_bsz is true (its default)",
)


def one_sequence(c: Context) -> int | None:
    """Return one sequence, the default of Actor, Ref and Critic in verl_config.py.

    0.6 has it beside veRL 0.7.1 alone, and stops without a size beside newer ones (trainer/verl/config.py). A run that is read
    has started, so it has one; for a run that is written nothing stands in for the size.
    """
    return None if c.writes and c.since("0.6.0") else 1


DYNAMIC = When(
    lambda c: c.plan("stage.batch.micro.dynamic") is not False, "no effect while trainer.use_dynamic_bsz is false"
)
CRITIC_STATIC_FSDP = When(
    lambda c: CRITIC_FSDP.test(c) and STATIC.test(c), "no FSDP critic, or trainer.use_dynamic_bsz is true (its default)"
)
CRITIC_STATIC = When(
    lambda c: CRITIC.test(c) and STATIC.test(c), "no critic, or trainer.use_dynamic_bsz is true (its default)"
)


def _reference(c: Context) -> bool:
    if c.plan("stage.kind") == "dpo":
        return True
    on = (c.plan("stage.algorithm.kl_loss.enabled"), c.plan("stage.algorithm.kl_reward.enabled"))
    return any(flag is not False and flag is not None for flag in on)


REFERENCE = When(_reference, "KL is neither in the loss nor in the reward")
REFERENCE_FSDP = When(lambda c: _reference(c) and FSDP.test(c), "no FSDP reference model in this run")
REFERENCE_MEGATRON = When(lambda c: _reference(c) and not FSDP.test(c), "no Megatron reference model in this run")
CRITIC_MEGATRON = When(lambda c: CRITIC.test(c) and not FSDP.test(c), "no Megatron critic in this run")
CLIPS_IN_OPTIMIZER = When(
    lambda c: c.since("0.6.0") or not FSDP.test(c), "before 0.6 the FSDP trainer reads trainer.grad_clip instead (H48)"
)
CLIPS_IN_TRAINER = When(
    lambda c: not CLIPS_IN_OPTIMIZER.test(c),
    "Megatron, and since 0.6 every trainer, reads algorithm.optimizer.clip_grad instead (H48)",
)
CRITIC_CLIPS_IN_OPTIMIZER = When(
    lambda c: CRITIC.test(c) and CLIPS_IN_OPTIMIZER.test(c),
    "no critic, or FSDP before 0.6, where critic.grad_clip is the live key (H48)",
)
CRITIC_CLIPS_IN_TRAINER = When(
    lambda c: CRITIC.test(c) and CLIPS_IN_TRAINER.test(c),
    "no critic; Megatron, and since 0.6 every trainer, reads critic.optim.clip_grad (H48)",
)
WARMS_UP = When(
    lambda c: c.since("0.6.0") or _critic(c), "before 0.6 the actor waits for a critic only, and there is none (H20)"
)
DECAYS = When(lambda c: c.plan("stage.optim.actor.schedule") != "constant", "no effect on a constant learning rate")
CRITIC_DECAYS = When(
    lambda c: CRITIC_FSDP.test(c) and c.plan("stage.optim.critic.schedule") not in ("constant", None),
    "no FSDP critic, or a constant learning rate",
)
CRITIC_DECAYS_ON_MEGATRON = When(
    lambda c: CRITIC_MEGATRON.test(c) and c.plan("stage.optim.critic.schedule") not in ("constant", None),
    "no Megatron critic, or a constant learning rate",
)
MANY_PASSES = When(lambda c: c.plan("stage.batch.shuffle_sequences") is not False, "no effect while shuffle is false")


def explore_step(context: Context) -> Any:
    """Sequences of one explorer batch: what form A or B wrote, or what the file says."""
    if context.facts.explore_step is UNSET:
        context.plan("stage.batch.prompts_per_rollout")  # the row that learns it
    if context.facts.explore_step is UNSET:
        raise KeyError("explore_step")
    return context.facts.explore_step


def worth(context: Context, unit: Unit) -> Any:
    """Return the number of sequences (or tokens per rank) that one `unit` is worth in a Trinity run."""
    update = "buffer.train_batch_size"
    match unit:
        case Unit.TRAIN_STEPS | Unit.LR_TICKS:
            return known_plan_value(context, "stage.batch.sequences_per_update", update)
        case Unit.EXPLORE_STEPS:
            return explore_step(context)
        case Unit.TOKENS_PER_GPU:
            return sequence_gpus(context, megatron=context.plan("stage.placement.actor.backend") == "megatron")
    return worth_with_rollouts(context, unit, "algorithm.repeat_times", update, "ppo_epochs")


class _SkippedSteps(Codec[float, Number]):
    """Trinity counts train steps from 1 and updates the actor when `critic_warmup <= step` (H20)."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        if not isinstance(value, Expr) and not value:
            return 0
        skipped = value - 1
        return context.convert(skipped, Unit.TRAIN_STEPS, Unit.ROLLOUTS) if skipped != 0 else 0

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if not isinstance(value, Expr) and not value:
            return Put(0)
        if not WARMS_UP.test(context):
            return Put(None, State.NO_COUNTERPART, WARMS_UP.otherwise)
        steps = context.convert(value, Unit.ROLLOUTS, Unit.TRAIN_STEPS)
        return Put(steps + 1, State.DERIVED, "", "skipped periods x train steps a period + 1 (H20)")


SKIPPED_STEPS = _SkippedSteps()

NEVER_ROLLOUTS = 1_000_000
"""Trinity has no "never" for evaluation: this many periods stand for it."""


LATE = (
    "Trinity evaluates before a period's weights arrive: what it shows after a period is the policy that began it (H18)"
)


ON_NOTHING = "the source validates on environments; Trinity does once eval_tasksets say on what"
NO_SET = "there is no evaluation set, and without one Trinity evaluates nothing"


def _without_set(context: Any) -> tuple[State, str] | None:
    """The state and the note of an evaluation that has no set to be on; None where there is one."""
    if context.items("stage.data.eval"):
        return None
    if context.items("stage.data.environments"):
        return State.UNRESOLVED, ON_NOTHING
    return State.DEAD_IN_TARGET, NO_SET


class _EvalInterval(Codec[float, Number]):
    """Explore steps between evaluations; "never" is a number that no run reaches."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        if value is None or not context.source.count("buffer.explorer_input.eval_tasksets"):
            return None  # nothing to evaluate on
        rollouts = context.convert(value, Unit.EXPLORE_STEPS, Unit.ROLLOUTS)
        if isinstance(rollouts, Expr):
            return rollouts
        if rollouts >= NEVER_ROLLOUTS:
            return None
        if rollouts != int(rollouts):
            context.note(f"explorer.eval_interval={value} is rounded down to whole sync intervals (H19)")
        return max(1, int(rollouts))

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if value is None:
            never = context.convert(NEVER_ROLLOUTS, Unit.ROLLOUTS, Unit.EXPLORE_STEPS)
            return Put(never, State.DERIVED, "", "never: Trinity has no word for it, so a step that no run reaches")
        if not context.same_framework:
            context.note(LATE)
        whole = max(1, int(value)) if isinstance(value, Fraction) else value
        note = f"{float(value):g} rollout periods are rounded down to whole ones (H19)" if whole != value else ""
        steps, state = (
            context.convert(whole, Unit.ROLLOUTS, Unit.EXPLORE_STEPS),
            State.ROUNDED if note else State.DERIVED,
        )
        if (idle := _without_set(context)) is not None:
            return Put(steps, *idle)
        return Put(steps, state, note, "rollout periods as explore steps")


EVAL_INTERVAL = _EvalInterval()


class _AtStart(Codec[bool, bool]):
    """Without an evaluation set nothing is evaluated, whatever the switch says."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        return value if context.source.count("buffer.explorer_input.eval_tasksets") else False

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        idle = _without_set(context) if value is True else None
        return Put(value) if idle is None else Put(value, *idle)


AT_START = _AtStart()
SGLANG = When(lambda c: c.plan("stage.placement.rollout.engine") == "sglang", "only the sglang engine takes it")
VLLM = When(lambda c: not SGLANG.test(c), "SGLang stops on an argument of that name (server_patch: ServerArgs)")
OLD_BACK_END = When(
    lambda c: not c.since("0.6.0") and _critic(c), "only the back end before 0.6 reads it, with a critic"
)


class _Window(counts):
    """Engines of other frameworks may hold less than a whole prompt and a whole answer; answers then end sooner."""

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        whole = longest_sample(context)
        if isinstance(value, int) and whole is not None and value < whole:
            why = f"Trinity wants room for a prompt and an answer of full length: {whole} tokens instead of {value}"
            return Put(whole, State.NARROWED, why)
        return super().put(value, context, unit)


WINDOW = _Window(Unit.TOKENS)


class _AtOnce(counts):
    """Tokens that an engine takes at once: a whole context where prompts are not taken in chunks, and vLLM stops for less."""

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        parts = [context.plan(f"stage.length.{part}_max_tokens") for part in ("prompt", "response", "model")]
        known = [part for part in parts if isinstance(part, int)]
        whole = max(sum(known[:2]), known[-1]) if known else 0
        chunks = context.plan("stage.placement.rollout.chunked_prefill")
        if isinstance(value, int) and chunks is False and value < whole and not context.same_framework:
            why = f"prompts are not taken in chunks, so that the engine wants a whole context of {whole} tokens at once instead of {value}"
            return Put(whole, State.NARROWED, why)
        return super().put(value, context, unit)


AT_ONCE = _AtOnce(Unit.TOKENS)


def filled(context: Any) -> Any:
    """Tokens of a micro-batch that nobody bounds, as `trainer.max_token_len_per_gpu`: TrainerConfigValidator takes twice the
    longest sequence over the GPUs of one. None while that is not known."""
    longest = longest_sample(context)
    whole = context.plan("stage.length.model_max_tokens") or longest
    gpus = sequence_gpus(context, megatron=not FSDP.test(context))
    return ceil(Fraction(2 * whole) / gpus) if isinstance(whole, int) and isinstance(gpus, (int, Fraction)) else None


class _Schedules(words[Any, Any]):
    """Trinity passes any schedule on, but veRL's FSDP trainer under it takes two, and Megatron's WSD cannot be told all."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        return "wsd" if value == "WSD" else super().get(value, context, unit)

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if value == "wsd" and context.same_framework:
            return Put("WSD")
        # what Trinity lacks is left to its default, which is FSDP
        fsdp = FSDP.test(context) and not isinstance(context.plan("stage.placement.actor.backend"), Expr)
        if isinstance(value, Expr):
            return super().put(value, context, unit)
        if not context.same_framework and fsdp and value not in ("constant", "cosine", None):
            return Put(MISSING, State.UNRESOLVED, f"the FSDP trainer knows constant and cosine, not {value!r}")
        return super().put(value, context, unit)


SCHEDULES = _Schedules(
    {"constant": "constant", "cosine": "cosine", "linear": "linear", "inverse_square_root": "inv_sqrt"},
    narrowed={"wsd": ("WSD", "Trinity tells Megatron no length of the final decay, and an exponential style")},
)
