"""Defaults that differ are written, unless a listed reason leaves them to the target."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import rftconf.budget
from rftconf.convert.convert import convert
from rftconf.convert.ledger.own_tuning import LEFT_TO_THE_TARGET, OFFLOADS, left_to_the_target
from rftconf.plan.field_roles import PERFORMANCE
from rftconf.plan.index import fields, role_of
from rftconf.text.read.read import read
from rftconf.text.source import Source

BUDGET = "".join(path.read_text() for path in Path(rftconf.budget.__file__).parent.glob("*.py"))
MICRO = re.compile(r"stage\.batch\.[a-z_*]+\.(dynamic|sequences_per_rank|tokens_per_rank)")
"""Sizes of micro-batches: the account takes those of the output, which go with what was written."""


def test_each_pattern_is_of_performance_fields_that_exist() -> None:
    for pattern in (*LEFT_TO_THE_TARGET, OFFLOADS):
        matched = [path for path in fields() if left_to_the_target(path, None, shares_gpus=False)]
        own = [path for path in matched if re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), path)]
        assert own, pattern
        assert {role_of(path) for path in own} == {PERFORMANCE}, pattern


@pytest.mark.parametrize("pattern", [pattern for pattern in LEFT_TO_THE_TARGET if not MICRO.fullmatch(pattern)])
def test_the_account_of_memory_reads_none_of_them(pattern: str) -> None:
    name = pattern.rpartition(".")[2]
    assert not re.search(rf"\b{name}\b", BUDGET)


VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet actor_rollout_ref.model.path=/m/q actor_rollout_ref.actor.ppo_mini_batch_size=64"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 trainer.total_training_steps=10"
)
MEGATRON = " --config-name=ppo_megatron_trainer actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2"


def written(script: str, to: str) -> dict[str, object]:
    return {line.key: line.value for line in convert(read(Source("run.sh", script)), to).lines}


def test_what_a_megatron_optimizer_needs_arrives() -> None:
    """veRL spreads optimizer states over ranks by default; ROLL and ChatLearn keep them whole (RULES, F2)."""
    section = "actor_train.strategy_args.strategy_config."
    roll = written(VERL + MEGATRON, "roll")
    assert (roll[section + "use_distributed_optimizer"], roll[section + "sequence_parallel"]) == (True, True)
    assert written(VERL + MEGATRON, "chatlearn")["models.policy_trainer.use_distributed_optimizer"] is True


def test_engines_answer_as_many_at_once_as_in_the_source() -> None:
    assert written(VERL, "trinity")["explorer.rollout_model.extra_engine_args.max_num_seqs"] == 256
    assert written(VERL, "chatlearn")["models.policy.generation_batch_size"] == 256


def test_an_engine_gets_its_own_names() -> None:
    """server_patch: ServerArgs(**extra_engine_args) stops on vLLM's names."""
    section = "explorer.rollout_model.extra_engine_args."
    out = written(VERL.replace("rollout.name=vllm", "rollout.name=sglang"), "trinity")
    assert {key.removeprefix(section): value for key, value in out.items() if key.startswith(section)} == {
        "max_running_requests": 256
    }


def test_an_engine_that_nobody_limits_is_not_limited_to_one_answer() -> None:
    """ChatLearn's default of generation_batch_size is 1 (vllm_module: max_num_seqs)."""
    config = (
        "mode: both\nalgorithm: {algorithm_type: grpo, repeat_times: 8}\nmodel: {model_path: /m/q}\n"
        "cluster: {node_num: 1, gpu_per_node: 8}\n"
        "buffer: {batch_size: 32, total_steps: 10, explorer_input: {taskset: {path: /d/a}}}\n"
    )
    done = convert(read(Source("run.yaml", config)), "chatlearn")
    assert {line.key: line.value for line in done.lines}["models.policy.generation_batch_size"] == 256


def test_states_stay_on_gpus_that_no_engine_shares() -> None:
    """ROLL's roles leave their GPUs between turns; Trinity-RFT's trainer has GPUs of its own."""
    config = (
        "pretrain: /m/q\nrollout_batch_size: 64\nnum_return_sequences_in_group: 8\nmax_steps: 10\nprompt_length: 512\n"
        "response_length: 512\nactor_train:\n  training_args: {per_device_train_batch_size: 4, gradient_accumulation_steps: 16}\n"
        "  strategy_args: {strategy_name: fsdp2_train}\n  device_mapping: list(range(0,8))\n  data_args: {file_name: [/d/a.jsonl]}\n"
        "actor_infer:\n  strategy_args: {strategy_name: vllm}\n  device_mapping: list(range(0,8))\n"
        "rewards:\n  math_rule: {worker_cls: a.b.C}\n"
    )
    document = read(Source("run.yaml", config))
    to_verl, to_trinity = ({line.key for line in convert(document, to).lines} for to in ("verl", "trinity"))
    assert "actor_rollout_ref.actor.fsdp_config.param_offload" in to_verl
    assert not [key for key in to_trinity if key.endswith("param_offload")]
