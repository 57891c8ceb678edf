"""What the law of outputs showed: sizes that a target has keys for, programs that a text does not name, lengths of nothing."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.load import load
from rftconf.mappers.chatlearn.folds_megatron import OVERRIDES, REFERENCE_OVERRIDES
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.test_outputs_of_mutations import VERL, codes, converted, line_of, set_to

MEGATRON = set_to(
    VERL.replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer"),
    actor_rollout_ref__model__path="deepseek-ai/DeepSeek-V3",
    actor_rollout_ref__actor__use_kl_loss="True",
    actor_rollout_ref__ref__log_prob_micro_batch_size_per_gpu="2",
    actor_rollout_ref__actor__megatron__pipeline_model_parallel_size="8",
    actor_rollout_ref__ref__megatron__pipeline_model_parallel_size="8",
)
TRANSFORMER = "+actor_rollout_ref.actor.megatron.override_transformer_config"


@pytest.mark.parametrize(
    ("theirs", "ours", "value"),
    [
        ("num_layers_in_last_pipeline_stage", "decoder_last_pipeline_num_layers", 5),
        ("num_layers_in_first_pipeline_stage", "decoder_first_pipeline_num_layers", 5),
        ("pipeline_model_parallel_layout", "pipeline_model_parallel_layout", "Et*5|(t*8|)*6t*8L"),
    ],
)
def test_layers_of_pipeline_stages_are_those_of_trainer_and_reference(theirs: str, ours: str, value: object) -> None:
    literal = f'"{value}"' if isinstance(value, str) else value
    text = MEGATRON.rstrip("\n") + f" '{TRANSFORMER}.{theirs}={literal}'\n"
    done = converted(text, "chatlearn")
    assert line_of(done, f"models.policy_trainer.{ours}") == value
    assert "MEM005" not in codes(done)
    back = load(read(Source("out.yaml", done.text)), framework="chatlearn").stages[0].values
    assert (back[OVERRIDES][theirs], back[REFERENCE_OVERRIDES][theirs]) == (value, value)


@pytest.mark.parametrize("style", ["yaml", "overrides"])
@pytest.mark.parametrize(
    ("program", "key"),
    [("one_step_off_policy.main_ppo", "rollout.nnodes"), ("fully_async_policy.fully_async_main", "async_training.")],
)
def test_a_text_without_a_program_has_a_key_that_is_that_programs_alone(style: str, program: str, key: str) -> None:
    source = load(read(Source("run.sh", VERL.replace("verl.trainer.main_ppo", f"verl.experimental.{program}"))))
    done = convert_loaded(source, "verl", Options(style=style))
    assert [line.key for line in done.ledger.targets if line.key.startswith(key)]
    back = load(read(Source(f"out{done.file_suffix}", done.text)), framework="verl")
    assert back.guess.trainer == source.guess.trainer
    assert not any(line.key.startswith(key) for line in convert_loaded(source, "verl", Options()).ledger.targets)


def test_a_run_that_ends_within_its_first_period_is_asked_for_whole_ones() -> None:
    text = set_to(VERL, trainer__total_training_steps="0")
    assert line_of(converted(text, "roll"), "max_steps") == "???"


def test_an_answer_without_a_length_is_asked_for_one() -> None:
    done = converted(set_to(VERL, data__max_response_length="null"), "roll")
    assert line_of(done, "response_length") == "???"
    assert "response_length" in {decision.key for decision in done.ledger.decisions}
    assert "DIA305" not in codes(done)


def test_gpus_that_share_a_sequence_leave_the_padding_out_in_supervised_runs() -> None:
    text = """pretrain: Qwen/Qwen2.5-0.5B
sequence_length: 4096
sft_train:
  model_args: {ulysses_size: 2}
  training_args: {per_device_train_batch_size: 1, gradient_accumulation_steps: 8, num_train_epochs: 1}
  data_args: {file_name: /a.jsonl}
  strategy_args: {strategy_name: fsdp2_train, strategy_config: {ulysses_size: 2}}
  device_mapping: list(range(0,8))
"""
    done = converted(text, "verl", "0.4.1", name="run.yaml")
    assert line_of(done, "ulysses_sequence_parallel_size") == 2
    assert line_of(done, "use_remove_padding") is True
    assert "PAR001" not in codes(done)
