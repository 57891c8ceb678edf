"""Rows of engines, workers and lengths that no hazard names (1.10, 1.13, 3, 7-9), each with a run that would go wrong."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import ACTOR, ROLLOUT, TRINITY_PPO, from_trinity, from_verl, picked

LORA = "model.lora_configs[0]."
ALONE = """
mode: train
model: {{model_path: /m, max_model_len: 1024}}
cluster: {{node_num: 1, gpu_per_node: 8}}
algorithm: {{algorithm_type: {algorithm}}}
buffer: {{train_batch_size: 64, trainer_input: {{experience_buffer: {{path: /x, storage_type: file}}}}}}
"""


def test_row_1_10_the_cap_holds_the_longest_sequence() -> None:
    keys = (ACTOR + "ppo_max_token_len_per_gpu", "critic.ppo_infer_max_token_len_per_gpu")
    assert picked(from_trinity().out, *keys) == [None, None]
    long = {"model.max_response_tokens": 40000}
    twice = 2 * 40512  # what Trinity fills a micro-batch with, where nobody says
    assert picked(from_trinity(long).out, *keys) == [twice, None]
    assert picked(from_trinity({**TRINITY_PPO, **long}).out, *keys) == [twice, twice]
    halved = from_trinity({**long, "trainer.ulysses_sequence_parallel_size": 2}).out
    assert halved[keys[0]] == 40512
    assert from_trinity({**long, "trainer.max_token_len_per_gpu": 50000}).out[keys[0]] == 50000


THREE = {"data.train_batch_size": "1000", ACTOR + "ppo_mini_batch_size": "100", ROLLOUT + "n": "3"}


@pytest.mark.parametrize(("release", "what"), [("0.7.1", "veRL takes 296"), ("0.9.1", "veRL stops")])
def test_h8_what_becomes_of_an_update_that_ranks_cannot_share(release: str, what: str) -> None:
    done = from_verl(THREE, release=release)
    assert what in done.notes
    assert done.line(ACTOR + "ppo_mini_batch_size").state is State.NARROWED
    assert "H8" not in from_verl(release=release).notes


@pytest.mark.parametrize("engine", ["tinker", "external"])
def test_row_8_1_verl_generates_with_its_own_engines(engine: str) -> None:
    done = from_trinity({"explorer.rollout_model.engine_type": engine})
    assert done.out[ROLLOUT + "name"] == "vllm"
    assert done.line("explorer.rollout_model.engine_type").state is State.NARROWED


def test_row_8_1_trinity_has_two_engines() -> None:
    done = from_verl({ROLLOUT + "name": "trtllm"})
    assert done.out["explorer.rollout_model.engine_type"] == "vllm"
    assert done.line(ROLLOUT + "name").state is State.NARROWED


def test_row_8_9_trinity_has_three_trainers() -> None:
    done = from_verl({ACTOR + "strategy": "veomni"})
    assert done.out["trainer.trainer_strategy"] == "fsdp2"
    assert done.line(ACTOR + "strategy").state is State.NARROWED


def test_row_9_1_megatrons_adapters_have_their_own_block() -> None:
    model = "actor_rollout_ref.model."
    changes: dict[str, str | None] = {ACTOR + "strategy": "megatron", model + "lora.rank": "16"}
    done = from_verl(changes)
    assert picked(done.out, LORA + "lora_rank", LORA + "lora_alpha") == [16, 32]
    assert done.line(model + "lora.rank").state is State.NARROWED
    sharded = from_verl({model + "lora_rank": "16", model + "lora.alpha": "64"})
    assert picked(sharded.out, LORA + "lora_rank", LORA + "lora_alpha") == [16, 16]
    assert sharded.line(model + "lora.alpha").state is State.DEAD_IN_SOURCE


def test_row_9_1_an_engine_without_adapters_has_no_reference_beside_them() -> None:
    """VeOmniEngine trains every weight; ray_trainer's ref_in_actor asks it for a policy without its adapter all the same."""
    done = from_verl({ACTOR + "strategy": "veomni", "actor_rollout_ref.model.lora_rank": "16"})
    line = done.line("actor_rollout_ref.model.lora_rank")
    assert line.state is State.DEAD_IN_SOURCE
    assert "every weight is trained" in line.reason
    assert "stops at the first step where KL wants one" in line.reason
    assert LORA + "lora_rank" not in done.out


def test_row_7_4_a_random_order_is_not_the_files() -> None:
    key = "buffer.explorer_input.taskset.data_selector.selector_type"
    done = from_trinity({key: "random"})
    assert done.out.get("data.shuffle", True) is True
    assert done.line(key).state is State.NO_COUNTERPART


def test_row_4_2_9_an_estimator_that_verl_lacks_is_named() -> None:
    done = from_trinity({"algorithm.kl_loss_fn": "corrected_k3"})
    assert done.out[ACTOR + "kl_loss_type"] == "low_var_kl"
    assert done.line("algorithm.kl_loss_fn").state is State.NARROWED


def test_row_3_2_a_trainer_on_its_own_has_all_gpus() -> None:
    for algorithm in ("grpo", "sft"):  # half of a run, and a whole one
        source = Source("run.yaml", ALONE.format(algorithm=algorithm))
        assert load(read(source)).plan.stages[0].placement.actor.gpus == 8


MICRO = "trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"


def test_row_1_7_a_micro_batch_divides_the_share_of_a_rank() -> None:
    changes = {"buffer.batch_size": 40, "buffer.train_batch_size": 320, "trainer.use_dynamic_bsz": False, MICRO: 16}
    done = from_trinity(changes)
    assert done.out[ACTOR + "ppo_micro_batch_size_per_gpu"] == 10  # 8 ranks of 40 sequences
    assert done.line(MICRO).state is State.NARROWED
    fits = from_trinity({**changes, MICRO: 8})
    assert fits.out[ACTOR + "ppo_micro_batch_size_per_gpu"] == 8
    assert fits.line(MICRO).state is State.EXACT


def test_row_6_9_a_second_evaluation_set_that_is_sampled_otherwise_is_named() -> None:
    sets = [
        {"name": "a", "path": "/a", "split": "test", "repeat_times": 32},
        {"name": "b", "path": "/b", "split": "test"},
    ]
    done = from_trinity({"buffer.explorer_input.eval_tasksets": sets})
    assert done.out[ROLLOUT + "val_kwargs.n"] == 32
    assert "data.eval[1].sampling.responses" in done.notes
