#!/usr/bin/env bash
# A student follows a teacher on a pool of its own; no reward is learned from.
python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files=/data/gsm8k/train.parquet \
    data.val_files=/data/gsm8k/test.parquet \
    data.train_batch_size=128 \
    data.max_prompt_length=256 \
    data.max_response_length=512 \
    actor_rollout_ref.model.path=/models/student-8b \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.ppo_mini_batch_size=128 \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.actor.kl_loss_coef=0.001 \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \
    actor_rollout_ref.rollout.n=2 \
    distillation.enabled=True \
    distillation.nnodes=1 \
    distillation.n_gpus_per_node=4 \
    distillation.teacher_models.teacher_model.model_path=/models/teacher-32b \
    distillation.teacher_models.teacher_model.inference.tensor_model_parallel_size=2 \
    distillation.teacher_models.teacher_model.inference.gpu_memory_utilization=0.6 \
    distillation.distillation_loss.loss_mode=k1 \
    distillation.distillation_loss.use_task_rewards=False \
    distillation.distillation_loss.use_policy_gradient=True \
    distillation.distillation_loss.clip_ratio_high=0.28 \
    trainer.nnodes=1 \
    trainer.n_gpus_per_node=4 \
    trainer.total_training_steps=300 \
    trainer.total_epochs=10 \
    trainer.save_freq=50 \
    trainer.test_freq=25
