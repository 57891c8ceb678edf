"""Reward models and judges of ROLL by MAPPING's rows 3.1, 3.4, 7.8 and 7.9, both ways, with their GPUs."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rftconf.convert import convert
from rftconf.errors import RefusedError
from rftconf.ledger import State
from rftconf.text.read import read
from rftconf.text.source import Source
from tests.mappers.hazard_runs import TRINITY, from_verl
from tests.mappers.roll_runs import INFER, TRAIN, Run, from_roll, nested, to_roll

AT, P = "stage.placement.auxiliary[0].", "stage.placement."
JUDGE, CONFIG, RM = "rewards.math_rule.", "strategy_args.strategy_config.", "reward.reward_model."
LLM: dict[str, Any] = {
    JUDGE + "worker_cls": "roll.pipeline.rlvr.rewards.llm_judge_reward_worker.LLMJudgeRewardWorker",
    JUDGE + "judge_model_type": "inference",
    JUDGE + "judge_prompt": "Qwen2.5-7B-Instruct-RLVR-prompt",
    JUDGE + "model_args.model_name_or_path": "/models/judge",
    JUDGE + "generating_args.max_new_tokens": 512,
    JUDGE + "generating_args.temperature": 0.3,
    JUDGE + "strategy_args.strategy_name": "vllm",
    JUDGE + CONFIG + "tensor_parallel_size": 2,
    JUDGE + CONFIG + "gpu_memory_utilization": 0.85,
    JUDGE + CONFIG + "max_model_len": 8192,
    JUDGE + CONFIG + "load_format": "auto",
    JUDGE + "device_mapping": "list(range(8,12))",
}
"""A judge with four GPUs behind the policy's eight: two engines of two."""
CLASSIFIER: dict[str, Any] = {
    JUDGE + "worker_cls": "roll.pipeline.base_worker.RewardWorker",
    JUDGE + "model_args.model_name_or_path": "/models/rm",
    JUDGE + "model_args.model_type": "auto_sequence_classification",
    JUDGE + "strategy_args.strategy_name": "hf_infer",
    JUDGE + "infer_batch_size": 4,
    JUDGE + "device_mapping": "list(range(0,4)) + list(range(8,12))",
}
SERVED: dict[str, Any] = {
    "reward_model.name": "reward_llm",
    "reward_model.model_args.model_name_or_path": "/models/judge",
    "reward_model.strategy_args.strategy_name": "sglang",
    "reward_model." + CONFIG + "mem_fraction_static": 0.8,
    "reward_model." + CONFIG + "context_length": 8192,
    "reward_model.num_gpus_per_worker": 2,
    "reward_model.device_mapping": "[8, 9]",
}
"""The one model that all reward code may ask."""
POOL: dict[str, str | None] = {
    RM + "enable": "True",
    RM + "model_path": "/models/rm",
    RM + "rollout.name": "vllm",
    RM + "rollout.tensor_model_parallel_size": "2",
    RM + "enable_resource_pool": "True",
    RM + "nnodes": "1",
    RM + "n_gpus_per_node": "4",
}


def model(run: Run) -> dict[str, Any]:
    """What the plan says about the first model."""
    values = run.conversion.loaded.stages[-1].values
    return {path[len(AT) :]: value for path, value in values.items() if path.startswith(AT) and value is not None}


def asked(run: Any, key: str) -> str:
    """Why a person is asked about a key, and the choices."""
    return " ".join(d.why + " " + " ".join(d.choices) for d in run.conversion.ledger.decisions if d.key == key)


def test_row_7_9_a_judge_with_devices_is_an_engine_of_the_plan() -> None:
    assert model(from_roll(LLM)) == {
        "role": "judge", "name": "math_rule", "domain": "math_rule", "prompt": "Qwen2.5-7B-Instruct-RLVR-prompt", "path": "/models/judge",
        "gpus": 4, "own_pool": True, "colocate_with": [], "engine": "vllm", "dtype": "bfloat16", "tp": 2, "pp": 1,
        "gpu_memory_fraction": 0.85, "model_max_tokens": 8192, "enforce_eager": False, "load_format": "auto", "response_max_tokens": 512,
        "sampling.temperature": 0.3, "sampling.top_p": 0.7, "sampling.top_k": 50, "sampling.repetition_penalty": 1.0, "sampling.responses": 1,
    }  # fmt: skip


def test_row_7_8_a_classifier_is_scored_with_batch_by_batch() -> None:
    found = model(from_roll(CLASSIFIER))
    assert (found["role"], found["engine"], found["gpus"], found["pp"], found["sequences_per_pass"]) == (
        "reward",
        "hf",
        8,
        1,
        4,
    )
    assert "sampling.temperature" not in found
    assert "response_max_tokens" not in found


def test_row_7_8_a_rule_on_cpus_is_no_model() -> None:
    assert model(from_roll({JUDGE + "model_args.model_name_or_path": "/models/m", JUDGE + "world_size": 8})) == {}


@pytest.mark.parametrize(
    ("devices", "own", "beside"),
    [
        ("list(range(8,12))", True, []),
        ("list(range(6,8))", False, ["actor"]),
        ("list(range(4,8))", False, ["actor", "rollout"]),
        ("list(range(0,8))", False, ["actor", "rollout"]),
    ],
)
def test_row_3_4_overlap_of_devices_is_sharing(devices: str, own: bool, beside: list[str]) -> None:
    done = from_roll({**LLM, INFER + "device_mapping": "list(range(0,6))", JUDGE + "device_mapping": devices})
    assert (done.plan(AT + "own_pool"), done.plan(AT + "colocate_with")) == (own, beside)


def test_row_3_4_two_judges_on_the_same_gpus_share_them() -> None:
    second = {key.replace("math_rule", "other"): value for key, value in LLM.items()}
    done = from_roll({**LLM, **second})
    assert done.plan(AT + "own_pool") is True
    assert done.plan(AT.replace("[0]", "[1]") + "colocate_with") == ["math_rule"]


def test_row_3_1_the_highest_id_of_any_model_sizes_the_cluster() -> None:
    done = from_roll({**LLM, JUDGE + "device_mapping": "list(range(8,24))"})
    assert (done.plan("cluster.nodes"), done.plan("cluster.gpus_per_node")) == (3, 8)


def test_row_7_9_a_service_needs_no_gpus_and_its_key_is_withheld() -> None:
    api = {JUDGE + "worker_cls": LLM[JUDGE + "worker_cls"], JUDGE + "judge_model_type": "api", JUDGE + "judge_model_name": "big",
           JUDGE + "judge_api_url": "https://judge.example/v1", JUDGE + "judge_api_key": "sk-0123456789abcdef0123456789"}  # fmt: skip
    done = from_roll(api, to="trinity")
    assert model(done) == {
        "role": "judge", "name": "math_rule", "domain": "math_rule", "path": "big", "url": "https://judge.example/v1", "engine": "external", "gpus": 0,
    }  # fmt: skip
    assert done.line(JUDGE + "judge_api_key").state is State.WITHHELD
    assert "sk-0123" not in done.conversion.text
    assert done.out["explorer.auxiliary_models[0].engine_type"] == "external"
    assert done.out["explorer.auxiliary_models[0].external_model_config.model_name"] == "big"
    assert "OPENAI_BASE_URL" in asked(done, "explorer.auxiliary_models[0].external_model_config.base_url_env")
    assert done.line(JUDGE + "judge_api_url").state is State.NARROWED
    assert RM + "enable" not in from_roll(api).out


@pytest.mark.parametrize("kind", ["cluster", None])
def test_row_7_9_a_judge_of_an_unknown_type_stops(kind: str | None) -> None:
    """The bundled worker raises ValueError for it, although an example of ROLL's own says cluster."""
    done = from_roll({JUDGE + "worker_cls": LLM[JUDGE + "worker_cls"], JUDGE + "judge_model_type": kind})
    assert f"judge_model_type is {kind or 'not set'}" in done.notes
    assert model(done) == {}


def test_row_7_9_a_judge_without_a_gpu_or_without_weights_is_told() -> None:
    assert "without a GPU" in from_roll(LLM, without=(JUDGE + "device_mapping",)).notes
    assert "random weights" in from_roll(LLM, without=(JUDGE + CONFIG + "load_format",)).notes


def test_row_7_8_the_shared_server_is_a_judge_of_no_domain() -> None:
    found = model(from_roll(SERVED))
    expected = {
        "role": "judge",
        "name": "reward_llm",
        "engine": "sglang",
        "tp": 2,
        "gpus": 2,
        "model_max_tokens": 8192,
        "gpu_memory_fraction": 0.8,
    }
    assert {key: found[key] for key in expected} == expected
    assert "domain" not in found


def test_row_7_9_the_agents_judge_is_one_too() -> None:
    """The agentic pipeline calls the section `reward`; RLVR's configs may have it, and nothing there reads it."""
    other = {
        key.replace("reward_model.", "reward."): value for key, value in SERVED.items() if not key.endswith(".name")
    }
    agent = {
        "train_env_manager.tags": ["Maze"], "train_env_manager.num_env_groups": 1024, "train_env_manager.group_size": 8,
        "train_env_manager.num_groups_partition": [1024], "custom_envs.Maze.env_type": "maze", "rollout_batch_size": 8192,
    }  # fmt: skip
    data = tuple(f"{TRAIN}data_args.{key}" for key in ("file_name", "messages", "domain_interleave_probs.math_rule"))
    drop = (JUDGE + "worker_cls", JUDGE + "tag_included", "num_return_sequences_in_group", "validation.data_args.file_name",
            "validation.generating_args.temperature", *data)  # fmt: skip
    done = from_roll({**agent, **other}, to="trinity", without=drop)
    assert (done.plan(AT + "name"), done.plan(AT + "role"), done.plan(AT + "gpus")) == ("reward", "judge", 2)
    assert model(from_roll(other)) == {}


# -- to veRL ------------------------------------------------------------------------------------------------------------


def test_row_7_9_a_judge_is_verls_reward_model_that_a_function_asks() -> None:
    done = from_roll(LLM)
    expected = {
        "enable": True, "model_path": "/models/judge", "enable_resource_pool": True, "nnodes": 1, "n_gpus_per_node": 4, "rollout.name": "vllm",
        "rollout.tensor_model_parallel_size": 2, "rollout.gpu_memory_utilization": 0.85, "rollout.max_model_len": 8192,
        "rollout.response_length": 512, "rollout.prompt_length": 8192 - 512,
    }  # fmt: skip
    assert {key: done.out.get(RM + key) for key in expected} == expected
    assert (done.out["trainer.nnodes"], done.out["trainer.n_gpus_per_node"]) == (1, 8)
    assert done.line(JUDGE + "judge_model_type").state is State.NARROWED
    assert done.line(JUDGE + "judge_prompt").state is State.NO_COUNTERPART
    assert done.line(JUDGE + "generating_args.temperature").state is State.NO_COUNTERPART
    why = asked(done, "reward.custom_reward_function.path")
    assert "judge /models/judge" in why
    assert "reward_router_address, with the source's prompt Qwen2.5-7B-Instruct-RLVR-prompt" in why


def test_row_7_9_before_0_7_1_verl_asks_its_reward_model_for_numbers_alone() -> None:
    text = read(Source("input.yaml", from_roll(LLM, to="roll").conversion.text))
    done = Run(convert(text, "verl", framework="roll", release="0.3.0", to_release="0.6.1"))
    assert "reward_model.enable" not in done.out
    assert done.line(JUDGE + "model_args.model_name_or_path").state is State.NO_COUNTERPART
    found = Run(
        convert(
            read(Source("input.yaml", from_roll(CLASSIFIER, to="roll").conversion.text)),
            "verl",
            framework="roll",
            to_release="0.6.1",
        )
    )
    assert found.out["reward_model.enable"] is True
    assert found.out["reward_model.model.path"] == "/models/rm"


def test_row_7_8_an_engine_that_verl_has_not_becomes_vllm_or_is_asked_for() -> None:
    key = JUDGE + "strategy_args.strategy_name"
    done = from_roll(CLASSIFIER)
    assert (done.out[RM + "rollout.name"], done.line(key).state) == ("vllm", State.NARROWED)
    assert "leave it out: the model is a classifier" in asked(done, "reward.custom_reward_function.path")
    other = from_roll({**CLASSIFIER, key: "own_engine"})
    assert (other.out[RM + "rollout.name"], other.line(key).state) == ("???", State.UNRESOLVED)


def test_row_3_4_a_judge_on_the_trainers_gpus_takes_turns_on_all_of_them() -> None:
    done = from_roll(
        {**LLM, INFER + "device_mapping": "list(range(0,6))", JUDGE + "device_mapping": "list(range(6,8))"}
    )
    assert RM + "enable_resource_pool" not in done.out  # veRL's default is to share
    assert done.out["trainer.n_gpus_per_node"] == 8
    assert "all 8 GPUs of the trainer" in done.line(JUDGE + "device_mapping").reason


def test_row_7_8_refilling_filters_want_a_pool_of_their_own() -> None:
    shared = {**LLM, INFER + "device_mapping": "list(range(0,6))", JUDGE + "device_mapping": "list(range(6,8))"}
    done = from_roll({**shared, JUDGE + "query_filter_config.type": "std_filter"})
    assert (done.out[RM + "enable_resource_pool"], done.out[RM + "n_gpus_per_node"]) == (True, 2)
    assert "filter_groups" in done.line(JUDGE + "device_mapping").reason


def test_row_7_6_verls_reward_model_is_asked_about_every_row() -> None:
    domains = {"rewards.code.worker_cls": "own.Code", "rewards.code.tag_included": ["code"], TRAIN + "data_args.domain_interleave_probs.code": 0.5,
               TRAIN + "data_args.domain_interleave_probs.math_rule": 0.5}  # fmt: skip
    second = {key.replace("math_rule", "code"): value for key, value in LLM.items()}
    done = from_roll({**LLM, **domains})
    assert "only about those of math_rule" in done.line(JUDGE + "worker_cls").reason
    both = from_roll({**LLM, **domains, **second})
    assert "veRL serves one reward model" in both.line("rewards.code.model_args.model_name_or_path").reason


def test_row_3_4_engines_and_trainer_come_together_beside_the_judge() -> None:
    """Sixteen GPUs in turns, and the judge's four stay a pool of their own: not twenty of which some are taken twice."""
    apart = {INFER + "device_mapping": "list(range(8,16))", JUDGE + "device_mapping": "list(range(16,20))"}
    done = from_roll({**LLM, **apart})
    assert (done.out["trainer.nnodes"], done.out["trainer.n_gpus_per_node"]) == (2, 8)
    assert (done.out[RM + "nnodes"], done.out[RM + "n_gpus_per_node"]) == (1, 4)


# -- to Trinity and ChatLearn -------------------------------------------------------------------------------------------


def test_row_7_9_a_judge_is_a_helper_that_a_workflow_asks() -> None:
    done = from_roll(LLM, to="trinity")
    at = "explorer.auxiliary_models[0]."
    expected = {
        "model_path": "/models/judge", "name": "math_rule", "engine_num": 2, "tensor_parallel_size": 2, "gpu_memory_utilization": 0.85,
        "temperature": 0.3, "top_p": 0.7, "top_k": 50, "max_model_len": 8192, "max_response_tokens": 512, "max_prompt_tokens": 7680,
    }  # fmt: skip
    assert {key: done.out.get(at + key) for key in expected} == expected
    assert "D8" in done.line(JUDGE + "judge_model_type").reason
    assert done.line(JUDGE + "judge_prompt").state is State.NO_COUNTERPART
    assert "/models/judge" in asked(done, "buffer.explorer_input.tasksets[].default_workflow_type")


def test_h21_a_judge_of_its_own_is_not_taken_from_the_policys_gpus() -> None:
    done = from_roll({**LLM, JUDGE + "device_mapping": "list(range(8,16))"}, to="trinity")
    assert (done.out["cluster.node_num"], done.out["cluster.gpu_per_node"]) == (2, 8)
    assert done.out["explorer.auxiliary_models[0].engine_num"] == 4
    assert done.out["explorer.rollout_model.engine_num"] * 2 <= 8
    assert "shares 8 of 16 GPUs" in asked(done, "explorer.rollout_model.engine_num")


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
    assert "/models/judge scores nothing" in asked(done, "models.reward")
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
    why = asked(done, JUDGE + "worker_cls")
    assert "roll.pipeline.base_worker.RewardWorker: a classifier" in why
    assert "LLMJudgeRewardWorker: a chat model" in why
    assert done.line(RM + "enable").state is State.NARROWED


def test_row_3_4_a_reward_model_that_takes_turns_is_told_about_rolls_timing() -> None:
    done = to_roll({**POOL, RM + "enable_resource_pool": "False"})  # type: ignore[dict-item]
    assert done.out[JUDGE + "device_mapping"] == "list(range(0,8))"
    assert done.line(RM + "enable_resource_pool").state is State.NARROWED
    assert "while the engines generate" in asked(done, JUDGE + "device_mapping")


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
    assert "RewardModelScheduler" in asked(done, "reward_model.worker_cls")


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
