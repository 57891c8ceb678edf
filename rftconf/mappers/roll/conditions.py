"""ROLL's keys act under these conditions, and ROLL's own counters follow this arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING, Expr
from rftconf.mappers.codecs import C, Codec, N, Number, Put
from rftconf.mappers.context import Context, When
from rftconf.mappers.rates import worth_supervised, worth_with_rollouts
from rftconf.plan.kinds import WITHOUT_ROLLOUTS
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.mappers.native import Native


A, P = "stage.algorithm.", "stage.placement."
TRAINED = {**dict.fromkeys(("rlvr", "agentic", "dpo"), "actor_train"), "sft": "sft_train", "distill": "student"}
"""Pipeline to the role that is trained."""
KINDS = {"rlvr": "rl", "agentic": "rl", "dpo": "dpo", "sft": "sft", "distill": "offline_distill"}
"""Pipeline to the kind of run."""


def kind_of_run(c: Context) -> str:
    """The pipeline's kind; one that follows a teacher on its own answers trains otherwise."""
    known = KINDS[c.trainer]
    if c.writes:
        return "distill" if known == "rl" and c.plan("stage.kind") == "distill" else known
    if known == "rl" and follows_teacher(c):
        return "distill"
    return known


def kind_of(source: Native, program: str) -> str:
    """The rollout pipeline of RLVR answers its validation data and ends, that of agents plays its environments; no
    training pipeline takes 0 steps, nor a policy without GPUs."""
    if source.trainer == "agentic":
        alone = "agentic_rollout_pipeline" in program or source.value("actor_train.device_mapping") is None
        return "worlds" if alone else ""
    if source.trainer != "rlvr":
        return ""
    return "eval" if "rlvr_rollout_pipeline" in program or source.value("max_steps") == 0 else ""


def follows_teacher(c: Context) -> bool:
    """True where a teacher's divergence is all that is learned from: by its switch, which the start script of configs
    with a student sets; effective.py then reads the student's roles as the policy's."""
    if c.writes:
        return bool(c.plan("stage.kind") == "distill")
    cell = c.source.cells.get("actor_train.device_mapping")
    student = cell is not None and cell.leaf is not None and cell.leaf.key.startswith("student_train.")
    return KINDS[c.trainer] == "rl" and (student or c.native("is_pure_opd") is True)


def trained(c: Context) -> str:
    """The role whose weights this pipeline trains."""
    return TRAINED[c.trainer]


def pipeline(*names: str) -> When:
    """Only these pipelines have the role."""
    return When(lambda c: c.trainer in names, f"only the {' and '.join(names)} pipelines have this role")


RL = pipeline("rlvr", "agentic")
ADJUSTED = {"copy": "copy", "auto": "copy", "delete": "drop", "random_sample": "drop"}
"""`batch_adjust_mode` to what becomes of a period that is no whole number of updates (agentic_pipeline.adjust_batch)."""


def uneven_period(c: Context) -> str:
    """Return the fate of a period of no whole number of updates: the agentic pipeline adjusts it, others refuse it."""
    return ADJUSTED.get(str(c.effective("batch_adjust_mode")), "copy") if c.trainer == "agentic" else "forbid"


RLVR = pipeline("rlvr")
ACTOR = pipeline("rlvr", "agentic", "dpo")
SFT = pipeline("sft")
DPO = pipeline("dpo")
STUDENT = pipeline("distill")


def _critic(c: Context) -> bool:
    """A critic that the source has without gae is one that ROLL does not build; a person may still name gae."""
    alone = isinstance(c.plan(A + "advantage"), str) and c.plan(A + "advantage") != "gae"
    alone = alone and c.effective("adv_estimator") != MISSING
    return RL.test(c) and c.plan(A + "critic.enabled") is True and not alone


def _reference(c: Context) -> bool:
    """Loaded by a KL term, by init_kl_coef above 0 (its default is 0.2), or when asked for."""
    if c.trainer == "dpo":
        return True
    if follows_teacher(c):
        return False  # the teacher stands in its place
    used = c.plan(A + "kl_loss.enabled") is True or c.plan(A + "kl_reward.enabled") is True
    coef = c.effective("init_kl_coef")
    wish = c.effective("enable_reference") is True or isinstance(coef, Expr) or bool((coef or 0) > 0)
    return bool(c.trainer in ("rlvr", "agentic") and (used or wish))


def on_megatron(c: Context, role: str = "actor") -> bool:
    """True where Megatron runs the role; ROLL has no Megatron critic to write (model_providers: not implemented)."""
    exists = role != "critic" or not c.writes
    return exists and bool(c.plan(f"{P}{role}.backend") == "megatron")


CRITIC = When(_critic, "only adv_estimator gae has a critic")
REFERENCE = When(_reference, "no reference model is loaded: no KL term, and init_kl_coef is 0")
FSDP = When(lambda c: not on_megatron(c), "the Megatron strategy does not read it")
MEGATRON = When(on_megatron, "only the Megatron strategy reads it")
REFERENCE_FSDP = When(lambda c: _reference(c) and not on_megatron(c, "reference"), "no FSDP reference in this run")
REFERENCE_MEGATRON = When(lambda c: _reference(c) and on_megatron(c, "reference"), "no Megatron reference in this run")
CRITIC_FSDP = When(lambda c: _critic(c) and not on_megatron(c, "critic"), "no FSDP critic in this run")
CRITIC_MEGATRON = When(lambda c: _critic(c) and on_megatron(c, "critic"), "no Megatron critic in this run")
ACTOR_FSDP = When(lambda c: ACTOR.test(c) and not on_megatron(c), "no FSDP actor in this run")
ACTOR_PACKS = When(
    lambda c: RL.test(c) and on_megatron(c) and c.since("0.2.1"),
    "only Megatron packs, since 0.2.1 a policy too (0.1.3's validate_worker_config refuses it), and no DPO pipeline",
)
ACTOR_MEGATRON = When(lambda c: ACTOR.test(c) and on_megatron(c), "no Megatron actor in this run")
SFT_FSDP = When(lambda c: SFT.test(c) and not on_megatron(c), "no FSDP trainer of an SFT run")
SFT_MEGATRON = When(lambda c: SFT.test(c) and on_megatron(c), "no Megatron trainer of an SFT run")
STUDENT_FSDP = When(lambda c: STUDENT.test(c) and not on_megatron(c), "no FSDP student of a distillation run")
STUDENT_MEGATRON = When(lambda c: STUDENT.test(c) and on_megatron(c), "no Megatron student of a distillation run")
DYNAMIC_INFER = When(
    lambda c: ACTOR.test(c) and c.plan("stage.batch.log_prob.dynamic") is True,
    "no effect while use_dynamic_batching_in_infer is false",
)
REFERENCE_DYNAMIC = When(
    lambda c: _reference(c) and c.plan("stage.batch.reference.dynamic") is True,
    "no effect while the reference's use_dynamic_batching_in_infer is false",
)
CRITIC_DYNAMIC = When(
    lambda c: _critic(c) and c.plan("stage.batch.critic_infer.dynamic") is True,
    "no effect while the critic's use_dynamic_batching_in_infer is false",
)
KL_REWARD = When(
    lambda c: RL.test(c) and c.plan(A + "kl_reward.enabled") is True, "no effect while add_token_level_kl is false"
)
ADAPTIVE = When(
    lambda c: KL_REWARD.test(c) and c.plan(A + "kl_reward.controller") == "adaptive",
    "no effect without KL in the reward and target_kl",
)
KL_TAKEN = When(lambda c: KL_REWARD.test(c) or follows_teacher(c), KL_REWARD.otherwise)
KL_LOSS = When(lambda c: RL.test(c) and c.plan(A + "kl_loss.enabled") is True, "no effect while use_kl_loss is false")
GAE = When(lambda c: RL.test(c) and c.plan(A + "advantage") == "gae", "only adv_estimator gae reads it")
VLLM = When(lambda c: RL.test(c) and c.plan(P + "rollout.engine") != "sglang", "the sglang engine does not read it")
SGLANG = When(lambda c: RL.test(c) and c.plan(P + "rollout.engine") == "sglang", "only the sglang engine reads it")
VALIDATED = When(
    lambda c: RLVR.test(c) and (c.items("stage.data.eval") > 0), "there is no validation data, so nothing is validated"
)

EVALUATED = When(
    lambda c: c.trainer == "agentic" or c.items("stage.data.eval") > 0,
    "there is no validation data, so nothing is validated",
)


def worth(context: Context, unit: Unit) -> Any:
    """Return the number of sequences (or tokens per rank) that one `unit` is worth in a ROLL run."""
    if context.plan("stage.kind") in WITHOUT_ROLLOUTS:
        return worth_supervised(context, unit)
    passes = "" if context.plan("stage.batch.passes") in (None, 0) else "ppo_epochs"
    return worth_with_rollouts(context, unit, "num_return_sequences_in_group", "the sequences of an update", passes)


NEVER = 1_000_000
"""ROLL has no "never" for saving and validating: this many periods stand for it."""


SAVES_LATE = "save_steps counts from step 0: it saves one period later than its number says, and at the end (H11)"


class NotOfTeacher(Codec[N, C]):
    """A key that speaks of the teacher where one is followed: then it says nothing of KL in the reward."""

    def __init__(self, inner: Codec[N, C]) -> None:
        self.inner = inner

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        return None if follows_teacher(context) else self.inner.get(value, context, unit)

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        return self.inner.put(value, context, unit)


class _Cadence(Codec[float, Number]):
    """Rollout periods; "never" is a number that no run reaches."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        return None if not isinstance(value, Expr) and value is not None and value >= NEVER else value

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if value is None:
            return Put(NEVER, State.DERIVED, "", "never: ROLL has no word for it, so a period that no run reaches")
        if isinstance(value, Fraction):
            whole = max(1, ceil(value))
            return Put(whole, State.ROUNDED, f"{float(value):g} rollout periods; wrote {whole}")
        return Put(value)


class _SavePeriod(_Cadence):
    """The test is on a step that counts from 0: k saves after k+1, 2k+1, ... periods, and after the last (H11)."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        if context.written("save_steps"):
            context.note(SAVES_LATE)
        return super().get(value, context, unit)

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        if value is not None and not context.same_framework:
            context.note(SAVES_LATE)
        return super().put(value, context, unit)


class _EvalPeriod(_Cadence):
    """Without validation data nothing is validated, whatever the interval; agents play val_env_manager's environments."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        if context.trainer == "agentic" and isinstance(value, int) and value <= 0:
            return None
        return super().get(value, context, unit) if EVALUATED.test(context) else None


SAVE_PERIOD, EVAL_PERIOD = _SavePeriod(), _EvalPeriod()


class _ShardSize(Codec[int, int]):
    """FSDP2 shards over all GPUs unless the size is above 1 and below the world."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        return value if isinstance(value, Expr) else None if value is None or value <= 1 else value

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        sp, gpus = context.plan(P + "actor.sp"), context.plan(P + "actor.gpus")
        if value is None and sp is not None and sp != 1 and gpus is not None:
            how = "fsdp2_strategy asserts that it is not below ulysses_size, and its default is 1"
            return Put(gpus, State.DERIVED, "", how)
        if isinstance(value, int) and isinstance(sp, int) and value < sp:
            why = f"ROLL shards over no fewer GPUs than a sequence is spread over: {sp} instead of {value} (fsdp2_strategy asserts it)"
            return Put(sp, State.NARROWED, why)
        if value == 1 and gpus != 1:
            return Put(
                1, State.NARROWED, "every GPU has a whole copy; ROLL takes no size below 2, and shards over all GPUs"
            )
        return Put(value)


SHARD_SIZE = _ShardSize()
