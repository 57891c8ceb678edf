#!/usr/bin/env bash
# As scripts were written for veRL 0.5: old reward keys, warmup_style, grad_clip, do_sample.
set -x
nproc_per_gpu=4
nnodes=1
ngpu=8
total=$(( nproc_per_gpu * nnodes * ngpu ))

python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    data.train_files=$HOME/data/gsm8k/train.parquet \
    data.val_files=$HOME/data/gsm8k/test.parquet \
    data.train_batch_size=$total \
    data.val_batch_size=$total \
    data.max_prompt_length=512 \
    data.max_response_length=1024 \
    data.filter_overlong_prompts=True \
    data.truncation='left' \
    data.reward_fn_key=data_source \
    actor_rollout_ref.model.path=Qwen/Qwen2.5-3B-Instruct \
    actor_rollout_ref.actor.optim.lr=3e-6 \
    actor_rollout_ref.actor.optim.warmup_style=cosine \
    actor_rollout_ref.actor.optim.lr_warmup_steps_ratio=0.1 \
    actor_rollout_ref.actor.grad_clip=0.5 \
    actor_rollout_ref.actor.clip_ratio=0.1 \
    actor_rollout_ref.actor.ppo_mini_batch_size=$total \
    actor_rollout_ref.actor.ppo_micro_batch_size=$total \
    actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.actor.kl_loss_type=kl \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.mode=sync \
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \
    actor_rollout_ref.rollout.n=5 \
    actor_rollout_ref.rollout.val_kwargs.do_sample=True \
    actor_rollout_ref.rollout.val_kwargs.temperature=0.8 \
    reward_model.enable=False \
    reward_model.reward_manager=prime \
    custom_reward_function.path=reward.py \
    custom_reward_function.name=my_score \
    trainer.val_only=False \
    trainer.project_name=old \
    trainer.experiment_name=v05 \
    trainer.n_gpus_per_node=$ngpu \
    trainer.nnodes=$nnodes \
    trainer.save_freq=10 \
    trainer.test_freq=10 \
    trainer.total_epochs=2
