"""Reward models and judges: ROLL's in Trinity and ChatLearn, and others' in ROLL."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import TRINITY, from_verl
from tests.mappers.rewards_runs import AT, CLASSIFIER, CONFIG, JUDGE, LLM, POOL, RM, P, question_on
from tests.mappers.roll_runs import INFER, TRAIN, Run, from_roll, nested, to_roll

# -- to Trinity and ChatLearn -------------------------------------------------------------------------------------------


def test_row_7_9_a_judge_is_a_helper_that_a_workflow_asks() -> None:
    done = from_roll(LLM, to="trinity")
    section = "explorer.auxiliary_models[0]."
    expected = {
        "model_path": "/models/judge", "name": "math_rule", "engine_num": 2, "tensor_parallel_size": 2, "gpu_memory_utilization": 0.85,
        "temperature": 0.3, "top_p": 0.7, "top_k": 50, "max_model_len": 8192, "max_response_tokens": 512, "max_prompt_tokens": 7680,
    }  # fmt: skip
    assert {key: done.out.get(section + key) for key in expected} == expected
    assert "must ask this one for its verdict" in done.line(JUDGE + "judge_model_type").reason
    assert done.line(JUDGE + "judge_prompt").state is State.NO_COUNTERPART
    assert "/models/judge" in question_on(done, "buffer.explorer_input.tasksets[].default_workflow_type")


def test_h21_a_judge_of_its_own_is_not_taken_from_the_policys_gpus() -> None:
    done = from_roll({**LLM, JUDGE + "device_mapping": "list(range(8,16))"}, to="trinity")
    assert (done.out["cluster.node_num"], done.out["cluster.gpu_per_node"]) == (2, 8)
    assert done.out["explorer.auxiliary_models[0].engine_num"] == 4
    assert done.out["explorer.rollout_model.engine_num"] * 2 <= 8
    assert "shares 8 of 16 GPUs" in question_on(done, "explorer.rollout_model.engine_num")


def test_h22_a_judge_among_the_trainers_gpus_leaves_whole_nodes() -> None:
    """Trinity shares nothing: of 8 GPUs the judge keeps its 2, and trainer and engines split 6 so that 2048 can be fed (H9)."""
    shared = {**LLM, INFER + "device_mapping": "list(range(0,6))", JUDGE + "device_mapping": "list(range(6,8))"}
    done = from_roll(shared, to="trinity")
    engines = (
        done.out["explorer.rollout_model.engine_num"] * 2 + done.out["explorer.auxiliary_models[0].engine_num"] * 2
    )
    assert (engines, 2048 % (8 - engines)) == (4, 0)


def test_row_7_8_an_engine_that_trinity_has_not_becomes_vllm_and_is_told() -> None:
    done = from_roll({**CLASSIFIER, JUDGE + "device_mapping": "list(range(8,16))"}, to="trinity")
    assert done.line(JUDGE + "strategy_args.strategy_name").state is State.NARROWED
    assert done.line(JUDGE + "infer_batch_size").state is State.NO_COUNTERPART


def test_row_7_8_chatlearn_serves_no_model_beside_the_policy() -> None:
    done = from_roll(LLM, to="chatlearn")
    assert done.line(JUDGE + "model_args.model_name_or_path").state is State.NO_COUNTERPART
    assert "/models/judge scores nothing" in question_on(done, "models.reward")
    assert (done.out["models.policy_trainer.num_gpu"], done.out["models.policy.num_gpu"]) == (8, 8)


# -- to ROLL ------------------------------------------------------------------------------------------------------------


def test_row_7_8_verls_reward_model_is_the_worker_of_the_only_domain() -> None:
    done = to_roll(POOL)  # type: ignore[arg-type]
    expected = {
        "model_args.model_name_or_path": "/models/rm", "strategy_args.strategy_name": "vllm", CONFIG + "tensor_parallel_size": 2,
        CONFIG + "load_format": "auto", CONFIG + "max_model_len": 4096, "device_mapping": "list(range(8,12))", "worker_cls": "???",
    }  # fmt: skip
    assert {key: done.out.get(JUDGE + key) for key in expected} == expected
    assert done.out[TRAIN + "device_mapping"] == "list(range(0,8))"
    why = question_on(done, JUDGE + "worker_cls")
    assert "roll.pipeline.base_worker.RewardWorker: a classifier" in why
    assert "LLMJudgeRewardWorker: a chat model" in why
    assert done.line(RM + "enable").state is State.NARROWED


def test_row_3_4_a_reward_model_that_takes_turns_is_told_about_rolls_timing() -> None:
    done = to_roll({**POOL, RM + "enable_resource_pool": "False"})  # type: ignore[dict-item]
    assert done.out[JUDGE + "device_mapping"] == "list(range(0,8))"
    assert done.line(RM + "enable_resource_pool").state is State.NARROWED
    assert "while the engines generate" in question_on(done, JUDGE + "device_mapping")


HELPER = {
    "model_path": "/models/judge",
    "name": "helper",
    "engine_num": 2,
    "tensor_parallel_size": 1,
    "temperature": 0.2,
}


def trinity_to_roll(helpers: list[dict[str, Any]], release: str = "0.3.0") -> Run:
    text = yaml.safe_dump(nested({**TRINITY, "explorer.auxiliary_models": helpers}), sort_keys=False)
    return Run(
        convert(read(Source("run.yaml", text)), "roll", framework="trinity", release="0.6.0", to_release=release)
    )


def test_row_7_9_trinitys_helper_is_the_model_that_roll_serves() -> None:
    done = trinity_to_roll([HELPER])
    expected = {
        "name": "helper", "model_args.model_name_or_path": "/models/judge", "strategy_args.strategy_name": "vllm",
        "generating_args.temperature": 0.2, CONFIG + "load_format": "auto",
    }  # fmt: skip
    assert {key: done.out.get("reward_model." + key) for key in expected} == expected
    assert done.out["reward_model.device_mapping"] == "list(range(6,8))"
    assert "RewardModelScheduler" in question_on(done, "reward_model.worker_cls")


def test_row_7_9_roll_serves_one_model_and_none_before_0_3() -> None:
    done = trinity_to_roll([{**HELPER, "engine_num": 1}, {**HELPER, "engine_num": 1}])
    assert done.line("explorer.auxiliary_models[0].model_path").state is State.NARROWED
    assert "ROLL serves one model" in done.line("explorer.auxiliary_models[1].model_path").reason
    old = trinity_to_roll([HELPER], "0.2.1")
    assert "came with 0.3.0" in old.line("explorer.auxiliary_models[0].model_path").reason
    assert not [key for key in old.out if key.startswith("reward_model")]


def test_row_7_9_a_service_asks_for_a_domain() -> None:
    done = trinity_to_roll([{"model_path": "big", "engine_type": "external", "engine_num": 2}])
    assert done.line("explorer.auxiliary_models[0].model_path").state is State.NO_COUNTERPART
    assert "none is named" in done.line("explorer.auxiliary_models[0].model_path").reason
    values = done.conversion.loaded.stages[-1].values
    assert values[AT + "gpus"] == 0
    assert values[P + "actor.gpus"] == 4  # 8 less two engines of two


# -- veRL's own pool ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "size", "cluster"), [("1", "4", (3, 4)), ("1", "8", (2, 8)), ("2", "8", (3, 8)), ("1", "2", (5, 2))]
)
def test_row_3_1_the_reward_models_pool_is_part_of_the_cluster(nodes: str, size: str, cluster: tuple[int, int]) -> None:
    done = from_verl({**POOL, RM + "nnodes": nodes, RM + "n_gpus_per_node": size})
    values = done.conversion.loaded.stages[-1].values
    assert (values["cluster.nodes"], values["cluster.gpus_per_node"]) == cluster
    assert values[P + "actor.gpus"] == values[P + "rollout.gpus"] == 8


def test_a_run_without_a_feasible_split_beside_its_judge_is_refused() -> None:
    with pytest.raises(RefusedError, match="auxiliary GPUs"):
        from_roll({**LLM, JUDGE + "device_mapping": "list(range(0,8))"}, to="trinity")
