"""Refusals, field by field: parts of a plan that the runner would execute otherwise than the plan says."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from rftconf.plan.model import Algorithm, Plan, Stage
from rftconf.plan.provenance import Source
from rftconf_runner import trinity_tasks
from rftconf_runner.aggregations import AGGREGATIONS, FAMILIES, OVER_LENGTH
from rftconf_runner.answer_masks import of_masks
from rftconf_runner.baselines import of_baseline
from rftconf_runner.data_reader import BATCHED
from rftconf_runner.executing_frameworks import executed_by
from rftconf_runner.extension_fields import of_extensions
from rftconf_runner.framework_words import AFTER_NORM, NORMALIZED_FIRST
from rftconf_runner.ignorable_fields import unread
from rftconf_runner.job import OPTIMAL_BASELINE
from rftconf_runner.job_reader import OLD, paths_read
from rftconf_runner.lora_reader import of_lora
from rftconf_runner.refusals_of_blocks import of_dapo, of_lag
from rftconf_runner.refusals_of_data import of_data
from rftconf_runner.refusals_of_graders import of_graders
from rftconf_runner.refusals_of_images import of_images
from rftconf_runner.refusals_of_losses import of_losses
from rftconf_runner.refusals_of_numbers import of_numbers
from rftconf_runner.refusals_of_types import compares, of_scaling, of_types
from rftconf_runner.value_text import render_plan_value

ADVANTAGES = {
    "grpo",
    "grpo_mean_only",
    "rloo",
    "reinforce_pp",
    "reinforce_pp_baseline",
    "gae",
    "gpg",
    "remax",
    "opo",
    "reinforce",
    "rec",
    OPTIMAL_BASELINE,
}
ESTIMATORS = {"k1", "abs", "k2", "k3", "k3_clamped"}
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
    refused = [
        Refusal(f"stage.{path}", why + executed_by(path, _field_value(stage, path)))
        for path, why in _refused(stage, plan.source)
    ]
    return refused + [
        Refusal(path, why)
        for path, why in (
            *_of_foreign_checkpoints(plan),
            *of_baseline(plan),
            *of_lora(plan),
            *of_masks(plan),
            *of_scaling(plan),
            *of_extensions(plan),
        )
    ]


def _of_foreign_checkpoints(plan: Plan) -> Iterator[tuple[str, str]]:
    """Refuse a run that goes on from another framework's checkpoint: here it would begin anew."""
    if plan.identity.resume == "path":
        whose = f" from {render_plan_value(plan.identity.resume_path)}" if plan.identity.resume_path else ""
        yield "identity.resume", f"goes on{whose}; the runner goes on from its own checkpoints alone (--resume)"


def _field_value(stage: Stage, path: str) -> object:
    """The value of a field, None within a list."""
    value: object = stage
    for name in path.split("."):
        value = getattr(value, name, None)
    return value


def unread_by(plan: Plan) -> list[str]:
    """Paths of the fields that count for the mathematics and that the runner does not read."""
    return [f"stage.{path}" for stage in plan.stages[:1] for path, _ in _unread(stage)]


def _overrides(stage: Stage) -> Iterator[tuple[str, str]]:
    """Refuse blocks within a model's config, which are options of a framework's trainer; single values are set."""
    overrides = stage.model.config_overrides
    for name, value in overrides.items() if isinstance(overrides, dict) else ():
        if not isinstance(value, (bool, int, float, str)):
            yield (
                "model.config_overrides",
                f"{name} is {render_plan_value(value)}; the runner sets single values of a model's config",
            )


def _unnamed(stage: Stage) -> Iterator[tuple[str, str]]:
    """Refuse a model without a name: its folder would be the one that the run begins in."""
    critic = stage.model.critic_path if stage.algorithm.critic.enabled is True else None
    for path, value in (("model.path", stage.model.path), ("model.critic_path", critic)):
        if isinstance(value, str) and not value.strip():
            yield path, "is empty; the runner needs a model's folder or name there"


def _unread(stage: Stage) -> Iterator[tuple[str, object]]:
    of_tasks = {*trinity_tasks.FIELDS} if trinity_tasks.asks_once(stage) else set()
    return unread(stage, {path for path, _, _ in _known(stage)} | paths_read(stage) | BY_HAND | of_tasks)


def _refused(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    for path, value, executed in _known(stage):
        if value not in executed:
            names = ", ".join(sorted(str(name) for name in executed if name is not None))
            yield path, f"is {render_plan_value(value)}; the runner executes {names}"
    yield from of_graders(stage)
    yield from of_dapo(stage)
    yield from of_lag(stage, source)
    yield from of_data(stage, source)
    yield from of_images(stage, source)
    yield from of_numbers(stage)
    yield from of_types(stage)
    yield from _sizes(stage, source)
    yield from of_losses(stage, source)
    yield from _overrides(stage)
    yield from _unnamed(stage)
    for path, value in _unread(stage):
        yield (
            path,
            f"is {render_plan_value(value)}, and the runner does not read it; `--leave-out stage.{path}` runs without it",
        )


def _known(stage: Stage) -> tuple[Known, ...]:
    algorithm, sync, actor = stage.algorithm, stage.sync, stage.placement.actor
    return (
        ("kind", stage.kind, {"rl"}),
        ("length.overlong_prompt", stage.length.overlong_prompt, {"keep", "drop_gt", "drop_ge", "mask_dummy", None}),
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
        *_of_reference(stage),
        *(_of_critic(stage) if algorithm.critic.enabled else ()),
        ("placement.actor.backend", actor.backend, {"fsdp", "fsdp2"}),
        ("placement.rollout.engine", stage.placement.rollout.engine, {"vllm"}),
        *(
            (f"placement.rollout.{name}", getattr(stage.placement.rollout, name), {1, None})
            for name in ("pp", "dp", "ep")
        ),
        ("sync.driver", sync.driver, {"lockstep", None}),
        ("sync.in_flight", sync.in_flight, {"finish", "interrupt", None}),
        ("sync.old_logprob", sync.old_logprob, {*OLD, None}),
        ("optim.actor.kind", stage.optim.actor.kind, {"adamw", None}),
        ("optim.actor.schedule", stage.optim.actor.schedule, {*SCHEDULES, None}),
        ("batch.pass_order", stage.batch.pass_order, {"sweep", "per_update", None}),
        ("batch.demonstrations_per_update", stage.batch.demonstrations_per_update, {0, None}),
        ("reward.manager", stage.reward.manager, _managers(stage)),
        *(("data.train[].prompt_type", rows.prompt_type, {"messages", "plaintext", None}) for rows in stage.data.train),
    )


def _managers(stage: Stage) -> Collection[object]:
    """Return the executed managers: veRL's `batch` calls a function of a batch, which its own rules are not."""
    return {"naive", "dapo", None, *({BATCHED} if stage.reward.function_path else ())}


Known = tuple[str, object, Collection[object]]
"""A path, its value, and the values that are executed."""


def _of_kl(algorithm: Algorithm) -> Iterator[Known]:
    for name, part in (("kl_reward", algorithm.kl_reward), ("kl_loss", algorithm.kl_loss)):
        yield f"algorithm.{name}.enabled", part.enabled, {True, False, None}
        if part.enabled:
            yield f"algorithm.{name}.estimator", part.estimator, {*ESTIMATORS}
    if algorithm.kl_reward.enabled:
        # who normalizes first has a job of its own order (`framework_words.AFTER_NORM`), with some estimators
        orders = {"before_norm", None, *({"after_norm"} if algorithm.advantage in NORMALIZED_FIRST else ())}
        yield "algorithm.kl_reward.order", algorithm.kl_reward.order, orders
        yield "algorithm.kl_reward.controller", algorithm.kl_reward.controller, {"fixed", "adaptive", None}


def _of_reference(stage: Stage) -> Iterator[Known]:
    """Yield the backends of the reference that the runner executes; it is computed where the policy is."""
    if compares(stage):
        yield "placement.reference.backend", stage.placement.reference.backend, {"fsdp", "fsdp2", None}


def _of_critic(stage: Stage) -> Iterator[Known]:
    worker, optimizer = stage.placement.critic, stage.optim.critic
    yield "placement.critic.backend", worker.backend, {"fsdp", "fsdp2", None}
    yield "batch.critic_shuffle_sequences", stage.batch.critic_shuffle_sequences, {False, None}
    yield "optim.critic.kind", optimizer.kind, {"adamw", None}
    yield "optim.critic.schedule", optimizer.schedule, {*SCHEDULES, None}
    yield (
        "algorithm.critic.loss_agg",
        stage.algorithm.critic.loss_agg,
        {*AGGREGATIONS, None} - OVER_LENGTH,
    )


BY_HAND = {
    "sync.run_ahead_rollouts",
    "optim.actor.betas",
    "optim.critic.betas",
    "data.train[].uri",
    "data.train[].keys.prompt",
    "data.train[].keys.messages",
    "data.train[].keys.image",
    "data.train[].keys.response",
    "data.train[].split",
    "data.train[].subset",
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
    *(f"placement.{role}.{kind}_dtype" for role in ("actor", "reference", "critic") for kind in ("compute", "model")),
    "placement.rollout.dtype",
    "model_options.lora.dtype",
    "length.model_max_tokens",
}
"""Fields that are read without a path of their own."""


def _sizes(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """A context that prompt and answer fit, or where an engine's end of it is known to cut answers a prompt; and an optimizer's two shares."""
    length = stage.length
    whole, parts = length.model_max_tokens, (length.prompt_max_tokens, length.response_max_tokens)
    total = sum(part for part in parts if isinstance(part, int))
    if source.framework == AFTER_NORM and isinstance(parts[0], int):
        total = parts[0] + 1  # ROLL's engines end an answer where their own context ends
    if whole is not None and not (isinstance(whole, int) and whole >= total):
        yield (
            "length.model_max_tokens",
            f"is {render_plan_value(whole)}; the runner gives prompt and answer {total} tokens or more",
        )
    for role, betas in (("actor", stage.optim.actor.betas), ("critic", stage.optim.critic.betas)):
        two = isinstance(betas, list) and len(betas) == 2 and all(isinstance(b, float) and 0 <= b < 1 for b in betas)
        if betas is not None and not two:
            yield f"optim.{role}.betas", f"is {render_plan_value(betas)}; the runner takes two numbers from 0 to 1"
