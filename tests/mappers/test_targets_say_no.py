"""What the targets' own loaders refused of real configs, converted: each once, without the loaders."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load, main_stage
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

GOLDEN = Path(__file__).parents[2] / "golden"
ROLL = (GOLDEN / "convert" / "roll-single-to-verl" / "input.yaml").read_text()
VERL = """\
python3 -m verl.trainer.main_ppo {more} algorithm.adv_estimator=grpo data.train_files=/d/train.parquet \\
  data.val_files=/d/test.parquet data.train_batch_size=256 actor_rollout_ref.actor.ppo_mini_batch_size=64 \\
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8 actor_rollout_ref.rollout.n=8 \\
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 actor_rollout_ref.model.path=m/x \\
  trainer.nnodes=1 trainer.n_gpus_per_node=8 trainer.total_training_steps=100
"""


def roll(**changes: Any) -> Document:
    """ROLL's golden input with keys (`a__b__c`) set."""
    config = yaml.safe_load(ROLL)
    for route, value in changes.items():
        *parents, last = route.split("__")
        node = config
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    return read(Source("roll.yaml", yaml.safe_dump(config)))


def verl(more: str = "") -> Document:
    """A veRL script with more overrides before its own."""
    return read(Source("run.sh", VERL.format(more=more)))


def value(done: Conversion, key: str) -> Any:
    """What the target got for `key`; None when nothing."""
    return next((line.value for line in done.ledger.targets if line.key.lstrip("+") == key), None)


@pytest.mark.parametrize(
    ("to", "key"),
    [("verl", "actor_rollout_ref.actor.optim.lr_scheduler_type"), ("trinity", "algorithm.optimizer.lr_scheduler_type")],
)
def test_a_schedule_that_fsdp_lacks_is_asked_about(to: str, key: str) -> None:
    config: dict[str, Any] = {"actor_train__training_args__lr_scheduler_type": "linear"}
    config |= {
        "actor_train__strategy_args__strategy_name": "fsdp2_train",
        "actor_train__strategy_args__strategy_config": {},
    }
    done = convert(roll(**config), to, rows=7473)
    assert value(done, key) == "???"
    assert any(decision.key == key for decision in done.ledger.decisions)


@pytest.mark.parametrize(("release", "expected"), [("0.3.3", "???"), ("0.4.1", "gspo")])
def test_an_algorithm_class_is_as_old_as_its_release(release: str, expected: str) -> None:
    done = convert(roll(importance_sampling="seq"), "trinity", to_release=release, rows=7473)
    assert value(done, "algorithm.algorithm_type") == expected


@pytest.mark.parametrize(("release", "expected"), [("0.5.0", "???"), ("0.6.1", "gspo")])
def test_a_loss_is_as_old_as_its_release(release: str, expected: str) -> None:
    done = convert(roll(importance_sampling="seq"), "verl", to_release=release, rows=7473)
    assert value(done, "actor_rollout_ref.actor.policy_loss.loss_mode") == expected


def test_trinity_has_room_for_a_whole_prompt_and_answer() -> None:
    done = convert(verl("actor_rollout_ref.rollout.max_model_len=1000"), "trinity")
    assert value(done, "model.max_model_len") == 1024
    (line,) = (line for line in done.ledger.sources if line.key.endswith("max_model_len"))
    assert line.state is State.NARROWED


def test_an_update_above_its_period_is_refused_where_verl_looks() -> None:
    config = yaml.safe_load((GOLDEN / "convert" / "trinity-to-chatlearn" / "input.yaml").read_text())
    config["buffer"]["train_batch_size"] = 4096
    config["buffer"]["batch_size"], config["synchronizer"]["sync_interval"] = 32, 1
    config["trainer"]["use_dynamic_bsz"] = False
    with pytest.raises(RefusedError, match="static micro-batches veRL stops"):
        convert(read(Source("t.yaml", yaml.safe_dump(config))), "verl", rows=7473)


def test_hydra_adds_a_written_mapping_to_what_the_section_holds() -> None:
    section = "actor_rollout_ref.actor.megatron.override_transformer_config"
    base = "--config-name=ppo_megatron_trainer.yaml"
    silent, empty = (main_stage(load(verl(f"{base} {more}"))).values for more in ("", f"'+{section}={{}}'"))
    path = "stage.placement.actor.megatron.transformer_overrides"
    assert silent[path] == empty[path]
    full = main_stage(load(verl(f"{base} '+{section}={{recompute_granularity: full}}'"))).values[path]
    assert full == silent[path] | {"recompute_granularity": "full"}


def test_an_unset_switch_of_a_script_is_off() -> None:
    assert main_stage(load(verl("data.return_raw_chat="))).reading.native("data.return_raw_chat") is False


def test_a_key_of_the_file_stays_at_its_own_release() -> None:
    key = "actor_rollout_ref.model.override_config.max_position_embeddings"
    document = verl(f"--config-name=ppo_megatron_trainer.yaml +{key}=32768")
    done = convert(document, "verl", release="0.7.1", to_release="0.7.1")
    assert value(done, key) == 32768


@pytest.mark.parametrize(
    ("to", "key"),
    [("verl", "critic.cliprange_value"), ("trinity", "trainer.trainer_config.critic.cliprange_value")],
)
def test_no_bound_on_values_is_a_bound_that_nothing_reaches(to: str, key: str) -> None:
    critic = yaml.safe_load(ROLL)["actor_train"]
    done = convert(roll(adv_estimator="gae", value_clip=None, critic=critic), to, rows=7473)
    assert value(done, key) == 1.0e9
    again = main_stage(load(read(Source(f"x{done.file_suffix}", done.text)), framework=to))
    assert again.values.get("stage.algorithm.critic.value_clip") is None


def test_rolls_shards_hold_a_whole_sequence() -> None:
    more = "actor_rollout_ref.actor.fsdp_config.fsdp_size=2 actor_rollout_ref.actor.ulysses_sequence_parallel_size=4"
    done = convert(verl(more), "roll")
    assert value(done, "actor_train.strategy_args.strategy_config.fsdp_size") == 4


def test_what_rolls_examples_set_and_no_code_takes_is_known() -> None:
    states = {
        line.key: line.state
        for line in convert(roll(reward_norm=None, reward_shift=False), "verl", rows=7473).ledger.sources
    }
    assert states["reward_norm"] is states["reward_shift"] is State.DEAD_IN_SOURCE
