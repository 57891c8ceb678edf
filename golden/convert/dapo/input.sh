#!/usr/bin/env bash
# DAPO: clip higher, groups of equal reward refilled, soft penalty for overlong answers, token mean.
set -euxo pipefail

clip_low=0.2
clip_high=0.28
max_prompt=$((1024 * 2))
max_response=$((1024 * 20))
overlong_len=$((1024 * 4))
n_gpus=${NGPUS:-8}

python3 -m verl.trainer.main_ppo \
    algorithm.adv_estimator=grpo \
    algorithm.use_kl_in_reward=False \
    algorithm.filter_groups.enable=True \
    algorithm.filter_groups.metric=acc \
    algorithm.filter_groups.max_inflight_gen_batches=2 \
    data.train_files=/data/dapo-math-17k/train.parquet \
    data.val_files=/data/aime-2024/test.parquet \
    data.prompt_key=prompt \
    data.train_batch_size=512 \
    data.max_prompt_length=$max_prompt \
    data.max_response_length=$max_response \
    actor_rollout_ref.model.path=/models/Qwen2.5-32B \
    actor_rollout_ref.actor.clip_ratio_low=$clip_low \
    actor_rollout_ref.actor.clip_ratio_high=$clip_high \
    actor_rollout_ref.actor.clip_ratio_c=10.0 \
    actor_rollout_ref.actor.loss_agg_mode=token-mean \
    actor_rollout_ref.actor.use_kl_loss=False \
    actor_rollout_ref.actor.entropy_coeff=0 \
    actor_rollout_ref.actor.optim.lr=1e-6 \
    actor_rollout_ref.actor.optim.lr_warmup_steps=10 \
    actor_rollout_ref.actor.optim.weight_decay=0.1 \
    actor_rollout_ref.actor.optim.clip_grad=1.0 \
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$((max_prompt + max_response)) \
    actor_rollout_ref.actor.ulysses_sequence_parallel_size=8 \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.n=16 \
    actor_rollout_ref.rollout.temperature=1.0 \
    actor_rollout_ref.rollout.top_p=1.0 \
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \
    actor_rollout_ref.rollout.val_kwargs.temperature=1.0 \
    actor_rollout_ref.rollout.val_kwargs.top_p=0.7 \
    actor_rollout_ref.rollout.val_kwargs.n=1 \
    reward.reward_manager.name=dapo \
    +reward.reward_kwargs.overlong_buffer_cfg.enable=True \
    +reward.reward_kwargs.overlong_buffer_cfg.len=$overlong_len \
    +reward.reward_kwargs.overlong_buffer_cfg.penalty_factor=1.0 \
    +reward.reward_kwargs.max_resp_len=$max_response \
    trainer.project_name=DAPO \
    trainer.experiment_name=qwen2.5-32b \
    trainer.n_gpus_per_node=$n_gpus \
    trainer.nnodes=16 \
    trainer.save_freq=5 \
    trainer.test_freq=5 \
    trainer.total_epochs=20 \
    trainer.total_training_steps=400
