#!/usr/bin/env bash
# Converted by rftconf from veRL 0.9.1 to TRL 1.16.0.
set -euo pipefail

ARGS=(
  --dataset_name "${HOME}/data/gsm8k"                    # data.train_files=${HOME}/data/gsm8k/train.parquet; the file's folder
  --dataset_test_split test                              # data.val_files=${HOME}/data/gsm8k/test.parquet
  --reward_funcs '???'
  --output_dir checkpoints                               # trainer.default_local_dir follows checkpoints/${trainer.project_name}/${trainer.experiment_name} in veRL 0.9.1
  --per_device_train_batch_size 16
  --num_train_epochs 15                                  # trainer.total_epochs=15
  --lr_scheduler_type constant                           # veRL 0.9.1 default of actor_rollout_ref.actor.optim.lr_scheduler_type
  --weight_decay 0.01                                    # veRL 0.9.1 default of actor_rollout_ref.actor.optim.weight_decay
  --gradient_accumulation_steps 16                       # actor_rollout_ref.actor.ppo_mini_batch_size=256; 2048 sequences an update: 16 x 8 ranks x this
  --bf16 True                                            # actor_rollout_ref.actor.fsdp_config.dtype=bfloat16, the veRL 0.9.1 default
  --report_to wandb                                      # trainer.logger=[console, wandb]
  --run_name deepseek_llm_7b_function_rm_seq_packing     # trainer.experiment_name=deepseek_llm_7b_function_rm_seq_packing
  --eval_strategy steps                                  # trainer.test_freq=5
  --eval_steps 20                                        # trainer.test_freq=5; 5 rollout periods
  --eval_on_start True                                   # veRL 0.9.1 default of trainer.val_before_train
  --save_steps 80                                        # trainer.save_freq=20; 20 rollout periods
  --num_generations_eval 1                               # veRL 0.9.1 default of actor_rollout_ref.rollout.val_kwargs.n
  --steps_per_generation 64                              # data.train_batch_size=1024; 8192 completions are 4 updates of 16 slices
  --use_vllm True                                        # actor_rollout_ref.rollout.name=vllm
  --vllm_mode colocate                                   # trainer.v1.trainer_mode=sync, the veRL 0.9.1 default
  --vllm_enable_sleep_mode True                          # engines give their memory back while the trainer runs
  --vllm_gpu_memory_utilization 0.6                      # actor_rollout_ref.rollout.gpu_memory_utilization=0.6
  --vllm_tensor_parallel_size 2                          # actor_rollout_ref.rollout.tensor_model_parallel_size=2
  --beta 0.001                                           # actor_rollout_ref.actor.use_kl_loss=True, actor_rollout_ref.actor.kl_loss_coef=0.001
  --epsilon 0.2                                          # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_low
  --delta 3.0                                            # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_c
  --epsilon_high 0.2                                     # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_high
  --scale_rewards group                                  # algorithm.adv_estimator=grpo
  --loss_type dapo                                       # actor_rollout_ref.actor.policy_loss.loss_mode=vanilla, the veRL 0.9.1 default
  --vllm_importance_sampling_correction False            # nothing is weighed by the engine's log-probabilities
  --use_bias_correction_kl False                         # actor_rollout_ref.actor.kl_loss_type=low_var_kl
  --model_name_or_path deepseek-ai/deepseek-llm-7b-chat  # actor_rollout_ref.model.path=deepseek-ai/deepseek-llm-7b-chat
  --num_processes 8                                      # trainer.nnodes=1, trainer.n_gpus_per_node=8
  --num_machines 1                                       # trainer.nnodes=1
  --accelerate_config fsdp1                              # actor_rollout_ref.actor.strategy=fsdp, the veRL 0.9.1 default
)

trl grpo "${ARGS[@]}" "$@"
