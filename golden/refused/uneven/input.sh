#!/usr/bin/env bash
# 1000 prompts a period are not a whole number of updates of 256.
python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files=/data/a/train.parquet \
    data.val_files=/data/a/test.parquet \
    data.train_batch_size=1000 \
    actor_rollout_ref.model.path=/models/m \
    actor_rollout_ref.actor.ppo_mini_batch_size=256 \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \
    actor_rollout_ref.rollout.n=8 \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes=1 \
    trainer.total_training_steps=10
