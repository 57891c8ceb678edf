#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo           # adv_estimator=reinforce, norm_mean_type=group
  algorithm.filter_groups.enable=true    # rewards.math_rule.query_filter_config.type=std_filter
  algorithm.filter_groups.metric=reward  # rewards.math_rule.query_filter_config.type=std_filter
  algorithm.use_kl_in_reward=false       # ROLL 0.3.0 default of add_token_level_kl

  'data.train_files=[/data/math/train.jsonl, /data/code/train.jsonl, /data/ifeval/train.jsonl]'  # actor_train.data_args.file_name=[/data/math/train.jsonl, /data/code/train.jsonl, /data/ifeval/train.jsonl]
  data.val_files=/data/math500/test.jsonl  # validation.data_args.file_name=[/data/math500/test.jsonl]
  data.prompt_key=messages                 # actor_train.data_args.messages=messages
  data.max_prompt_length=2048              # prompt_length=2048
  data.max_response_length=6144            # response_length=6144
  data.train_batch_size=64                 # rollout_batch_size=64
  data.seed=7                              # seed=7
  data.filter_overlong_prompts=true        # ROLL 0.3.0: rlvr_pipeline keeps 5 < len <= prompt_length

  actor_rollout_ref.actor.optim.lr=1e-06                      # actor_train.training_args.learning_rate=1e-06
  actor_rollout_ref.actor.optim.weight_decay=0                # actor_train.training_args.weight_decay=0
  actor_rollout_ref.actor.optim.lr_warmup_steps=5             # actor_train.training_args.warmup_steps=10; 10 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0                 # ROLL 0.3.0 default of max_grad_norm
  actor_rollout_ref.actor.optim.lr_scheduler_type=cosine      # actor_train.training_args.lr_scheduler_type=cosine
  actor_rollout_ref.actor.fsdp_config.param_offload=true      # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.fsdp_config.optimizer_offload=true  # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.strategy=fsdp2                      # actor_train.strategy_args.strategy_name=fsdp2_train
  actor_rollout_ref.actor.ppo_mini_batch_size=32              # actor_train.training_args.per_device_train_batch_size=1; 512 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1      # actor_train.training_args.per_device_train_batch_size=1
  actor_rollout_ref.actor.use_dynamic_bsz=false               # ROLL 0.3.0 default of actor_train.use_dynamic_batching_in_train
  actor_rollout_ref.actor.clip_ratio_low=0.2                  # pg_clip_low=0.2, use_pg_clip_range=True
  actor_rollout_ref.actor.clip_ratio_high=0.28                # pg_clip_high=0.28, use_pg_clip_range=True
  actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean   # ROLL 0.3.0 default of loss_agg_mode
  actor_rollout_ref.actor.entropy_coeff=0                     # ROLL 0.3.0 default of entropy_loss_coef
  actor_rollout_ref.actor.use_kl_loss=false                   # ROLL 0.3.0 default of use_kl_loss
  actor_rollout_ref.actor.shuffle=true                        # ROLL 0.3.0: mini-batches are always shuffled
  actor_rollout_ref.actor.data_loader_seed=7                  # seed=7
  actor_rollout_ref.rollout.name=vllm                         # actor_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.temperature=0.99                  # actor_infer.generating_args.temperature=0.99
  actor_rollout_ref.rollout.top_k=100                         # actor_infer.generating_args.top_k=100
  actor_rollout_ref.rollout.top_p=0.99                        # actor_infer.generating_args.top_p=0.99
  actor_rollout_ref.rollout.seed=7                            # seed=7
  actor_rollout_ref.rollout.gpu_memory_utilization=0.8        # actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.8
  actor_rollout_ref.rollout.enforce_eager=false               # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=1      # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.tensor_parallel_size
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=1  # actor_train.training_args.per_device_train_batch_size=1; as the actor's
  actor_rollout_ref.rollout.n=16                              # num_return_sequences_in_group=16
  actor_rollout_ref.rollout.val_kwargs.top_k=50               # validation.generating_args.top_k=50
  actor_rollout_ref.rollout.val_kwargs.top_p=0.7              # validation.generating_args.top_p=0.7
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6        # validation.generating_args.temperature=0.6
  actor_rollout_ref.rollout.val_kwargs.n=1                    # validation.generating_args.num_return_sequences=1
  actor_rollout_ref.model.path=/models/Qwen2.5-7B             # pretrain=/models/Qwen2.5-7B
  actor_rollout_ref.model.trust_remote_code=true              # ROLL 0.3.0: model_providers: always true

  trainer.total_epochs=300               # enough for 300 rollout periods, which end the run
  trainer.total_training_steps=300       # max_steps=300
  trainer.experiment_name=three-domains  # exp_name=three-domains
  'trainer.logger=[tensorboard]'         # track_with=tensorboard
  trainer.nnodes=1                       # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
  trainer.n_gpus_per_node=8              # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
  trainer.save_freq=100                  # save_steps=100
  trainer.resume_mode=disable            # resume_from_checkpoint=False, the ROLL 0.3.0 default
  trainer.test_freq=20                   # eval_steps=20
  trainer.default_local_dir=/ckpt/three-domains/verl_examples/three-domains  # checkpoint_config.output_dir=/ckpt/three-domains; <root>/<project>/<experiment>
  trainer.use_v1=true                    # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync           # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
