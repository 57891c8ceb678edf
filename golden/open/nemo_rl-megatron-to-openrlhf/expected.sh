#!/usr/bin/env bash
# Converted by rftconf from NeMo-RL 0.7.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --actor.num_nodes 2                            # policy.generation.colocated.enabled=False; what the engines leave of all GPUs
  --actor.num_gpus_per_node 8                    # policy.generation.colocated.enabled=False; what the engines leave of all GPUs
  --actor.gradient_checkpointing_enable          # policy.megatron_cfg.activation_checkpointing=True
  --actor.eps_clip_low_high 0.2 0.28             # loss_fn.ratio_clip_min=0.2, loss_fn.ratio_clip_max=0.28
  --actor.dual_clip 10.0                         # loss_fn.ratio_clip_c=10.0
  --actor.adam.lr 1e-06                          # policy.megatron_cfg.optimizer.lr=1e-06
  --actor.adam.betas 0.9 0.999                   # policy.megatron_cfg.optimizer.adam_beta1=0.9, the NeMo-RL 0.7.0 default
  --actor.adam.weight_decay 0.01                 # NeMo-RL 0.7.0 default of policy.megatron_cfg.optimizer.weight_decay
  --actor.lr_warmup_ratio 0.02                   # policy.megatron_cfg.scheduler.lr_warmup_iters=10; 20 of 1000 updates
  --actor.model_name_or_path Qwen/Qwen3-30B-A3B  # policy.model_name=Qwen/Qwen3-30B-A3B

  --vllm.num_engines 4               # policy.generation.colocated.enabled=False, policy.generation.colocated.resources.gpus_per_node=8
  --vllm.tensor_parallel_size 4      # policy.generation.vllm_cfg.tensor_parallel_size=4
  --vllm.gpu_memory_utilization 0.8  # policy.generation.vllm_cfg.gpu_memory_utilization=0.8

  --eval.steps -1                # grpo.val_period=0
  --eval.temperature 1.0         # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  --eval.n_samples_per_prompt 1  # NeMo-RL 0.7.0: grpo.py: validate draws one answer a prompt

  --ckpt.save_steps 25      # checkpointing.save_period=25
  --ckpt.path results/grpo  # NeMo-RL 0.7.0 default of checkpointing.checkpoint_dir
  --ckpt.load_enable        # NeMo-RL 0.7.0: grpo.py: setup, get_latest_checkpoint_path below checkpoint_dir

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.packing_samples  # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled

  --train.dynamic_batch_enable     # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled
  --train.max_tokens_per_gpu 8192  # policy.train_micro_batch_size=1
  --train.num_episodes 1           # one pass over these rows
  --train.batch_size 512           # policy.train_global_batch_size=512

  --rollout.max_tokens_per_gpu 8192  # policy.sequence_packing.logprob_mb_tokens follows ${mul:${policy.max_total_sequence_length}, ${policy.logprob_batch_size}} in NeMo-RL 0.7.0
  --rollout.batch_size 64            # grpo.num_prompts_per_step=64
  --rollout.max_new_tokens 7168      # policy.generation.max_new_tokens=7168
  --rollout.n_samples_per_prompt 16  # grpo.num_generations_per_prompt=16

  --data.max_len 8192                           # policy.max_total_sequence_length=8192; the longest prompt and the longest answer
  --data.max_samples 32000                      # grpo.max_num_steps=500; 500 rollout periods take 32000 prompts
  --data.prompt_dataset /data/dapo/train.jsonl  # data.train.data_path=/data/dapo/train.jsonl
  --data.input_key prompt                       # data.train.input_key=prompt
  --data.label_key solution                     # data.train.output_key=solution
  --data.apply_chat_template                    # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.0                # loss_fn.reference_policy_kl_penalty=0.0
  --algo.advantage.estimator group_norm  # grpo.normalize_rewards=True, grpo.use_leave_one_out_baseline=False

  --reward.remote_url '???'

  --logger.wandb.project grpo-dev          # NeMo-RL 0.7.0 default of logger.wandb.project
  --logger.wandb.run_name grpo-dev-logger  # NeMo-RL 0.7.0 default of logger.wandb.name
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
