"""Supervised runs: veRL's two SFT programs and Trinity's trainer on its own (H70)."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

ENGINE, OLD = (
    "python3 -m verl.trainer.sft_trainer_ray",
    "torchrun --nnodes=2 --nproc_per_node 8 -m verl.trainer.fsdp_sft_trainer",
)
TRINITY = """
mode: train
model: {model_path: /m, max_model_len: 2048}
cluster: {node_num: 1, gpu_per_node: 8}
algorithm: {algorithm_type: sft, optimizer: {lr: 1.0e-5}}
buffer:
  train_batch_size: 128
  trainer_input: {experience_buffer: {path: /data/demos, split: train, format: {prompt_type: messages}}}
"""


def script(command: str, *overrides: str) -> Document:
    return read(Source("run.sh", " ".join([command, *overrides])), ReadOptions())


def trinity(more: str = "") -> Document:
    return read(Source("run.yaml", TRINITY + more), ReadOptions())


def written(document: Document, to: str, **how: object) -> dict[str, object]:
    return {line.key: line.value for line in convert(document, to, **how).ledger.targets}  # type: ignore[arg-type]


def values(document: Document) -> dict[str, object]:
    return load(document).stages[0].values


@pytest.mark.parametrize(
    ("command", "program"),
    [(ENGINE, "verl_sft"), (OLD, "verl_fsdp_sft"), ("python3 fsdp_sft_trainer.py", "verl_fsdp_sft")],
)
def test_the_program_says_which_config_it_reads(command: str, program: str) -> None:
    assert load(script(command, "data.train_batch_size=64")).framework == program


def test_a_batch_of_sft_is_one_update() -> None:
    plan = values(script(ENGINE, "data.train_batch_size=64 trainer.save_freq=10 optim.lr_warmup_steps=5"))
    assert plan["stage.kind"] == "sft"
    assert plan["stage.batch.sequences_per_update"] == 64
    assert "stage.batch.prompts_per_rollout" not in plan
    assert (plan["stage.cadence.save_rollouts"], plan["stage.optim.actor.warmup_updates"]) == (10, 5)


def test_torchrun_says_how_many_gpus_there_are() -> None:
    plan = values(script(OLD, "trainer.n_gpus_per_node=4"))
    assert (plan["cluster.nodes"], plan["cluster.gpus_per_node"], plan["stage.placement.actor.gpus"]) == (2, 8, 16)


def test_defaults_of_the_two_programs_differ() -> None:
    old, new = values(script(OLD, "trainer.save_freq=1")), values(script(ENGINE, "trainer.save_freq=1"))
    prefix = "stage.optim.actor."
    assert (old[prefix + "lr"], old[prefix + "schedule"], old[prefix + "betas"]) == (1e-5, "cosine", [0.9, 0.95])
    assert (new[prefix + "lr"], new[prefix + "schedule"], new[prefix + "betas"]) == (1e-3, "constant", [0.9, 0.999])


def test_a_share_of_the_run_needs_the_rows() -> None:
    document = script(OLD, "data.train_batch_size=64 trainer.total_epochs=2")
    assert written(document, "trinity", rows=6400)["algorithm.optimizer.lr_warmup_steps"] == 20
    assert str(written(document, "trinity")["algorithm.optimizer.lr_warmup_steps"]) != "20"


def test_trinity_wants_a_positive_save_interval() -> None:
    never = script(ENGINE, "trainer.save_freq=-1 trainer.total_training_steps=300 data.train_files=/d/train.parquet")
    assert written(never, "trinity")["trainer.save_interval"] == 300


def test_the_release_chooses_the_program() -> None:
    document = trinity()
    assert convert(document, "verl").ledger.target_framework == "verl_sft"
    assert convert(document, "verl", to_release="0.5.0").ledger.target_framework == "verl_fsdp_sft"
    assert "verl.trainer.sft_trainer_ray" in convert(document, "verl").text
    assert "torchrun --standalone --nnodes=1 --nproc_per_node=8" in convert(document, "verl", to_release="0.6.1").text


def test_no_limit_of_length_is_asked_for() -> None:
    document = read(Source("run.yaml", TRINITY.replace(", max_model_len: 2048", "")), ReadOptions())
    assert written(document, "verl")["data.max_length"] == "???"
    assert "data.max_length" in {decision.key for decision in convert(document, "verl").ledger.decisions}


def test_the_explorer_sleeps_in_a_supervised_stage() -> None:
    lines = convert(trinity("explorer: {rollout_model: {engine_num: 2}}\n"), "verl").ledger.sources
    state = {line.key: line.state for line in lines}
    assert state["explorer.rollout_model.engine_num"] is State.DEAD_IN_SOURCE


def test_plain_text_is_asked_about_where_only_messages_are_read() -> None:
    document = script(OLD, "data.train_files=/d/train.parquet data.prompt_key=q data.response_key=a")
    assert "data.messages_key" in {decision.key for decision in convert(document, "verl").ledger.decisions}


def test_old_and_new_program_convert_into_each_other() -> None:
    document = script(OLD, "data.train_files=/d/train.parquet data.train_batch_size=64 data.multiturn.enable=true")
    new = written(document, "verl", rows=6400)
    assert (new["data.train_batch_size"], new["optim.lr"], new["optim.lr_scheduler_type"]) == (64, 1e-5, "cosine")


@pytest.mark.parametrize("program", ["main_eval", "main_generation"])
def test_programs_without_a_counterpart_are_read_and_refused_by_name(program: str) -> None:
    document = script(f"python3 -m verl.trainer.{program}", "data.path=/d/x.parquet data.prompt_key=q")
    listed = "eval" if program == "main_eval" else "train"
    assert values(document)[f"stage.data.{listed}[0].uri"] == "/d/x.parquet"
    with pytest.raises(RefusedError, match=program):
        convert(document, "trinity")


def test_the_generation_server_reads_the_config_of_training() -> None:
    document = script("python3 -m verl.trainer.main_generation_server", "actor_rollout_ref.rollout.n=4")
    assert load(document).framework == "verl"


ROLL = """
pretrain: /m
sequence_length: 2048
prompt_key: question
response_key: answer
eval_steps: 20
max_steps: 7
seed: 3
sft_train:
  training_args: {per_device_train_batch_size: 2, gradient_accumulation_steps: 4, num_train_epochs: 3, warmup_ratio: 0.1}
  data_args: {file_name: /data/train.jsonl}
  strategy_args: {strategy_name: fsdp2_train}
  device_mapping: list(range(0,8))
validation: {data_args: {file_name: /data/test.jsonl}}
"""


def roll() -> Document:
    return read(Source("run.yaml", ROLL), ReadOptions())


def test_an_sft_run_of_roll_ends_with_its_epochs() -> None:
    plan = load(roll(), rows=6400).stages[0].values
    assert plan["stage.run_length.epochs"] == 3
    assert plan["stage.run_length.rollouts"] == 300
    assert plan["stage.optim.actor.warmup_updates"] == 30


def test_rolls_samples_have_one_length() -> None:
    plan = values(roll())
    assert plan["stage.length.model_max_tokens"] == 2048
    assert plan.get("stage.length.prompt_max_tokens") is None


def test_roll_validates_an_sft_run() -> None:
    assert written(roll(), "verl")["trainer.test_freq"] == 20


def test_columns_survive_the_loss_of_validation() -> None:
    lines = {line.key: line.state for line in convert(roll(), "trinity").ledger.sources}
    assert (lines["prompt_key"], lines["response_key"]) == (State.EXACT, State.EXACT)


def test_epochs_are_whole_in_roll() -> None:
    """The SFT pipeline counts them with `range`."""
    epochs = written(trinity(), "roll")["sft_train.training_args.num_train_epochs"]
    assert (type(epochs), epochs) == (int, 1)


def test_a_number_of_updates_is_no_number_of_epochs() -> None:
    run = script(
        ENGINE,
        "data.train_batch_size=64 data.train_files=/d/train.parquet trainer.total_training_steps=600 trainer.total_epochs=4",
    )
    lines = {line.key: line.state for line in convert(run, "roll").ledger.sources}
    assert lines["trainer.total_training_steps"] is State.NARROWED


def test_roll_opens_json_alone() -> None:
    decisions = convert(
        script(ENGINE, "data.train_batch_size=64 data.train_files=/d/train.parquet"), "roll"
    ).ledger.decisions
    assert any("JSON" in decision.why for decision in decisions)
    assert not any("JSON" in decision.why for decision in convert(roll(), "roll").ledger.decisions)


@pytest.mark.parametrize("release", ["0.3.0", "0.1.3"])
def test_no_run_of_roll_goes_on_from_a_folder_that_its_start_has_just_named(release: str) -> None:
    """checkpoint_config.output_dir ends in the time of the start, and get_latest_ckpt lists it before it exists."""
    done = convert(trinity("checkpoint_root_dir: /ckpt\ncontinue_from_checkpoint: true\n"), "roll", to_release=release)
    assert {line.key: line.value for line in done.ledger.targets}["resume_from_checkpoint"] is False
    (line,) = (line for line in done.ledger.sources if line.key == "continue_from_checkpoint")
    assert line.state is State.NARROWED
    assert "by its path" in line.reason


def test_the_last_update_of_an_sft_run_is_saved_in_roll() -> None:
    """Step max_steps - 1 is saved besides; the epochs alone do not tell the pipeline which step that is."""
    keys = {line.key: line.value for line in convert(trinity(), "roll", rows=1280).ledger.targets}
    assert keys["max_steps"] == 1280 // 128
