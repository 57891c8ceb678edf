#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # adv_estimator=grpo, reward_normalization.grouping=traj_group_id
  algorithm.use_kl_in_reward=false  # ROLL 0.3.0 default of add_token_level_kl

  data.max_prompt_length=1024        # ROLL 0.3.0 default of prompt_length
  data.max_response_length=7168      # sequence_length=8192
  data.train_batch_size=16           # rollout_batch_size=128, train_env_manager.group_size=8
  data.filter_overlong_prompts=true  # ROLL 0.3.0: rlvr_pipeline keeps 5 < len <= prompt_length

  actor_rollout_ref.actor.optim.lr=1e-06                      # actor_train.training_args.learning_rate=1e-06
  actor_rollout_ref.actor.optim.weight_decay=0.0              # ROLL 0.3.0 default of actor_train.training_args.weight_decay
  actor_rollout_ref.actor.optim.lr_warmup_steps=10            # actor_train.training_args.warmup_steps=10; 10 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0                 # ROLL 0.3.0 default of max_grad_norm
  actor_rollout_ref.actor.optim.lr_scheduler_type=constant    # actor_train.training_args.lr_scheduler_type=constant_with_warmup
  actor_rollout_ref.actor.fsdp_config.param_offload=true      # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.fsdp_config.optimizer_offload=true  # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.strategy=fsdp2                      # actor_train.strategy_args.strategy_name=fsdp2_train
  actor_rollout_ref.actor.ppo_mini_batch_size=16              # actor_train.training_args.per_device_train_batch_size=4; 128 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4      # actor_train.training_args.per_device_train_batch_size=4
  actor_rollout_ref.actor.use_dynamic_bsz=false               # ROLL 0.3.0 default of actor_train.use_dynamic_batching_in_train
  actor_rollout_ref.actor.clip_ratio_low=0.2                  # ROLL 0.3.0 default of pg_clip
  actor_rollout_ref.actor.clip_ratio_high=0.2                 # ROLL 0.3.0 default of pg_clip
  actor_rollout_ref.actor.clip_ratio_c=1000000000.0           # none in the source: a bound that no ratio reaches
  actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean   # ROLL 0.3.0 default of loss_agg_mode
  actor_rollout_ref.actor.entropy_coeff=0.0                   # entropy_loss_coef=0.0
  actor_rollout_ref.actor.use_kl_loss=true                    # use_kl_loss=True
  actor_rollout_ref.actor.kl_loss_coef=0.001                  # kl_loss_coef=0.001
  actor_rollout_ref.actor.kl_loss_type=low_var_kl             # ROLL 0.3.0: hard-coded
  actor_rollout_ref.actor.shuffle=true                        # ROLL 0.3.0: mini-batches are always shuffled
  actor_rollout_ref.actor.data_loader_seed=11                 # seed=11
  actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=4   # actor_train.training_args.per_device_train_batch_size=4; as the actor's
  actor_rollout_ref.rollout.name=vllm                         # actor_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.temperature=0.9                   # actor_infer.generating_args.temperature=0.9
  actor_rollout_ref.rollout.top_k=50                          # actor_infer.generating_args.top_k=50
  actor_rollout_ref.rollout.top_p=1.0                         # actor_infer.generating_args.top_p=1.0
  actor_rollout_ref.rollout.seed=11                           # seed=11
  actor_rollout_ref.rollout.gpu_memory_utilization=0.8        # actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.8
  actor_rollout_ref.rollout.enforce_eager=false               # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=2      # actor_infer.strategy_args.strategy_config.tensor_parallel_size=2
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4  # actor_train.training_args.per_device_train_batch_size=4; as the actor's
  actor_rollout_ref.rollout.n=8                               # train_env_manager.group_size=8
  actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct       # pretrain=Qwen/Qwen2.5-7B-Instruct
  actor_rollout_ref.model.trust_remote_code=true              # ROLL 0.3.0: model_providers: always true

  trainer.total_epochs=400                          # enough for 400 rollout periods, which end the run
  trainer.total_training_steps=400                  # max_steps=400
  trainer.project_name=worlds                       # tracker_kwargs.project=worlds
  trainer.experiment_name=lake                      # exp_name=lake
  'trainer.logger=[wandb]'                          # track_with=wandb
  trainer.nnodes=1                                  # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
  trainer.n_gpus_per_node=8                         # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
  trainer.save_freq=100                             # save_steps=100
  trainer.resume_mode=disable                       # resume_from_checkpoint=False, the ROLL 0.3.0 default
  trainer.test_freq=20                              # eval_steps=20
  trainer.default_local_dir=/ckpt/lake/worlds/lake  # checkpoint_config.output_dir=/ckpt/lake; <root>/<project>/<experiment>
  trainer.use_v1=true                               # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync                      # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
