#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=128                  # rollout_batch_size=128
  grpo.num_generations_per_prompt=8              # num_return_sequences_in_group=8
  grpo.max_num_epochs=1000000                    # the steps end the run
  grpo.max_num_steps=100                         # max_steps=100
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=10                             # eval_steps=10
  grpo.val_at_start=true                         # ROLL 0.3.0: step 0 validates, where there is something to validate on
  grpo.adv_estimator.name=grpo                   # adv_estimator=grpo
  grpo.async_grpo.enabled=true                   # async_generation_ratio=1
  grpo.async_grpo.max_trajectory_age_steps=1     # async_generation_ratio=1
  grpo.async_grpo.in_flight_weight_updates=true  # async_generation_ratio=1

  loss_fn.reference_policy_kl_penalty=0.0          # add_token_level_kl=False, the ROLL 0.3.0 default
  loss_fn.ratio_clip_min=0.0003                    # pg_clip_low=0.0003, use_pg_clip_range=True
  loss_fn.ratio_clip_max=0.0004                    # pg_clip_high=0.0004, use_pg_clip_range=True
  loss_fn.use_importance_sampling_correction=true  # async_grpo_train asserts it
  loss_fn.sequence_level_importance_ratios=true    # importance_sampling=seq
  loss_fn.token_level_loss=false                   # loss_agg_mode=seq-mean-token-mean, the ROLL 0.3.0 default

  checkpointing.checkpoint_dir=/ckpt/moe-30b  # checkpoint_config.output_dir=/ckpt/moe-30b
  checkpointing.keep_top_k=1000000            # more than any run has
  checkpointing.save_period=20                # save_steps=20

  policy.model_name=/models/Qwen3-30B-A3B                     # pretrain=/models/Qwen3-30B-A3B
  policy.train_global_batch_size=256                          # actor_train.training_args.per_device_train_batch_size=1, actor_train.training_args.gradient_accumulation_steps=64
  policy.train_micro_batch_size=1                             # actor_train.training_args.per_device_train_batch_size=1
  policy.logprob_batch_size=2                                 # actor_train.infer_batch_size=2
  policy.max_total_sequence_length=9216                       # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=false                            # actor_train.strategy_args.strategy_name=megatron_train
  policy.megatron_cfg.enabled=true                            # actor_train.strategy_args.strategy_name=megatron_train
  policy.megatron_cfg.tensor_model_parallel_size=2            # actor_train.strategy_args.strategy_config.tensor_model_parallel_size=2
  policy.megatron_cfg.expert_model_parallel_size=4            # actor_train.strategy_args.strategy_config.expert_model_parallel_size=4
  policy.megatron_cfg.pipeline_model_parallel_size=2          # actor_train.strategy_args.strategy_config.pipeline_model_parallel_size=2
  policy.megatron_cfg.sequence_parallel=true                  # actor_train.strategy_args.strategy_config.sequence_parallel=True
  policy.megatron_cfg.optimizer.lr=1e-06                      # actor_train.training_args.learning_rate=1e-06
  policy.megatron_cfg.optimizer.weight_decay=0.1              # actor_train.training_args.weight_decay=0.1
  policy.megatron_cfg.scheduler.lr_warmup_iters=0             # actor_train.training_args.warmup_ratio=0.0, the ROLL 0.3.0 default
  policy.megatron_cfg.scheduler.lr_warmup_init=0.0            # a warm-up begins at 0 elsewhere
  policy.sequence_packing.enabled=false                       # ROLL 0.3.0 default of actor_train.use_dynamic_batching_in_train
  policy.max_grad_norm=0.5                                    # max_grad_norm=0.5
  policy.generation.max_new_tokens=8192                       # response_length=8192
  policy.generation.vllm_cfg.async_engine=true                # engines that run ahead answer one request at a time (async_grpo_train asserts it)
  policy.generation.vllm_cfg.tensor_parallel_size=4           # actor_infer.strategy_args.strategy_config.tensor_parallel_size=4
  policy.generation.vllm_cfg.gpu_memory_utilization=0.85      # actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.85
  +policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.max_num_batched_tokens
  policy.generation.colocated.enabled=false                   # actor_train.device_mapping=list(range(0,16)), actor_infer.device_mapping=list(range(16,32))
  policy.generation.colocated.resources.gpus_per_node=8       # whole nodes generate
  policy.generation.colocated.resources.num_nodes=2           # actor_infer.device_mapping=list(range(16,32))

  data.max_input_seq_length=1025  # prompt_length=1024; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: /data/dapo/train.jsonl, output_key: solution, split_validation_size: 0}'  # actor_train.data_args.file_name=[/data/dapo/train.jsonl]
  '+data.validation={dataset_name: ResponseDataset, data_path: /data/aime/test.jsonl, split_validation_size: 0}'  # validation.data_args.file_name=[/data/aime/test.jsonl]
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.tensorboard_enabled=true  # track_with=tensorboard
  logger.wandb.name=moe-30b        # exp_name=moe-30b

  cluster.gpus_per_node=8  # num_gpus_per_node=8, actor_train.device_mapping=list(range(0,16))
  cluster.num_nodes=4      # actor_train.device_mapping=list(range(0,16)), actor_infer.device_mapping=list(range(16,32))
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
