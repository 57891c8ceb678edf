#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.rollout_correction.bypass_mode=true  # Trinity-RFT 0.6.0 default of algorithm.bypass_old_logprobs
  algorithm.adv_estimator=grpo                   # algorithm.advantage_fn=grpo, algorithm.algorithm_type=grpo
  algorithm.use_kl_in_reward=false               # algorithm.kl_penalty_fn=none, algorithm.algorithm_type=grpo

  "data.train_files=${HOME}/data/gsm8k/train.parquet"  # buffer.explorer_input.tasksets[0].path=${HOME}/data/gsm8k, buffer.explorer_input.tasksets[0].split=train
  "data.val_files=${HOME}/data/gsm8k/test.parquet"     # buffer.explorer_input.eval_tasksets[0].path=${HOME}/data/gsm8k, buffer.explorer_input.eval_tasksets[0].split=test
  data.max_prompt_length=512                           # model.max_prompt_tokens=512
  data.max_response_length=512                         # model.max_response_tokens=512
  data.train_batch_size=1024                           # buffer.batch_size=256, synchronizer.sync_interval=4
  data.shuffle=false                                   # buffer.explorer_input.tasksets[0].data_selector.selector_type=sequential, the Trinity-RFT 0.6.0 default
  data.filter_overlong_prompts=true                    # model.enable_prompt_truncation=True

  actor_rollout_ref.actor.optim.lr=1e-06                    # algorithm.optimizer.lr=1e-06
  actor_rollout_ref.actor.optim.clip_grad=1.0               # Trinity-RFT 0.6.0 default of algorithm.optimizer.clip_grad
  actor_rollout_ref.actor.optim.lr_scheduler_type=constant  # Trinity-RFT 0.6.0 default of algorithm.optimizer.lr_scheduler_type
  actor_rollout_ref.actor.strategy=fsdp2                    # Trinity-RFT 0.6.0 default of trainer.trainer_strategy
  actor_rollout_ref.actor.ppo_mini_batch_size=256           # buffer.train_batch_size=2048; 2048 sequences as prompts
  actor_rollout_ref.actor.use_dynamic_bsz=true              # trainer.use_dynamic_bsz=True
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=24000   # trainer.max_token_len_per_gpu=24000; 24000 tokens per data-parallel rank as tokens per GPU
  actor_rollout_ref.actor.clip_ratio_low=0.2                # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_low
  actor_rollout_ref.actor.clip_ratio_high=0.2               # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_high
  actor_rollout_ref.actor.loss_agg_mode=token-mean          # what Trinity-RFT 0.6.0 does without algorithm.loss_agg_mode
  actor_rollout_ref.actor.entropy_coeff=0                   # algorithm.entropy_loss_fn_args.entropy_coef=0
  actor_rollout_ref.actor.use_kl_loss=true                  # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  actor_rollout_ref.actor.kl_loss_coef=0.001                # algorithm.kl_loss_fn_args.kl_coef=0.001
  actor_rollout_ref.actor.kl_loss_type=low_var_kl           # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  actor_rollout_ref.ref.fsdp_config.param_offload=true      # trainer.trainer_config.actor_rollout_ref.ref.fsdp_config.param_offload=True
  actor_rollout_ref.rollout.name=vllm                       # Trinity-RFT 0.6.0 default of explorer.rollout_model.engine_type
  actor_rollout_ref.rollout.nnodes=1                        # explorer.rollout_model.engine_num=1; rollout pool of 2 GPUs
  actor_rollout_ref.rollout.n_gpus_per_node=2               # explorer.rollout_model.engine_num=1; rollout pool of 2 GPUs
  actor_rollout_ref.rollout.temperature=1.0                 # Trinity-RFT 0.6.0 default of model.temperature
  actor_rollout_ref.rollout.top_k=-1                        # Trinity-RFT 0.6.0 default of buffer.explorer_input.tasksets[0].rollout_args.top_k
  actor_rollout_ref.rollout.top_p=1.0                       # Trinity-RFT 0.6.0 default of model.top_p
  actor_rollout_ref.rollout.gpu_memory_utilization=0.6      # explorer.rollout_model.gpu_memory_utilization=0.6
  actor_rollout_ref.rollout.enforce_eager=false             # Trinity-RFT 0.6.0 default of explorer.rollout_model.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=2    # explorer.rollout_model.tensor_parallel_size=2
  actor_rollout_ref.rollout.n=8                             # algorithm.repeat_times=8
  actor_rollout_ref.rollout.val_kwargs.top_k=-1             # Trinity-RFT 0.6.0 default of buffer.explorer_input.eval_tasksets[0].rollout_args.top_k
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0            # what Trinity-RFT 0.6.0 does without buffer.explorer_input.eval_tasksets[0].rollout_args.top_p
  actor_rollout_ref.rollout.val_kwargs.temperature=1.0      # what Trinity-RFT 0.6.0 does without buffer.explorer_input.eval_tasksets[0].rollout_args.temperature
  actor_rollout_ref.rollout.val_kwargs.n=1                  # Trinity-RFT 0.6.0 default of buffer.explorer_input.eval_tasksets[0].repeat_times
  actor_rollout_ref.rollout.checkpoint_engine.backend=nccl  # separate_async refuses naive
  actor_rollout_ref.model.path=deepseek-ai/deepseek-llm-7b-chat  # model.model_path=deepseek-ai/deepseek-llm-7b-chat
  actor_rollout_ref.model.use_remove_padding=true           # Trinity-RFT 0.6.0 default of trainer.use_remove_padding
  actor_rollout_ref.hybrid_engine=false                     # mode=both, the Trinity-RFT 0.6.0 default

  trainer.total_epochs=15                            # buffer.total_epochs=15
  trainer.project_name=verl_grpo_example_gsm8k       # project=verl_grpo_example_gsm8k
  trainer.experiment_name=deepseek_llm_7b_function_rm_seq_packing  # name=deepseek_llm_7b_function_rm_seq_packing
  'trainer.logger=[wandb]'                           # monitor.monitor_type=wandb
  trainer.nnodes=1                                   # chosen: 4 of 6 trainer GPUs
  trainer.n_gpus_per_node=4                          # chosen: 4 of 6 trainer GPUs
  trainer.save_freq=5                                # trainer.save_interval=20
  trainer.test_freq=1                                # explorer.eval_interval=5
  trainer.use_v1=true                                # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=separate_async             # synchronizer.sync_style=fixed
  trainer.v1.separate_async.num_warmup_batches=0.25  # synchronizer.sync_offset=1
  trainer.v1.separate_async.parameter_sync_step=4    # B x n / G
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
