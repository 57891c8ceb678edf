from __future__ import annotations

import json
from collections import Counter

import pytest

from rftconf.base.symbols import Value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.guess import guess
from tests.schemas.shared import CORPUS, needs_corpus

ENGINE: dict[str, Value] = {"actor_rollout_ref.rollout.name": "vllm"}
BARE: dict[str, Value] = {"data.train_batch_size": 8, "actor_rollout_ref.rollout.n": 4, "trainer.nnodes": 1}
COMMON: dict[str, Value] = {**BARE, **ENGINE}


def test_the_newest_release_that_takes_everything_is_assumed() -> None:
    new_guess = guess(COMMON, program="verl.trainer.main_ppo")
    assert (new_guess.framework, new_guess.release, new_guess.trainer, new_guess.certain) == (
        "verl",
        "0.9.1",
        "fsdp",
        False,
    )
    assert new_guess.reasons[:2] == ("starts verl.trainer.main_ppo, which is veRL's", "veRL 0.9.1 takes 4 of 4 keys")
    assert "0.4.1 fits as well; the newest is assumed" in new_guess.reasons


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
    new_guess = guess({**COMMON, key: value}, program="verl.trainer.main_ppo")
    assert new_guess.release == release
    assert new_guess.unknown == ()
    newer = {"0.4.1": "0.5.0", "0.5.0": "0.6.1", "0.6.1": "0.7.1", "0.7.1": "0.8.0", "0.8.0": "0.9.0"}.get(release)
    if newer:
        assert f"{newer} does not take {key}" in new_guess.reasons


@pytest.mark.parametrize(("name", "release"), [("batch", "0.6.1"), ("my_own", "0.8.0")])
def test_a_registered_name_tells_releases_apart_that_take_all_keys(name: str, release: str) -> None:
    """The manager `batch` went with veRL 0.7; a name that nobody registers is the run's own and tells nothing."""
    new_guess = guess({**COMMON, "reward_model.reward_manager": name}, program="verl.trainer.main_ppo")
    assert new_guess.release == release
    assert new_guess.unknown == ()


def test_a_certain_guess_has_no_rival() -> None:
    new_guess = guess({"trainer.v1.separate_async.hybrid_rollout.enable_switch": True, **COMMON})
    assert (new_guess.release, new_guess.certain) == ("0.9.1", True)


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


@pytest.mark.parametrize("strategy", ["fsdp", "fsdp2"])
def test_a_key_that_is_left_over_of_megatron_does_not_overrule_the_strategy(strategy: str) -> None:
    """veRL, workers/engine_workers.py and fsdp_workers.py: `actor.strategy` chooses the workers, whatever other sections hold."""
    keys: dict[str, Value] = {
        "actor_rollout_ref.actor.megatron.grad_offload": True,
        "actor_rollout_ref.actor.strategy": strategy,
    }
    assert guess({**COMMON, **keys}).trainer == "fsdp"


def test_a_key_by_which_another_program_names_its_trainer_chooses_none() -> None:
    """`engine.strategy` is read by veRL's SFT trainer alone (verl/trainer/sft_trainer.py: _build_engine)."""
    keys: dict[str, Value] = {"actor_rollout_ref.actor.megatron.grad_offload": True, "engine.strategy": "fsdp2"}
    assert guess({**COMMON, **keys}).trainer == "megatron"


@pytest.mark.parametrize(("word", "trainer"), [("dp", "fsdp"), ("veomni", "veomni"), ("mlite", "fsdp")])
def test_the_engine_of_the_launch_line_wins_over_that_of_the_config_file(word: str, trainer: str) -> None:
    """veRL since 0.8, ppo_megatron_trainer.yaml: ppo_trainer.yaml with another model_engine, which a launch line overrides."""
    assert guess({**COMMON, "model_engine": word}, config_name="ppo_megatron_trainer").trainer == trainer


def test_added_keys_of_ones_own_are_not_held_against_a_release() -> None:
    new_guess = guess({**COMMON, "+trainer.my_note": "x"}, program="verl.trainer.main_ppo")
    assert new_guess.release == "0.9.1"
    assert new_guess.unknown == ()


def test_trinity_is_told_from_its_keys() -> None:
    new_guess = guess({"algorithm.repeat_times": 8, "buffer.explorer_input.tasksets[0].path": "x"}, overrides=False)
    assert (new_guess.framework, new_guess.release) == ("trinity", "0.6.0")
    old = guess({"explorer.api_port": 1, "algorithm.repeat_times": 8}, overrides=False)
    assert (old.framework, old.release) == ("trinity", "0.3.3")


def test_what_is_given_is_taken() -> None:
    new_guess = guess(COMMON, framework="verl", release="0.5.0")
    assert new_guess.release == "0.5.0"
    odd = guess({**COMMON, "trainer.use_v1": False}, framework="verl", release="0.5.0")
    assert odd.unknown == ("trainer.use_v1",)
    assert odd.reasons == ("veRL 0.5.0 takes 4 of 5 keys; not trainer.use_v1",)


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
        new_guess = guess(keys)
        assert new_guess.framework == "verl"
        whole[not new_guess.unknown] += 1
    assert whole[True] >= 0.9 * whole.total(), whole


def test_a_launch_without_a_mandatory_key_is_of_a_release_that_has_a_default() -> None:
    """veRL 0.6.1 and newer, trainer/config/rollout/rollout.yaml: `name: ???`; up to 0.5.0 it is vllm."""
    new_guess = guess(BARE, program="verl.trainer.main_ppo")
    assert (new_guess.release, new_guess.also) == ("0.5.0", ("0.4.1", "0.3.0", "0.2.0"))
    assert "0.8.0 asks for actor_rollout_ref.rollout.name" in new_guess.reasons
    assert guess(BARE).release == "0.9.1", "what starts nothing may be part of a config"


@pytest.mark.parametrize(
    ("program", "assumed", "oldest"),
    [
        ("verl.trainer.main_ppo", "0.9.1", "0.2.0"),
        ("verl.trainer.main_ppo_sync", "0.9.1", "0.8.0"),
        ("recipe.dapo.main_dapo", "0.7.1", "0.2.0"),
    ],
)
def test_a_program_is_of_the_releases_that_bring_it(program: str, assumed: str, oldest: str) -> None:
    new_guess = guess(COMMON, program=program)
    assert (new_guess.release, new_guess.also[-1]) == (assumed, oldest)


def test_keys_of_a_recipe_are_in_its_own_config_and_speak_against_no_release() -> None:
    """A recipe is taken for the last release that brought it, and may be of any other."""
    new_guess = guess({**COMMON, "algorithm.filter_groups.enable": True}, program="recipe.spin.main_spin")
    assert new_guess.release == "0.7.1"
    assert {"0.9.1", "0.4.1"} <= set(new_guess.also)


def test_how_sure_a_guess_is() -> None:
    program = "verl.trainer.main_ppo"
    only = {"trainer.v1.separate_async.hybrid_rollout.enable_switch": True}
    assert guess({**COMMON, **only}, program=program).confidence == "surely"
    assert guess({**COMMON, **only, "data.nobody": 1}, program=program).confidence.startswith("likely")
    two = guess({**COMMON, "trainer.v1.trainer_mode": "sync"}, program=program)
    assert two.confidence == "a guess: 0.9.0 takes its keys as well"
    assert guess(COMMON, program=program, framework="verl", release="0.8.0").confidence == "as named"


def test_keys_of_another_release_are_no_sign_of_one_that_lets_them_pass() -> None:
    """Releases before 0.5 take any key in a YAML; one of a fork's own in a section that is a dataclass since does not make
    a config with many keys of 0.7 one of theirs."""
    of_later: dict[str, Value] = {
        "actor_rollout_ref.actor.fsdp_config.forward_only": False,
        "actor_rollout_ref.actor.calculate_entropy": False,
        "actor_rollout_ref.model.tiled_mlp.enabled": False,
        "actor_rollout_ref.rollout.agent.default_agent_loop": "mine",
    }
    own: dict[str, Value] = {"actor_rollout_ref.actor.mine": 4}
    new_guess = guess({**COMMON, **of_later, **own}, overrides=False)
    assert (new_guess.framework, new_guess.trainer) == ("verl", "fsdp")
    assert new_guess.release >= "0.7.1"
    assert new_guess.unknown == tuple(own)
    assert guess({**COMMON, **own}, overrides=False).release == "0.5.0", "where nothing speaks for a later one"


def test_a_section_that_takes_any_name_says_little() -> None:
    """ROLL's custom_envs takes whatever stands below it; what RAGEN writes there makes its config none of ROLL's."""
    worlds = {f"custom_envs.W{n}.{name}": 1 for n in range(20) for name in ("env_type", "max_tokens", "env_config")}
    own = (
        "actor_rollout_ref.model.path",
        "actor_rollout_ref.rollout.n",
        "actor_rollout_ref.actor.clip_ratio_low",
        "trainer.nnodes",
    )
    assert guess({**worlds, **dict.fromkeys(own, 1)}, overrides=False).framework == "verl"


def test_a_config_older_than_every_known_release_is_read_as_the_oldest() -> None:
    """Trinity-RFT's common/config.py lost buffer.max_retry_times before 0.3.3; nothing else tells its releases apart here."""
    keys: dict[str, Value] = {
        "buffer.batch_size": 4,
        "algorithm.algorithm_type": "grpo",
        "model.model_path": "/m",
        "mode": "both",
    }
    assert guess(keys, overrides=False).release == "0.6.0"
    older_guess = guess(keys | {"buffer.max_retry_times": 3}, overrides=False)
    assert (older_guess.framework, older_guess.release) == ("trinity", "0.3.3")
    assert older_guess.reasons[0] == "has buffer.max_retry_times, which only releases before 0.3.3 had"
    assert "0.6.0 fits as well; the oldest is assumed" in older_guess.reasons


def test_no_known_release_has_a_key_of_older_ones() -> None:
    for framework in registry.variants(None):
        for release in framework.releases if framework.older_keys else ():
            assert not set(framework.older_keys).intersection(catalogue.load(framework.name, release).keys)


@pytest.mark.parametrize(
    ("keys", "release"),
    [
        ({"max_prompt_length": 512}, "0.25.1"),
        ({}, "1.16.0"),
        ({"max_prompt_length": 512, "multi_objective_aggregation": "sum_then_normalize"}, "0.27.2"),
    ],
)
def test_a_release_that_reads_a_key_is_assumed_before_one_that_only_takes_it(
    keys: dict[str, Value], release: str
) -> None:
    """TRL 0.26 and 0.27 warn of max_prompt_length and cut no prompt (GRPOConfig.__post_init__); 0.28 refuses it."""
    trl: dict[str, Value] = {"num_generations": 8, "max_completion_length": 512, "reward_funcs": "a", **keys}
    new_guess = guess(trl, overrides=False)
    assert (new_guess.framework, new_guess.release) == ("trl", release)
    fits_as_well = "0.26.2 fits as well; the newest that reads max_prompt_length is assumed"
    assert (fits_as_well in new_guess.reasons) == (release == "0.25.1")
