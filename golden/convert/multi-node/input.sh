#!/usr/bin/env bash
# Four nodes, engines of four GPUs: trainer GPUs must be whole nodes.
ulimit -n 65535

launch_job() {
    local nodes=$1
    shift
    python3 -m verl.trainer.main_ppo \
        trainer.nnodes=$nodes \
        trainer.n_gpus_per_node=8 \
        "$@"
}

launch_job 4 \
    algorithm.adv_estimator=rloo \
    algorithm.use_kl_in_reward=True \
    algorithm.kl_ctrl.kl_coef=0.002 \
    data.train_files=/data/code/train.parquet \
    data.val_files=/data/code/test.parquet \
    data.train_batch_size=1024 \
    data.max_prompt_length=2048 \
    data.max_response_length=4096 \
    actor_rollout_ref.model.path=/models/Qwen2.5-32B-Instruct \
    actor_rollout_ref.actor.optim.lr=5e-7 \
    actor_rollout_ref.actor.ppo_mini_batch_size=256 \
    actor_rollout_ref.actor.use_dynamic_bsz=True \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=12288 \
    actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.tensor_model_parallel_size=4 \
    actor_rollout_ref.rollout.n=4 \
    trainer.logger=[console,swanlab,wandb] \
    trainer.project_name=code \
    trainer.experiment_name=rloo_32b \
    trainer.default_local_dir=/ckpt/code/rloo_32b \
    trainer.resume_mode=disable \
    trainer.max_actor_ckpt_to_keep=3 \
    trainer.save_freq=10 \
    trainer.test_freq=10 \
    trainer.total_training_steps=250
