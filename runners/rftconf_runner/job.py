"""What a run is to the runner: plain numbers out of a plan's one RL stage."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rftconf.plan.model import Plan, Stage
from rftconf.plan.symbols import Expr, formula

DTYPES = {"float32": "float32", "fp32": "float32", "bfloat16": "bfloat16", "bf16": "bfloat16", "float16": "float16"}


@dataclass(frozen=True, slots=True)
class Job:
    """The stage's values as the runner computes with them: nothing symbolic, nothing left open.

    Counts are of sequences unless they say otherwise; `micro_tokens` 0 means micro-batches of `micro_sequences`.
    """

    model: str
    tokenizer: str
    data: str
    column: str
    shuffle: bool
    data_seed: int
    prompt_tokens: int
    response_tokens: int
    overlong: str
    epochs: int
    reward_path: str
    reward_name: str
    reward_arguments: dict[str, Any]
    prompts: int
    responses: int
    update: int
    passes: int
    rollouts: int
    save_every: int
    micro_sequences: int
    micro_tokens: int
    ranks: int
    engines: int
    dtype: str
    checkpointing: bool
    temperature: float
    top_p: float
    top_k: int
    engine_seed: int
    tempered: bool
    old_is_current: bool
    advantage: str
    scope: str
    ddof: int
    family: str
    clip_low: float
    clip_high: float
    dual: float
    aggregation: str
    divisor: int
    entropy: float
    lr: float
    betas: tuple[float, float]
    weight_decay: float
    grad_clip: float
    schedule: str
    warmup: int
    decay: int
    lowest: float

    @property
    def sequences(self) -> int:
        """S, sequences of one rollout period."""
        return self.prompts * self.responses

    @property
    def updates_per_period(self) -> int:
        """E * S / G."""
        return self.passes * self.sequences // self.update


class _Reader:
    """Values of a stage by path; what is symbolic, or needed and absent, is collected."""

    def __init__(self, stage: Stage) -> None:
        self.stage, self.open, self.seen = stage, list[str](), set[str]()

    def value(self, path: str, otherwise: Any = None) -> Any:
        """What the plan holds, `otherwise` where it holds nothing; needed when there is no `otherwise`."""
        self.seen.add(path)
        found: Any = self.stage
        for name in path.split("."):
            found = getattr(found, name)
        if isinstance(found, Expr) or (found is None and otherwise is None):
            self.open.append(f"stage.{path}" + (f" = {formula(found)}" if isinstance(found, Expr) else ""))
            return None
        return otherwise if found is None else found

    def whole(self, path: str, otherwise: int | None = None) -> int:
        """A count; a share of one is rounded to the nearest whole one."""
        found = self.value(path, otherwise)
        return 0 if found is None else round(Fraction(str(found)))

    def number(self, path: str, otherwise: float | None = None) -> float:
        """A real number."""
        found = self.value(path, otherwise)
        return 0.0 if found is None else float(found)


def job_of(plan: Plan) -> Job:
    """Raises ValueError naming every value that the plan leaves open, or counts that do not divide."""
    stage = plan.stages[0]
    read, one = _Reader(stage), stage.data.train[0]
    betas = stage.optim.actor.betas if isinstance(stage.optim.actor.betas, list) else [0.9, 0.999]
    job = Job(
        **_places(read),
        **_mathematics(read),
        data=str(one.uri),
        column=str(one.keys.messages or one.keys.prompt or "prompt"),
        betas=(float(str(betas[0])), float(str(betas[1]))),
    )
    if read.open:
        raise ValueError(f"the plan leaves open: {', '.join(read.open)}")
    if job.sequences % job.update or job.update % job.ranks:
        counts = f"{job.prompts} x {job.responses} sequences in updates of {job.update} on {job.ranks} ranks"
        raise ValueError(f"{counts}: the runner needs whole ones")
    return job


def _places(read: _Reader) -> dict[str, Any]:
    """What runs where, on which data, how much of it at a time."""
    dynamic = read.value("batch.micro.dynamic", False)
    dtype = str(read.value("placement.actor.compute_dtype", "float32"))
    if dtype not in DTYPES:
        read.open.append(f"stage.placement.actor.compute_dtype is {dtype}")
    return {
        "model": read.value("model.path"),
        "tokenizer": read.value("model.tokenizer_path", read.stage.model.path),
        "shuffle": read.value("data.shuffle", True),
        "data_seed": read.whole("data.seed", 0),
        "prompt_tokens": read.whole("length.prompt_max_tokens"),
        "response_tokens": read.whole("length.response_max_tokens"),
        "overlong": read.value("length.overlong_prompt", "keep"),
        "epochs": read.whole("run_length.epochs", 0),
        "reward_path": read.value("reward.function_path"),
        "reward_name": read.value("reward.function_name"),
        "reward_arguments": read.value("reward.function_args", {}),
        "prompts": read.whole("batch.prompts_per_rollout"),
        "responses": read.whole("batch.responses_per_prompt"),
        "update": read.whole("batch.sequences_per_update"),
        "passes": read.whole("batch.passes", 1),
        "rollouts": read.whole("run_length.rollouts"),
        "save_every": read.whole("cadence.save_rollouts", 0),
        "micro_sequences": 0 if dynamic else read.whole("batch.micro.sequences_per_rank"),
        "micro_tokens": read.whole("batch.micro.tokens_per_rank") if dynamic else 0,
        "ranks": read.whole("placement.actor.gpus"),
        "engines": read.whole("placement.rollout.gpus"),
        "dtype": DTYPES.get(dtype, ""),
        "checkpointing": read.value("model_options.gradient_checkpointing", False),
        "engine_seed": read.whole("placement.rollout.seed", 0),
    }


def _scope(read: _Reader) -> Any:
    scope = read.value("algorithm.std_scope", "group")
    return "none" if read.stage.algorithm.advantage == "grpo_mean_only" else scope


def _mathematics(read: _Reader) -> dict[str, Any]:
    """What is drawn and what is learned from it."""
    a, o = "algorithm.", "optim.actor."
    return {
        "temperature": read.number("sampling.train.temperature", 1.0),
        "top_p": read.number("sampling.train.top_p", 1.0),
        "top_k": read.whole("sampling.train.top_k", -1),
        "tempered": read.value(a + "divide_logits_by_temperature", True),
        "old_is_current": read.value("sync.old_logprob", "recompute_at_rollout") == "current",
        "advantage": read.value(a + "advantage"),
        "scope": _scope(read),
        "ddof": read.whole(a + "std_ddof", 1),
        "family": read.value(a + "policy_loss.family"),
        "clip_low": read.number(a + "policy_loss.clip_low", 0.2),
        "clip_high": read.number(a + "policy_loss.clip_high", 0.2),
        "dual": read.number(a + "policy_loss.dual_clip_c", 0.0),
        "aggregation": read.value(a + "loss_agg"),
        "divisor": read.whole(a + "loss_agg_tokens", 0),
        "entropy": read.number(a + "entropy_coef", 0.0),
        "lr": read.number(o + "lr"),
        "weight_decay": read.number(o + "weight_decay", 0.0),
        "grad_clip": read.number(o + "grad_clip", float("inf")),
        "schedule": read.value(o + "schedule", "constant"),
        "warmup": read.whole(o + "warmup_updates", 0),
        "decay": read.whole(o + "decay_updates", 0),
        "lowest": read.number(o + "min_lr_ratio", 0.0),
    }


def paths_read(stage: Stage) -> set[str]:
    """Every path that a job is made of."""
    reader = _Reader(stage)
    _places(reader)
    _mathematics(reader)
    return reader.seen
