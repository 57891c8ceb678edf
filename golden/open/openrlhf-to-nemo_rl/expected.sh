#!/usr/bin/env bash
# Converted by rftconf from OpenRLHF 0.11.2 to NeMo-RL 0.7.0.
set -euo pipefail

ARGS=(
  grpo.num_prompts_per_step=128      # rollout.batch_size=128
  grpo.num_generations_per_prompt=8  # rollout.n_samples_per_prompt=8
  grpo.max_num_epochs=4              # train.num_episodes=4
  grpo.use_leave_one_out_baseline=false
  grpo.val_period=10                 # eval.steps=10
  grpo.use_dynamic_sampling=true     # algo.dynamic_filtering_enable=True
  grpo.adv_estimator.name=grpo       # algo.advantage.estimator=group_norm

  loss_fn.reference_policy_kl_penalty=0.001  # algo.kl.init_coef=0.001, algo.kl.use_loss=True
  loss_fn.ratio_clip_min=0.2                 # actor.eps_clip_low_high=[0.2, 0.28]
  loss_fn.ratio_clip_max=0.28                # actor.eps_clip_low_high=[0.2, 0.28]
  loss_fn.ratio_clip_c=10.0                  # actor.dual_clip=10.0

  checkpointing.checkpoint_dir=/checkpoints/grpo  # ckpt.path=/checkpoints/grpo
  checkpointing.save_period=20                    # ckpt.save_steps=20
  checkpointing.save_consolidated=true            # ckpt.save_hf=True

  policy.model_name=Qwen/Qwen2.5-7B-Instruct             # actor.model_name_or_path=Qwen/Qwen2.5-7B-Instruct
  policy.train_global_batch_size=256                     # train.batch_size=256
  policy.train_micro_batch_size=4                        # train.micro_batch_size=4
  policy.logprob_batch_size=8                            # rollout.micro_batch_size=8
  policy.max_total_sequence_length=4096                  # data.max_len=4096
  policy.dtensor_cfg.enabled=true                        # OpenRLHF 0.11.2: openrlhf/utils/deepspeed: DeepspeedStrategy
  policy.dtensor_cfg.activation_checkpointing=true       # actor.gradient_checkpointing_enable=True
  policy.sequence_packing.enabled=false                  # OpenRLHF 0.11.2 default of train.dynamic_batch_enable
  policy.optimizer.kwargs.lr=1e-06                       # actor.adam.lr=1e-06
  policy.optimizer.kwargs.weight_decay=0.0               # OpenRLHF 0.11.2 default of actor.adam.weight_decay
  'policy.optimizer.kwargs.betas=[0.9, 0.95]'            # OpenRLHF 0.11.2 default of actor.adam.betas
  'policy.scheduler=???'                                 # actor.lr_warmup_ratio=0.05
  policy.generation.max_new_tokens=3072                  # rollout.max_new_tokens=3072
  policy.generation.vllm_cfg.tensor_parallel_size=2      # vllm.tensor_parallel_size=2
  policy.generation.vllm_cfg.gpu_memory_utilization=0.6  # vllm.gpu_memory_utilization=0.6

  data.max_input_seq_length=1025  # data.max_len=4096; the first length that is too long
  '+data.train={dataset_name: ResponseDataset, data_path: org/math-prompts, split: train, input_key: prompt, output_key: answer, split_validation_size: 0}'  # data.prompt_dataset=org/math-prompts, data.input_key=prompt
  '+data.validation={dataset_name: ResponseDataset, data_path: org/math-test, split: test, input_key: prompt, output_key: answer, split_validation_size: 0}'  # eval.dataset=org/math-test, eval.split=test
  data.default.prompt_file=null   # questions are asked as the rows have them

  logger.wandb.project=math  # logger.wandb.project=math
  logger.wandb.name=grpo-7b  # logger.wandb.run_name=grpo-7b

  cluster.gpus_per_node=8  # actor.num_gpus_per_node=8
  cluster.num_nodes=1      # actor.num_nodes=1; 8 GPUs in all, 8 a node
)

uv run python examples/run_grpo.py "${ARGS[@]}" "$@"
