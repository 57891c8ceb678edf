from __future__ import annotations

import json
from collections import Counter

import pytest

from rftconf.plan.symbols import Value
from rftconf.schemas.guess import guess
from tests.schemas.shared import CORPUS, needs_corpus

COMMON: dict[str, Value] = {"data.train_batch_size": 8, "actor_rollout_ref.rollout.n": 4, "trainer.nnodes": 1}


def test_the_newest_release_that_takes_everything_is_assumed() -> None:
    found = guess(COMMON, program="verl.trainer.main_ppo")
    assert (found.framework, found.release, found.trainer, found.certain) == ("verl", "0.9.1", "fsdp", False)
    assert found.reasons[:2] == ("starts verl.trainer.main_ppo, which is veRL's", "veRL 0.9.1 takes 3 of 3 keys")
    assert "0.4.1 fits as well; the newest is assumed" in found.reasons


@pytest.mark.parametrize(
    ("key", "value", "release"),
    [
        ("critic.model.fsdp_config.param_offload", True, "0.7.1"),
        ("reward_model.reward_manager", "dapo", "0.8.0"),
        ("actor_rollout_ref.rollout.mode", "sync", "0.6.1"),
        ("ray_init.num_cpus", 8, "0.5.0"),
        ("actor_rollout_ref.rollout.use_fire_sampling", True, "0.4.1"),
        ("critic.fsdp.param_offload", True, "0.9.1"),
    ],
)
def test_one_key_gives_the_release_away(key: str, value: Value, release: str) -> None:
    found = guess({**COMMON, key: value}, program="verl.trainer.main_ppo")
    assert found.release == release
    assert found.unknown == ()
    newer = {"0.4.1": "0.5.0", "0.5.0": "0.6.1", "0.6.1": "0.7.1", "0.7.1": "0.8.0", "0.8.0": "0.9.1"}.get(release)
    if newer:
        assert f"{newer} does not take {key}" in found.reasons


def test_a_certain_guess_has_no_rival() -> None:
    found = guess({"trainer.v1.trainer_mode": "separate_async", **COMMON})
    assert (found.release, found.certain) == ("0.9.1", True)


@pytest.mark.parametrize(
    ("keys", "config_name"),
    [
        ({"actor_rollout_ref.actor.megatron.tensor_model_parallel_size": 2}, ""),
        ({}, "ppo_megatron_trainer"),
        ({"model_engine": "megatron"}, ""),
        ({"actor_rollout_ref.actor.strategy": "megatron"}, ""),
    ],
)
def test_megatron_is_recognised(keys: dict[str, Value], config_name: str) -> None:
    assert guess({**COMMON, **keys}, config_name=config_name).trainer == "megatron"


def test_added_keys_of_ones_own_are_not_held_against_a_release() -> None:
    found = guess({**COMMON, "+trainer.my_note": "x"}, program="verl.trainer.main_ppo")
    assert found.release == "0.9.1"
    assert found.unknown == ()


def test_trinity_is_told_from_its_keys() -> None:
    found = guess({"algorithm.repeat_times": 8, "buffer.explorer_input.tasksets[0].path": "x"}, overrides=False)
    assert (found.framework, found.release) == ("trinity", "0.6.0")
    old = guess({"explorer.api_port": 1, "algorithm.repeat_times": 8}, overrides=False)
    assert (old.framework, old.release) == ("trinity", "0.3.3")


def test_what_is_given_is_taken() -> None:
    found = guess(COMMON, framework="verl", release="0.5.0")
    assert found.release == "0.5.0"
    odd = guess({**COMMON, "trainer.use_v1": False}, framework="verl", release="0.5.0")
    assert odd.unknown == ("trainer.use_v1",)
    assert odd.reasons == ("veRL 0.5.0 takes 3 of 4 keys; not trainer.use_v1",)


def test_nothing_to_go_by_is_not_certain() -> None:
    assert not guess({}).certain


@needs_corpus
@pytest.mark.parametrize("date", ["v0.4.1", "v0.5.0", "v0.6.1", "v0.7.0", "2026-01-29"])
def test_published_examples_fit_some_release(date: str) -> None:
    """Of veRL's own examples, at least 90 % fit a release whole, and none is taken for another framework's."""
    whole = Counter[bool]()
    for line in (CORPUS / "verl_argv" / f"{date}.jsonl").read_text(encoding="utf-8").splitlines():
        overrides = [text for text in json.loads(line)["overrides"] if not text.startswith("--") and "=" in text]
        keys: dict[str, Value] = {}
        for text in overrides:
            key, _, value = text.partition("=")
            keys[key] = value
        found = guess(keys)
        assert found.framework == "verl"
        whole[not found.unknown] += 1
    assert whole[True] >= 0.9 * whole.total(), whole
