"""Runs of OpenRLHF that the laws start from, in flags of its newest release."""

from __future__ import annotations

from typing import Any

from tests.laws.flip_base import Base

GROUPS: dict[str, Any] = {
    "actor.model_name_or_path": "org/small",
    "actor.num_nodes": 1,
    "actor.num_gpus_per_node": 8,
    "ref.num_nodes": 1,
    "ref.num_gpus_per_node": 8,
    "train.colocate_all": True,
    "vllm.num_engines": 8,
    "vllm.tensor_parallel_size": 1,
    "ds.packing_samples": True,
    "data.prompt_dataset": "org/rows",
    "data.input_key": "prompt",
    "data.max_len": 2048,
    "rollout.max_new_tokens": 1024,
    "rollout.batch_size": 64,
    "rollout.n_samples_per_prompt": 8,
    "train.batch_size": 128,
    "train.micro_batch_size": 4,
    "train.num_episodes": 3,
    "data.max_samples": 6400,
    "reward.remote_url": "/code/reward_func.py",
    "algo.advantage.estimator": "group_norm",
    "algo.kl.use_loss": True,
    "algo.kl.estimator": "k3",
}
CRITIC: dict[str, Any] = {
    **{key: value for key, value in GROUPS.items() if not key.startswith("algo.")},
    "algo.advantage.estimator": "gae",
    "critic.model_name_or_path": "org/critic",
    "critic.num_nodes": 1,
    "critic.num_gpus_per_node": 8,
    "algo.kl.target": 6.0,
    "train.dynamic_batch_enable": True,
    "algo.advantage.is_correction_level": "token",
    "actor.eps_clip_low_high": [0.2, 0.28],
    "ds.lora.rank": 16,
    "eval.dataset": "org/test",
    "eval.steps": 10,
    "train.async_enable": True,
}
MODEL: dict[str, Any] = {
    **{key: value for key, value in GROUPS.items() if key not in ("train.colocate_all", "reward.remote_url")},
    "algo.advantage.estimator": "reinforce",
    "algo.kl.use_loss": False,
    "algo.kl.estimator": "k1",
    "reward.model_name_or_path": "org/scores",
    "algo.dynamic_filtering_enable": True,
    "train.enable_ema": True,
}
BOTH: dict[str, Any] = {
    **MODEL,
    "algo.advantage.estimator": "gae",
    "train.colocate_critic_reward": False,
}
OPENRLHF = (
    Base("critic beside a model", BOTH),
    Base("group_norm", GROUPS),
    Base("gae ahead", CRITIC),
    Base("model that scores", MODEL),
)
