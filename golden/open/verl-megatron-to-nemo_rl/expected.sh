#!/usr/bin/env bash
# Converted by rftconf from veRL 0.9.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=256       # data.train_batch_size=256
  grpo.num_generations_per_prompt=16  # actor_rollout_ref.rollout.n=16
  grpo.max_num_epochs=1000000         # the steps end the run
  grpo.max_num_steps=100              # trainer.total_training_steps=100
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=10                  # trainer.test_freq=10
  grpo.val_at_start=true              # veRL 0.9.0 default of trainer.val_before_train
  grpo.adv_estimator.name=grpo        # algorithm.adv_estimator=grpo

  loss_fn.reference_policy_kl_penalty=0.01  # actor_rollout_ref.actor.use_kl_loss=True, actor_rollout_ref.actor.kl_loss_coef=0.01
  loss_fn.ratio_clip_min=0.2                # veRL 0.9.0 default of actor_rollout_ref.actor.clip_ratio_low
  loss_fn.ratio_clip_max=0.2                # veRL 0.9.0 default of actor_rollout_ref.actor.clip_ratio_high
  loss_fn.ratio_clip_c=3.0                  # veRL 0.9.0 default of actor_rollout_ref.actor.clip_ratio_c

  checkpointing.checkpoint_dir=checkpoints  # trainer.default_local_dir follows checkpoints/${trainer.project_name}/${trainer.experiment_name} in veRL 0.9.0
  checkpointing.keep_top_k=1000000          # more than any run has
  checkpointing.save_period=10              # trainer.save_freq=10

  policy.model_name=/models/Qwen3-30B-A3B                     # actor_rollout_ref.model.path=/models/Qwen3-30B-A3B
  policy.train_global_batch_size=1024                         # actor_rollout_ref.actor.ppo_mini_batch_size=64
  policy.max_total_sequence_length=9216                       # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=false                            # actor_rollout_ref.actor.strategy=megatron, the veRL 0.9.0 default
  policy.megatron_cfg.enabled=true                            # actor_rollout_ref.actor.strategy=megatron, the veRL 0.9.0 default
  policy.megatron_cfg.activation_checkpointing=true           # veRL 0.9.0 default of actor_rollout_ref.model.enable_gradient_checkpointing
  policy.megatron_cfg.tensor_model_parallel_size=4            # actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4
  policy.megatron_cfg.expert_model_parallel_size=4            # actor_rollout_ref.actor.megatron.expert_model_parallel_size=4
  policy.megatron_cfg.pipeline_model_parallel_size=2          # actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2
  policy.megatron_cfg.context_parallel_size=2                 # actor_rollout_ref.actor.megatron.context_parallel_size=2
  policy.megatron_cfg.sequence_parallel=true                  # veRL 0.9.0 default of actor_rollout_ref.actor.megatron.sequence_parallel
  policy.megatron_cfg.optimizer.lr=1e-06                      # actor_rollout_ref.actor.optim.lr=1e-06
  policy.megatron_cfg.scheduler.lr_warmup_iters=0             # actor_rollout_ref.actor.optim.lr_warmup_steps_ratio=0.0, the veRL 0.9.0 default
  policy.megatron_cfg.scheduler.lr_warmup_init=0.0            # a warm-up begins at 0 elsewhere
  policy.sequence_packing.enabled=true                        # actor_rollout_ref.actor.use_dynamic_bsz=True
  policy.sequence_packing.train_mb_tokens=32768               # actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384
  policy.sequence_packing.logprob_mb_tokens=32768             # actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu follows ${oc.select:actor_rollout_ref.actor.ppo_max_token_len_per_gpu,16384} in veRL 0.9.0
  policy.max_grad_norm=0.5                                    # actor_rollout_ref.actor.optim.clip_grad=0.5
  policy.generation.max_new_tokens=8192                       # data.max_response_length=8192
  policy.generation.vllm_cfg.tensor_parallel_size=4           # actor_rollout_ref.rollout.tensor_model_parallel_size=4
  policy.generation.vllm_cfg.expert_parallel_size=4           # actor_rollout_ref.rollout.expert_parallel_size=4
  policy.generation.vllm_cfg.gpu_memory_utilization=0.5       # veRL 0.9.0 default of actor_rollout_ref.rollout.gpu_memory_utilization
  +policy.generation.vllm_kwargs.max_num_seqs=256             # veRL 0.9.0 default of actor_rollout_ref.rollout.max_num_seqs
  +policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # veRL 0.9.0 default of actor_rollout_ref.rollout.max_num_batched_tokens

  data.max_input_seq_length=1025  # data.max_prompt_length=1024; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: /data/dapo-math/train.parquet, input_key: prompt, split_validation_size: 0}'  # data.train_files=/data/dapo-math/train.parquet
  '+data.validation={dataset_name: ResponseDataset, data_path: /data/aime/test.parquet, input_key: prompt, split_validation_size: 0}'  # data.val_files=/data/aime/test.parquet
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb_enabled=true        # trainer.logger=[console, wandb], the veRL 0.9.0 default
  logger.wandb.project=moe         # trainer.project_name=moe
  logger.wandb.name=qwen3_30b_a3b  # trainer.experiment_name=qwen3_30b_a3b

  cluster.gpus_per_node=8  # trainer.n_gpus_per_node=8
  cluster.num_nodes=4      # trainer.nnodes=4
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
