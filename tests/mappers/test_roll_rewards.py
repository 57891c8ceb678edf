"""Reward models and judges of ROLL: read with their GPUs, and written for veRL."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.rewards_runs import AT, CLASSIFIER, CONFIG, JUDGE, LLM, RM, SERVED, model, question_on
from tests.mappers.roll_runs import INFER, TRAIN, Run, from_roll


def test_row_7_9_a_judge_with_devices_is_an_engine_of_the_plan() -> None:
    assert model(from_roll(LLM)) == {
        "role": "judge", "name": "math_rule", "domain": "math_rule", "prompt": "Qwen2.5-7B-Instruct-RLVR-prompt", "path": "/models/judge",
        "gpus": 4, "own_pool": True, "colocate_with": [], "engine": "vllm", "dtype": "bfloat16", "tp": 2, "dp": 1, "pp": 1, "prompt_max_tokens": 7680,
        "gpu_memory_fraction": 0.85, "model_max_tokens": 8192, "enforce_eager": False, "load_format": "auto", "response_max_tokens": 512,
        "sampling.temperature": 0.3, "sampling.top_p": 0.7, "sampling.top_k": 50, "sampling.repetition_penalty": 1.0, "sampling.responses": 1,
    }  # fmt: skip


def test_row_7_8_a_classifier_is_scored_with_batch_by_batch() -> None:
    scorer = model(from_roll(CLASSIFIER))
    assert (scorer["role"], scorer["engine"], scorer["gpus"], scorer["pp"], scorer["sequences_per_pass"]) == (
        "reward",
        "hf",
        8,
        1,
        4,
    )
    assert "sampling.temperature" not in scorer
    assert "response_max_tokens" not in scorer


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
    assert "OPENAI_BASE_URL" in question_on(done, "explorer.auxiliary_models[0].external_model_config.base_url_env")
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
    judge = model(from_roll(SERVED))
    expected = {
        "role": "judge",
        "name": "reward_llm",
        "engine": "sglang",
        "tp": 2,
        "gpus": 2,
        "model_max_tokens": 8192,
        "gpu_memory_fraction": 0.8,
    }
    assert {key: judge[key] for key in expected} == expected
    assert "domain" not in judge


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
    why = question_on(done, "reward.custom_reward_function.path")
    assert "judge /models/judge" in why
    assert "reward_router_address, with the source's prompt Qwen2.5-7B-Instruct-RLVR-prompt" in why


def test_row_7_9_before_0_7_1_verl_asks_its_reward_model_for_numbers_alone() -> None:
    text = read(Source("input.yaml", from_roll(LLM, to="roll").conversion.text))
    done = Run(convert(text, "verl", framework="roll", release="0.3.0", to_release="0.6.1"))
    assert "reward_model.enable" not in done.out
    assert done.line(JUDGE + "model_args.model_name_or_path").state is State.NO_COUNTERPART
    classifier = Run(
        convert(
            read(Source("input.yaml", from_roll(CLASSIFIER, to="roll").conversion.text)),
            "verl",
            framework="roll",
            to_release="0.6.1",
        )
    )
    assert classifier.out["reward_model.enable"] is True
    assert classifier.out["reward_model.model.path"] == "/models/rm"


def test_row_7_8_an_engine_that_verl_has_not_becomes_vllm_or_is_asked_for() -> None:
    key = JUDGE + "strategy_args.strategy_name"
    done = from_roll(CLASSIFIER)
    assert (done.out[RM + "rollout.name"], done.line(key).state) == ("vllm", State.NARROWED)
    assert "leave it out: the model is a classifier" in question_on(done, "reward.custom_reward_function.path")
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
    separate = {INFER + "device_mapping": "list(range(8,16))", JUDGE + "device_mapping": "list(range(16,20))"}
    done = from_roll({**LLM, **separate})
    assert (done.out["trainer.nnodes"], done.out["trainer.n_gpus_per_node"]) == (2, 8)
    assert (done.out[RM + "nnodes"], done.out[RM + "n_gpus_per_node"]) == (1, 4)


def test_row_7_6_the_whole_of_every_batch_is_no_share() -> None:
    """One domain with all of the rows is nothing that another framework lacks; less than all is said."""
    key = TRAIN + "data_args.domain_interleave_probs.math_rule"
    for target in ("verl", "trinity", "chatlearn", "roll"):
        done = from_roll({}, to=target)
        assert done.plan("stage.data.domains[0].weight") is None
        assert done.plan("stage.data.mixing") == "concat"
        assert done.line(key).state in (State.DEFAULT, State.EXACT)
        if target == "roll":
            assert done.out[key] == 1.0
    half = from_roll({key: 0.5})
    assert half.plan("stage.data.domains[0].weight") == 0.5
    assert half.line(key).state is State.NO_COUNTERPART
