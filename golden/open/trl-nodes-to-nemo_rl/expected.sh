#!/usr/bin/env bash
# Converted by rftconf from TRL 1.16.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=32        # steps_per_generation=8, per_device_train_batch_size=8
  grpo.num_generations_per_prompt=16  # num_generations=16
  grpo.max_num_epochs=1000000         # the steps end the run
  grpo.max_num_steps=200              # max_steps=400
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=0                   # nothing is validated in the source
  grpo.adv_estimator.name=grpo        # scale_rewards=group, the TRL 1.16.0 default

  loss_fn.reference_policy_kl_penalty=0.0                # beta=0.0
  loss_fn.ratio_clip_min=0.2                             # epsilon=0.2
  loss_fn.ratio_clip_max=0.28                            # epsilon_high=0.28
  loss_fn.use_importance_sampling_correction=true        # vllm_importance_sampling_correction=True, the TRL 1.16.0 default; weights are those of tokens here, unless loss_fn.sequence_level_importance_ratios is on
  loss_fn.truncated_importance_sampling_type=icepop      # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  loss_fn.truncated_importance_sampling_ratio=3.0        # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  loss_fn.truncated_importance_sampling_ratio_min=1e-09  # vllm_importance_sampling_correction=True, the TRL 1.16.0 default

  "checkpointing.checkpoint_dir=${HOME}/out"  # output_dir=${HOME}/out
  checkpointing.keep_top_k=1000000            # more than any run has
  checkpointing.save_period=25                # save_steps=50.0
  checkpointing.save_consolidated=true        # TRL 1.16.0: Trainer.save_model: checkpoints are in Hugging Face's format

  policy.model_name=Qwen/Qwen2.5-7B-Instruct                  # model_name_or_path=Qwen/Qwen2.5-7B-Instruct
  policy.train_global_batch_size=256                          # per_device_train_batch_size=8, gradient_accumulation_steps=4
  policy.train_micro_batch_size=8                             # per_device_train_batch_size=8
  policy.logprob_batch_size=8                                 # per_device_train_batch_size=8
  'policy.max_total_sequence_length=???'                      # the longest prompt and the longest answer; = max_prompt_length + 4096
  policy.dtensor_cfg.enabled=true                             # zero_stage=3, use_deepspeed=True
  policy.dtensor_cfg.activation_checkpointing=true            # TRL 1.16.0 default of gradient_checkpointing
  policy.sequence_packing.enabled=false                       # TRL 1.16.0: a slice has per_device_train_batch_size completions, padded to the longest
  policy.optimizer.kwargs.lr=1e-06                            # learning_rate=1e-06
  policy.optimizer.kwargs.weight_decay=0.0                    # TRL 1.16.0 default of weight_decay
  'policy.scheduler=[{name: torch.optim.lr_scheduler.LinearLR, kwargs: {start_factor: 1e-08, end_factor: 1.0, total_iters: 10}}, {name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0, total_iters: 10000000000}}, {milestones: [10]}]'  # lr_scheduler_type=constant_with_warmup; a tick is a rollout period
  policy.generation.max_new_tokens=4096                       # max_completion_length=4096
  policy.generation.vllm_cfg.tensor_parallel_size=2           # vllm_tensor_parallel_size=2
  policy.generation.vllm_cfg.gpu_memory_utilization=0.35      # vllm_gpu_memory_utilization=0.35
  +policy.generation.vllm_kwargs.max_num_seqs=128             # per_device_train_batch_size=8; vllm_generation: max_num_seqs
  +policy.generation.vllm_kwargs.max_num_batched_tokens=4096  # TRL 1.16.0: vllm_generation: max_num_batched_tokens=4096

  'data.max_input_seq_length=???'  # the first length that is too long; = max_prompt_length + 1
  data.shuffle=false               # shuffle_dataset=False
  '+data.train={dataset_name: ResponseDataset, data_path: org/math, split: train, input_key: prompt, split_validation_size: 0}'  # dataset_name=org/math
  data.default.prompt_file=null    # questions are asked as the rows have them

  logger.wandb.name=math-dapo  # run_name=math-dapo

  cluster.gpus_per_node=4  # num_processes=8, num_machines=2
  cluster.num_nodes=2      # num_processes=8, num_machines=2
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
