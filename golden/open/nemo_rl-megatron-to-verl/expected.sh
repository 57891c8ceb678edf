#!/usr/bin/env bash
# Converted by rftconf from NeMo-RL 0.7.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # grpo.normalize_rewards=True, grpo.use_leave_one_out_baseline=False
  algorithm.use_kl_in_reward=false  # loss_fn.reference_policy_kl_penalty=0.0

  data.train_files=/data/dapo/train.jsonl  # data.train.data_path=/data/dapo/train.jsonl
  data.val_files=/data/dapo/train.jsonl    # there is no evaluation set; veRL opens a file even with test_freq=-1
  data.val_max_samples=256                 # NeMo-RL 0.7.0 default of grpo.max_val_samples
  data.max_prompt_length=1024              # policy.max_total_sequence_length=8192, policy.generation.max_new_tokens=7168
  data.max_response_length=7168            # policy.generation.max_new_tokens=7168
  data.train_batch_size=64                 # grpo.num_prompts_per_step=64
  data.seed=42                             # NeMo-RL 0.7.0: grpo.py: set_seed before the data loader
  data.filter_overlong_prompts=true        # NeMo-RL 0.7.0: data/processors.py: a long prompt is cut to a few tokens and masked

  actor_rollout_ref.actor.optim.lr=1e-06                  # policy.megatron_cfg.optimizer.lr=1e-06
  actor_rollout_ref.actor.optim.lr_warmup_steps=10        # policy.megatron_cfg.scheduler.lr_warmup_iters=10; 20 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0             # NeMo-RL 0.7.0 default of policy.max_grad_norm
  actor_rollout_ref.actor.optim.lr_decay_steps=500        # policy.megatron_cfg.scheduler.lr_decay_iters=500; 1000 updates as scheduler ticks
  actor_rollout_ref.actor.optim.lr_decay_style=cosine     # policy.megatron_cfg.scheduler.lr_decay_style=cosine
  actor_rollout_ref.actor.optim.min_lr=1e-07              # policy.megatron_cfg.optimizer.min_lr=1e-07
  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2  # policy.megatron_cfg.tensor_model_parallel_size=2
  actor_rollout_ref.actor.megatron.expert_model_parallel_size=4  # policy.megatron_cfg.expert_model_parallel_size=4
  actor_rollout_ref.actor.megatron.expert_tensor_parallel_size=1  # NeMo-RL 0.7.0 default of policy.megatron_cfg.expert_tensor_parallel_size
  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2  # policy.megatron_cfg.pipeline_model_parallel_size=2
  actor_rollout_ref.actor.strategy=megatron               # policy.dtensor_cfg.enabled=False, policy.megatron_cfg.enabled=True
  actor_rollout_ref.actor.ppo_mini_batch_size=32          # policy.train_global_batch_size=512; 512 sequences as prompts
  actor_rollout_ref.actor.use_dynamic_bsz=true            # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled
  actor_rollout_ref.actor.ppo_max_token_len_per_gpu=8192  # policy.train_micro_batch_size=1; 8192 tokens per data-parallel rank as tokens per GPU
  actor_rollout_ref.actor.clip_ratio_low=0.2              # loss_fn.ratio_clip_min=0.2
  actor_rollout_ref.actor.clip_ratio_high=0.28            # loss_fn.ratio_clip_max=0.28
  actor_rollout_ref.actor.clip_ratio_c=10.0               # loss_fn.ratio_clip_c=10.0
  actor_rollout_ref.actor.loss_agg_mode=token-mean        # loss_fn.token_level_loss=True, the NeMo-RL 0.7.0 default
  actor_rollout_ref.actor.entropy_coeff=0.0               # NeMo-RL 0.7.0: ClippedPGLossFn has no entropy term
  actor_rollout_ref.actor.use_kl_loss=false               # loss_fn.reference_policy_kl_penalty=0.0
  actor_rollout_ref.rollout.name=vllm                     # NeMo-RL 0.7.0 default of policy.generation.backend
  actor_rollout_ref.rollout.temperature=1.0               # NeMo-RL 0.7.0 default of policy.generation.temperature
  actor_rollout_ref.rollout.top_k=-1                      # what NeMo-RL 0.7.0 does without policy.generation.top_k
  actor_rollout_ref.rollout.top_p=1.0                     # NeMo-RL 0.7.0 default of policy.generation.top_p
  actor_rollout_ref.rollout.gpu_memory_utilization=0.5    # chosen: 0.8 became 0.5: the engine shares its GPUs with the trainer now; veRL's default
  actor_rollout_ref.rollout.enforce_eager=false           # NeMo-RL 0.7.0 default of policy.generation.vllm_cfg.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=4  # policy.generation.vllm_cfg.tensor_parallel_size=4
  actor_rollout_ref.rollout.max_model_len=8192            # policy.max_total_sequence_length=8192
  actor_rollout_ref.rollout.n=16                          # grpo.num_generations_per_prompt=16
  actor_rollout_ref.rollout.val_kwargs.top_k=-1           # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0          # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  actor_rollout_ref.rollout.val_kwargs.temperature=1.0    # NeMo-RL 0.7.0: grpo.py: validate draws as training does
  actor_rollout_ref.rollout.val_kwargs.n=1                # NeMo-RL 0.7.0: grpo.py: validate draws one answer a prompt
  actor_rollout_ref.model.path=Qwen/Qwen3-30B-A3B         # policy.model_name=Qwen/Qwen3-30B-A3B
  actor_rollout_ref.model.trust_remote_code=true          # NeMo-RL 0.7.0: from_pretrained(trust_remote_code=True)
  actor_rollout_ref.model.use_remove_padding=true         # NeMo-RL 0.7.0 default of policy.sequence_packing.enabled

  trainer.total_epochs=20                  # grpo.max_num_epochs=20
  trainer.total_training_steps=500         # grpo.max_num_steps=500
  trainer.project_name=grpo-dev            # NeMo-RL 0.7.0 default of logger.wandb.project
  trainer.experiment_name=grpo-dev-logger  # NeMo-RL 0.7.0 default of logger.wandb.name
  'trainer.logger=[console]'               # logger.wandb_enabled=False, the NeMo-RL 0.7.0 default
  trainer.nnodes=4                         # cluster.num_nodes=4
  trainer.n_gpus_per_node=8                # cluster.gpus_per_node=8
  trainer.save_freq=25                     # checkpointing.save_period=25
  trainer.val_before_train=false           # NeMo-RL 0.7.0 default of grpo.val_at_start
  trainer.test_freq=-1                     # grpo.val_period=0
  trainer.default_local_dir=results/grpo/grpo-dev/grpo-dev-logger  # <root>/<project>/<experiment>
  trainer.max_actor_ckpt_to_keep=3         # NeMo-RL 0.7.0 default of checkpointing.keep_top_k
  trainer.use_v1=true                      # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync             # chosen: engines and trainer take turns on the same GPUs
)

python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer "${ARGS[@]}" "$@"
