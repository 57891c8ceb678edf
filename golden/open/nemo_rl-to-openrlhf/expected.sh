#!/usr/bin/env bash
# Converted by rftconf from NeMo-RL 0.7.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --ref.num_nodes 1          # the policy's workers hold the reference
  --ref.num_gpus_per_node 8  # the policy's workers hold the reference

  --actor.num_nodes 1                                  # cluster.num_nodes=1; what the engines leave of all GPUs
  --actor.num_gpus_per_node 8                          # cluster.num_nodes=1; what the engines leave of all GPUs
  --actor.gradient_checkpointing_enable                # policy.dtensor_cfg.activation_checkpointing=True
  --actor.eps_clip_low_high 0.2 0.28                   # loss_fn.ratio_clip_max=0.28
  --actor.adam.lr 1e-06                                # policy.optimizer.kwargs.lr=1e-06
  --actor.adam.betas 0.9 0.999                         # NeMo-RL 0.7.0 default of policy.optimizer.kwargs.betas
  --actor.adam.weight_decay 0.01                       # NeMo-RL 0.7.0 default of policy.optimizer.kwargs.weight_decay
  --actor.lr_scheduler constant_with_warmup            # policy.scheduler=[{name: torch.optim.lr_scheduler.LinearLR, kwargs: {start_factor: 0.1, end_factor: 1.0, total_iters: 50}}, {name: torch.optim.lr_scheduler.Con…
  --actor.lr_warmup_ratio 0.25                         # 100 of 400 updates
  --actor.model_name_or_path Qwen/Qwen2.5-7B-Instruct  # policy.model_name=Qwen/Qwen2.5-7B-Instruct

  --train.colocate_all             # NeMo-RL 0.7.0 default of policy.generation.colocated.enabled
  --train.dynamic_batch_enable     # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled
  --train.max_tokens_per_gpu 8192  # policy.train_micro_batch_size=2
  --train.num_episodes 1           # one pass over these rows
  --train.batch_size 512           # policy.train_global_batch_size=512

  --vllm.num_engines 4               # cluster.num_nodes=1, cluster.gpus_per_node=8
  --vllm.tensor_parallel_size 2      # policy.generation.vllm_cfg.tensor_parallel_size=2
  --vllm.enable_sleep                # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.6  # NeMo-RL 0.7.0 default of policy.generation.vllm_cfg.gpu_memory_utilization

  --eval.steps 20                # grpo.val_period=20
  --eval.temperature 1.0         # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  --eval.n_samples_per_prompt 1  # NeMo-RL 0.7.0: grpo.py: validate draws one answer a prompt

  --ckpt.save_steps 20       # checkpointing.save_period=20
  --ckpt.path results/gsm8k  # checkpointing.checkpoint_dir=results/gsm8k
  --ckpt.load_enable         # NeMo-RL 0.7.0: grpo.py: setup, get_latest_checkpoint_path below checkpoint_dir

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.enable_sleep     # policy_worker: offload_before_refit and offload_after_refit while engines share the GPUs
  --ds.packing_samples  # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled

  --rollout.max_tokens_per_gpu 8192  # policy.sequence_packing.logprob_mb_tokens follows ${mul:${policy.max_total_sequence_length}, ${policy.logprob_batch_size}} in NeMo-RL 0.7.0
  --rollout.batch_size 128           # grpo.num_prompts_per_step=128
  --rollout.max_new_tokens 3072      # policy.generation.max_new_tokens=3072
  --rollout.n_samples_per_prompt 8   # grpo.num_generations_per_prompt=8

  --data.max_len 4096                            # policy.max_total_sequence_length=4096; the longest prompt and the longest answer
  --data.max_samples 25600                       # grpo.max_num_steps=200; 200 rollout periods take 25600 prompts
  --data.prompt_dataset /data/gsm8k/train.jsonl  # data.train.data_path=/data/gsm8k/train.jsonl
  --data.input_key question                      # data.train.input_key=question
  --data.label_key answer                        # data.train.output_key=answer
  --data.apply_chat_template                     # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.001              # loss_fn.reference_policy_kl_penalty=0.001
  --algo.kl.estimator k3                 # NeMo-RL 0.7.0 default of loss_fn.reference_policy_kl_type
  --algo.advantage.estimator group_norm  # grpo.use_leave_one_out_baseline=False
  --algo.kl.use_loss                     # loss_fn.reference_policy_kl_penalty=0.001

  --reward.remote_url '???'

  --logger.wandb.key "${WANDB_API_KEY}"  # logger.wandb_enabled=True; the key comes from the environment
  --logger.wandb.project math            # logger.wandb.project=math
  --logger.wandb.run_name qwen-7b        # logger.wandb.name=qwen-7b
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
