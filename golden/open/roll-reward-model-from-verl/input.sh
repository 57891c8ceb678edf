#!/usr/bin/env bash
# GRPO judged by a reward model on a node of its own, and a scoring function of our own.
python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    algorithm.norm_adv_by_std_in_grpo=False \
    data.train_files=/data/chat/train.parquet \
    data.val_files=/data/chat/test.parquet \
    data.train_batch_size=256 \
    data.max_prompt_length=2048 \
    data.max_response_length=2048 \
    actor_rollout_ref.model.path=/models/base-7b \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.ppo_mini_batch_size=256 \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
    actor_rollout_ref.rollout.n=4 \
    reward.reward_manager.name=dapo \
    reward.custom_reward_function.path=rewards/chat.py \
    reward.custom_reward_function.name=score \
    reward.reward_model.enable=True \
    reward.reward_model.enable_resource_pool=True \
    reward.reward_model.nnodes=1 \
    reward.reward_model.n_gpus_per_node=4 \
    reward.reward_model.model_path=/models/rm-8b \
    reward.reward_model.rollout.name=vllm \
    reward.reward_model.rollout.tensor_model_parallel_size=2 \
    reward.reward_model.rollout.gpu_memory_utilization=0.8 \
    trainer.use_v1=true \
    trainer.v1.trainer_mode=sync \
    trainer.project_name=rm \
    trainer.experiment_name=chat \
    trainer.n_gpus_per_node=8 \
    trainer.nnodes=2 \
    trainer.save_freq=50 \
    trainer.test_freq=50 \
    trainer.total_training_steps=500
