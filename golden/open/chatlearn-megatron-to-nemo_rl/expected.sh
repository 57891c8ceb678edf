#!/usr/bin/env bash
# Converted by rftconf from ChatLearn 2025.10.23 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=128       # runtime_args.sample_per_episode=2048
  grpo.num_generations_per_prompt=16  # models.policy.num_inference_per_prompt=16
  grpo.max_num_epochs=1000000         # the steps end the run
  grpo.max_num_steps=200              # runtime_args.num_episode=200
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=10                  # runtime_args.eval_episode_interval=10
  grpo.adv_estimator.name=grpo        # ChatLearn 2025.10.23: GRPO is the only algorithm: group mean and deviation

  loss_fn.reference_policy_kl_penalty=0.0        # ChatLearn 2025.10.23: the reward has no KL penalty; KL is in the loss alone
  loss_fn.ratio_clip_min=0.001                   # models.policy_trainer.neg_clip_ratio=0.001
  loss_fn.ratio_clip_max=0.001                   # models.policy_trainer.pos_clip_ratio=0.001
  loss_fn.sequence_level_importance_ratios=true  # models.policy_trainer.use_group_sequence_policy=True
  loss_fn.token_level_loss=false                 # a ratio of sequences belongs to a mean over sequences here

  checkpointing.checkpoint_dir=/out  # runtime_args.output_dir=/out/qwen3_30b
  checkpointing.keep_top_k=1000000   # more than any run has
  checkpointing.save_period=20       # runtime_args.save_episode_interval=20

  policy.model_name=/models/Qwen3-30B-A3B             # models.policy.load=/models/Qwen3-30B-A3B
  +policy.tokenizer.chat_template_kwargs.enable_thinking=false  # ChatLearn 2025.10.23 default of models.policy.enable_thinking
  policy.train_global_batch_size=512                  # runtime_args.train_global_batch_size=512
  policy.max_total_sequence_length=3072               # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=false                    # runtime_args.train_backend=megatron
  policy.megatron_cfg.enabled=true                    # runtime_args.train_backend=megatron
  policy.megatron_cfg.tensor_model_parallel_size=4    # models.policy_trainer.tensor_model_parallel_size=4
  policy.megatron_cfg.pipeline_model_parallel_size=2  # models.policy_trainer.pipeline_model_parallel_size=2
  policy.megatron_cfg.sequence_parallel=true          # ChatLearn 2025.10.23 default of models.policy_trainer.sequence_parallel
  policy.megatron_cfg.optimizer.lr=2e-06              # models.policy_trainer.optimizer.lr=2e-06
  policy.megatron_cfg.optimizer.adam_beta2=0.95       # models.policy_trainer.optimizer.adam_beta1=0.9, the ChatLearn 2025.10.23 default
  policy.megatron_cfg.scheduler.lr_warmup_iters=0     # ChatLearn 2025.10.23: the first update has the full rate
  policy.megatron_cfg.scheduler.lr_warmup_init=0.0    # a warm-up begins at 0 elsewhere
  policy.sequence_packing.enabled=true                # models.policy_trainer.packing=True
  policy.sequence_packing.train_mb_tokens=16384       # models.policy_trainer.max_token_in_packing=16384
  policy.sequence_packing.logprob_mb_tokens=16384     # models.policy_trainer.max_token_in_packing=16384
  policy.generation.backend=sglang                    # runtime_args.rollout_backend=sglang
  policy.generation.max_new_tokens=2048               # models.policy.max_response_tokens_length=2048, models.policy_trainer.max_response_tokens_length=2048

  data.max_input_seq_length=1025  # models.policy.max_prompt_tokens_length=1024; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: /data/math/train.jsonl, input_key: prompt, split_validation_size: 0}'  # runtime_args.data_path=/data/math/train.jsonl
  '+data.validation={dataset_name: ResponseDataset, data_path: /data/math/test.jsonl, input_key: prompt, split_validation_size: 0}'  # runtime_args.eval_data_path=/data/math/test.jsonl
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.tensorboard_enabled=true  # runtime_args.log_args_dict.enable_tensorboard=True
  logger.wandb.name=qwen3_30b      # runtime_args.exp_name=qwen3_30b

  cluster.gpus_per_node=8  # models.policy_trainer.num_gpu=16; 16 GPUs as nodes of 8: no key says how many a node has
  cluster.num_nodes=2      # models.policy_trainer.num_gpu=16; 16 GPUs as nodes of 8: no key says how many a node has
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
