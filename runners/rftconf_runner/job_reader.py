"""Makes a job of a plan's one RL stage: every value is read once, by its path."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rftconf.plan.model import Plan, Stage
from rftconf.plan.trainer_numbers import DECAYED, MATRICES
from rftconf_runner.aggregations import OF_SEQUENCES, TAUS, norm_scope
from rftconf_runner.balancing import balancer_of, without
from rftconf_runner.baselines import baseline_of
from rftconf_runner.bypass import learns_likelihood
from rftconf_runner.data_reader import data_of, rewards_of
from rftconf_runner.framework_words import in_other_words
from rftconf_runner.grader_reader import graders_of, scoring
from rftconf_runner.job import Correction, CriticJob, Job, KlPenalty, Offload, Optimizer, Shaping
from rftconf_runner.lora_reader import lora_of
from rftconf_runner.micro_reader import micro_of
from rftconf_runner.rejections import executed_rejections
from rftconf_runner.stage_reader import StageReader, number
from rftconf_runner.validation_reader import validation_of

DTYPES = {"float32": "float32", "fp32": "float32", "bfloat16": "bfloat16", "bf16": "bfloat16", "float16": "float16"}
OLD = {
    "recompute_at_rollout": "trainer",
    # recomputed before each update, they are the log-probs of the weights that are updated
    "recompute_at_update": "current",
    "current": "current",
    "rollout_engine": "engine",
}
"""Whose log-probs the ratio is taken against."""
WHITENED = {"reinforce_pp", "reinforce_pp_baseline", "gae"}
"""Estimators whose advantages are whitened unless the plan says otherwise."""
REWARD_SECONDS = 60.0
"""How long scoring one period's answers may take."""
ANSWER_SECONDS = 10.0
"""The time that a rule may take over one answer, unless --answer-seconds says another."""
UPPER = 2.0
"""Where importance weights are cut when the plan does not say."""


def job_of(plan: Plan) -> Job:
    """Raises ValueError naming every value that the plan leaves open, or counts that do not divide."""
    stage, framework = plan.stages[0], str(plan.source.framework)
    read, kinds = StageReader(stage), {kind for *_, kind in scoring(stage)}
    job = Job(
        **_places(read),
        **data_of(read, plan.source),
        **_sampling(read),
        **_mathematics(read),
        sleeps=_sleeps(plan, read),
        baseline=baseline_of(plan),
        routers=("", ""),
        balancer=balancer_of(plan),
        unbalanced=without(plan),
        added="",
        frozen=False,
        rewards=rewards_of(read, plan.source, plan.extensions.get(framework, {}), modelled="classifier" in kinds),
        graders=graders_of(read),
        optimizer=_optimizer(read, "actor"),
        critic=_critic(read) if stage.algorithm.critic.enabled is True else None,
    )
    if read.open:
        raise ValueError(f"the plan leaves open: {', '.join(read.open)}")
    job = replace(in_other_words(job, plan), validation=validation_of(stage, plan.source, job.rewards, job.graders))
    _fits(plan, job)
    for update in (job.update, *([job.critic.update] if job.critic else [])):
        if job.sp < 1 or job.ranks % job.sp or job.sequences % update or update % (job.ranks // job.sp):
            each = f", {job.sp} to a sequence" if job.sp != 1 else ""
            counts = f"{job.prompts} x {job.responses} sequences in updates of {update} on {job.ranks} ranks{each}"
            raise ValueError(f"{counts}: the runner needs whole ones")
    return job


def _fits(plan: Plan, job: Job) -> None:
    """Raises ValueError where the GPUs of generation are not whole engines, or an engine is more than a node."""
    gpus, node = plan.stages[0].placement.rollout.gpus, plan.cluster.gpus_per_node
    if job.tp < 1 or not job.engines or job.engines * job.tp != gpus:
        raise ValueError(
            f"engines of {job.tp} GPUs (stage.placement.rollout.tp) on {gpus}: the runner needs whole ones"
        )
    if isinstance(node, int) and job.tp > node:
        raise ValueError(f"engines of {job.tp} GPUs on nodes of {node}: the runner keeps an engine within a node")


def _places(read: StageReader) -> dict[str, Any]:
    """Return the job's settings of the model, its processes, the data and the batch sizes."""
    dtype = str(read.value("placement.actor.compute_dtype", "float32"))
    if dtype not in DTYPES:
        read.open.append(f"stage.placement.actor.compute_dtype is {dtype}")
    return {
        "model": read.value("model.path"),
        "overrides": read.value("model.config_overrides", {}),
        "tokenizer": read.value("model.tokenizer_path", read.stage.model.path),
        "overlong": read.value("length.overlong_prompt", "keep"),
        "epochs": read.whole("run_length.epochs", 0),
        "last_partial": read.value("run_length.last_partial", "drop"),
        "reward_seconds": REWARD_SECONDS,
        "answer_seconds": ANSWER_SECONDS,
        "prompts": read.whole("batch.prompts_per_rollout"),
        "responses": read.whole("batch.responses_per_prompt"),
        "update": read.whole("batch.sequences_per_update"),
        "passes": read.whole("batch.passes", 1),
        "sweeps": read.value("batch.pass_order", "sweep") == "sweep",
        "shuffles": read.value("batch.shuffle_sequences", False),
        "ahead": int(read.exact("sync.run_ahead_rollouts", 0) * read.whole("batch.prompts_per_rollout")),
        "every": read.whole("sync.every_rollouts", 1),
        "interrupts": read.value("sync.in_flight", "finish") == "interrupt"
        and bool(read.number("sync.run_ahead_rollouts", 0.0)),
        "shuffle_seed": read.whole("seeds.minibatch", 0),
        "rollouts": read.whole("run_length.rollouts", 0 if read.stage.run_length.epochs else None),
        "save_every": read.nearest("cadence.save_rollouts", 0),
        "keep": read.whole("checkpoint.keep", 0),
        "micro": micro_of(read, "micro"),
        "ranks": read.whole("placement.actor.gpus"),
        **_engines(read),
        "offload": _offload(read, "actor"),
        "reference_offload": _offload(read, "reference"),
        "repeats": read.value("placement.actor.full_determinism", False) is True,
        "dtype": DTYPES.get(dtype, ""),
        "stored": _stored(read, "actor"),
        "checkpointing": read.value("model_options.gradient_checkpointing", False),
        "lora": lora_of(read),
        "critic_seed": read.whole("placement.critic.seed", 0),
        "warmup": read.whole("algorithm.critic.warmup_rollouts", 0),
    }


def _engines(read: StageReader) -> dict[str, Any]:
    """Return how many engines there are, their GPUs and settings, and how many ranks share a sequence in the trainer."""
    gpus, tp = read.whole("placement.rollout.gpus"), read.whole("placement.rollout.tp", 1)
    sizes = {"engines": gpus // max(tp, 1), "tp": tp, "sp": read.whole("placement.actor.sp", 1)}
    return sizes | {
        "memory_fraction": read.number("placement.rollout.gpu_memory_fraction", 0.0),
        "captures": read.value("placement.rollout.enforce_eager", False) is not True,
        "colocated": read.value("placement.layout", "colocated") == "colocated",
    }


def _sleeps(plan: Plan, read: StageReader) -> bool:
    """Engines sleep where trainers have the same GPUs and nothing is drawn ahead meanwhile, unless the config forbids it in a
    word of its own."""
    together = read.value("placement.layout", "colocated") == "colocated"
    return together and not read.number("sync.run_ahead_rollouts", 0.0) and not _keeps_cache(plan.extensions)


def _keeps_cache(stated: Any) -> bool:
    """True where a framework's own words have an engine's cache stay (`free_cache_engine: false`), at any depth."""
    items = stated.items() if isinstance(stated, dict) else ()
    return any(
        (str(key).rpartition(".")[2] == "free_cache_engine" and value is False) or _keeps_cache(value)
        for key, value in items
    )


def _offload(read: StageReader, role: str) -> Offload:
    path = f"placement.{role}."
    names = ("offload_policy", "offload.param", "offload.optimizer")
    policy, param, optimizer = (read.value(path + name, False) is True for name in names)
    return Offload(policy, param, optimizer, read.value(path + "reshard_after_forward", True) is not False)


def _stored(read: StageReader, role: str) -> str:
    """Return the type in which a role's weights are stored: the type they are computed in, where the plan has none."""
    computed = str(read.value(f"placement.{role}.compute_dtype", "float32"))
    return DTYPES.get(str(read.value(f"placement.{role}.model_dtype", computed)), "")


def _sampling(read: StageReader) -> dict[str, Any]:
    """Return the job's settings of sampling: limits of length in tokens, temperature, top-p, top-k and the seed."""
    return {
        "thinking": read.value("model.thinking", "template"),
        "template": {},
        "prompt_tokens": read.whole("length.prompt_max_tokens"),
        "response_tokens": read.whole("length.response_max_tokens"),
        "context": read.whole("length.model_max_tokens", 0),
        "temperature": read.number("sampling.train.temperature", 1.0),
        "top_p": read.number("sampling.train.top_p", 1.0),
        "top_k": read.whole("sampling.train.top_k", -1),
        "engine_seed": read.whole("placement.rollout.seed", 0),
    }


def _mathematics(read: StageReader) -> dict[str, Any]:
    """Return the job's settings of the learning: log-probs, advantages, KL penalties and the loss."""
    a = "algorithm."
    return {
        "tempered": read.value(a + "divide_logits_by_temperature", True),
        "old": OLD.get(read.value("sync.old_logprob", "recompute_at_rollout"), ""),
        "correction": _correction(read.value(a + "rollout_correction", {}), read.stage),
        "rejections": executed_rejections(read.stage.algorithm.rollout_correction or {}),
        "shaping": _shaping(read),
        **_refill(read.stage),
        "advantage": read.value(a + "advantage"),
        "scope": _scope(read),
        "whitens": read.value(a + "whiten_advantage", read.stage.algorithm.advantage in WHITENED),
        "ddof": read.whole(a + "std_ddof", 1),
        "guard": read.number(a + "std_guard", 1e-6),
        "gamma": read.number(a + "gamma", 1.0),
        "lam": read.number(a + "lam", 1.0),
        "family": "gpg" if learns_likelihood(read.stage) else read.value(a + "policy_loss.family"),
        "clip_low": read.number(a + "policy_loss.clip_low", 0.2),
        "clip_high": read.number(a + "policy_loss.clip_high", 0.2),
        "dual": read.number(a + "policy_loss.dual_clip_c", 0.0),
        "loss_words": {tau: read.number(f"{a}policy_loss.{tau}", known) for tau, known in TAUS.items()},
        "value_cap": read.number(a + "policy_loss.value_cap", float("inf")),
        "aggregation": OF_SEQUENCES.get(str(read.stage.algorithm.policy_loss.family), read.value(a + "loss_agg")),
        "norm_scope": norm_scope(read.stage.algorithm.policy_loss.family, read.value(a + "loss_norm_scope", "update")),
        "divisor": read.whole(a + "loss_agg_tokens", 0),
        "entropy": read.number(a + "entropy_coef", 0.0),
        "kl_reward": _penalty(read, a + "kl_reward."),
        "kl_loss": _penalty(read, a + "kl_loss."),
    }


def _scope(read: StageReader) -> Any:
    scope = read.value("algorithm.std_scope", "group")
    return "none" if read.stage.algorithm.advantage in ("grpo_mean_only", "rec") else scope


def _penalty(read: StageReader, path: str) -> KlPenalty | None:
    if not read.value(path + "enabled", False):
        return None
    estimator, coef = read.value(path + "estimator"), read.number(path + "coef")
    if path.endswith("loss.") or read.value(path + "controller", "fixed") == "fixed":
        return KlPenalty(estimator, coef)
    return KlPenalty(estimator, coef, read.number(path + "target"), read.whole(path + "horizon"))


def _refill(stage: Stage) -> dict[str, Any]:
    filters = stage.algorithm.filters
    metric = str(filters[0].metric or "reward") if filters else ""
    return {"refill": metric, "refill_threshold": number(filters[0].threshold or 0) if filters else 0.0}


def _correction(block: dict[str, Any], stage: Stage) -> Correction | None:
    """veRL's words, which Trinity shares: a number cuts from above, `lower_upper` takes out what is outside. Where the ratio is of the
    engine's log-probs, it is a likelihood that is weighed, or nothing."""
    level, now = block.get("rollout_is"), stage.sync.old_logprob == "rollout_engine"
    if level is None or (now and not learns_likelihood(stage)):
        return None
    parts = [number(part) for part in str(block.get("rollout_is_threshold", UPPER)).split("_")]
    return Correction(
        level, parts[-1], parts[0] if parts[1:] else 0.0, block.get("rollout_is_batch_normalize") is True, now
    )


def _shaping(read: StageReader) -> Shaping | None:
    arguments, dapo = read.value("reward.manager_args", {}), read.value("reward.manager", "naive") == "dapo"
    buffer = arguments.get("overlong_buffer_cfg")
    if not dapo or not isinstance(buffer, dict) or not buffer.get("enable"):
        return None
    numbers = (buffer.get("len"), arguments.get("max_resp_len"), buffer.get("penalty_factor"))
    return Shaping(*(number(value) for value in numbers))


def _optimizer(read: StageReader, role: str) -> Optimizer:
    path, own = f"optim.{role}.", getattr(read.stage.optim, role)
    first, second = own.betas if isinstance(own.betas, list) and len(own.betas) == 2 else (0.9, 0.999)
    return Optimizer(
        read.number(path + "lr"),
        (number(first), number(second)),
        read.number(path + "weight_decay", 0.0),
        read.number(path + "grad_clip", float("inf")),
        read.value(path + "schedule", "constant"),
        read.whole(path + "warmup_updates", 0),
        read.whole(path + "decay_updates", 0),
        read.number(path + "min_lr_ratio", 0.0),
        read.whole(path + "updates_per_tick", 1),
        own.extra == {DECAYED: MATRICES},
    )


def _critic(read: StageReader) -> CriticJob:
    micro = micro_of(read, "critic")
    return CriticJob(
        model=read.value("model.critic_path"),
        optimizer=_optimizer(read, "critic"),
        update=read.whole("batch.critic_sequences_per_update"),
        passes=read.whole("batch.critic_passes", 1),
        micro=micro,
        infer=micro_of(read, "critic_infer", micro),
        clip=read.number("algorithm.critic.value_clip"),
        aggregation=read.value("algorithm.critic.loss_agg", "token-mean"),
        checkpointing=read.value("model_options.critic_gradient_checkpointing", False),
        stored=_stored(read, "critic"),
        offload=_offload(read, "critic"),
    )


def paths_read(stage: Stage) -> set[str]:
    """Every path that a job of such a stage is made of."""
    read = StageReader(stage)
    for part in (_places, data_of, rewards_of, _sampling, _mathematics):
        part(read)
    _optimizer(read, "actor")
    if stage.algorithm.critic.enabled is True:
        _critic(read)
    return read.seen
