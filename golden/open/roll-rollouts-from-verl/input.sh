#!/usr/bin/env bash
# Evaluates a model on two sets, sixteen answers each, and stops before training.
set -euo pipefail

python3 -m verl.trainer.main_ppo \
  trainer.val_only=true \
  data.train_files=/data/gsm8k/train.parquet \
  "data.val_files=[/data/aime/test.parquet,/data/math/test.parquet]" \
  data.max_prompt_length=2048 \
  data.max_response_length=8192 \
  actor_rollout_ref.model.path=/models/Qwen3-8B \
  actor_rollout_ref.actor.ppo_mini_batch_size=64 \
  actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
  actor_rollout_ref.rollout.gpu_memory_utilization=0.8 \
  actor_rollout_ref.rollout.temperature=1.0 \
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6 \
  actor_rollout_ref.rollout.val_kwargs.top_p=0.95 \
  actor_rollout_ref.rollout.val_kwargs.n=16 \
  trainer.project_name=eval \
  trainer.experiment_name=qwen3 \
  trainer.logger=tensorboard \
  trainer.n_gpus_per_node=8
