#!/usr/bin/env bash
# Converted by rftconf from TRL 0.24.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.rollout_correction.rollout_is=token          # vllm_importance_sampling_correction=True, the TRL 0.24.0 default
  algorithm.rollout_correction.rollout_is_threshold=2.0  # vllm_importance_sampling_correction=True, the TRL 0.24.0 default
  algorithm.adv_estimator=grpo                           # scale_rewards=none
  algorithm.norm_adv_by_std_in_grpo=false                # scale_rewards=none
  algorithm.use_kl_in_reward=false                       # TRL 0.24.0: KL is in the loss alone

  'data.train_files=???'         # dataset_name=org/rows
  'data.val_files=???'           # dataset_name=org/rows
  data.max_prompt_length=512     # max_prompt_length=512
  data.max_response_length=1024  # max_completion_length=1024
  data.train_batch_size=16       # per_device_train_batch_size=16, gradient_accumulation_steps=2
  data.seed=42                   # TRL 0.24.0: RepeatSampler(seed=args.seed)

  actor_rollout_ref.actor.optim.lr=1e-06                      # TRL 0.24.0 default of learning_rate
  actor_rollout_ref.actor.optim.weight_decay=0.0              # TRL 0.24.0 default of weight_decay
  actor_rollout_ref.actor.optim.lr_warmup_steps=5             # warmup_ratio=0.05; 10 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0                 # TRL 0.24.0 default of max_grad_norm
  actor_rollout_ref.actor.optim.lr_scheduler_type=cosine      # lr_scheduler_type=cosine
  actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16    # torch_dtype=bfloat16
  actor_rollout_ref.actor.ppo_mini_batch_size=16              # per_device_train_batch_size=16; 128 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=16     # per_device_train_batch_size=16
  actor_rollout_ref.actor.use_dynamic_bsz=false               # TRL 0.24.0: a slice has per_device_train_batch_size completions, padded to the longest
  actor_rollout_ref.actor.clip_ratio_low=0.0003               # epsilon=0.0003
  actor_rollout_ref.actor.clip_ratio_high=0.0004              # epsilon_high=0.0004
  actor_rollout_ref.actor.policy_loss.loss_mode=gspo          # loss_type=grpo, importance_sampling_level=sequence
  actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean   # loss_type=grpo
  actor_rollout_ref.actor.entropy_coeff=0.0                   # what TRL 0.24.0 does, which has no key for it
  actor_rollout_ref.actor.use_kl_loss=true                    # beta=0.001
  actor_rollout_ref.actor.kl_loss_coef=0.001                  # beta=0.001
  actor_rollout_ref.actor.kl_loss_type=low_var_kl             # what TRL 0.24.0 does, which has no key for it
  actor_rollout_ref.actor.ppo_epochs=2                        # num_iterations=2
  actor_rollout_ref.actor.shuffle=true                        # TRL 0.24.0: _prepare_inputs: shuffle_sequence_dict before the slices are cut
  actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=16  # per_device_train_batch_size=16
  actor_rollout_ref.ref.fsdp_config.model_dtype=bfloat16      # torch_dtype=bfloat16
  actor_rollout_ref.rollout.name=vllm                         # use_vllm=True
  actor_rollout_ref.rollout.temperature=1.0                   # TRL 0.24.0 default of temperature
  actor_rollout_ref.rollout.top_k=-1                          # what TRL 0.24.0 does without top_k
  actor_rollout_ref.rollout.top_p=1.0                         # TRL 0.24.0 default of top_p
  actor_rollout_ref.rollout.dtype=auto                        # TRL 0.24.0: the engine takes the type that the model's files say
  actor_rollout_ref.rollout.tensor_model_parallel_size=1      # TRL 0.24.0: trl vllm-serve takes --tensor_parallel_size 1 unless it is told otherwise
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=16  # per_device_train_batch_size=16
  actor_rollout_ref.rollout.n=8                               # num_generations=8
  actor_rollout_ref.rollout.val_kwargs.top_k=-1               # TRL 0.24.0: evaluation draws as training does
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0              # TRL 0.24.0: evaluation draws as training does
  actor_rollout_ref.rollout.val_kwargs.temperature=1.0        # TRL 0.24.0: evaluation draws as training does
  actor_rollout_ref.rollout.val_kwargs.n=8                    # what TRL 0.24.0 does, which has no key for it
  actor_rollout_ref.model.path=org/small                      # model_name_or_path=org/small

  trainer.total_epochs=100          # enough for 100 rollout periods, which end the run
  trainer.total_training_steps=100  # max_steps=200
  'trainer.logger=[console]'        # what TRL 0.24.0 does without report_to
  trainer.nnodes=1                  # num_processes=4, num_machines=1
  trainer.n_gpus_per_node=4         # num_processes=4, num_machines=1
  trainer.save_freq=250             # save_steps=500, the TRL 0.24.0 default
  trainer.resume_mode=disable       # what TRL 0.24.0 does without resume_from_checkpoint
  trainer.val_before_train=false    # eval_strategy=steps
  trainer.test_freq=10              # eval_steps=20, eval_strategy=steps
  trainer.use_v1=true               # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync      # chosen: engines and trainer take turns on the same GPUs
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
