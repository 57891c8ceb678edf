#!/usr/bin/env bash
# Converted by rftconf from NeMo-RL 0.7.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # grpo.use_leave_one_out_baseline=False
  algorithm.use_kl_in_reward=false  # loss_fn.reference_policy_kl_penalty=0.001

  data.train_files=/data/gsm8k/train.jsonl  # data.train.data_path=/data/gsm8k/train.jsonl
  data.val_files=/data/gsm8k/train.jsonl    # there is no evaluation set; veRL opens a file even with test_freq=-1
  data.val_max_samples=256                  # NeMo-RL 0.7.0 default of grpo.max_val_samples
  data.prompt_key=question                  # data.train.input_key=question
  data.max_prompt_length=1024               # policy.max_total_sequence_length=4096, policy.generation.max_new_tokens=3072
  data.max_response_length=3072             # policy.generation.max_new_tokens=3072
  data.train_batch_size=128                 # grpo.num_prompts_per_step=128
  data.seed=42                              # NeMo-RL 0.7.0: grpo.py: set_seed before the data loader
  data.filter_overlong_prompts=true         # NeMo-RL 0.7.0: data/processors.py: a long prompt is cut to a few tokens and masked

  actor_rollout_ref.actor.optim.lr=1e-06                      # policy.optimizer.kwargs.lr=1e-06
  actor_rollout_ref.actor.optim.lr_warmup_steps=50            # 100 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0                 # NeMo-RL 0.7.0 default of policy.max_grad_norm
  actor_rollout_ref.actor.optim.lr_scheduler_type=constant    # policy.scheduler=[{name: torch.optim.lr_scheduler.LinearLR, kwargs: {start_factor: 0.1, end_factor: 1.0, total_iters: 50}}, {name: torch.optim.lr_scheduler.Con…
  actor_rollout_ref.actor.fsdp_config.param_offload=true      # policy_worker: offload_before_refit and offload_after_refit while engines share the GPUs
  actor_rollout_ref.actor.fsdp_config.optimizer_offload=true  # policy_worker: offload_before_refit and offload_after_refit while engines share the GPUs
  actor_rollout_ref.actor.strategy=fsdp2                      # policy.dtensor_cfg.enabled=True, the NeMo-RL 0.7.0 default
  actor_rollout_ref.actor.ppo_mini_batch_size=64              # policy.train_global_batch_size=512; 512 sequences as prompts
  actor_rollout_ref.actor.use_dynamic_bsz=true                # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192      # policy.train_micro_batch_size=2; 8192 tokens per data-parallel rank as tokens per GPU
  actor_rollout_ref.actor.clip_ratio_low=0.2                  # NeMo-RL 0.7.0 default of loss_fn.ratio_clip_min
  actor_rollout_ref.actor.clip_ratio_high=0.28                # loss_fn.ratio_clip_max=0.28
  actor_rollout_ref.actor.clip_ratio_c=1000000000.0           # none in the source: a bound that no ratio reaches
  actor_rollout_ref.actor.loss_agg_mode=token-mean            # loss_fn.token_level_loss=True, the NeMo-RL 0.7.0 default
  actor_rollout_ref.actor.entropy_coeff=0.0                   # NeMo-RL 0.7.0: ClippedPGLossFn has no entropy term
  actor_rollout_ref.actor.use_kl_loss=true                    # loss_fn.reference_policy_kl_penalty=0.001
  actor_rollout_ref.actor.kl_loss_coef=0.001                  # loss_fn.reference_policy_kl_penalty=0.001
  actor_rollout_ref.actor.kl_loss_type=low_var_kl             # loss_fn.reference_policy_kl_type=k3, the NeMo-RL 0.7.0 default
  actor_rollout_ref.rollout.name=vllm                         # NeMo-RL 0.7.0 default of policy.generation.backend
  actor_rollout_ref.rollout.temperature=1.0                   # NeMo-RL 0.7.0 default of policy.generation.temperature
  actor_rollout_ref.rollout.top_k=-1                          # what NeMo-RL 0.7.0 does without policy.generation.top_k
  actor_rollout_ref.rollout.top_p=1.0                         # NeMo-RL 0.7.0 default of policy.generation.top_p
  actor_rollout_ref.rollout.gpu_memory_utilization=0.6        # NeMo-RL 0.7.0 default of policy.generation.vllm_cfg.gpu_memory_utilization
  actor_rollout_ref.rollout.enforce_eager=false               # NeMo-RL 0.7.0 default of policy.generation.vllm_cfg.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=2      # policy.generation.vllm_cfg.tensor_parallel_size=2
  actor_rollout_ref.rollout.max_model_len=4096                # policy.max_total_sequence_length=4096
  actor_rollout_ref.rollout.n=8                               # grpo.num_generations_per_prompt=8
  actor_rollout_ref.rollout.val_kwargs.top_k=-1               # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0              # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  actor_rollout_ref.rollout.val_kwargs.temperature=1.0        # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  actor_rollout_ref.rollout.val_kwargs.n=1                    # NeMo-RL 0.7.0: grpo.py: validate draws one answer a prompt
  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct       # policy.model_name=Qwen/Qwen2.5-7B-Instruct
  actor_rollout_ref.model.trust_remote_code=true              # NeMo-RL 0.7.0: from_pretrained(trust_remote_code=True)
  actor_rollout_ref.model.use_remove_padding=true             # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled

  trainer.total_epochs=10                               # grpo.max_num_epochs=10
  trainer.total_training_steps=200                      # grpo.max_num_steps=200
  trainer.project_name=math                             # logger.wandb.project=math
  trainer.experiment_name=qwen-7b                       # logger.wandb.name=qwen-7b
  trainer.nnodes=1                                      # cluster.num_nodes=1
  trainer.n_gpus_per_node=8                             # cluster.gpus_per_node=8
  trainer.save_freq=20                                  # checkpointing.save_period=20
  trainer.val_before_train=false                        # NeMo-RL 0.7.0 default of grpo.val_at_start
  trainer.test_freq=20                                  # grpo.val_period=20
  trainer.default_local_dir=results/gsm8k/math/qwen-7b  # checkpointing.checkpoint_dir=results/gsm8k; <root>/<project>/<experiment>
  trainer.max_actor_ckpt_to_keep=3                      # NeMo-RL 0.7.0 default of checkpointing.keep_top_k
  trainer.use_v1=true                                   # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync                          # policy.generation.colocated.enabled=True, the NeMo-RL 0.7.0 default
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
