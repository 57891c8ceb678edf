#!/usr/bin/env bash
# Converted by rftconf from TRL 1.16.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.rollout_correction.rollout_is=sequence  # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  "algorithm.rollout_correction.rollout_is_threshold='1e-09_3.0'"  # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  algorithm.adv_estimator=grpo                      # scale_rewards=group, the TRL 1.16.0 default
  algorithm.use_kl_in_reward=false                  # TRL 1.16.0: KL is in the loss alone

  'data.train_files=???'         # dataset_name=org/math
  'data.val_files=???'           # there is no evaluation set; veRL opens a file even with test_freq=-1
  'data.max_prompt_length=???'   # TRL 1.16.0: no prompt is cut there, so name a length that none of yours exceeds; = max_prompt_length
  data.max_response_length=4096  # max_completion_length=4096
  data.train_batch_size=32       # steps_per_generation=8, per_device_train_batch_size=8
  data.shuffle=false             # shuffle_dataset=False
  data.seed=42                   # TRL 1.16.0: RepeatSampler(seed=args.seed)

  actor_rollout_ref.actor.optim.lr=1e-06                    # learning_rate=1e-06
  actor_rollout_ref.actor.optim.weight_decay=0.0            # TRL 1.16.0 default of weight_decay
  actor_rollout_ref.actor.optim.lr_warmup_steps=10          # warmup_steps=20.0; 20 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0               # TRL 1.16.0 default of max_grad_norm
  actor_rollout_ref.actor.optim.lr_scheduler_type=constant  # lr_scheduler_type=constant_with_warmup
  actor_rollout_ref.actor.fsdp_config.model_dtype=bfloat16  # dtype=bfloat16
  actor_rollout_ref.actor.ppo_mini_batch_size=16            # per_device_train_batch_size=8; 256 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8    # per_device_train_batch_size=8
  actor_rollout_ref.actor.use_dynamic_bsz=false             # TRL 1.16.0: a slice has per_device_train_batch_size completions, padded to the longest
  actor_rollout_ref.actor.clip_ratio_low=0.2                # epsilon=0.2
  actor_rollout_ref.actor.clip_ratio_high=0.28              # epsilon_high=0.28
  actor_rollout_ref.actor.clip_ratio_c=1000000000.0         # none in the source: a bound that no ratio reaches
  actor_rollout_ref.actor.loss_agg_mode=token-mean          # loss_type=dapo
  actor_rollout_ref.actor.entropy_coeff=0.0                 # TRL 1.16.0 default of entropy_coef
  actor_rollout_ref.actor.use_kl_loss=false                 # beta=0.0
  actor_rollout_ref.actor.shuffle=true                      # TRL 1.16.0: _prepare_inputs: shuffle_sequence_dict before the slices are cut
  actor_rollout_ref.rollout.name=vllm                       # use_vllm=True
  actor_rollout_ref.rollout.temperature=1.0                 # TRL 1.16.0 default of temperature
  actor_rollout_ref.rollout.top_k=-1                        # top_k=0, the TRL 1.16.0 default
  actor_rollout_ref.rollout.top_p=1.0                       # TRL 1.16.0 default of top_p
  actor_rollout_ref.rollout.dtype=auto                      # TRL 1.16.0: the engine takes the type that the model's files say
  actor_rollout_ref.rollout.gpu_memory_utilization=0.35     # vllm_gpu_memory_utilization=0.35
  actor_rollout_ref.rollout.tensor_model_parallel_size=2    # vllm_tensor_parallel_size=2
  actor_rollout_ref.rollout.max_num_batched_tokens=4096     # TRL 1.16.0: vllm_generation: max_num_batched_tokens=4096
  actor_rollout_ref.rollout.max_num_seqs=128                # per_device_train_batch_size=8; vllm_generation: max_num_seqs
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8  # per_device_train_batch_size=8
  actor_rollout_ref.rollout.n=16                            # num_generations=16
  actor_rollout_ref.rollout.val_kwargs.top_k=-1             # TRL 1.16.0: evaluation draws as training does
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0            # TRL 1.16.0: evaluation draws as training does
  actor_rollout_ref.rollout.val_kwargs.temperature=1.0      # TRL 1.16.0: evaluation draws as training does
  actor_rollout_ref.rollout.val_kwargs.n=16                 # what TRL 1.16.0 does without num_generations_eval
  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct     # model_name_or_path=Qwen/Qwen2.5-7B-Instruct

  trainer.total_epochs=200           # enough for 200 rollout periods, which end the run
  trainer.total_training_steps=200   # max_steps=400
  trainer.experiment_name=math-dapo  # run_name=math-dapo
  'trainer.logger=[console]'         # report_to=none, the TRL 1.16.0 default
  trainer.nnodes=2                   # num_processes=8, num_machines=2
  trainer.n_gpus_per_node=4          # num_processes=8, num_machines=2
  trainer.save_freq=25               # save_steps=50.0
  trainer.resume_mode=disable        # what TRL 1.16.0 does without resume_from_checkpoint
  trainer.val_before_train=false     # TRL 1.16.0 default of eval_on_start
  trainer.test_freq=-1               # what TRL 1.16.0 does without eval_steps
  "trainer.default_local_dir=${HOME}/out/verl_examples/math-dapo"  # output_dir=${HOME}/out; <root>/<project>/<experiment>
  trainer.use_v1=true                # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync       # use_vllm=True, vllm_mode=colocate
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
