#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=128      # rollout_batch_size=128
  grpo.num_generations_per_prompt=8  # num_return_sequences_in_group=8
  grpo.max_num_epochs=1000000        # the steps end the run
  grpo.max_num_steps=200             # max_steps=200
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=10                 # eval_steps=10
  grpo.val_at_start=true             # ROLL 0.3.0: step 0 validates, where there is something to validate on
  grpo.adv_estimator.name=grpo       # adv_estimator=grpo

  loss_fn.reference_policy_kl_penalty=0.001  # use_kl_loss=True, kl_loss_coef=0.001
  loss_fn.ratio_clip_min=0.2                 # pg_clip=0.2
  loss_fn.ratio_clip_max=0.2                 # pg_clip=0.2

  checkpointing.checkpoint_dir=/ckpt/qwen2.5-7b-grpo  # checkpoint_config.output_dir=/ckpt/qwen2.5-7b-grpo
  checkpointing.keep_top_k=1000000                    # more than any run has
  checkpointing.save_period=50                        # save_steps=50

  policy.model_name=/models/Qwen2.5-7B                   # pretrain=/models/Qwen2.5-7B
  policy.train_global_batch_size=256                     # actor_train.training_args.per_device_train_batch_size=2, actor_train.training_args.gradient_accumulation_steps=32
  policy.train_micro_batch_size=2                        # actor_train.training_args.per_device_train_batch_size=2
  policy.logprob_batch_size=8                            # actor_train.infer_batch_size=8
  policy.max_total_sequence_length=4096                  # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=true                        # actor_train.strategy_args.strategy_name=fsdp2_train
  policy.dtensor_cfg.activation_checkpointing=true       # actor_train.model_args.disable_gradient_checkpointing=False
  policy.sequence_packing.enabled=false                  # ROLL 0.3.0 default of actor_train.use_dynamic_batching_in_train
  policy.optimizer.kwargs.lr=1e-06                       # actor_train.training_args.learning_rate=1e-06
  'policy.scheduler=[{name: torch.optim.lr_scheduler.LinearLR, kwargs: {start_factor: 1e-08, end_factor: 1.0, total_iters: 5}}, {name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0, total_iters: 10000000000}}, {milestones: [5]}]'  # actor_train.training_args.lr_scheduler_type=constant_with_warmup; a tick is a rollout period
  policy.generation.max_new_tokens=3072                  # response_length=3072
  policy.generation.vllm_cfg.tensor_parallel_size=2      # actor_infer.strategy_args.strategy_config.tensor_parallel_size=2
  policy.generation.vllm_cfg.gpu_memory_utilization=0.7  # actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.7
  +policy.generation.vllm_kwargs.max_num_batched_tokens=16384  # actor_infer.strategy_args.strategy_config.max_num_batched_tokens=16384

  data.max_input_seq_length=1025  # prompt_length=1024; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: /data/deepmath/train.jsonl, output_key: solution, split_validation_size: 0}'  # actor_train.data_args.file_name=[/data/deepmath/train.jsonl]
  '+data.validation={dataset_name: ResponseDataset, data_path: /data/math500/test.jsonl, split_validation_size: 0}'  # validation.data_args.file_name=[/data/math500/test.jsonl]
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb_enabled=true          # track_with=wandb
  logger.wandb.project=rlvr          # tracker_kwargs.project=rlvr
  logger.wandb.name=qwen2.5-7b-grpo  # exp_name=qwen2.5-7b-grpo

  cluster.gpus_per_node=8  # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
  cluster.num_nodes=1      # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
