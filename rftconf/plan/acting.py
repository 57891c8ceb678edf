"""Fields that do nothing in this run are left out of the plan, and equal meanings get one spelling.

Two plans that train the same way look the same afterwards, whatever their sources had to write. A condition over a
value that is not known leaves the field alone: nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from rftconf.base.symbols import is_symbolic
from rftconf.plan.chat_templates import without_switch
from rftconf.plan.kinds import READS, why_without
from rftconf.plan.spelling import spelled

Values = Mapping[str, Any]
Condition = Callable[[Values], bool]
BATCH, LOSS, RUN = "stage.batch.", "stage.algorithm.", "stage.run_length."
_INDEX = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True)
class Idle:
    """Fields (globs over paths, list items as `[]`) that do nothing where `when` holds, and why."""

    fields: tuple[str, ...]
    when: Condition
    why: str


@dataclass(frozen=True, slots=True)
class Asleep:
    """The fields of one stage that do nothing: the entries of IDLE that hold there."""

    found: frozenset[int]

    def why(self, path: str) -> str | None:
        """Return why the field at `path` does nothing; None where it acts."""
        return next((IDLE[index].why for index in _about(path) if index in self.found), None)


def acting(values: Values) -> dict[str, Any]:
    """The fields of one stage that act, in one spelling."""
    return awake_and_asleep(values)[0]


def awake_and_asleep(values: Values) -> tuple[dict[str, Any], Asleep]:
    """The fields of one stage that act, in one spelling, and what does nothing there."""
    known = spelled(values)
    asleep = Asleep(frozenset(index for index, idle in enumerate(IDLE) if idle.when(known)))
    counts = READS.get(str(known.get("stage.kind")))
    acts = {
        path: value
        for path, value in known.items()
        if asleep.why(path) is None and (counts is None or counts(_plain(path)))
    }
    return acts, asleep


def why_lacking(path: str, kind: object) -> str | None:
    """Tell why a run of `kind` has no field at `path` (indices allowed); None where it may have one."""
    return why_without(_plain(path), kind)


@lru_cache(maxsize=20_000)
def _about(path: str) -> tuple[int, ...]:
    """The places in IDLE of what speaks of a plan field, whatever its list items."""
    path = _plain(path)
    globs = [[glob.replace("[]", "[[]]") for glob in idle.fields] for idle in IDLE]
    return tuple(index for index, own in enumerate(globs) if any(fnmatchcase(path, glob) for glob in own))


def _plain(path: str) -> str:
    return _INDEX.sub("[]", path)


def off(path: str) -> Condition:
    """True where a switch is off, or nobody says that it is on."""
    return lambda v: v.get(path) in (None, False)


def among(path: str, *names: object) -> Condition:
    """True where the value is known to be one of `names`."""
    return lambda v: v.get(path) in names


def trains(v: Values) -> bool:
    """True where sequences are rolled out and learned from."""
    return v.get("stage.kind") in ("rl", None)


def period_sequences(v: Values) -> int | None:
    """S = B*n, where both are known."""
    prompts, n = v.get(BATCH + "prompts_per_rollout"), v.get(BATCH + "responses_per_prompt")
    return prompts * n if isinstance(prompts, int) and isinstance(n, int) else None


def one_mini_batch(v: Values) -> bool:
    """True where a rollout period is one mini-batch."""
    period = period_sequences(v)
    return period is not None and period == v.get(BATCH + "sequences_per_update")


def one_update(v: Values) -> bool:
    """True where a rollout period is one optimizer update."""
    return one_mini_batch(v) and v.get(BATCH + "passes") in (1, None)


def even(v: Values) -> bool:
    """True where no update is incomplete."""
    period, update = period_sequences(v), v.get(BATCH + "sequences_per_update")
    return period is not None and isinstance(update, int) and update > 0 and period % update == 0


def without_reference(v: Values) -> bool:
    """True where no KL term needs a reference policy."""
    terms = (v.get(LOSS + "kl_loss.enabled"), v.get(LOSS + "kl_reward.enabled"))
    return trains(v) and all(on in (None, False) for on in terms)


class Validation(Enum):
    """Tells whether a run validates: never, some time, or nobody knows."""

    NEVER = "never"
    SOME_TIME = "some time"
    UNKNOWN = "unknown"


VALIDATED = ("stage.cadence.eval_rollouts", "stage.cadence.eval_at_start")
"""Fields that say when a run validates."""


def validation_of(v: Values) -> Validation:
    """Tell whether a run validates: never without a set and environments, else as the times say."""
    if v.get("stage.kind") in ("eval", "generate"):
        return Validation.SOME_TIME
    times = [v.get(path) for path in VALIDATED]
    if "stage.data.eval[0].uri" not in v and "stage.data.environments[0].name" not in v:
        return Validation.NEVER
    if any(not is_symbolic(when) and when not in (None, False, 0) for when in times):
        return Validation.SOME_TIME
    return Validation.UNKNOWN if any(map(is_symbolic, times)) else Validation.NEVER


def never_evaluates(v: Values) -> bool:
    """True where nothing is validated: no set and no environments, or no time for it."""
    return validation_of(v) is Validation.NEVER


def without_critic(v: Values) -> bool:
    """True where no value model is trained."""
    return v.get(LOSS + "critic.enabled") in (None, False)


def _trained_by(role: str, *, megatron: bool) -> Condition:
    path = f"stage.placement.{role}.backend"
    return lambda v: isinstance(v.get(path), str) and (v.get(path) == "megatron") is megatron


def _has_own_type(role: str) -> Condition:
    """True where Megatron's own field says the type, or nobody says one (`plan.trainer_numbers` moves it)."""
    path, megatron = f"stage.placement.{role}.", _trained_by(role, megatron=True)
    return lambda v: megatron(v) and (path + "megatron.dtype" in v or path + "compute_dtype" not in v)


FSDP = ("sp", "fsdp_shard_gpus", "reshard_after_forward", "forward_prefetch", "offload_policy", "min_wrap_params",
        "use_orig_params", "entropy_chunking", "entropy_checkpointing", "mesh.*")  # fmt: skip
MICRO = ("micro", "log_prob", "reference", "critic", "critic_infer")


def _still(who: str) -> Condition:
    """True where the learning rate is one and the same in every update."""
    path = f"stage.optim.{who}."
    return lambda v: v.get(path + "schedule") in ("constant", None) and v.get(path + "warmup_updates") in (0, None)


def _by_role() -> tuple[Idle, ...]:
    """Settings of the back end that a role does not use, and of the way its micro-batches are not cut."""
    idle_fields = []
    for role in ("actor", "reference", "critic"):
        path = f"stage.placement.{role}."
        own = tuple(path + name for name in FSDP)
        idle_fields.append(
            Idle((path + "megatron.*",), _trained_by(role, megatron=False), f"the {role} is not Megatron's")
        )
        idle_fields.append(Idle(own, _trained_by(role, megatron=True), f"the {role} is Megatron's"))
        types = (path + "model_dtype", path + "compute_dtype")
        idle_fields.append(
            Idle(types, _has_own_type(role), f"the {role} is Megatron's, which has a number type of its own")
        )
    for role in MICRO:
        path = f"{BATCH}{role}."
        idle_fields.append(
            Idle((path + "sequences_per_rank",), among(path + "dynamic", True), "micro-batches are filled with tokens")
        )
        idle_fields.append(
            Idle((path + "tokens_per_rank",), among(path + "dynamic", False), "micro-batches have a fixed size")
        )
    for who in ("actor", "critic"):
        path = f"stage.optim.{who}."
        flat = among(path + "schedule", "constant")
        idle_fields.append(Idle((path + "min_lr*", path + "decay_updates"), flat, "the learning rate does not decay"))
        idle_fields.append(Idle((path + "updates_per_tick",), _still(who), "the learning rate does not move"))
    return tuple(idle_fields)


CRITIC = ("stage.optim.critic.*", "stage.placement.critic.*", "stage.batch.critic*", "stage.model.critic_*",
          "stage.model_options.critic_*", "stage.algorithm.critic.value_clip", "stage.algorithm.critic.loss_agg",
          "stage.algorithm.lam", "stage.checkpoint.critic_keep")  # fmt: skip
"""What a critic's absence leaves without effect: not the periods before the policy is updated, which count without one too."""
IDLE: tuple[Idle, ...] = (
    Idle(CRITIC, without_critic, "there is no critic"),
    Idle(("stage.algorithm.critic.warmup_rollouts",), lambda v: without_critic(v) and not v.get(LOSS + "critic.warmup_rollouts"),
         "there is no critic, and the policy is updated from the first period on"),
    Idle(("stage.algorithm.kl_reward.*",), off(LOSS + "kl_reward.enabled"), "no KL is taken from the reward"),
    Idle(("stage.algorithm.kl_reward.target", "stage.algorithm.kl_reward.horizon"),
         among(LOSS + "kl_reward.controller", "fixed", None), "the coefficient is fixed"),
    Idle(("stage.algorithm.kl_loss.*",), off(LOSS + "kl_loss.enabled"), "there is no KL term in the loss"),
    Idle(("stage.placement.reference.*", "stage.batch.reference.*"), without_reference, "nothing needs a reference policy"),
    Idle(("stage.placement.reference.megatron.distributed_optimizer",), lambda _: True, "a reference has no optimizer"),
    Idle(("stage.algorithm.preference.*",), lambda v: v.get("stage.kind") != "dpo", "it does not learn from pairs"),
    Idle(("stage.algorithm.std_ddof", "stage.algorithm.std_guard"), among(LOSS + "std_scope", "none"), "rewards are not divided by a deviation"),
    Idle(("stage.algorithm.policy_loss.clip_*", "stage.algorithm.policy_loss.dual_clip_c"),
         among(LOSS + "policy_loss.family", "gpg"), "a plain policy gradient has no ratio to clip"),
    Idle(("stage.algorithm.loss_agg_tokens",), lambda v: not str(v.get(LOSS + "loss_agg")).endswith("sum-over-len"),
         "the loss is not divided by a length"),
    Idle(("stage.algorithm.divide_logits_by_temperature",), among("stage.sampling.train.temperature", 1),
         "the temperature is 1"),
    Idle(("stage.batch.pass_order",), lambda v: one_mini_batch(v) or v.get(BATCH + "passes") in (1, None),
         "there is one pass, or one mini-batch"),
    Idle(("stage.batch.shuffle_sequences",), one_mini_batch, "a period is one mini-batch"),
    Idle(("stage.seeds.minibatch",), off("stage.batch.shuffle_sequences"), "sequences are not shuffled"),
    Idle(("stage.batch.uneven_tail",), even, "every update is whole"),
    Idle(("stage.algorithm.advantage_scope",), one_update, "a period is one update"),
    Idle(("stage.run_length.epochs", "stage.run_length.last_partial"), lambda v: v.get(RUN + "rollouts") is not None,
         "the number of periods ends the run"),
    Idle(("stage.data.rows",), lambda v: v.get(RUN + "rollouts") is not None, "the number of periods ends the run"),
    Idle(("stage.data.mixing",), lambda v: "stage.data.train[1].uri" not in v, "there is one data set"),
    Idle(("stage.data.seed", "stage.data.train[].seed"), among("stage.data.shuffle", False), "the data are not shuffled"),
    Idle(("stage.sampling.eval.*", "stage.data.eval*", "stage.cadence.eval_*"), never_evaluates, "nothing is validated"),
    Idle(("stage.model.thinking",), without_switch, "the model's chat template has no such switch"),
    Idle(("stage.model_options.lora.*",), among("stage.model_options.lora.rank", None, 0), "all weights are trained"),
    *_by_role(),
)  # fmt: skip
"""In no order: each looks at the whole stage."""
