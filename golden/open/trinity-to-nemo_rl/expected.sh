#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=128      # buffer.batch_size=32, synchronizer.sync_interval=4
  grpo.num_generations_per_prompt=8  # algorithm.repeat_times=8
  grpo.max_num_epochs=1000000        # the steps end the run
  grpo.max_num_steps=100             # buffer.total_steps=400, trainer.total_steps=400
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=10                 # explorer.eval_interval=40
  grpo.val_at_start=true             # Trinity-RFT 0.6.0 default of explorer.eval_on_startup
  grpo.adv_estimator.name=grpo       # algorithm.algorithm_type=grpo

  loss_fn.reference_policy_kl_penalty=0.002  # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  loss_fn.ratio_clip_min=0.2                 # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_low
  loss_fn.ratio_clip_max=0.2                 # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_high
  loss_fn.ratio_clip_c=3.0                   # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_ratio_c

  checkpointing.checkpoint_dir=/checkpoints  # checkpoint_root_dir=/checkpoints
  checkpointing.keep_top_k=1000000           # more than any run has
  checkpointing.save_period=20               # trainer.save_interval=80
  checkpointing.save_consolidated=true       # trainer.save_hf_checkpoint=last, the Trinity-RFT 0.6.0 default; NeMo-RL exports every checkpoint or none

  policy.model_name=/models/Qwen3-8B                      # model.model_path=/models/Qwen3-8B
  policy.train_global_batch_size=256                      # buffer.train_batch_size=256, buffer.batch_size=32
  policy.max_total_sequence_length=3072                   # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=true                         # trainer.trainer_strategy=fsdp2
  policy.dtensor_cfg.activation_checkpointing=true        # Trinity-RFT 0.6.0 default of trainer.trainer_config.actor_rollout_ref.model.enable_gradient_checkpointing
  policy.sequence_packing.enabled=true                    # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  policy.sequence_packing.train_mb_tokens=16384           # trainer.max_token_len_per_gpu=16384
  policy.sequence_packing.logprob_mb_tokens=16384         # trainer.max_token_len_per_gpu=16384
  policy.optimizer.kwargs.lr=1e-06                        # algorithm.optimizer.lr=1e-06
  'policy.scheduler=[{name: torch.optim.lr_scheduler.LinearLR, kwargs: {start_factor: 1e-08, end_factor: 1.0, total_iters: 2}}, {name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0, total_iters: 10000000000}}, {milestones: [2]}]'  # algorithm.optimizer.lr_warmup_steps=8; a tick is a rollout period
  policy.generation.max_new_tokens=2048                   # model.max_response_tokens=2048
  policy.generation.vllm_cfg.tensor_parallel_size=1       # explorer.rollout_model.tensor_parallel_size=1
  policy.generation.vllm_cfg.gpu_memory_utilization=0.85  # explorer.rollout_model.gpu_memory_utilization=0.85
  policy.generation.colocated.enabled=false               # mode=both, the Trinity-RFT 0.6.0 default
  policy.generation.colocated.resources.gpus_per_node=4   # explorer.rollout_model.engine_num=4

  data.max_input_seq_length=1025  # model.max_prompt_tokens=1024; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: /data/math, split: train, input_key: prompt, output_key: answer, split_validation_size: 0}'  # buffer.explorer_input.taskset.path=/data/math, buffer.explorer_input.taskset.split=train
  '+data.validation={dataset_name: ResponseDataset, data_path: /data/math, split: test, input_key: prompt, output_key: response, split_validation_size: 0}'  # buffer.explorer_input.eval_tasksets[0].path=/data/math, buffer.explorer_input.eval_tasksets[0].split=test
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb_enabled=true   # monitor.monitor_type=wandb
  logger.wandb.project=math   # project=math
  logger.wandb.name=qwen3_8b  # name=qwen3_8b

  cluster.gpus_per_node=8  # cluster.gpu_per_node=8
  cluster.num_nodes=1      # cluster.node_num=1
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
