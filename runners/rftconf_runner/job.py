"""What a run is to the runner: plain numbers out of a plan's one RL stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rftconf.plan.model import Plan, Stage
from rftconf_runner.stage_reader import StageReader

if TYPE_CHECKING:
    from rftconf_runner.losses import Estimator

DTYPES = {"float32": "float32", "fp32": "float32", "bfloat16": "bfloat16", "bf16": "bfloat16", "float16": "float16"}


@dataclass(frozen=True, slots=True)
class Micro:
    """How much of an update one rank computes at a time: `tokens` 0 means a fixed number of `sequences`."""

    sequences: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Optimizer:
    """AdamW and its schedule, counted in updates; `decay` 0 is the run's whole length."""

    lr: float
    betas: tuple[float, float]
    weight_decay: float
    grad_clip: float
    schedule: str
    warmup: int
    decay: int
    lowest: float


@dataclass(frozen=True, slots=True)
class KlPenalty:
    """A weighed KL term; `horizon` in sequences, 0 where the coefficient is constant."""

    estimator: Estimator
    coef: float
    target: float = 0.0
    horizon: int = 0


@dataclass(frozen=True, slots=True)
class CriticJob:
    """The value model. `warmup` counts the periods in which the policy is not updated."""

    model: str
    optimizer: Optimizer
    update: int
    passes: int
    micro: Micro
    infer: Micro
    clip: float
    aggregation: str
    checkpointing: bool
    warmup: int


@dataclass(frozen=True, slots=True)
class Job:
    """The stage's values as the runner computes with them: nothing symbolic, nothing left open.

    Counts are of sequences unless they say otherwise.
    """

    model: str
    tokenizer: str
    data: str
    split: str
    column: str
    chats: bool
    truth: str
    shuffle: bool
    data_seed: int
    prompt_tokens: int
    response_tokens: int
    overlong: str
    epochs: int
    last_partial: str
    reward_path: str
    reward_name: str
    reward_arguments: dict[str, Any]
    prompts: int
    responses: int
    update: int
    passes: int
    shuffles: bool
    shuffle_seed: int
    rollouts: int
    save_every: int
    micro: Micro
    ranks: int
    engines: int
    dtype: str
    checkpointing: bool
    temperature: float
    top_p: float
    top_k: int
    engine_seed: int
    critic_seed: int
    tempered: bool
    old_is_current: bool
    advantage: str
    scope: str
    ddof: int
    gamma: float
    lam: float
    family: str
    clip_low: float
    clip_high: float
    dual: float
    value_cap: float
    aggregation: str
    norm_scope: str
    divisor: int
    entropy: float
    kl_reward: KlPenalty | None
    kl_loss: KlPenalty | None
    optimizer: Optimizer
    critic: CriticJob | None

    @property
    def sequences(self) -> int:
        """S, sequences of one rollout period."""
        return self.prompts * self.responses

    @property
    def updates_per_period(self) -> int:
        """E * S / G."""
        return self.passes * self.sequences // self.update

    @property
    def compares(self) -> bool:
        """True when the weights that the run began with are needed."""
        return self.kl_reward is not None or self.kl_loss is not None


def job_of(plan: Plan) -> Job:
    """Raises ValueError naming every value that the plan leaves open, or counts that do not divide."""
    stage = plan.stages[0]
    read, one = StageReader(stage), stage.data.train[0]
    job = Job(
        **_places(read),
        **_sampling(read),
        **_mathematics(read),
        data=str(one.uri),
        split=str(one.split or "train"),
        column=str(one.keys.messages or one.keys.prompt or "prompt"),
        chats=one.prompt_type == "messages",
        truth=str(one.keys.response or "answer"),
        optimizer=_optimizer(read, "actor"),
        critic=_critic(read) if stage.algorithm.critic.enabled is True else None,
    )
    if read.open:
        raise ValueError(f"the plan leaves open: {', '.join(read.open)}")
    for update in (job.update, *([job.critic.update] if job.critic else [])):
        if job.sequences % update or update % job.ranks:
            counts = f"{job.prompts} x {job.responses} sequences in updates of {update} on {job.ranks} ranks"
            raise ValueError(f"{counts}: the runner needs whole ones")
    return job


def _micro(read: StageReader, part: str, otherwise: Micro | None = None) -> Micro:
    at = f"batch.{part}."
    if read.value(at + "dynamic", False):
        return Micro(0, read.whole(at + "tokens_per_rank", otherwise.tokens if otherwise else None))
    return Micro(read.whole(at + "sequences_per_rank", otherwise.sequences if otherwise else None), 0)


def _places(read: StageReader) -> dict[str, Any]:
    """What runs where, on which data, how much of it at a time."""
    dtype = str(read.value("placement.actor.compute_dtype", "float32"))
    if dtype not in DTYPES:
        read.open.append(f"stage.placement.actor.compute_dtype is {dtype}")
    return {
        "model": read.value("model.path"),
        "tokenizer": read.value("model.tokenizer_path", read.stage.model.path),
        "shuffle": read.value("data.shuffle", True),
        "data_seed": read.whole("data.seed", 0),
        "overlong": read.value("length.overlong_prompt", "keep"),
        "epochs": read.whole("run_length.epochs", 0),
        "last_partial": read.value("run_length.last_partial", "drop"),
        "reward_path": read.value("reward.function_path"),
        "reward_name": read.value("reward.function_name"),
        "reward_arguments": read.value("reward.function_args", {}),
        "prompts": read.whole("batch.prompts_per_rollout"),
        "responses": read.whole("batch.responses_per_prompt"),
        "update": read.whole("batch.sequences_per_update"),
        "passes": read.whole("batch.passes", 1),
        "shuffles": read.value("batch.shuffle_sequences", False),
        "shuffle_seed": read.whole("seeds.minibatch", 0),
        "rollouts": read.whole("run_length.rollouts"),
        "save_every": read.whole("cadence.save_rollouts", 0),
        "micro": _micro(read, "micro"),
        "ranks": read.whole("placement.actor.gpus"),
        "engines": read.whole("placement.rollout.gpus"),
        "dtype": DTYPES.get(dtype, ""),
        "checkpointing": read.value("model_options.gradient_checkpointing", False),
        "critic_seed": read.whole("placement.critic.seed", 0),
    }


def _sampling(read: StageReader) -> dict[str, Any]:
    """How answers are drawn."""
    return {
        "prompt_tokens": read.whole("length.prompt_max_tokens"),
        "response_tokens": read.whole("length.response_max_tokens"),
        "temperature": read.number("sampling.train.temperature", 1.0),
        "top_p": read.number("sampling.train.top_p", 1.0),
        "top_k": read.whole("sampling.train.top_k", -1),
        "engine_seed": read.whole("placement.rollout.seed", 0),
    }


def _mathematics(read: StageReader) -> dict[str, Any]:
    """What is learned from the answers."""
    a = "algorithm."
    return {
        "tempered": read.value(a + "divide_logits_by_temperature", True),
        # recomputed before each update, they are the log-probs of the weights that are updated
        "old_is_current": read.value("sync.old_logprob", "recompute_at_rollout") in ("current", "recompute_at_update"),
        "advantage": read.value(a + "advantage"),
        "scope": _scope(read),
        "ddof": read.whole(a + "std_ddof", 1),
        "gamma": read.number(a + "gamma", 1.0),
        "lam": read.number(a + "lam", 1.0),
        "family": read.value(a + "policy_loss.family"),
        "clip_low": read.number(a + "policy_loss.clip_low", 0.2),
        "clip_high": read.number(a + "policy_loss.clip_high", 0.2),
        "dual": read.number(a + "policy_loss.dual_clip_c", 0.0),
        "value_cap": read.number(a + "policy_loss.value_cap", float("inf")),
        "aggregation": read.value(a + "loss_agg"),
        "norm_scope": read.value(a + "loss_norm_scope", "update"),
        "divisor": read.whole(a + "loss_agg_tokens", 0),
        "entropy": read.number(a + "entropy_coef", 0.0),
        "kl_reward": _penalty(read, a + "kl_reward."),
        "kl_loss": _penalty(read, a + "kl_loss."),
    }


def _scope(read: StageReader) -> Any:
    scope = read.value("algorithm.std_scope", "group")
    return "none" if read.stage.algorithm.advantage == "grpo_mean_only" else scope


def _penalty(read: StageReader, at: str) -> KlPenalty | None:
    if not read.value(at + "enabled", False):
        return None
    estimator, coef = read.value(at + "estimator"), read.number(at + "coef")
    if at.endswith("loss.") or read.value(at + "controller", "fixed") == "fixed":
        return KlPenalty(estimator, coef)
    return KlPenalty(estimator, coef, read.number(at + "target"), read.whole(at + "horizon"))


def _optimizer(read: StageReader, role: str) -> Optimizer:
    at, betas = f"optim.{role}.", getattr(read.stage.optim, role).betas
    first, second = betas if isinstance(betas, list) else (0.9, 0.999)
    return Optimizer(
        read.number(at + "lr"),
        (float(str(first)), float(str(second))),
        read.number(at + "weight_decay", 0.0),
        read.number(at + "grad_clip", float("inf")),
        read.value(at + "schedule", "constant"),
        read.whole(at + "warmup_updates", 0),
        read.whole(at + "decay_updates", 0),
        read.number(at + "min_lr_ratio", 0.0),
    )


def _critic(read: StageReader) -> CriticJob:
    micro = _micro(read, "critic")
    return CriticJob(
        model=read.value("model.critic_path"),
        optimizer=_optimizer(read, "critic"),
        update=read.whole("batch.critic_sequences_per_update"),
        passes=read.whole("batch.critic_passes", 1),
        micro=micro,
        infer=_micro(read, "critic_infer", micro),
        clip=read.number("algorithm.critic.value_clip"),
        aggregation=read.value("algorithm.critic.loss_agg", "token-mean"),
        checkpointing=read.value("model_options.critic_gradient_checkpointing", False),
        warmup=read.whole("algorithm.critic.warmup_rollouts", 0),
    )


def paths_read(stage: Stage) -> set[str]:
    """Every path that a job of such a stage is made of."""
    read = StageReader(stage)
    for part in (_places, _sampling, _mathematics):
        part(read)
    _optimizer(read, "actor")
    if stage.algorithm.critic.enabled is True:
        _critic(read)
    return read.seen
