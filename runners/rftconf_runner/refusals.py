"""What of a plan the runner would execute otherwise than it says, field by field."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from rftconf.plan.model import Algorithm, Plan, Stage
from rftconf_runner.elsewhere import executed_by
from rftconf_runner.harmless import unread
from rftconf_runner.job_reader import DTYPES, OLD, paths_read
from rftconf_runner.refusals_of_blocks import of_dapo, of_lag
from rftconf_runner.refusals_of_data import of_data
from rftconf_runner.refusals_of_graders import of_graders
from rftconf_runner.refusals_of_numbers import of_numbers

ADVANTAGES = {"grpo", "grpo_mean_only", "rloo", "reinforce_pp", "reinforce_pp_baseline", "gae"}
ESTIMATORS = {"k1", "abs", "k2", "k3", "k3_clamped"}
FAMILIES = {"ppo", "gspo", "cispo"}
AGGREGATIONS = {"token-mean", "seq-mean-token-mean", "seq-mean-token-sum", "seq-mean-token-sum-norm"}
SCHEDULES = {"constant", "cosine", "linear"}


@dataclass(frozen=True, slots=True)
class Refusal:
    """A plan field with a value that the runner does not execute, and who does."""

    path: str
    why: str


def refusals(plan: Plan) -> list[Refusal]:
    """Everything in the plan that would be executed otherwise than it says. Empty when the run can start."""
    if len(plan.stages) != 1:
        return [Refusal("stages", f"{len(plan.stages)} stages; the runner executes one")]
    stage = plan.stages[0]
    return [Refusal(f"stage.{path}", why + executed_by(path, _held(stage, path))) for path, why in _refused(stage)]


def _held(stage: Stage, path: str) -> object:
    """The value of a field, None within a list."""
    found: object = stage
    for name in path.split("."):
        found = getattr(found, name, None)
    return found


def _refused(stage: Stage) -> Iterator[tuple[str, str]]:
    algorithm, sync, actor = stage.algorithm, stage.sync, stage.placement.actor
    known: tuple[Known, ...] = (
        ("kind", stage.kind, {"rl"}),
        ("length.overlong_prompt", stage.length.overlong_prompt, {"keep", "drop_gt", "drop_ge", None}),
        ("algorithm.advantage", algorithm.advantage, {*ADVANTAGES}),
        ("algorithm.whiten_advantage", algorithm.whiten_advantage, {True, False, None}),
        ("algorithm.std_scope", algorithm.std_scope, {"none", "group", "batch", None}),
        ("algorithm.policy_loss.family", algorithm.policy_loss.family, {*FAMILIES}),
        ("algorithm.loss_agg", algorithm.loss_agg, {*AGGREGATIONS}),
        (
            "algorithm.loss_norm_scope",
            algorithm.loss_norm_scope,
            {"update", "micro_batch_sum", "micro_batch_mean", None},
        ),
        (
            "algorithm.critic.enabled",
            algorithm.critic.enabled,
            {True} if algorithm.advantage == "gae" else {False, None},
        ),
        *_of_kl(algorithm),
        *_of_lora(stage),
        *(_of_critic(stage) if algorithm.critic.enabled else ()),
        ("placement.actor.backend", actor.backend, {"fsdp", "fsdp2"}),
        ("placement.actor.sp", actor.sp, {1, None}),
        ("placement.rollout.engine", stage.placement.rollout.engine, {"vllm"}),
        ("sync.driver", sync.driver, {"lockstep", None}),
        ("sync.in_flight", sync.in_flight, {"finish", "interrupt", None}),
        ("sync.old_logprob", sync.old_logprob, {*OLD, None}),
        ("optim.actor.kind", stage.optim.actor.kind, {"adamw", None}),
        ("optim.actor.schedule", stage.optim.actor.schedule, {*SCHEDULES, None}),
        ("batch.pass_order", stage.batch.pass_order, {"sweep", "per_update", None}),
        ("reward.manager", stage.reward.manager, {"naive", "dapo", None}),
        *(("data.train[].prompt_type", one.prompt_type, {"messages", "plaintext", None}) for one in stage.data.train),
    )
    for path, value, executed in known:
        if value not in executed:
            names = ", ".join(sorted(str(name) for name in executed if name is not None))
            yield path, f"is {value!r}; the runner executes {names}"
    yield from of_graders(stage)
    yield from of_dapo(stage)
    yield from of_lag(stage)
    yield from of_data(stage)
    yield from of_numbers(stage)
    yield from _sizes(stage)
    read = {path for path, _, _ in known} | paths_read(stage) | BY_HAND
    yield from ((path, f"is {value!r}, and the runner does not read it") for path, value in unread(stage, read))


MIXES = {"bfloat16": {"bfloat16", "float32"}}
"""What is computed in, and what weights may be kept in. 16 bits with a short exponent would want a scaled loss."""
Known = tuple[str, object, Collection[object]]
"""A path, its value, and the values that are executed."""


def _of_kl(algorithm: Algorithm) -> Iterator[Known]:
    for name, part in (("kl_reward", algorithm.kl_reward), ("kl_loss", algorithm.kl_loss)):
        yield f"algorithm.{name}.enabled", part.enabled, {True, False, None}
        if part.enabled:
            yield f"algorithm.{name}.estimator", part.estimator, {*ESTIMATORS}
    if algorithm.kl_reward.enabled:
        yield "algorithm.kl_reward.order", algorithm.kl_reward.order, {"before_norm", None}
        yield "algorithm.kl_reward.controller", algorithm.kl_reward.controller, {"fixed", "adaptive", None}


def _of_lora(stage: Stage) -> Iterator[Known]:
    if stage.model_options.lora.rank:
        dtype = DTYPES.get(str(stage.placement.actor.compute_dtype or "float32"))
        names = {name for name, known in DTYPES.items() if known == dtype}
        yield "model_options.lora.dtype", stage.model_options.lora.dtype, {*names, "auto", None}


def _of_critic(stage: Stage) -> Iterator[Known]:
    worker, optimizer = stage.placement.critic, stage.optim.critic
    yield "placement.critic.backend", worker.backend, {"fsdp", "fsdp2", None}
    yield "placement.critic.sp", worker.sp, {1, None}
    yield "batch.critic_shuffle_sequences", stage.batch.critic_shuffle_sequences, {False, None}
    yield "optim.critic.kind", optimizer.kind, {"adamw", None}
    yield "optim.critic.schedule", optimizer.schedule, {*SCHEDULES, None}
    yield (
        "algorithm.critic.loss_agg",
        stage.algorithm.critic.loss_agg,
        {*AGGREGATIONS, None} - {"seq-mean-token-sum-norm"},
    )


BY_HAND = {
    "sync.run_ahead_rollouts",
    "optim.actor.betas",
    "optim.critic.betas",
    "data.train[].uri",
    "data.train[].keys.prompt",
    "data.train[].keys.messages",
    "data.train[].keys.response",
    "data.train[].split",
    "data.train[].reward",
    "data.domains[].name",
    "data.domains[].tags",
    "data.domains[].weight",
    "data.domains[].reward",
    "algorithm.filters[].kind",
    "algorithm.filters[].metric",
    "algorithm.filters[].action",
    "algorithm.filters[].threshold",
    "algorithm.rollout_correction",
    "reward.manager_args",
    *(f"placement.auxiliary[].{name}" for name in ("role", "domain", "path", "prompt", "dtype")),
    *(f"placement.auxiliary[].{name}_max_tokens" for name in ("prompt", "response", "model")),
    *(f"placement.auxiliary[].sampling.{name}" for name in ("temperature", "top_p", "top_k", "repetition_penalty")),
    "placement.rollout.dtype",
    "length.model_max_tokens",
}
"""Fields that are read without `_Reader`."""


def _sizes(stage: Stage) -> Iterator[tuple[str, str]]:
    """One precision to compute in, as the parity gate compares numbers; and a context that prompt and answer fit."""
    dtype = DTYPES.get(str(stage.placement.actor.compute_dtype or "float32"))
    place = stage.placement
    computed, kept = [("rollout.dtype", place.rollout.dtype)], [("actor.model_dtype", place.actor.model_dtype)]
    if stage.algorithm.critic.enabled:
        computed.append(("critic.compute_dtype", place.critic.compute_dtype))
        kept.append(("critic.model_dtype", place.critic.model_dtype))
    for path, value in computed:
        if value is not None and DTYPES.get(str(value)) != dtype:
            yield f"placement.{path}", f"is {value!r}; the runner computes everything in {dtype}"
    for path, value in kept:
        if value is not None and DTYPES.get(str(value)) not in MIXES.get(str(dtype), {dtype}):
            yield f"placement.{path}", f"is {value!r}; the runner computes in {dtype}, and does not learn it in that"
    length = stage.length
    whole, parts = length.model_max_tokens, (length.prompt_max_tokens, length.response_max_tokens)
    asked = sum(part for part in parts if isinstance(part, int))
    if whole is not None and not (isinstance(whole, int) and whole >= asked):
        yield "length.model_max_tokens", f"is {whole}; the runner gives prompt and answer {asked}"
    for role, betas in (("actor", stage.optim.actor.betas), ("critic", stage.optim.critic.betas)):
        two = isinstance(betas, list) and len(betas) == 2 and all(isinstance(b, float) for b in betas)
        if betas is not None and not two:
            yield f"optim.{role}.betas", f"is {betas!r}; the runner takes two numbers"
