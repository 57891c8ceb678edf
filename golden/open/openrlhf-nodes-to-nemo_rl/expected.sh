#!/usr/bin/env bash
# Converted by rftconf from OpenRLHF 0.9.7 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=256                # rollout_batch_size=256
  grpo.num_generations_per_prompt=4            # n_samples_per_prompt=4
  grpo.max_num_epochs=2                        # num_episodes=2
  grpo.val_period=0                            # nothing is validated in the source
  grpo.seed=7                                  # seed=7
  grpo.adv_estimator.name=reinforce_plus_plus  # advantage_estimator=reinforce
  grpo.adv_estimator.minus_baseline=false

  loss_fn.reference_policy_kl_penalty=0.01  # init_kl_coef=0.01
  loss_fn.reference_policy_kl_type=k1       # kl_estimator=k1
  loss_fn.ratio_clip_min=0.2                # OpenRLHF 0.9.7 default of eps_clip
  loss_fn.ratio_clip_max=0.2                # OpenRLHF 0.9.7 default of eps_clip
  loss_fn.use_kl_in_reward=true             # init_kl_coef=0.01

  checkpointing.checkpoint_dir=/checkpoints/ppo  # ckpt_path=/checkpoints/ppo
  checkpointing.save_period=25                   # save_steps=25
  checkpointing.save_consolidated=true           # save_hf_ckpt=False, the OpenRLHF 0.9.7 default; NeMo-RL exports every checkpoint or none

  policy.model_name=org/base-14b                          # pretrain=org/base-14b
  policy.train_global_batch_size=512                      # train_batch_size=512
  policy.train_micro_batch_size=2                         # micro_train_batch_size=2
  policy.logprob_batch_size=4                             # micro_rollout_batch_size=4
  policy.max_total_sequence_length=5120                   # prompt_max_len=1024
  policy.dtensor_cfg.enabled=true                         # OpenRLHF 0.9.7: openrlhf/utils/deepspeed: DeepspeedStrategy
  policy.dtensor_cfg.activation_checkpointing=true        # gradient_checkpointing=True
  policy.sequence_packing.enabled=false                   # OpenRLHF 0.9.7 default of use_dynamic_batch
  policy.optimizer.kwargs.lr=5e-07                        # actor_learning_rate=5e-7
  'policy.optimizer.kwargs.betas=[0.9, 0.95]'             # OpenRLHF 0.9.7 default of adam_betas
  'policy.scheduler=???'                                  # lr_warmup_ratio=0.03
  policy.generation.max_new_tokens=4096                   # generate_max_len=4096
  policy.generation.vllm_cfg.tensor_parallel_size=2       # vllm_tensor_parallel_size=2
  policy.generation.vllm_cfg.gpu_memory_utilization=0.85  # vllm_gpu_memory_utilization=0.85
  policy.generation.vllm_cfg.enforce_eager=true           # enforce_eager=True
  policy.generation.colocated.enabled=false               # OpenRLHF 0.9.7 default of colocate_all_models
  policy.generation.colocated.resources.gpus_per_node=8   # whole nodes generate
  policy.generation.colocated.resources.num_nodes=2       # vllm_num_engines=8, vllm_tensor_parallel_size=2

  data.max_input_seq_length=1025  # prompt_max_len=1024; the first length that is too long
  '~data.train' '+data.train=[{dataset_name: ResponseDataset, data_path: org/a, split: train, input_key: question, output_key: answer, split_validation_size: 0}, {dataset_name: ResponseDataset, data_path: org/b, split: train, input_key: question, output_key: answer, split_validation_size: 0}]'  # prompt_data=org/a,org/b, input_key=question
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb.project=openrlhf_train_ppo  # OpenRLHF 0.9.7 default of wandb_project

  cluster.gpus_per_node=8  # actor_num_gpus_per_node=8
  cluster.num_nodes=4      # actor_num_nodes=2; 32 GPUs in all, 8 a node
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
