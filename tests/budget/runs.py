"""Plans for tests of the budget: small configs as people write them, read by rftconf itself."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.load.load import load
from rftconf.plan.model import Plan
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes, open_source

GOLDEN = Path(__file__).parents[2] / "golden" / "convert"

COLOCATED = {
    "actor_rollout_ref.model.path": "Qwen/Qwen2.5-7B-Instruct",
    "algorithm.adv_estimator": "grpo",
    "data.train_batch_size": "256",
    "data.max_prompt_length": "1024",
    "data.max_response_length": "3072",
    "actor_rollout_ref.actor.ppo_mini_batch_size": "64",
    "actor_rollout_ref.actor.use_dynamic_bsz": "True",
    "actor_rollout_ref.actor.ppo_max_token_len_per_gpu": "16384",
    "actor_rollout_ref.rollout.log_prob_use_dynamic_bsz": "True",
    "actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu": "16384",
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.n": "8",
    "actor_rollout_ref.rollout.tensor_model_parallel_size": "2",
    "actor_rollout_ref.rollout.gpu_memory_utilization": "0.5",
    "trainer.n_gpus_per_node": "8",
    "trainer.nnodes": "1",
}
"""A colocated GRPO run."""

APART = """
mode: both
project: p
name: n
checkpoint_root_dir: /c
algorithm: {algorithm_type: grpo, repeat_times: 8}
model: {model_path: Qwen/Qwen2.5-7B-Instruct, max_prompt_tokens: 1024, max_response_tokens: 3072}
cluster: {node_num: NODES, gpu_per_node: 8}
buffer:
  total_epochs: 1
  batch_size: 96
  explorer_input: {taskset: {name: t, storage_type: file, path: /d}}
explorer: {rollout_model: {engine_num: ENGINES, tensor_parallel_size: 2}}
trainer: {trainer_type: verl, use_dynamic_bsz: true, max_token_len_per_gpu: 16384}
"""
"""Engines and trainer on GPUs of their own."""


@cache
def colocated(*changes: str) -> Plan:
    """The plan of `COLOCATED` with `key=value` changes."""
    keys = {**COLOCATED, **dict(change.split("=", 1) for change in changes)}
    lines = " \\\n    ".join(f"{key}={value}" for key, value in keys.items())
    return load(read(from_bytes("run.sh", f"python3 -m verl.trainer.main_ppo \\\n    {lines}\n".encode()))).plan


@cache
def apart(nodes: int = 1, engines: int = 1) -> Plan:
    """The plan of `APART`."""
    text = APART.replace("NODES", str(nodes)).replace("ENGINES", str(engines))
    return load(read(from_bytes("run.yaml", text.encode()))).plan


def golden(name: str) -> Plan:
    """The plan of a golden case."""
    (file,) = (f for f in (GOLDEN / name).iterdir() if f.stem == "input")
    return load(read(open_source(file))).plan


def setup(plan: Plan | None = None, **request: object) -> Setup:
    """What the budget sees of a plan; the colocated run by default."""
    return setup_of(plan or colocated(), BudgetRequest(**request))  # type: ignore[arg-type]
