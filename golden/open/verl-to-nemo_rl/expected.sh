#!/usr/bin/env bash
# Converted by rftconf from veRL 0.9.1 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=1024     # data.train_batch_size=1024
  grpo.num_generations_per_prompt=8  # actor_rollout_ref.rollout.n=8
  grpo.max_num_epochs=15             # trainer.total_epochs=15
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=5                  # trainer.test_freq=5
  grpo.val_at_start=true             # veRL 0.9.1 default of trainer.val_before_train
  grpo.adv_estimator.name=grpo       # algorithm.adv_estimator=grpo

  loss_fn.reference_policy_kl_penalty=0.001  # actor_rollout_ref.actor.use_kl_loss=True, actor_rollout_ref.actor.kl_loss_coef=0.001
  loss_fn.ratio_clip_min=0.2                 # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_low
  loss_fn.ratio_clip_max=0.2                 # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_high
  loss_fn.ratio_clip_c=3.0                   # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_c

  checkpointing.checkpoint_dir=checkpoints  # trainer.default_local_dir follows checkpoints/${trainer.project_name}/${trainer.experiment_name} in veRL 0.9.1
  checkpointing.keep_top_k=1000000          # more than any run has
  checkpointing.save_period=20              # trainer.save_freq=20

  policy.model_name=deepseek-ai/deepseek-llm-7b-chat          # actor_rollout_ref.model.path=deepseek-ai/deepseek-llm-7b-chat
  policy.train_global_batch_size=2048                         # actor_rollout_ref.actor.ppo_mini_batch_size=256
  policy.max_total_sequence_length=1024                       # the longest prompt and the longest answer
  policy.dtensor_cfg.enabled=true                             # actor_rollout_ref.actor.strategy=fsdp, the veRL 0.9.1 default; NeMo-RL trains with fsdp2 or megatron, not fsdp
  policy.dtensor_cfg.activation_checkpointing=true            # actor_rollout_ref.model.enable_gradient_checkpointing=True
  policy.sequence_packing.enabled=true                        # actor_rollout_ref.actor.use_dynamic_bsz=True
  policy.sequence_packing.train_mb_tokens=24000               # actor_rollout_ref.actor.ppo_max_token_len_per_gpu=24000
  policy.sequence_packing.logprob_mb_tokens=24000             # actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu follows ${oc.select:actor_rollout_ref.actor.ppo_max_token_len_per_gpu,16384} in veRL 0.9.1
  policy.optimizer.kwargs.lr=1e-06                            # actor_rollout_ref.actor.optim.lr=1e-06
  'policy.scheduler=[{name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0, total_iters: 10000000000}}, {milestones: []}]'  # a tick is a rollout period
  policy.generation.max_new_tokens=512                        # data.max_response_length=512
  policy.generation.vllm_cfg.tensor_parallel_size=2           # actor_rollout_ref.rollout.tensor_model_parallel_size=2
  policy.generation.vllm_cfg.gpu_memory_utilization=0.6       # actor_rollout_ref.rollout.gpu_memory_utilization=0.6
  +policy.generation.vllm_kwargs.max_num_seqs=256             # veRL 0.9.1 default of actor_rollout_ref.rollout.max_num_seqs
  +policy.generation.vllm_kwargs.max_num_batched_tokens=8192  # veRL 0.9.1 default of actor_rollout_ref.rollout.max_num_batched_tokens

  data.max_input_seq_length=513  # data.max_prompt_length=512; the first length that is too long
  "+data.train={dataset_name: ResponseDataset, data_path: ${HOME}/data/gsm8k/train.parquet, input_key: prompt, split_validation_size: 0}"  # data.train_files=${HOME}/data/gsm8k/train.parquet
  "+data.validation={dataset_name: ResponseDataset, data_path: ${HOME}/data/gsm8k/test.parquet, input_key: prompt, split_validation_size: 0}"  # data.val_files=${HOME}/data/gsm8k/test.parquet
  data.default.prompt_file=null  # questions are asked as the rows have them

  logger.wandb_enabled=true                                  # trainer.logger=[console, wandb]
  logger.wandb.project=verl_grpo_example_gsm8k               # trainer.project_name=verl_grpo_example_gsm8k
  logger.wandb.name=deepseek_llm_7b_function_rm_seq_packing  # trainer.experiment_name=deepseek_llm_7b_function_rm_seq_packing

  cluster.gpus_per_node=8  # trainer.n_gpus_per_node=8
  cluster.num_nodes=1      # trainer.nnodes=1
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
