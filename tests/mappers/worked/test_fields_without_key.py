"""A framework without a key for a field still does something: that value is kept without a line, and another one is lost."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.ledger import LOSSES, State
from tests.mappers.worked.runs import outcome

EVERYWHERE: dict[str, tuple[Any, Any]] = {
    # no group between project and run, no level of logging, no run before this one
    "identity.group": ("", "mine"),
    "identity.log_level": ("INFO", "DEBUG"),
    "init_from": ("base", "stage_1"),
}
MESHES = {"placement.actor.mesh.pp": (1, 2), "placement.reference.mesh.ep": (1, 2)}
"""FSDP cuts weights and sequences over GPUs, and neither layers nor experts."""
SHORTEST = {"length.response_min_tokens": (0, 5)}
"""SamplingParams(min_tokens=0) of vLLM."""
VERL = {
    **EVERYWHERE,
    **SHORTEST,
    # experimental/agent_loop/agent_loop.py of 0.9.1: sampling_params has repetition_penalty=1.0; validation never ignores eos
    "sampling.train.repetition_penalty": (1.0, 1.2),
    "sampling.eval.repetition_penalty": (1.0, 1.2),
    "sampling.eval.ignore_eos": (False, True),
    "placement.actor.offload.grad": (False, True),
    # utils/dataset/rl_dataset.py of 0.9.1: chat messages from one column
    "data.train[0].prompt_type": ("messages", "plaintext"),
    "model_options.lora.dtype": ("auto", "fp32"),
    "checkpoint.hf_export": ("never", "last"),
    # optim/fsdp.yaml of 0.9.1: the critic's floor is a share, min_lr_ratio
    "optim.critic.min_lr": (0.0, 1e-7),
}
SUPERVISED = {**EVERYWHERE, "checkpoint.hf_export": ("never", "last"), "cadence.eval_at_start": (False, True)}
TRINITY = {
    **MESHES,
    "init_from": ("base", "checkpoint"),
    # trainer/verl/config.py of 0.6.0: _build_fsdp_engine_config and _build_actor_config name none of them
    "placement.reference.offload.grad": (False, True),
    "placement.actor.torch_compile": (True, False),
    "placement.actor.use_orig_params": (False, True),
    "placement.actor.seed": (42, 7),
    "placement.actor.full_determinism": (False, True),
    "placement.critic.entropy_chunking": (False, True),
    "model_options.liger": (False, True),
    "optim.critic.kind": ("adamw", "sgd"),
    "optim.critic.min_lr": (0.0, 1e-7),
    "placement.auxiliary[0].load_format": ("auto", "dummy"),
    "placement.auxiliary[0].sampling.responses": (1, 2),
    "reward.manager": ("naive", "dapo"),
}
ROLL = {
    **EVERYWHERE,
    **MESHES,
    **SHORTEST,
    # distributed/strategy of 0.3.0: every worker is offloaded after its turn; nothing is compiled
    "placement.reference.offload.param": (True, False),
    "placement.actor.torch_compile": (False, True),
    "placement.actor.use_orig_params": (False, True),
    "placement.actor.full_determinism": (False, True),
    "placement.actor.entropy_chunking": (False, True),
    "placement.actor.forward_prefetch": (False, True),
    "placement.actor.min_wrap_params": (0, 100),
    "optim.actor.min_lr": (0.0, 1e-7),
    "sampling.train.ignore_eos": (False, True),
    "model_options.lora.dtype": ("auto", "fp32"),
    "model_options.activation_offload": (False, True),
    "model_options.liger": (False, True),
    "model_options.fused_kernels": (False, True),
    "sync.transport": ("auto", "checkpoint"),
    "reward.manager": ("naive", "dapo"),
    # roll/models/model_providers.py: trust_remote_code=True; AdamW of every strategy; the policy's master weights
    "model.trust_remote_code": (True, False),
    "optim.actor.kind": ("adamw", "sgd"),
    "placement.actor.model_dtype": ("fp32", "bf16"),
}
CHATLEARN = {
    **EVERYWHERE,
    **MESHES,
    **SHORTEST,
    "batch.balance_ranks": (False, True),
    # models/vllm_module.py of 2025.10.23: an engine is tensor-parallel, bfloat16, with dummy weights at first
    "placement.rollout.dp": (1, 2),
    "placement.rollout.pp": (1, 2),
    "placement.rollout.ep": (1, 2),
    "placement.rollout.dtype": ("bfloat16", "float16"),
    "placement.rollout.prefix_cache": (True, False),
    "placement.rollout.chunked_prefill": (True, False),
    "placement.rollout.load_format": ("dummy", "auto"),
    # models/fsdp_module.py: fully_shard as FSDP2 has it; entropy in chunks; nothing drawn at random
    "placement.actor.entropy_chunking": (True, False),
    "placement.reference.offload.grad": (False, True),
    "placement.actor.reshard_after_forward": (True, False),
    "placement.actor.seed": (42, 7),
    "placement.actor.use_orig_params": (False, True),
    # algorithm/grpo_utils/advantage_compute.py: no discount; the loss of trainer_utils.py: token-mean over the update
    "algorithm.gamma": (1.0, 0.99),
    "algorithm.lam": (1.0, 0.95),
    "algorithm.critic.warmup_rollouts": (0, 3),
    "algorithm.std_ddof": (0, 1),
    "algorithm.std_guard": (1e-5, 1e-6),
    "algorithm.std_scope": ("group", "batch"),
    "algorithm.whiten_advantage": (False, True),
    "algorithm.kl_reward.enabled": (False, True),
    "algorithm.loss_agg": ("token-mean", "seq-mean-token-mean"),
    "algorithm.loss_norm_scope": ("update", "micro_batch_mean"),
    "algorithm.advantage": ("grpo", "rloo"),
    "algorithm.advantage_scope": ("rollout", "update"),
    "sampling.train.ignore_eos": (False, True),
    "sampling.eval.responses": (1, 4),
    "optim.actor.kind": ("adamw", "sgd"),
    "model_options.lora.rank": (0, 16),
    "model_options.gradient_checkpointing": (True, False),
    "model_options.liger": (False, True),
    "reward.manager": ("naive", "dapo"),
    "checkpoint.contents": (["model", "optimizer", "extra"], ["model"]),
    "checkpoint.asynchronous": (False, True),
    # data/prompt_dataset.py: a prompt of exactly the longest length is dropped; engines and trainer take turns
    "length.overlong_prompt": ("drop_ge", "drop_gt"),
    "sync.run_ahead_rollouts": (0, 1),
    "sync.driver": ("lockstep", "free"),
    "sync.old_logprob": ("recompute_at_rollout", "rollout"),
    "batch.shuffle_sequences": (False, True),
    "batch.pass_order": ("sweep", "per_update"),
}
PAIRS = {"data.mixing": ("concat", "interleave"), "batch.passes": (1, 2)}
TABLES: dict[str, tuple[str, str, dict[str, tuple[Any, Any]]]] = {
    "verl": ("verl", "rl", VERL),
    "verl_sft": (
        "verl_sft",
        "sft",
        SUPERVISED | {"batch.passes": (1, 2), "algorithm.loss_agg": ("token-mean", "seq-mean-token-sum")},
    ),
    "verl_fsdp_sft": (
        "verl_fsdp_sft",
        "sft",
        SUPERVISED
        | {
            "batch.micro.dynamic": (False, True),
            "optim.actor.kind": ("adamw", "sgd"),
            "optim.actor.min_lr_ratio": (0.0, 0.1),
        },
    ),
    "trinity": ("trinity", "rl", TRINITY),
    "trinity, supervised": ("trinity", "sft", PAIRS),
    "trinity, pairs": ("trinity", "dpo", PAIRS),
    "roll": ("roll", "rl", ROLL),
    "chatlearn": ("chatlearn", "rl", CHATLEARN),
}
CASES = [(table, path) for table, (_, _, fields) in TABLES.items() for path in fields]


@pytest.mark.parametrize(("table", "path"), CASES)
def test_one_value_is_kept_in_silence(table: str, path: str) -> None:
    framework, kind, fields = TABLES[table]
    own, other = fields[path]
    assert outcome(framework, path, own, kind=kind) is State.DEFAULT
    assert outcome(framework, path, other, kind=kind) in LOSSES
