#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.rollout_correction.bypass_mode=true  # Trinity-RFT 0.6.0 default of algorithm.bypass_old_logprobs
  algorithm.lam=1.0                              # what Trinity-RFT 0.6.0 does without algorithm.advantage_fn_args.lam
  algorithm.adv_estimator=gae                    # algorithm.advantage_fn=ppo, algorithm.algorithm_type=ppo
  algorithm.use_kl_in_reward=false               # algorithm.kl_penalty_fn=none, algorithm.algorithm_type=ppo

  "data.train_files=[${HOME}/data/gsm8k/train.parquet, ${HOME}/data/math/train.parquet]"  # buffer.explorer_input.tasksets[0].path=${HOME}/data/gsm8k, buffer.explorer_input.tasksets[0].split=train
  "data.val_files=[${HOME}/data/gsm8k/test.parquet, ${HOME}/data/math/test.parquet]"  # buffer.explorer_input.eval_tasksets[0].path=${HOME}/data/gsm8k, buffer.explorer_input.eval_tasksets[0].split=test
  data.max_prompt_length=1024        # model.max_prompt_tokens=1024
  data.max_response_length=512       # model.max_response_tokens=512
  data.train_batch_size=1024         # buffer.batch_size=256, synchronizer.sync_interval=4
  data.shuffle=false                 # buffer.explorer_input.tasksets[0].data_selector.selector_type=sequential, the Trinity-RFT 0.6.0 default
  data.filter_overlong_prompts=true  # model.enable_prompt_truncation=True

  actor_rollout_ref.actor.optim.lr=1e-06                    # algorithm.optimizer.lr=1e-06
  actor_rollout_ref.actor.optim.lr_warmup_steps_ratio=0.1   # algorithm.optimizer.lr_warmup_steps_ratio=0.1; of the run, not of sys.maxsize
  actor_rollout_ref.actor.optim.clip_grad=1.0               # Trinity-RFT 0.6.0 default of algorithm.optimizer.clip_grad
  actor_rollout_ref.actor.optim.lr_scheduler_type=constant  # Trinity-RFT 0.6.0 default of algorithm.optimizer.lr_scheduler_type
  actor_rollout_ref.actor.strategy=fsdp2                    # Trinity-RFT 0.6.0 default of trainer.trainer_strategy
  actor_rollout_ref.actor.ppo_mini_batch_size=256           # buffer.train_batch_size=256; 256 sequences as prompts
  actor_rollout_ref.actor.use_dynamic_bsz=true              # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  actor_rollout_ref.actor.clip_ratio_low=0.2                # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_low
  actor_rollout_ref.actor.clip_ratio_high=0.2               # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_high
  actor_rollout_ref.actor.loss_agg_mode=token-mean          # what Trinity-RFT 0.6.0 does without algorithm.loss_agg_mode
  actor_rollout_ref.actor.entropy_coeff=0.0                 # what Trinity-RFT 0.6.0 does without algorithm.entropy_loss_fn_args.entropy_coef
  actor_rollout_ref.actor.use_kl_loss=false                 # algorithm.kl_loss_fn=none, algorithm.algorithm_type=ppo
  actor_rollout_ref.rollout.name=vllm                       # Trinity-RFT 0.6.0 default of explorer.rollout_model.engine_type
  actor_rollout_ref.rollout.nnodes=1                        # explorer.rollout_model.engine_num=2; rollout pool of 2 GPUs
  actor_rollout_ref.rollout.n_gpus_per_node=2               # explorer.rollout_model.engine_num=2; rollout pool of 2 GPUs
  actor_rollout_ref.rollout.temperature=1.0                 # buffer.explorer_input.tasksets[1].rollout_args.temperature=1.0
  actor_rollout_ref.rollout.top_k=-1                        # Trinity-RFT 0.6.0 default of buffer.explorer_input.tasksets[0].rollout_args.top_k
  actor_rollout_ref.rollout.top_p=1.0                       # Trinity-RFT 0.6.0 default of model.top_p
  actor_rollout_ref.rollout.gpu_memory_utilization=0.6      # explorer.rollout_model.gpu_memory_utilization=0.6
  actor_rollout_ref.rollout.enforce_eager=false             # Trinity-RFT 0.6.0 default of explorer.rollout_model.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=1    # explorer.rollout_model.tensor_parallel_size=1
  actor_rollout_ref.rollout.n=1                             # algorithm.repeat_times=1
  actor_rollout_ref.rollout.val_kwargs.top_k=-1             # Trinity-RFT 0.6.0 default of buffer.explorer_input.eval_tasksets[0].rollout_args.top_k
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0            # what Trinity-RFT 0.6.0 does without buffer.explorer_input.eval_tasksets[0].rollout_args.top_p
  actor_rollout_ref.rollout.val_kwargs.temperature=1.0      # what Trinity-RFT 0.6.0 does without buffer.explorer_input.eval_tasksets[0].rollout_args.temperature
  actor_rollout_ref.rollout.val_kwargs.n=1                  # Trinity-RFT 0.6.0 default of buffer.explorer_input.eval_tasksets[0].repeat_times
  actor_rollout_ref.rollout.checkpoint_engine.backend=nccl  # separate_async refuses naive
  "actor_rollout_ref.model.path=${HOME}/models/Qwen2-7B-Instruct"  # model.model_path=${HOME}/models/Qwen2-7B-Instruct
  actor_rollout_ref.model.use_remove_padding=true           # Trinity-RFT 0.6.0 default of trainer.use_remove_padding
  actor_rollout_ref.hybrid_engine=false                     # mode=both, the Trinity-RFT 0.6.0 default

  critic.optim.lr=1e-05                                 # trainer.trainer_config.critic.optim.lr=1e-05
  critic.optim.lr_warmup_steps_ratio=0.05               # trainer.trainer_config.critic.optim.lr_warmup_steps_ratio=0.05; of the run, not of sys.maxsize
  critic.strategy=fsdp2                                 # Trinity-RFT 0.6.0 default of trainer.trainer_strategy
  critic.shuffle=true                                   # trainer.trainer_config.critic.shuffle=False, the Trinity-RFT 0.6.0 default
  critic.cliprange_value=0.5                            # trainer.trainer_config.critic.cliprange_value=0.0, the Trinity-RFT 0.6.0 default
  "critic.model.path=${HOME}/models/Qwen2-7B-Instruct"  # model.critic_model_path=${HOME}/models/Qwen2-7B-Instruct
  critic.model.use_remove_padding=true                  # Trinity-RFT 0.6.0 default of trainer.use_remove_padding
  +critic.ppo_infer_max_token_len_per_gpu=3072          # 3072 tokens per data-parallel rank as tokens per GPU

  trainer.total_epochs=15                              # buffer.total_epochs=15
  trainer.project_name=verl_example                    # project=verl_example
  trainer.experiment_name=Qwen2-7B-Instruct_hybrid_rm  # name=Qwen2-7B-Instruct_hybrid_rm
  'trainer.logger=[wandb]'                             # monitor.monitor_type=wandb
  trainer.nnodes=1                                     # cluster.node_num=1; trainer pool of 4 GPUs
  trainer.n_gpus_per_node=4                            # cluster.node_num=1; trainer pool of 4 GPUs
  trainer.save_freq=5                                  # trainer.save_interval=20
  trainer.val_before_train=false                       # explorer.eval_on_startup=False
  trainer.test_freq=1                                  # explorer.eval_interval=5
  trainer.use_v1=true                                  # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=separate_async               # synchronizer.sync_style=fixed
  trainer.v1.separate_async.num_warmup_batches=0.25    # synchronizer.sync_offset=1
  trainer.v1.separate_async.parameter_sync_step=4      # B x n / G
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
