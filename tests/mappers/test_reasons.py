"""Every key of every catalogue has a row or a reason, and every reason says something of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest

from rftconf.base.ledger import State
from rftconf.mappers.rows import Reason, natives_of
from rftconf.mappers.tables import all_tables, reason_for, table_of
from rftconf.schemas import catalogue, registry, versions

READY = ("verl", "trinity", "roll", "chatlearn")
CASES = [
    (framework.name, release, trainer)
    for framework in registry.variants()
    for release in framework.releases
    for trainer in framework.trainers_of(release)
]
STATES = {State.DEAD_IN_SOURCE, State.EXTENSION, State.NO_COUNTERPART, State.WITHHELD}
PROBES = {
    "verl": (
        "ray_kwargs.ray_init.runtime_env.env_vars.WANDB_API_KEY",
        "trainer.v1.sampler.sampler_kwargs.api_key",
        "trainer.v1.sampler.sampler_kwargs.auth_token",
        "trainer.v1.sampler.sampler_kwargs.password",
    ),
    "trinity": (
        "explorer.env_vars.OPENAI_API_KEY",
        "data_processor.task_pipeline.operators[].args.auth_token",
        "data_processor.experience_pipeline.operators[].args.password",
    ),
    "chatlearn": (),
    "roll": (
        "custom_envs.search.api_key",
        "custom_envs.search.db_password",
        "router_args.router_config.auth_token",
    ),
}
"""Credentials below open nodes, which no catalogue lists."""
ARGUMENTS: dict[str, tuple[str, ...]] = {
    "verl": (
        # what Megatron's OptimizerConfig takes beside veRL's own keys
        "actor_rollout_ref.actor.optim.override_optimizer_config.optimizer_cpu_offload",
        "actor_rollout_ref.actor.optim.override_optimizer_config.overlap_cpu_optimizer_d2h_h2d",
        "actor_rollout_ref.actor.optim.override_optimizer_config.use_precision_aware_optimizer",
        "actor_rollout_ref.actor.optim.override_optimizer_config.exp_avg_dtype",
        "data.apply_chat_template_kwargs.reasoning_effort",
    ),
    "chatlearn": (),
    "roll": (
        # before gae, where they are no part of the estimator that the table reads them for
        *("norm_mean_type", "norm_std_type"),
        # in pipelines without a row for it
        "global_template",
        "custom_envs.own.env_type",
        "rewards<*>.query_filter_config.filter_args.own_key",
    ),
    "trinity": ("algorithm.policy_loss_fn_args.mu_peak", "algorithm.entropy_loss_fn_args.own_key"),
}
"""Arguments below dictionaries of which rows know some keys."""


@dataclass(frozen=True)
class Cell:
    """A value for the edits to carry."""

    value: Any


@cache
def natives(framework: str) -> frozenset[str]:
    """Every key that a row speaks for."""
    return frozenset(native for row in table_of(framework).rows for native in natives_of(row))


@cache
def has_row(framework: str, key: str) -> bool:
    """True when a row reads `key` or the node above it."""
    return any(
        key == native or key.startswith(native + ".") or ("*" in native and fnmatchcase(key, native))
        for native in natives(framework)
    )


@cache
def newest_names(framework: str, release: str, trainer: str) -> tuple[str, ...]:
    """A release's keys under their newest names, without those that the edits account for."""
    keys = catalogue.load(framework, release, trainer).keys
    own = [f"{key}.own_key" for key, row in keys.items() if row.open]
    flat = {key: Cell(keys[key].default if key in keys else "own") for key in (*keys, *own)}
    return tuple(versions.upgrade(framework, flat, release, trainer=trainer).flat)


@cache
def without_rows(framework: str) -> tuple[str, ...]:
    """All keys of all releases that only a reason can speak for."""
    names = {key for case in CASES if case[0] == framework for key in newest_names(*case)}
    return tuple(sorted(key for key in names if not has_row(framework, key)))


def patterns_that_count(framework: str, keys: Iterable[str]) -> set[int]:
    """The reasons that are the first to fit one of `keys` in some release."""
    reasons, counted = table_of(framework).reasons, set[int]()
    oldest_first = registry.framework(framework).releases
    for key in keys:
        fitting = [i for i, reason in enumerate(reasons) if fnmatchcase(key, reason.keys)]
        for release in oldest_first:
            matches = (
                i for i in fitting if not reasons[i].since or registry.at_least(framework, release, reasons[i].since)
            )
            counted.add(next(matches, -1))
    return counted


def handed_over() -> list[str]:
    """veRL's own keys as Trinity's `trainer_config` takes them."""
    keys = [key for case in CASES if case[0] == "verl" for key in catalogue.load(*case).keys]
    return [f"trainer.trainer_config.{key}" for key in keys]


@pytest.mark.parametrize(("framework", "release", "trainer"), CASES)
def test_every_key_has_a_row_or_a_reason(framework: str, release: str, trainer: str) -> None:
    table = table_of(framework)
    names = newest_names(framework, release, trainer)
    silent = [key for key in names if not has_row(framework, key) and reason_for(table, key, release) is None]
    assert silent == []
    assert names


@pytest.mark.parametrize("framework", READY)
def test_every_reason_is_the_first_for_some_key_without_a_row(framework: str) -> None:
    keys = [
        *without_rows(framework),
        *PROBES[framework],
        *ARGUMENTS[framework],
        *(handed_over() if framework == "trinity" else ()),
    ]
    used = patterns_that_count(framework, keys)
    assert [reason.keys for i, reason in enumerate(table_of(framework).reasons) if i not in used] == []


@pytest.mark.parametrize("framework", READY)
def test_each_sentence_is_specific_and_stated_once(framework: str) -> None:
    reasons = table_of(framework).reasons
    runs: list[Reason] = [
        r for r, before in zip(reasons, (None, *reasons), strict=False) if before is None or r.why != before.why
    ]
    assert sorted({r.why for r in runs if [x.why for x in runs].count(r.why) > 1}) == []
    for reason in reasons:
        assert reason.state in STATES, reason
        assert 25 <= len(reason.why) <= 170, reason
        assert not reason.why.endswith("."), reason
        assert reason.why[0].islower() or reason.why.startswith(
            ("Trinity", "ROLL", "Hydra", "DPO", "Megatron", "LoRA", "HFModelConfig", "0.")
        ), reason


@pytest.mark.parametrize("framework", READY)
def test_a_sentence_has_one_state(framework: str) -> None:
    states: dict[str, set[State]] = {}
    for reason in table_of(framework).reasons:
        states.setdefault(reason.why, set()).add(reason.state)
    assert {why for why, kinds in states.items() if len(kinds) > 1} == set()


@pytest.mark.parametrize("framework", READY)
def test_credentials_are_withheld(framework: str) -> None:
    table = table_of(framework)
    named = [key for key in without_rows(framework) if key.endswith((".api_key", ".password", ".db_url"))]
    for key in (*named, *PROBES[framework]):
        reason = reason_for(table, key, None)
        assert reason is not None, key
        assert reason.state is State.WITHHELD, key


def test_what_trinity_fills_itself_is_dead() -> None:
    table = table_of("trinity")
    keys = catalogue.load("trinity").keys
    filled = [
        k for k, row in keys.items() if row.automatic and not has_row("trinity", k) and not k.startswith("stages[]")
    ]
    live = [
        k for k in filled if (reason := reason_for(table, k, None)) is None or reason.state is not State.DEAD_IN_SOURCE
    ]
    assert [k for k in live if not k.startswith("buffer.explorer_output")] == []
    assert len(filled) > 90


@pytest.mark.parametrize(
    ("framework", "key", "state"),
    [
        ("verl", "actor_rollout_ref.actor.clip_ratio", State.DEAD_IN_SOURCE),
        ("verl", "data.truncation", State.NO_COUNTERPART),
        ("verl", "custom_reward_function.path", State.DEAD_IN_SOURCE),
        ("verl", "actor_rollout_ref.rollout.multi_turn.format", State.EXTENSION),
        ("verl", "actor_rollout_ref.rollout.multi_turn.enable", State.DEAD_IN_SOURCE),
        ("verl", "critic.model.lora_rank", State.NO_COUNTERPART),
        ("verl", "actor_rollout_ref.ref.ppo_epochs", State.DEAD_IN_SOURCE),
        ("verl", "global_profiler.tool", State.EXTENSION),
        ("trinity", "algorithm.sample_strategy", State.NO_COUNTERPART),
        ("trinity", "trainer.trainer_config.trainer.save_freq", State.DEAD_IN_SOURCE),
        ("trinity", "trainer.trainer_config.actor_rollout_ref.actor.optim.lr", State.NO_COUNTERPART),
        ("trinity", "explorer.rollout_model.extra_engine_args.swap_space", State.EXTENSION),
        ("trinity", "buffer.trainer_input.experience_buffer.replay_buffer.enable", State.NO_COUNTERPART),
        ("trinity", "stages[].algorithm.sample_strategy", State.EXTENSION),
    ],
)
def test_states_of_known_keys(framework: str, key: str, state: State) -> None:
    reason = reason_for(table_of(framework), key, None)
    assert reason is not None
    assert reason.state is state


@pytest.mark.parametrize(
    ("framework", "key", "release", "state"),
    [
        ("verl", "actor_rollout_ref.rollout.multi_turn.enable", "0.6.1", State.NO_COUNTERPART),
        ("verl", "actor_rollout_ref.rollout.multi_turn.enable", "0.7.1", State.DEAD_IN_SOURCE),
        ("verl", "actor_rollout_ref.actor.freeze_vision_tower", "0.7.1", State.NO_COUNTERPART),
        ("verl", "actor_rollout_ref.actor.freeze_vision_tower", "0.8.0", State.DEAD_IN_SOURCE),
        ("verl", "critic.rollout_n", "0.7.1", State.EXTENSION),
        ("verl", "data.return_raw_chat", "0.4.1", State.EXTENSION),
        ("trinity", "trainer.trainer_config.critic.grad_clip", "0.5.2", State.NO_COUNTERPART),
        ("trinity", "trainer.trainer_config.critic.grad_clip", "0.6.0", State.DEAD_IN_SOURCE),
        ("trinity", "log.group_by_node", "0.6.0", State.EXTENSION),
        ("roll", "length_profiler_dir", "0.1.3", State.EXTENSION),
        ("roll", "length_profiler_dir", "0.2.1", State.DEAD_IN_SOURCE),
        ("roll", "actor_train.offload_nccl", "0.2.1", State.EXTENSION),
        ("roll", "actor_train.offload_nccl", "0.3.0", State.DEAD_IN_SOURCE),
        ("roll", "reference.num_gpus_per_worker", "0.3.0", State.EXTENSION),  # hf_infer takes it at its word
    ],
)
def test_what_newer_code_reads_no_more_still_acts_in_older_releases(
    framework: str, key: str, release: str, state: State
) -> None:
    reason = reason_for(table_of(framework), key, release)
    assert reason is not None
    assert reason.state is state


_A_RELEASE = re.compile(
    r"\b(?:from|since|up to|before|until|in|with back ends before) (?:\w+ )?\d+\.\d+|\d+\.\d+ (?:and later|still)"
)


@pytest.mark.parametrize(("framework", "kind"), all_tables())
def test_a_key_is_dead_since_the_release_that_its_sentence_names(framework: str, kind: str) -> None:
    """Else configs of older releases would be told that keys of theirs do nothing, when their code reads them."""
    reasons = [reason for reason in table_of(framework, kind).reasons if reason.state is State.DEAD_IN_SOURCE]
    assert [reason.why for reason in reasons if _A_RELEASE.search(reason.why) and not reason.since] == []
