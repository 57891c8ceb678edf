"""Runs that only evaluate: veRL's trainer.val_only and Trinity's mode bench; programs that generate without scoring."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.mappers.trinity.conditions import EVAL_INTERVAL
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source

MAIN = "python3 -m verl.trainer.main_ppo"
FILES = (
    "data.val_files=/data/aime/test.parquet",
    "data.train_files=/data/x/train.parquet",
    "trainer.n_gpus_per_node=8",
)
BENCH = """
mode: bench
model: {model_path: /m, max_prompt_tokens: 512, max_response_tokens: 512}
cluster: {node_num: 1, gpu_per_node: 4}
buffer: {explorer_input: {eval_tasksets: [{path: /data/aime, split: test, repeat_times: 4}]}}
explorer: {rollout_model: {engine_num: 2, tensor_parallel_size: 2}}
trainer: {save_interval: 7}
"""


def script(*overrides: str, command: str = MAIN) -> Document:
    return read(Source("run.sh", " ".join([command, *FILES, *overrides])), ReadOptions())


def bench() -> Document:
    return read(Source("run.yaml", BENCH), ReadOptions())


def written(document: Document, to: str) -> dict[str, object]:
    return {line.key: line.value for line in convert(document, to).ledger.targets}


def test_val_only_is_a_benchmark_on_all_gpus() -> None:
    lines = written(script("trainer.val_only=true", "actor_rollout_ref.rollout.val_kwargs.n=4"), "trinity")
    assert lines["mode"] == "bench"
    assert lines["explorer.rollout_model.engine_num"] == 4  # engines of two GPUs, veRL's default
    assert lines["buffer.explorer_input.eval_tasksets[0].repeat_times"] == 4
    assert not any(key.startswith(("algorithm.", "trainer.", "synchronizer.")) for key in lines)


def test_a_benchmark_is_val_only() -> None:
    lines = written(bench(), "verl")
    assert (lines["trainer.val_only"], lines["trainer.val_before_train"]) == (True, True)
    assert (lines["trainer.n_gpus_per_node"], lines["actor_rollout_ref.rollout.val_kwargs.n"]) == (4, 4)
    assert lines["data.val_files"] == lines["data.train_files"] == "/data/aime/test.parquet"


def test_what_trains_says_nothing_in_an_evaluation() -> None:
    states = {line.key: line.state for line in convert(bench(), "verl").ledger.sources}
    assert states["trainer.save_interval"] is State.DEAD_IN_SOURCE
    overrides = ("trainer.val_only=true", "actor_rollout_ref.actor.optim.lr=1e-5", "trainer.save_freq=5")
    states = {line.key: line.state for line in convert(script(*overrides), "trinity").ledger.sources}
    assert {states["actor_rollout_ref.actor.optim.lr"], states["trainer.save_freq"]} == {State.DEAD_IN_SOURCE}


def test_there_and_back_is_the_same_evaluation() -> None:
    first = load(bench()).stages[0].values
    again = read(Source("run.sh", convert(bench(), "verl").text), ReadOptions())
    second = load(again).stages[0].values
    paths = (
        "stage.kind",
        "stage.model.path",
        "stage.placement.rollout.tp",
        "stage.placement.rollout.gpus",
        "stage.sampling.eval.responses",
    )
    assert [first[path] for path in paths] == [second[path] for path in paths]


def test_val_only_without_the_first_validation_is_pointed_out() -> None:
    notes = load(script("trainer.val_only=true", "trainer.val_before_train=false")).notes
    assert any("evaluates nothing" in note for note in notes)


def test_training_stays_training() -> None:
    assert load(script("trainer.val_only=false")).stages[0].values["stage.kind"] == "rl"


@pytest.mark.parametrize(
    ("program", "name"), [("main_generation_server", "main_generation_server"), ("main_eval", "main_eval")]
)
def test_what_has_no_counterpart_is_refused_by_name(program: str, name: str) -> None:
    with pytest.raises(RefusedError, match=name) as refused:
        convert(script(command=f"python3 -m verl.trainer.{program}"), "trinity")
    assert refused.value.choices == ("convert main_ppo with trainer.val_only=true, which generates and scores",)


@pytest.mark.parametrize("program", ["main_generation_server", "main_eval", "main_generation"])
def test_within_veRL_a_program_stays_itself(program: str) -> None:  # noqa: N802
    document = read(Source("run.sh", f"python3 -m verl.trainer.{program} data.prompt_key=q"), ReadOptions())
    assert convert(document, "verl").ledger.target_framework == load(document).framework


ROLLOUTS = """
max_steps: 0
prompt_length: 512
response_length: 1024
pretrain: /m
num_gpus_per_node: 8
validation:
  data_args: {file_name: [/data/aime/test.jsonl]}
  generating_args: {temperature: 0.6, num_return_sequences: 4}
actor_train: {data_args: {messages: chat}, training_args: {learning_rate: 1.0e-6}}
actor_infer:
  generating_args: {temperature: 0.99}
  strategy_args: {strategy_name: vllm, strategy_config: {load_format: auto, tensor_parallel_size: 2}}
  device_mapping: list(range(0,8))
rewards: {math_rule: {worker_cls: own.MathWorker, tag_included: [math]}}
"""
PIPELINE = "python examples/start_rlvr_rollout_pipeline.py --config_path . --config_name run"


def rollouts(text: str = ROLLOUTS) -> Document:
    return read(Source("run.yaml", text), ReadOptions())


def started(folder: Path, text: str) -> Document:
    """A launch script beside the config that it names."""
    (folder / "run.yaml").write_text(text)
    (folder / "run.sh").write_text(PIPELINE + "\n")
    return read(open_source(str(folder / "run.sh")), ReadOptions())


def test_rolls_rollout_pipeline_is_val_only_and_a_benchmark() -> None:
    lines = written(rollouts(), "verl")
    assert (lines["trainer.val_only"], lines["data.prompt_key"]) == (True, "chat")
    assert (lines["trainer.n_gpus_per_node"], lines["actor_rollout_ref.rollout.val_kwargs.n"]) == (8, 4)
    lines = written(rollouts(), "trinity")
    assert (lines["mode"], lines["explorer.rollout_model.engine_num"]) == ("bench", 4)
    assert not any(key.startswith(("algorithm.", "trainer.", "synchronizer.")) for key in lines)


def test_the_program_says_so_whatever_the_steps_are(tmp_path: Path) -> None:
    text = ROLLOUTS.replace("max_steps: 0", "max_steps: 500")
    assert load(rollouts(text)).stages[0].values["stage.kind"] == "rl"
    assert load(started(tmp_path, text)).stages[0].values["stage.kind"] == "eval"


def test_what_is_written_for_roll_is_what_its_rollout_pipeline_asserts() -> None:
    lines = written(script("trainer.val_only=true", "data.prompt_key=q"), "roll")
    assert (lines["max_steps"], lines["actor_infer.strategy_args.strategy_config.load_format"]) == (0, "auto")
    assert lines["validation.data_args.file_name"] == ["/data/aime/test.parquet"]
    assert (lines["actor_train.data_args.messages"], lines["validation.generating_args.num_return_sequences"]) == (
        "q",
        1,
    )
    assert lines["actor_infer.device_mapping"] == "list(range(0,8))"
    assert not any(key.startswith(("actor_train.training", "reference", "adv_")) for key in lines)


@pytest.mark.parametrize("to", ["verl", "trinity"])
def test_rolls_evaluation_there_and_back(to: str) -> None:
    first = load(rollouts()).stages[0].values
    target = convert(rollouts(), to)
    back = convert(read(Source(f"run{target.file_suffix}", target.text), ReadOptions()), "roll")
    second = load(read(Source("run.yaml", back.text), ReadOptions())).stages[0].values
    paths = ("stage.kind", "stage.model.path", "stage.placement.rollout.gpus", "stage.sampling.eval.responses", "cluster.nodes",
            "stage.sampling.eval.temperature", "stage.length.response_max_tokens", "stage.data.eval[0].keys.messages")  # fmt: skip
    assert [first[path] for path in paths] == [second[path] for path in paths]


def test_a_dummy_model_is_pointed_out() -> None:
    notes = load(rollouts(ROLLOUTS.replace("load_format: auto, ", ""))).notes
    assert any("load_format" in note and "stops" in note for note in notes)


def test_validation_has_lengths_of_its_own() -> None:
    values = load(rollouts(ROLLOUTS + "val_prompt_length: 512\nval_sequence_length: 4608\n")).stages[0].values
    assert values["stage.length.response_max_tokens"] == 4096


def test_chatlearn_starts_no_evaluation() -> None:
    with pytest.raises(RefusedError, match="starts grpo and nothing else"):
        convert(rollouts(), "chatlearn")


def test_trinity_evaluates_every_so_many_whole_periods_and_says_that_it_rounds() -> None:
    """Trinity-RFT 0.6.0, explorer.eval: a step that no sync ends is not evaluated after."""
    context: Any = SimpleNamespace(
        same_framework=True, items=lambda path: 1, convert=lambda value, source, target: value * 2
    )
    written = EVAL_INTERVAL.put(Fraction(5, 2), context, None)
    assert (written.value, written.state) == (4, State.ROUNDED)
    assert written.note == "2.5 rollout periods are rounded down to whole ones (H19)"
    assert EVAL_INTERVAL.put(3, context, None).state is State.DERIVED


def test_what_acts_on_the_evaluated_rows_is_not_dead() -> None:
    """veRL 0.6.1 trainer/main_ppo.py:312 makes the validation set of the same `data`; rl_dataset.py:177 filters it."""
    overrides = ("trainer.val_only=true", "data.filter_overlong_prompts=true", "data.shuffle=false")
    ledger = convert(script(*overrides), "trinity").ledger
    states = {line.key: line.state for line in ledger.sources}
    assert states["data.filter_overlong_prompts"] is State.NO_COUNTERPART
    assert states["data.shuffle"] is State.DEAD_IN_SOURCE
    assert any("data.filter_overlong_prompts=true" in change.says for change in ledger.learning)
