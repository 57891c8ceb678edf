#!/usr/bin/env bash
# Trainer and engines on eight GPUs each, neither waits for the other.
staleness=0.1
sync_every=4
batches=4
mini=32
prompts_in_all=$((512 * 100))

python3 -m verl.experimental.fully_async_policy.fully_async_main \
    --config-name=fully_async_ppo_trainer.yaml \
    algorithm.adv_estimator=grpo \
    data.train_files=/data/math/train.parquet \
    data.val_files=/data/math/test.parquet \
    data.train_batch_size=0 \
    data.gen_batch_size=1 \
    data.max_prompt_length=1024 \
    data.max_response_length=4096 \
    actor_rollout_ref.hybrid_engine=False \
    actor_rollout_ref.model.path=/models/Qwen3-4B \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.optim.lr_warmup_steps=10 \
    actor_rollout_ref.actor.clip_ratio_high=0.28 \
    actor_rollout_ref.actor.ppo_mini_batch_size=${mini} \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=10240 \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.mode=async \
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.8 \
    actor_rollout_ref.rollout.n=8 \
    rollout.nnodes=1 \
    rollout.n_gpus_per_node=8 \
    rollout.total_rollout_steps=${prompts_in_all} \
    async_training.staleness_threshold=${staleness} \
    async_training.trigger_parameter_sync_step=${sync_every} \
    async_training.require_batches=${batches} \
    async_training.partial_rollout=True \
    trainer.total_epochs=10 \
    trainer.nnodes=1 \
    trainer.n_gpus_per_node=8 \
    trainer.project_name=async \
    trainer.experiment_name=free \
    trainer.save_freq=20 \
    trainer.test_freq=10
