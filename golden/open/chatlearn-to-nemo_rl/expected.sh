#!/usr/bin/env bash
# Converted by rftconf from ChatLearn 2025.10.23 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=256      # runtime_args.sample_per_episode=2048
  grpo.num_generations_per_prompt=8  # models.policy.num_inference_per_prompt=8, runtime_args.num_inference_per_prompt=8
  grpo.max_num_epochs=1000000        # the steps end the run
  grpo.max_num_steps=100             # runtime_args.num_episode=100
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=5                  # runtime_args.eval_episode_interval=5
  grpo.val_at_start=true             # runtime_args.enable_eval_before_training=True
  grpo.adv_estimator.name=grpo       # ChatLearn 2025.10.23: GRPO is the only algorithm: group mean and deviation

  loss_fn.reference_policy_kl_penalty=0.001  # models.policy_trainer.kl_coef=0.001
  loss_fn.ratio_clip_min=0.2                 # ChatLearn 2025.10.23 default of models.policy_trainer.neg_clip_ratio
  loss_fn.ratio_clip_max=0.28                # models.policy_trainer.pos_clip_ratio=0.28

  "checkpointing.checkpoint_dir=${HOME_DIR}/output"  # runtime_args.output_dir=${HOME_DIR}/output/qwen3_8b
  checkpointing.keep_top_k=1000000                   # more than any run has
  checkpointing.save_period=10                       # runtime_args.save_episode_interval=10
  checkpointing.save_consolidated=true               # ChatLearn 2025.10.23 default of models.policy_trainer.save_hf

  policy.model_name=/models/Qwen3-8B                     # models.policy.load=/models/Qwen3-8B, models.policy_trainer.load=/models/Qwen3-8B
  +policy.tokenizer.chat_template_kwargs.enable_thinking=false  # ChatLearn 2025.10.23 default of models.policy.enable_thinking
  policy.train_global_batch_size=512                     # runtime_args.train_global_batch_size=512
  policy.train_micro_batch_size=4                        # models.policy_trainer.train_micro_batch_size=4
  policy.logprob_batch_size=8                            # models.policy_trainer.generation_batch_size=8
  policy.max_total_sequence_length=3072                  # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=true                        # runtime_args.train_backend=fsdp
  policy.sequence_packing.enabled=false                  # models.policy_trainer.packing=False
  policy.optimizer.kwargs.lr=2e-06                       # models.policy_trainer.optimizer.lr=2e-06
  'policy.optimizer.kwargs.betas=[0.9, 0.95]'            # models.policy_trainer.optimizer.adam_beta1=0.9, the ChatLearn 2025.10.23 default
  'policy.scheduler=[{name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0, total_iters: 10000000000}}, {milestones: []}]'  # a tick is a rollout period
  policy.generation.max_new_tokens=2048                  # models.policy.max_response_tokens_length=2048
  policy.generation.vllm_cfg.tensor_parallel_size=2      # models.policy.tensor_model_parallel_size=2
  policy.generation.vllm_cfg.gpu_memory_utilization=0.7  # models.policy.gpu_memory_utilization=0.7
  +policy.generation.vllm_kwargs.max_num_seqs=128        # models.policy.generation_batch_size=128
  +policy.generation.vllm_kwargs.max_num_batched_tokens=32768  # ChatLearn 2025.10.23 default of models.policy.max_num_batched_tokens

  data.max_input_seq_length=1025  # models.policy.max_prompt_tokens_length=1024; the first length that is too long
  "+data.train={dataset_name: ResponseDataset, data_path: ${HOME_DIR}/math/train.jsonl, input_key: prompt, split_validation_size: 0}"  # runtime_args.data_path=${HOME_DIR}/math/train.jsonl
  "+data.validation={dataset_name: ResponseDataset, data_path: ${HOME_DIR}/math/test.jsonl, input_key: prompt, split_validation_size: 0}"  # runtime_args.eval_data_path=${HOME_DIR}/math/test.jsonl
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb_enabled=true   # runtime_args.log_args_dict.enable_wandb=True
  logger.wandb.project=math   # runtime_args.log_args_dict.wandb_project=math
  logger.wandb.name=qwen3_8b  # runtime_args.exp_name=qwen3_8b

  cluster.gpus_per_node=8  # models.policy_trainer.num_gpu=8; 8 GPUs as one node: no key says how many a node has
  cluster.num_nodes=1      # models.policy_trainer.num_gpu=8; 8 GPUs as one node: no key says how many a node has
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
