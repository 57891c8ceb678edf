"""A run that starts in the source starts in the target: sizes and switches whose default would stop it are written, or asked."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import yaml

from rftconf.base.diagnostics import Severity
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.fuzz.output_law import asked_of_a_person
from tests.sources import ROOT

RLVR, SFT = "roll-megatron-to-verl", "roll-sft-to-trinity"


def converted(case: str, changes: Mapping[str, object], to: str, release: str | None = None) -> Conversion:
    text = (ROOT / "golden" / "convert" / case / "input.yaml").read_text()
    tree = yaml.safe_load(text)
    for key, value in changes.items():
        *parents, last = key.split(".")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[last] = value
    return convert_loaded(load(read(Source("run.yaml", yaml.safe_dump(tree)))), to, Options(to_release=release))


def errors(done: Conversion) -> list[str]:
    options = engine.Options(done.ledger.target_framework, done.ledger.target_release, fixes=False)
    diagnostics = engine.check(read(Source(f"a{done.file_suffix}", done.text)), options)
    return [d.message for d in diagnostics if d.severity is Severity.ERROR and not asked_of_a_person(d, done)]


def values(done: Conversion) -> dict[str, object]:
    return {line.key.lstrip("+"): line.value for line in done.ledger.targets}


ON_ONE_NODE: dict[str, object] = {
    "importance_sampling": "token",
    "async_generation_ratio": 0,
    "actor_train.device_mapping": "list(range(0,8))",
    "actor_infer.device_mapping": "list(range(0,8))",
    "actor_train.strategy_args.strategy_config.expert_model_parallel_size": 1,
    "reference.device_mapping": "list(range(0,8))",
}


@pytest.mark.parametrize(("release", "switch"), [("0.5.0", False), ("0.9.1", True)])
def test_an_engine_with_a_batch_below_the_context_takes_prompts_in_pieces(release: str, switch: bool) -> None:
    """The worker of 0.5.0 stops where the switch is on, and its vLLM does so by itself (vllm_rollout_spmd.py)."""
    done = converted(RLVR, ON_ONE_NODE, "verl", release)
    on_by_itself = True
    assert values(done).get("actor_rollout_ref.rollout.enable_chunked_prefill", on_by_itself) is switch
    assert errors(done) == []


@pytest.mark.parametrize("strategy", ["vllm", "sglang"])
@pytest.mark.parametrize(("release", "tokens"), [("0.2.0", 12288), ("0.3.0", 12288), ("0.4.1", None)])
def test_an_engine_before_0_4_takes_a_whole_context_at_once(strategy: str, release: str, tokens: int | None) -> None:
    """The worker of 0.3.0 stops at pieces (vllm_rollout_spmd.py), and vLLM 0.6 at a batch below a context without them."""
    lengths: dict[str, object] = {"prompt_length": 4096, "response_length": 8192}
    engines = {"actor_infer.strategy_args": {"strategy_name": strategy, "strategy_config": {}}}
    done = converted(RLVR, {**ON_ONE_NODE, **lengths, **engines}, "verl", release)
    assert values(done).get("actor_rollout_ref.rollout.max_num_batched_tokens") == tokens


@pytest.mark.parametrize(("release", "size"), [("0.2.0", -1), ("0.3.0", 4)])
def test_a_release_that_stops_at_copies_of_sharded_models_shards_over_all_gpus(release: str, size: int) -> None:
    """fsdp_workers.py of 0.2.0: create_device_mesh."""
    train = {"strategy_name": "fsdp2_train", "strategy_config": {"fsdp_size": 4}}
    done = converted(RLVR, {**ON_ONE_NODE, "actor_train.strategy_args": train}, "verl", release)
    assert values(done)["actor_rollout_ref.actor.fsdp_config.fsdp_size"] == size
    (line,) = (
        line for line in done.ledger.sources if line.key.endswith("actor_train.strategy_args.strategy_config.fsdp_size")
    )
    assert line.state is (State.NARROWED if size == -1 else State.EXACT)
    assert ("sharded over all" in line.reason) is (size == -1)


def test_prompts_that_the_source_takes_whole_are_taken_whole() -> None:
    whole = {"actor_infer.strategy_args.strategy_config.enable_chunked_prefill": False}
    done = converted(RLVR, {**ON_ONE_NODE, **whole}, "verl", "0.5.0")
    assert values(done).get("actor_rollout_ref.rollout.enable_chunked_prefill") is not True


def test_a_role_of_another_pipeline_takes_no_gpu() -> None:
    plain = values(converted(SFT, {}, "trinity"))
    beside = values(converted(SFT, {"student_train.device_mapping": "list(range(0,64))"}, "trinity"))
    assert (beside["cluster.node_num"], beside["cluster.gpu_per_node"]) == (
        plain["cluster.node_num"],
        plain["cluster.gpu_per_node"],
    )


def test_the_critics_micro_batch_is_written_where_the_target_has_none() -> None:
    done = converted("roll-single-to-verl", {"adv_estimator": "gae"}, "verl")
    assert values(done)["critic.ppo_micro_batch_size_per_gpu"] is not None
    assert not [message for message in errors(done) if "micro-batch" in message]


@pytest.mark.parametrize(("release", "written"), [("0.6.1", True), ("0.7.1", None)])
def test_sequences_that_are_spread_are_packed(release: str, written: bool | None) -> None:
    spread = {"sft_train.model_args.ulysses_size": 2}
    done = converted(SFT, spread, "verl", release)
    if done.ledger.target_framework == "verl_sft":
        assert values(done).get("model.use_remove_padding") is written
    assert not [message for message in errors(done) if "packed" in message]


def test_what_a_loader_demands_and_nothing_tells_is_asked() -> None:
    done = converted("roll-single-to-chatlearn", {"save_steps": {"save_steps": 100}}, "chatlearn")
    assert values(done)["runtime_args.save_episode_interval"] == "???"


def test_a_section_in_the_place_of_a_stages_name_is_no_second_value() -> None:
    stages = yaml.safe_load((ROOT / "golden" / "convert" / "stages" / "input.yaml").read_text())["stages"]
    stages[1]["stage_name"] = {"0": "rl"}
    done = converted("stages", {"stages": stages}, "trinity")
    assert [key for key in values(done) if key.startswith("stages[1].stage_name")] == ["stages[1].stage_name"]
