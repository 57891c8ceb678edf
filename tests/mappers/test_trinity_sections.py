"""Trinity section by section: each key has a row or a reason of its own, and blocks that are off say nothing."""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import cast

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import SourceLine, State
from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load
from rftconf.mappers.context import WriteContext
from rftconf.mappers.trinity.folds import refuse_uneven_world
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

BASE = """
mode: {mode}
model: {{model_path: /m, max_prompt_tokens: 512, max_response_tokens: 512}}
cluster: {{node_num: 1, gpu_per_node: 4}}
algorithm: {{algorithm_type: {algorithm}, repeat_times: 8}}
buffer:
  batch_size: 8
  train_batch_size: 64
  explorer_input: {{taskset: {{path: /data/a, split: train}}}}
"""
ENGINES = "explorer: {rollout_model: {engine_num: 2, tensor_parallel_size: 1}}\n"


def converted(more: str = "", mode: str = "both", algorithm: str = "grpo") -> Conversion:
    text = BASE.format(mode=mode, algorithm=algorithm) + (more if "explorer:" in more else ENGINES + more)
    return convert(read(Source("run.yaml", text), ReadOptions()), "verl")


def lines(more: str) -> dict[str, SourceLine]:
    return {line.key: line for line in converted(more).ledger.sources}


@pytest.mark.parametrize(
    ("off", "switch"),
    [
        ("explorer: {over_rollout: {ratio: 0, wait_after_min: 3}}", "over_rollout.ratio is 0"),
        ("explorer: {dynamic_timeout: {enable: false, ratio: 5.0}}", "dynamic_timeout.enable is false"),
        ("model: {tinker: {enable: false, rank: 8}, model_path: /m, max_model_len: 1024}", "tinker.enable is false"),
        ("service: {data_juicer: {auto_start: false, port: 5005}}", "data_juicer.auto_start is false"),
    ],
)
def test_a_block_that_is_off_says_nothing(off: str, switch: str) -> None:
    dead = [line for line in lines(off).values() if switch in line.reason]
    assert [line.state for line in dead] == [State.DEAD_IN_SOURCE]


@pytest.mark.parametrize(
    ("on", "key", "reason"),
    [
        ("explorer: {over_rollout: {ratio: 0.2}}", "explorer.over_rollout.ratio", "drops the slowest answers"),
        ("explorer: {dynamic_timeout: {enable: true, ratio: 5.0}}", "explorer.dynamic_timeout.ratio", "multiple of the average time"),
        ("data_processor: {experience_pipeline: {operators: [{name: gsm8k_filter}]}}",
         "data_processor.experience_pipeline.operators[0].name", "scores, filters or shapes"),
        ("data_processor: {task_pipeline: {num_process: 8}}", "data_processor.task_pipeline.num_process", "prepares, cleans or synthesises"),
        ("service: {data_juicer: {server_url: http://x}}", "service.data_juicer.server_url", "Data-Juicer service"),
        ("monitor: {detailed_stats: true}", "monitor.detailed_stats", "detailed metrics"),
    ],
)  # fmt: skip
def test_a_block_that_is_on_has_a_reason_of_its_own(on: str, key: str, reason: str) -> None:
    line = lines(on)[key]
    assert reason in line.reason
    assert line.state in (State.NO_COUNTERPART, State.EXTENSION)


def test_replay_acts_behind_its_switch() -> None:
    block = "buffer: {{batch_size: 8, train_batch_size: 64, explorer_input: {{taskset: {{path: /d}}}}, "
    block += "trainer_input: {{experience_buffer: {{replay_buffer: {{enable: {}, reuse_cooldown_time: 5}}}}}}}}"
    for value, state in (("true", State.NO_COUNTERPART), ("false", State.DEAD_IN_SOURCE)):
        text = BASE.format(mode="both", algorithm="grpo").split("buffer:")[0] + block.format(value) + "\n" + ENGINES
        done = convert(read(Source("run.yaml", text), ReadOptions()), "verl")
        lines = {line.key.rpartition(".")[2]: line.state for line in done.ledger.sources}
        assert lines["reuse_cooldown_time"] is state


@pytest.mark.parametrize("monitor", ["wandb", "tensorboard", "mlflow", "swanlab"])
def test_every_monitor_is_a_logger(monitor: str) -> None:
    keys = {line.key: line.value for line in converted(f"monitor: {{monitor_type: {monitor}}}\n").lines}
    assert keys["trainer.logger"] == [monitor]


@pytest.mark.parametrize("shape", ["actor_rollout_ref: {actor: {ppo_epochs: 2}}", "actor: {ppo_epochs: 2}"])
def test_trainer_config_in_both_shapes(shape: str) -> None:
    text = BASE.format(mode="both", algorithm="grpo") + ENGINES + f"trainer: {{trainer_config: {{{shape}}}}}\n"
    assert load(read(Source("run.yaml", text), ReadOptions())).stages[0].values["stage.batch.passes"] == 2


def test_helpers_keep_their_sizes_in_the_plan() -> None:
    more = "explorer: {rollout_model: {engine_num: 1}, auxiliary_models: [{model_path: /judge, engine_num: 1, tensor_parallel_size: 1, seed: 7}]}\n"
    text = BASE.format(mode="both", algorithm="grpo") + more
    plan = load(read(Source("run.yaml", text), ReadOptions())).stages[0].values
    assert plan["stage.placement.auxiliary[0].path"] == "/judge"
    assert plan["stage.placement.auxiliary[0].gpus"] == 1
    assert plan["stage.placement.actor.gpus"] == 2


@pytest.mark.parametrize("mode", ["explore", "serve", "train"])
def test_half_of_a_run_is_refused_by_its_mode(mode: str) -> None:
    with pytest.raises(RefusedError, match=f"mode {mode}") as refused:
        converted(mode=mode)
    assert "mode: both" in refused.value.choices[0]


@pytest.mark.parametrize("mode", ["both", "colocate", "bench"])
def test_whole_runs_are_converted(mode: str) -> None:
    assert converted(mode=mode).text


def test_what_trains_without_rollouts_is_named_by_its_kind() -> None:
    with pytest.raises(RefusedError, match="this is a DPO run"):
        converted(mode="train", algorithm="dpo")


@pytest.mark.parametrize("mode", ["explore", "serve", "train"])
def test_within_trinity_halves_stay_what_they_are(mode: str) -> None:
    document = read(Source("run.yaml", BASE.format(mode=mode, algorithm="grpo") + ENGINES), ReadOptions())
    assert f"mode: {mode}" in convert(document, "trinity").text


@pytest.mark.parametrize(("gpus", "is_refused"), [(0, False), (-1, False), (4, False), (3, True)])
def test_an_update_is_divided_by_gpus_that_are_there(gpus: int, is_refused: bool) -> None:
    """trainer of Trinity-RFT up to 0.4: an update of 64 sequences over the trainer's GPUs; none are the account's to refuse."""
    writing = cast(
        WriteContext, SimpleNamespace(plan=lambda path: gpus, same_framework=False, since=lambda release: False)
    )
    with pytest.raises(RefusedError) if is_refused else nullcontext():
        refuse_uneven_world(writing, 64)
