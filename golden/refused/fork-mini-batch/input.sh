#!/usr/bin/env bash
# A fork counts the mini-batch in trajectories: 4096 of 256 prompts x 16 answers.
set -euo pipefail
python3 -m verl.trainer.main_ppo \
  algorithm.adv_estimator=grpo \
  data.train_files=/data/gsm8k/train.parquet \
  data.val_files=/data/gsm8k/test.parquet \
  data.train_batch_size=256 \
  actor_rollout_ref.model.path=/models/Qwen2.5-7B \
  actor_rollout_ref.actor.ppo_mini_batch_size=4096 \
  actor_rollout_ref.actor.use_dynamic_bsz=true \
  actor_rollout_ref.rollout.name=vllm \
  actor_rollout_ref.rollout.n=16 \
  +search.engine.url=http://127.0.0.1:8000 \
  trainer.n_gpus_per_node=8 \
  trainer.total_training_steps=100
