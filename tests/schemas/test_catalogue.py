from __future__ import annotations

import json

import pytest

from rftconf.base.errors import UsageError
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.registry import FRAMEWORKS
from tests.schemas.shared import ALL, catalogue_id


@pytest.mark.parametrize(("framework", "release", "trainer"), ALL, ids=catalogue_id)
def test_every_catalogue_is_whole(framework: str, release: str, trainer: str) -> None:
    known = catalogue.load(framework, release, trainer)
    assert (known.framework, known.release, known.trainer) == (framework, release, trainer)
    assert len(known.keys) > (4 if registry.framework(framework).of else 120)
    kinds = {"any", "bool", "dict", "float", "int", "list", "str"}
    for name in known.keys:
        key = known.keys[name]
        assert key.name == name
        parts = key.type.replace("list[", "").replace("]", "").split("|")
        assert set(parts) <= kinds, (name, key.type)
        assert key.plus_only <= registry.framework(framework).adds_with_plus
        assert known.get(name) is key


def test_verl_types_defaults_and_interpolations() -> None:
    known = catalogue.load("verl", "0.9.1")
    lr = known.keys["actor_rollout_ref.actor.optim.lr"]
    assert (lr.type, lr.default, lr.optional, lr.inferred) == ("float", 1e-6, False, False)
    assert known.keys["data.train_files"].inferred
    assert known.keys["actor_rollout_ref.rollout.name"].mandatory
    ref = known.keys["actor_rollout_ref.ref.strategy"]
    assert ref.interpolation == "${actor_rollout_ref.actor.strategy}"
    assert ref.default == "fsdp"
    assert known.keys["algorithm.gdpo_reward_weights"].plus_only
    assert known.default("trainer.use_v1") is True
    assert known.default("no.such.key") is None


def test_the_megatron_trainer_has_its_own_keys() -> None:
    key = "actor_rollout_ref.actor.megatron.tensor_model_parallel_size"
    for release in FRAMEWORKS["verl"].releases:
        assert key in catalogue.load("verl", release, "megatron")
        assert key not in catalogue.load("verl", release, "fsdp")


@pytest.mark.parametrize("release", FRAMEWORKS["trinity"].releases)
def test_trinity_lists_named_mappings_and_free_dicts(release: str) -> None:
    known = catalogue.load("trinity", release)
    path = known.get("buffer.explorer_input.tasksets[3].path")
    assert path is not None
    assert path.name == "buffer.explorer_input.tasksets[].path"
    assert known.canonical("stages[1].explorer.auxiliary_models[0].engine_num").count("[]") == 2
    assert "buffer.trainer_input.auxiliary_buffers.sft.path" in known
    assert "buffer.trainer_input.auxiliary_buffers.sft.pth" not in known
    free = known.get("algorithm.policy_loss_fn_args.clip_range.low")
    assert free is not None
    assert free.open
    assert "algorithm.repeat_time" not in known
    # trinity/common/constants.py SyncMethodEnumMeta: online and offline are other names of nccl and checkpoint
    methods = {"nccl", "checkpoint", "memory"} | ({"online", "offline"} if release in ("0.5.2", "0.6.0") else set())
    assert set(known.keys["synchronizer.sync_method"].choices) == methods
    assert "trainer.trainer_config.actor_rollout_ref.actor.ppo_epochs" in known


def test_trainer_config_takes_anything_only_since_trinity_0_6() -> None:
    inner = "trainer.trainer_config.actor_rollout_ref.no_such_key"
    assert [release for release in FRAMEWORKS["trinity"].releases if inner in catalogue.load("trinity", release)] == [
        "0.6.0"
    ]


def test_keys_that_people_must_not_set_are_marked() -> None:
    known = catalogue.load("trinity")
    assert known.keys["cluster.total_gpu_num"].automatic
    assert not known.keys["trainer.trainer_config"].automatic
    assert not known.keys["trainer.max_token_len_per_gpu"].automatic


def test_what_trinity_takes_from_its_trainer_config_is_no_key_that_it_sets_itself() -> None:
    """FROZEN_KEYS says it since 0.6 (trainer/verl/config.py); before, sizes were filled where nobody set them."""
    prefix = "trainer.trainer_config.actor_rollout_ref."
    for release in FRAMEWORKS["trinity"].releases:
        known = catalogue.load("trinity", release)
        assert not known.keys[f"{prefix}rollout.log_prob_micro_batch_size_per_gpu"].automatic
        for name in ("rollout.temperature", "rollout.n", "actor.use_kl_loss"):
            assert known.keys[prefix + name].automatic


def test_registered_names_are_known_per_release() -> None:
    loss, manager = "actor_rollout_ref.actor.policy_loss.loss_mode", "reward.reward_manager.name"
    assert set(catalogue.load("verl", "0.5.0").names(loss)) == {"vanilla", "gpg", "clip_cov", "kl_cov"}
    assert "dro" in catalogue.load("verl", "0.9.1").names(loss)
    assert "dro" not in catalogue.load("verl", "0.8.0").names(loss)
    assert "prime" in catalogue.load("verl", "0.6.1").names("reward_model.reward_manager")
    assert set(catalogue.load("verl", "0.9.1").names(manager)) == {"naive", "dapo", "gdpo", "rate_limited", "remote"}
    assert catalogue.load("verl").names("trainer.nnodes") == ()
    trinity = catalogue.load("trinity")
    assert {"grpo", "ppo", "dapo", "sft"} <= set(trinity.names("algorithm.algorithm_type"))
    assert "shuffle" in trinity.names("buffer.explorer_input.tasksets[0].data_selector.selector_type")
    assert "reward_std_filter" in trinity.names("data_processor.experience_pipeline.operators[1].name")


def test_prefixes_are_the_nodes_above_keys() -> None:
    nodes = catalogue.load("verl").prefixes()
    assert {"actor_rollout_ref", "actor_rollout_ref.actor", "actor_rollout_ref.actor.optim"} <= nodes
    assert "actor_rollout_ref.actor.optim.lr" not in nodes
    trinity = catalogue.load("trinity")
    assert trinity.is_node("stages[0].explorer")
    assert trinity.is_node("buffer.trainer_input.auxiliary_buffers.sft.format")
    assert trinity.is_node("buffer.trainer_input.auxiliary_buffers.sft")
    assert not trinity.is_node("buffer.trainer_input.auxiliary_buffers.sft.path")
    assert not trinity.is_node("nowhere")


def test_strictness_follows_the_dataclasses() -> None:
    assert catalogue.load("verl", "0.9.1").strict("actor_rollout_ref.actor.mine")
    assert not catalogue.load("verl", "0.9.1").strict("data.mine")
    assert not catalogue.load("verl", "0.9.1").strict("algorithm.mine")
    assert not catalogue.load("verl", "0.5.0").strict("actor_rollout_ref.actor.mine")
    assert catalogue.load("trinity").strict("algorithm.mine")


def test_loading_is_cached_and_names_what_is_missing() -> None:
    assert catalogue.load("veRL", "v0.9.1") is not None
    assert catalogue.load("verl") is catalogue.load("verl")
    with pytest.raises(UsageError, match="has no trainer 'deepspeed'"):
        catalogue.load("verl", None, "deepspeed")


def test_files_hold_one_key_per_line() -> None:
    for path in (catalogue.folder("verl") / "0.9.1-fsdp.json", catalogue.folder("trinity") / "0.6.0.json"):
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        # functions with arguments: a line each, between a line before and one after
        taken = data.get("arguments", {})
        functions = sum(len(instance) + 2 for instance in taken.values()) + (2 if taken else 0)
        functions += len(data["any_name"]) + 2 if "any_name" in data else 0
        assert text.count("\n") == len(data["keys"]) + len(data["names"]) + functions + 9


def test_functions_take_arguments_with_defaults() -> None:
    known = catalogue.load("trinity")
    assert set(known.arguments) <= {key.partition(".")[0] for key in catalogue_names(known)}
    assert known.arguments["policy_loss_fn"]["gspo"]["clip_range_low"] == 0.0003
    assert {"clip_range", "clip_range_low", "clip_range_high"} <= set(known.arguments["policy_loss_fn"]["ppo"])
    for function, entries in known.arguments.items():
        assert set(entries) <= set(known.names(f"algorithm.{function}")) | {"none"}, function
    assert catalogue.load("verl").arguments == {}


@pytest.mark.parametrize("release", ["0.3.3", "0.4.1", "0.5.2", "0.6.0"])
def test_some_functions_take_arguments_of_any_name(release: str) -> None:
    """`**kwargs` in the constructor; that of opmd and of asymre hands it on to `object`, which stops at every name."""
    known = catalogue.load("trinity", release)
    assert "step_wise_grpo" in known.any_name["advantage_fn"]
    assert {"grpo", "opmd", "asymre", "ppo"}.isdisjoint(known.any_name["advantage_fn"])
    assert set(known.any_name) == {"advantage_fn", "sample_strategy"}
    strategies = known.arguments["sample_strategy"]
    assert strategies.get("staleness_control", {"max_staleness": "inf"}) == {"max_staleness": "inf"}
    assert strategies["mix"] == {"expert_data_ratio": 0.5, "sft_dataset_name": "sft_dataset"}


def catalogue_names(known: Catalogue) -> list[str]:
    """The ends of keys that take a registered name."""
    return [name.rpartition(".")[2] for name in known.keys if known.names(name)]
