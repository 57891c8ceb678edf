"""Runs on pairs of answers (DPO): ROLL's pipeline and Trinity's trainer on its own; pairs are counted, not rows."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

ROLL = """
pretrain: /m
sequence_length: 2048
max_steps: {updates}
save_steps: 40
chosen_key: better
rejected_key: worse
beta: {beta}
actor_train:
  training_args: {{per_device_train_batch_size: {micro}, gradient_accumulation_steps: {steps}, warmup_steps: 20,
                  lr_scheduler_type: {schedule}, num_train_epochs: 3}}
  data_args: {{file_name: [/data/train.jsonl]}}
  strategy_args: {{strategy_name: {strategy}_train}}
  device_mapping: list(range(0,{gpus}))
reference:
  strategy_args: {{strategy_name: {strategy}_infer}}
  device_mapping: list(range(0,{gpus}))
"""
TRINITY = """
mode: train
model: {{model_path: /m, max_model_len: 2048}}
cluster: {{node_num: 1, gpu_per_node: 8}}
algorithm: {{algorithm_type: dpo, policy_loss_fn_args: {{beta: {beta}}}{more}}}
buffer:
  train_batch_size: {size}
  trainer_input: {{experience_buffer: {{path: /data, split: train, format: {{prompt_type: {kind}, prompt_key: instruction}}}}}}
trainer:
  total_steps: 100
  save_interval: 10
  use_dynamic_bsz: {dynamic}
  trainer_config: {{actor_rollout_ref: {{actor: {{ppo_micro_batch_size_per_gpu: {rows}}}}}}}
"""


def document(text: str) -> Document:
    return read(Source("run.yaml", text), ReadOptions())


def roll(**how: object) -> Document:
    facts = {
        "updates": 400,
        "beta": 0.1,
        "micro": 2,
        "steps": 4,
        "schedule": "constant_with_warmup",
        "strategy": "fsdp2",
        "gpus": 8,
    }
    return document(ROLL.format(**facts | how))


def trinity(**how: object) -> Document:
    facts = {"beta": 0.1, "more": "", "size": 128, "kind": "plaintext", "dynamic": "false", "rows": 2}
    return document(TRINITY.format(**facts | how))


def beside_its_reference() -> Document:
    """12 pairs on 4 GPUs, and a reference on 4 others; Trinity's trainer takes all 8."""
    text = ROLL.format(updates=9, beta=0.1, micro=1, steps=3, schedule="constant", strategy="fsdp2", gpus=4)
    head, _, tail = text.rpartition("list(range(0,4))")
    return document(f"{head}list(range(4,8)){tail}")


def values(of: Document, **how: str) -> dict[str, object]:
    return load(of, **how).stages[0].values  # type: ignore[arg-type]


def written(of: Document, to: str, **how: str) -> dict[str, object]:
    return {line.key: line.value for line in convert(of, to, **how).ledger.targets}  # type: ignore[arg-type]


def states(of: Document, to: str) -> dict[str, State]:
    return {line.key: line.state for line in convert(of, to).ledger.sources}


def test_roll_counts_pairs() -> None:
    plan = values(roll())
    assert plan["stage.kind"] == "dpo"
    assert plan["stage.batch.sequences_per_update"] == 2 * 4 * 8
    assert plan["stage.batch.micro.sequences_per_rank"] == 2


def test_roll_counted_rows_before_0_2_1() -> None:
    plan = values(roll(), framework="roll", release="0.1.3")
    assert plan["stage.batch.sequences_per_update"] == 2 * 4 * 8 // 2
    assert plan["stage.batch.micro.sequences_per_rank"] == 1


def test_no_such_run_is_written_for_the_releases_that_count_rows() -> None:
    with pytest.raises(RefusedError, match="train_batch_size"):
        convert(trinity(), "roll", to_release="0.1.3")


@pytest.mark.parametrize("key", ["beta", "ipo", "label_smoothing"])
def test_rolls_loss_never_sees_its_options(key: str) -> None:
    of = document(ROLL.format(updates=9, beta=0.1, micro=1, steps=1, schedule="constant", strategy="fsdp2", gpus=8).replace(
        "beta: 0.1", {"beta": "beta: 0.5", "ipo": "ipo: true", "label_smoothing": "label_smoothing: 0.2"}[key]))  # fmt: skip
    assert states(of, "trinity")[key] is State.DEAD_IN_SOURCE
    plan = values(of)
    assert (plan["stage.algorithm.preference.beta"], plan["stage.algorithm.preference.label_smoothing"]) == (0.1, 0.0)
    assert plan["stage.algorithm.preference.loss"] == "sigmoid"
    assert any(note.startswith(f"{key}=") for note in load(of).notes)


def test_another_beta_is_narrowed_in_roll() -> None:
    assert states(trinity(beta=0.5), "roll")["algorithm.policy_loss_fn_args.beta"] is State.NARROWED
    assert written(trinity(beta=0.5), "roll")["beta"] == 0.5


def test_a_train_step_of_trinity_is_two_updates() -> None:
    plan = values(trinity())
    assert plan["stage.batch.sequences_per_update"] == 64
    assert plan["stage.run_length.rollouts"] == 200
    assert plan["stage.cadence.save_rollouts"] == 20


def test_pairs_and_updates_are_the_same_in_trinity() -> None:
    keys = written(roll(), "trinity")
    assert keys["buffer.train_batch_size"] == 128
    assert (keys["trainer.total_steps"], keys["trainer.save_interval"]) == (200, 20)
    assert keys["algorithm.optimizer.lr_warmup_steps"] == 10


@pytest.mark.parametrize(("release", "rows"), [("0.6.0", 2), ("0.5.2", 1), ("0.4.1", 1)])
def test_a_micro_batch_of_trinity_is_one_pair(release: str, rows: int) -> None:
    keys = written(roll(), "trinity", to_release=release)
    assert keys["trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"] == rows
    assert keys["trainer.use_dynamic_bsz"] is False


def test_without_kl_the_weight_is_zero() -> None:
    keys = written(roll(), "trinity")
    assert (keys["algorithm.kl_loss_fn"], keys["algorithm.kl_loss_fn_args.kl_coef"]) == ("k2", 0.0)


def test_trinity_has_a_kl_term_whatever_is_written() -> None:
    plan = values(trinity(more=", kl_loss_fn: none"))
    assert plan["stage.algorithm.kl_loss.enabled"] is True
    assert (plan["stage.algorithm.kl_loss.estimator"], plan["stage.algorithm.kl_loss.coef"]) == ("k2", 0.001)
    assert states(trinity(more=", kl_loss_fn: none"), "roll")["algorithm.kl_loss_fn"] is State.NO_COUNTERPART


def test_micro_batches_of_more_pairs_are_said() -> None:
    assert any("adds the log-ratios" in note for note in load(trinity(rows=8)).notes)
    assert not any("adds the log-ratios" in note for note in load(trinity()).notes)
    assert any("different pairs" in note for note in load(trinity(dynamic="true")).notes)


def test_an_update_that_tears_pairs_apart_is_refused() -> None:
    """12 pairs for 8 ranks: a rank would get three rows."""
    with pytest.raises(RefusedError, match="tear pairs apart") as refused:
        convert(beside_its_reference(), "trinity")
    assert refused.value.choices == ("8 pairs an update", "16 pairs an update")


def test_the_reference_takes_no_more_than_an_update() -> None:
    """dpo_pipeline asserts it, and the default of 16 pairs a rank is too many for 32 pairs on 8 ranks."""
    keys = written(trinity(size=64, dynamic="true"), "roll")
    assert keys["reference.infer_batch_size"] == 4
    assert keys["reference.device_mapping"] == "list(range(0,8))"


def test_nothing_is_packed() -> None:
    keys = written(trinity(), "roll")
    assert not [key for key in keys if key.endswith("use_sequence_packing")]


def test_the_schedule_of_roll_ends_early() -> None:
    plan = values(roll(schedule="cosine"))
    assert plan["stage.optim.actor.decay_updates"] == 400 // 8
    assert (
        states(trinity(more=", optimizer: {lr_scheduler_type: cosine}"), "roll")[
            "algorithm.optimizer.lr_scheduler_type"
        ]
        is State.NARROWED
    )


def test_prompts_of_chats_have_no_column_in_roll() -> None:
    lines = states(trinity(kind="messages"), "roll")
    assert lines["buffer.trainer_input.experience_buffer.format.prompt_type"] is State.NARROWED


@pytest.mark.parametrize(("to", "why"), [("verl", "no trainer for pairs"), ("chatlearn", "grpo and nothing else")])
def test_who_has_no_such_runs_says_so(to: str, why: str) -> None:
    with pytest.raises(RefusedError, match=why) as refused:
        convert(roll(), to)
    assert refused.value.choices == ("convert it for Trinity-RFT or ROLL",)


@settings(deadline=None, max_examples=25)
@given(
    micro=st.integers(1, 4),
    steps=st.integers(1, 8),
    gpus=st.sampled_from([1, 2, 4, 8]),
    updates=st.integers(1, 300).map(lambda n: 2 * n),
)
def test_there_and_back_the_pairs_are_the_same(micro: int, steps: int, gpus: int, updates: int) -> None:
    of = roll(micro=micro, steps=steps, gpus=gpus, updates=updates)
    before = values(of)
    back = values(document(convert(document(convert(of, "trinity").text), "roll").text))
    paths = ("stage.batch.sequences_per_update", "stage.run_length.rollouts", "stage.run_length.epochs", "stage.cadence.save_rollouts",
            "stage.optim.actor.warmup_updates", "stage.algorithm.preference.beta")  # fmt: skip
    assert {path: back[path] for path in paths} == {path: before[path] for path in paths}
