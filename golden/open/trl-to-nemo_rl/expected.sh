#!/usr/bin/env bash
# Converted by rftconf from TRL 1.16.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=32       # per_device_train_batch_size=4, gradient_accumulation_steps=8
  grpo.num_generations_per_prompt=8  # num_generations=8
  grpo.max_num_epochs=2              # num_train_epochs=2
  grpo.normalize_rewards=false
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=0                  # nothing is validated in the source
  grpo.adv_estimator.name=grpo       # scale_rewards=none

  loss_fn.reference_policy_kl_penalty=0.0                # TRL 1.16.0 default of beta
  loss_fn.ratio_clip_min=0.2                             # TRL 1.16.0 default of epsilon
  loss_fn.ratio_clip_max=0.2                             # TRL 1.16.0 default of epsilon
  loss_fn.use_importance_sampling_correction=true        # vllm_importance_sampling_correction=True, the TRL 1.16.0 default; weights are those of tokens here, unless loss_fn.sequence_level_importance_ratios is on
  loss_fn.truncated_importance_sampling_type=icepop      # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  loss_fn.truncated_importance_sampling_ratio=3.0        # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  loss_fn.truncated_importance_sampling_ratio_min=1e-09  # vllm_importance_sampling_correction=True, the TRL 1.16.0 default
  'loss_fn.token_level_loss=???'                         # loss_type=dr_grpo

  checkpointing.checkpoint_dir=out      # output_dir=out
  checkpointing.keep_top_k=1000000      # more than any run has
  checkpointing.save_period=500         # TRL 1.16.0 default of save_steps
  checkpointing.save_consolidated=true  # TRL 1.16.0: Trainer.save_model: checkpoints are in Hugging Face's format

  policy.model_name=org/small                                 # model_name_or_path=org/small
  policy.train_global_batch_size=256                          # per_device_train_batch_size=4, gradient_accumulation_steps=8
  policy.train_micro_batch_size=4                             # per_device_train_batch_size=4
  policy.logprob_batch_size=4                                 # per_device_train_batch_size=4
  'policy.max_total_sequence_length=???'                      # the longest prompt and the longest answer; = max_prompt_length + 2048
  policy.dtensor_cfg.enabled=true                             # what TRL 1.16.0 does without distributed_type
  policy.dtensor_cfg.activation_checkpointing=true            # TRL 1.16.0 default of gradient_checkpointing
  policy.sequence_packing.enabled=false                       # TRL 1.16.0: a slice has per_device_train_batch_size completions, padded to the longest
  policy.optimizer.kwargs.lr=5e-07                            # learning_rate=5e-07
  policy.optimizer.kwargs.weight_decay=0.0                    # TRL 1.16.0 default of weight_decay
  'policy.scheduler=???'                                      # lr_scheduler_type=cosine_with_min_lr, lr_scheduler_kwargs={min_lr_rate: 0.1}
  policy.generation.max_new_tokens=2048                       # max_completion_length=2048
  policy.generation.vllm_cfg.tensor_parallel_size=1           # TRL 1.16.0 default of vllm_tensor_parallel_size
  policy.generation.vllm_cfg.gpu_memory_utilization=0.3       # TRL 1.16.0 default of vllm_gpu_memory_utilization
  +policy.generation.vllm_kwargs.max_num_seqs=32              # per_device_train_batch_size=4; vllm_generation: max_num_seqs
  +policy.generation.vllm_kwargs.max_num_batched_tokens=4096  # TRL 1.16.0: vllm_generation: max_num_batched_tokens=4096

  'data.max_input_seq_length=???'  # the first length that is too long; = max_prompt_length + 1
  '+data.train={dataset_name: ResponseDataset, data_path: org/rows, split: train, input_key: prompt, split_validation_size: 0}'  # dataset_name=org/rows
  data.default.prompt_file=null    # questions are asked as the rows have them

  logger.wandb.name=dr  # run_name=dr

  cluster.gpus_per_node=8  # num_processes=8
  cluster.num_nodes=1      # num_processes=8
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
