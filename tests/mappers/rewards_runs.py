"""ROLL's worked example with a judge, a classifier or a served model, and veRL's with a reward model of its own."""

from __future__ import annotations

from typing import Any

from tests.mappers.roll_runs import Run

AT, P = "stage.placement.auxiliary[0].", "stage.placement."
JUDGE, CONFIG, RM = "rewards.math_rule.", "strategy_args.strategy_config.", "reward.reward_model."
LLM: dict[str, Any] = {
    JUDGE + "worker_cls": "roll.pipeline.rlvr.rewards.llm_judge_reward_worker.LLMJudgeRewardWorker",
    JUDGE + "judge_model_type": "inference",
    JUDGE + "judge_prompt": "Qwen2.5-7B-Instruct-RLVR-prompt",
    JUDGE + "model_args.model_name_or_path": "/models/judge",
    JUDGE + "generating_args.max_new_tokens": 512,
    JUDGE + "generating_args.temperature": 0.3,
    JUDGE + "strategy_args.strategy_name": "vllm",
    JUDGE + CONFIG + "tensor_parallel_size": 2,
    JUDGE + CONFIG + "gpu_memory_utilization": 0.85,
    JUDGE + CONFIG + "max_model_len": 8192,
    JUDGE + CONFIG + "load_format": "auto",
    JUDGE + "device_mapping": "list(range(8,12))",
}
"""A judge with four GPUs behind the policy's eight: two engines of two."""
CLASSIFIER: dict[str, Any] = {
    JUDGE + "worker_cls": "roll.pipeline.base_worker.RewardWorker",
    JUDGE + "model_args.model_name_or_path": "/models/rm",
    JUDGE + "model_args.model_type": "auto_sequence_classification",
    JUDGE + "strategy_args.strategy_name": "hf_infer",
    JUDGE + "infer_batch_size": 4,
    JUDGE + "device_mapping": "list(range(0,4)) + list(range(8,12))",
}
SERVED: dict[str, Any] = {
    "reward_model.name": "reward_llm",
    "reward_model.model_args.model_name_or_path": "/models/judge",
    "reward_model.strategy_args.strategy_name": "sglang",
    "reward_model." + CONFIG + "mem_fraction_static": 0.8,
    "reward_model." + CONFIG + "context_length": 8192,
    "reward_model.num_gpus_per_worker": 2,
    "reward_model.device_mapping": "[8, 9]",
}
"""The one model that all reward code may ask."""
POOL: dict[str, str | None] = {
    RM + "enable": "True",
    RM + "model_path": "/models/rm",
    RM + "rollout.name": "vllm",
    RM + "rollout.tensor_model_parallel_size": "2",
    RM + "enable_resource_pool": "True",
    RM + "nnodes": "1",
    RM + "n_gpus_per_node": "4",
}


def model(run: Run) -> dict[str, Any]:
    """What the plan says about the first model."""
    values = run.conversion.loaded.stages[-1].values
    return {path[len(AT) :]: value for path, value in values.items() if path.startswith(AT) and value is not None}


def question_on(run: Any, key: str) -> str:
    """Why a person is asked about a key, and the choices."""
    return " ".join(d.why + " " + " ".join(d.choices) for d in run.conversion.ledger.decisions if d.key == key)
