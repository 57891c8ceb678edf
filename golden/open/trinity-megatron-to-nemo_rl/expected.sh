#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=256       # buffer.batch_size=64, synchronizer.sync_interval=4
  grpo.num_generations_per_prompt=16  # algorithm.repeat_times=16
  grpo.max_num_epochs=1000000         # the steps end the run
  grpo.max_num_steps=100              # buffer.total_steps=400, trainer.total_steps=400
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=0                   # nothing is validated in the source
  grpo.adv_estimator.name=grpo        # algorithm.algorithm_type=grpo

  loss_fn.reference_policy_kl_penalty=0.01  # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  loss_fn.ratio_clip_min=0.2                # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_low
  loss_fn.ratio_clip_max=0.2                # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_high
  loss_fn.ratio_clip_c=3.0                  # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_ratio_c

  checkpointing.checkpoint_dir=/ckpt    # checkpoint_root_dir=/ckpt
  checkpointing.keep_top_k=1000000      # more than any run has
  checkpointing.save_period=10          # trainer.save_interval=40
  checkpointing.save_consolidated=true  # trainer.save_hf_checkpoint=last, the Trinity-RFT 0.6.0 default; NeMo-RL exports every checkpoint or none

  policy.model_name=/models/Qwen3-30B-A3B                # model.model_path=/models/Qwen3-30B-A3B
  policy.train_global_batch_size=1024                    # buffer.train_batch_size=1024, buffer.batch_size=64
  policy.max_total_sequence_length=9216                  # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=false                       # trainer.trainer_strategy=megatron
  policy.megatron_cfg.enabled=true                       # trainer.trainer_strategy=megatron
  policy.megatron_cfg.activation_checkpointing=true      # Trinity-RFT 0.6.0 default of trainer.trainer_config.actor_rollout_ref.model.enable_gradient_checkpointing
  policy.megatron_cfg.tensor_model_parallel_size=4       # trainer.megatron.tensor_model_parallel_size=4
  policy.megatron_cfg.expert_model_parallel_size=4       # trainer.megatron.expert_model_parallel_size=4
  policy.megatron_cfg.pipeline_model_parallel_size=2     # trainer.megatron.pipeline_model_parallel_size=2
  policy.megatron_cfg.context_parallel_size=2            # trainer.megatron.context_parallel_size=2
  policy.megatron_cfg.sequence_parallel=true             # Trinity-RFT 0.6.0 default of trainer.megatron.sequence_parallel
  policy.megatron_cfg.optimizer.lr=1e-06                 # algorithm.optimizer.lr=1e-06
  policy.megatron_cfg.scheduler.lr_warmup_iters=0        # algorithm.optimizer.lr_warmup_steps_ratio=0.0, the Trinity-RFT 0.6.0 default
  policy.megatron_cfg.scheduler.lr_warmup_init=0.0       # a warm-up begins at 0 elsewhere
  policy.sequence_packing.enabled=true                   # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  policy.sequence_packing.train_mb_tokens=32768          # trainer.max_token_len_per_gpu=16384
  policy.sequence_packing.logprob_mb_tokens=32768        # trainer.max_token_len_per_gpu=16384
  policy.max_grad_norm=0.5                               # algorithm.optimizer.clip_grad=0.5
  policy.generation.max_new_tokens=8192                  # model.max_response_tokens=8192
  policy.generation.vllm_cfg.tensor_parallel_size=4      # explorer.rollout_model.tensor_parallel_size=4
  policy.generation.vllm_cfg.expert_parallel_size=4      # explorer.rollout_model.enable_expert_parallel=True
  policy.generation.vllm_cfg.gpu_memory_utilization=0.9  # Trinity-RFT 0.6.0 default of explorer.rollout_model.gpu_memory_utilization
  policy.generation.colocated.enabled=false              # mode=both, the Trinity-RFT 0.6.0 default
  policy.generation.colocated.resources.gpus_per_node=8  # whole nodes generate
  policy.generation.colocated.resources.num_nodes=2      # explorer.rollout_model.engine_num=4

  data.max_input_seq_length=1025  # model.max_prompt_tokens=1024; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: /data/dapo-math, split: train, input_key: prompt, output_key: response, split_validation_size: 0}'  # buffer.explorer_input.taskset.path=/data/dapo-math, buffer.explorer_input.taskset.split=train
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb_enabled=true  # monitor.monitor_type=wandb
  logger.wandb.project=moe   # project=moe
  logger.wandb.name=back     # name=back

  cluster.gpus_per_node=8  # cluster.gpu_per_node=8
  cluster.num_nodes=4      # cluster.node_num=4
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
