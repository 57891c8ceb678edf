"""A conversion names the setting that changes a role's memory, and writes sizes whose defaults would need more."""

from __future__ import annotations

from rftconf.convert.convert import Conversion, convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=256 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet data.max_prompt_length=1024 data.max_response_length=3072 {model}"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.actor.use_dynamic_bsz=True"
    " actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384 actor_rollout_ref.rollout.name=vllm"
    " actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.gpu_memory_utilization=0.5 trainer.total_training_steps=10"
    " trainer.n_gpus_per_node=8 trainer.nnodes=1"
)
QWEN = "actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct"
TRINITY = (
    "mode: both\nalgorithm: {algorithm_type: grpo, repeat_times: 8}\n"
    "model: {model_path: Qwen/Qwen2.5-7B-Instruct, max_prompt_tokens: 1024, max_response_tokens: 3072}\n"
    "cluster: {node_num: 1, gpu_per_node: 8}\ntrainer: {use_dynamic_bsz: true, max_token_len_per_gpu: 16384}\n"
    "buffer: {batch_size: 32, total_steps: 10, explorer_input: {taskset: {path: /d/a}}}\n"
    "explorer: {rollout_model: {engine_num: 4}}\n"
)


def verl(to: str, model: str = QWEN) -> Conversion:
    return convert(read(Source("run.sh", VERL.format(model=model))), to)


def memory(done: Conversion) -> list[str]:
    return [note for note in done.ledger.notes if note.startswith(("memory: ", "more memory: "))]


def test_roles_that_leave_their_gpus_between_turns_are_the_cause() -> None:
    """ROLL 0.3.0 strategies: offload_states after each call of a worker, whatever the config says."""
    (actor,) = [note for note in memory(verl("roll")) if note.startswith(("memory: actor", "more memory: actor"))]
    assert "optimizer between its turns: on the GPU in the source, in host memory here" in actor
    assert "every role leaves its GPUs between its turns" in actor


def test_the_key_that_sets_it_is_named() -> None:
    rollout = next(note for note in memory(verl("trinity")) if "memory: rollout" in note)
    assert "share of the GPU: 0.5 in the source, 0.9 here" in rollout
    assert "explorer.rollout_model.gpu_memory_utilization sets it" in rollout


def test_a_run_whose_model_no_table_has_is_not_priced() -> None:
    assert memory(verl("roll", "actor_rollout_ref.model.path=/m/mine")) == []


def test_forwards_are_filled_as_in_the_source_where_the_target_would_take_more() -> None:
    """ROLL's infer_batch_size is 16 sequences (worker_config); here they would be 65,536 tokens, four times the source's."""
    lines = {line.key: line.value for line in verl("roll").lines}
    assert lines["actor_train.use_dynamic_batching_in_infer"] is True
    assert lines["actor_train.max_tokens_per_microbatch_in_infer"] == 16384


def test_a_trinity_forward_takes_the_tokens_of_an_update() -> None:
    """Trinity-RFT 0.6.0 trainer/verl/config.py _build_rollout_config: log_prob settings mirror the actor's."""
    done = convert(read(Source("run.yaml", TRINITY)), "roll")
    lines = {line.key: line.value for line in done.lines}
    assert lines["actor_train.max_tokens_per_microbatch_in_infer"] == 16384


def test_a_reference_that_no_loss_asks_for_is_counted_in_chatlearn() -> None:
    """ChatLearn 2025.10.23 builds ref_policy in every run (algorithm/grpo.py)."""
    assert any(
        note.startswith("more memory: reference, ") and "is not in the source" in note
        for note in memory(verl("chatlearn"))
    )
