#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # adv_estimator=grpo
  algorithm.use_kl_in_reward=false  # ROLL 0.3.0 default of add_token_level_kl

  data.train_files=/data/dapo/train.jsonl  # actor_train.data_args.file_name=[/data/dapo/train.jsonl]
  data.val_files=/data/aime/test.jsonl     # validation.data_args.file_name=[/data/aime/test.jsonl]
  data.max_prompt_length=1024              # prompt_length=1024
  data.max_response_length=8192            # response_length=8192
  data.train_batch_size=128                # rollout_batch_size=128
  data.seed=42                             # ROLL 0.3.0 default of seed
  data.filter_overlong_prompts=true        # ROLL 0.3.0: rlvr_pipeline keeps 5 < len <= prompt_length

  actor_rollout_ref.actor.optim.lr=1e-06                     # actor_train.training_args.learning_rate=1e-06
  actor_rollout_ref.actor.optim.weight_decay=0.1             # actor_train.training_args.weight_decay=0.1
  actor_rollout_ref.actor.optim.clip_grad=0.5                # max_grad_norm=0.5
  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2  # actor_train.strategy_args.strategy_config.tensor_model_parallel_size=2
  actor_rollout_ref.actor.megatron.expert_model_parallel_size=4  # actor_train.strategy_args.strategy_config.expert_model_parallel_size=4
  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2  # actor_train.strategy_args.strategy_config.pipeline_model_parallel_size=2
  '+actor_rollout_ref.actor.megatron.override_transformer_config={recompute_granularity: full, recompute_method: uniform, recompute_num_layers: 1}'  # actor_train.strategy_args.strategy_config.recompute_granularity=full, actor_train.strategy_args.strategy_config.recompute_method=uniform
  actor_rollout_ref.actor.strategy=megatron                  # actor_train.strategy_args.strategy_name=megatron_train
  actor_rollout_ref.actor.ppo_mini_batch_size=32             # actor_train.training_args.per_device_train_batch_size=1; 256 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1     # actor_train.training_args.per_device_train_batch_size=1
  actor_rollout_ref.actor.use_dynamic_bsz=false              # ROLL 0.3.0 default of actor_train.use_dynamic_batching_in_train
  actor_rollout_ref.actor.clip_ratio_low=0.0003              # pg_clip_low=0.0003, use_pg_clip_range=True
  actor_rollout_ref.actor.clip_ratio_high=0.0004             # pg_clip_high=0.0004, use_pg_clip_range=True
  actor_rollout_ref.actor.policy_loss.loss_mode=gspo         # importance_sampling=seq
  actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean  # ROLL 0.3.0 default of loss_agg_mode
  actor_rollout_ref.actor.entropy_coeff=0                    # ROLL 0.3.0 default of entropy_loss_coef
  actor_rollout_ref.actor.use_kl_loss=false                  # ROLL 0.3.0 default of use_kl_loss
  actor_rollout_ref.actor.shuffle=true                       # ROLL 0.3.0: mini-batches are always shuffled
  actor_rollout_ref.rollout.name=vllm                        # actor_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.nnodes=2                         # actor_infer.device_mapping=list(range(16,32)); rollout pool of 16 GPUs
  actor_rollout_ref.rollout.n_gpus_per_node=8                # actor_infer.device_mapping=list(range(16,32)); rollout pool of 16 GPUs
  actor_rollout_ref.rollout.temperature=1.0                  # actor_infer.generating_args.temperature=1.0
  actor_rollout_ref.rollout.top_k=-1                         # actor_infer.generating_args.top_k=-1
  actor_rollout_ref.rollout.top_p=1.0                        # actor_infer.generating_args.top_p=1.0
  actor_rollout_ref.rollout.gpu_memory_utilization=0.85      # actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.85
  actor_rollout_ref.rollout.enforce_eager=false              # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=4     # actor_infer.strategy_args.strategy_config.tensor_parallel_size=4
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2  # actor_train.infer_batch_size=2
  actor_rollout_ref.rollout.n=8                              # num_return_sequences_in_group=8
  actor_rollout_ref.rollout.val_kwargs.top_k=-1              # validation.generating_args.top_k=-1
  actor_rollout_ref.rollout.val_kwargs.top_p=0.95            # validation.generating_args.top_p=0.95
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6       # validation.generating_args.temperature=0.6
  actor_rollout_ref.rollout.val_kwargs.n=8                   # validation.generating_args.num_return_sequences=8
  actor_rollout_ref.rollout.checkpoint_engine.backend=nccl   # separate_async refuses naive
  actor_rollout_ref.model.path=/models/Qwen3-30B-A3B         # pretrain=/models/Qwen3-30B-A3B
  actor_rollout_ref.model.trust_remote_code=true             # ROLL 0.3.0: model_providers: always true
  actor_rollout_ref.model.use_remove_padding=true            # actor_train.use_sequence_packing=True
  actor_rollout_ref.hybrid_engine=false                      # actor_train.device_mapping=list(range(0,16)), actor_infer.device_mapping=list(range(16,32))

  trainer.total_epochs=100                         # enough for 100 rollout periods, which end the run
  trainer.total_training_steps=100                 # max_steps=100
  trainer.experiment_name=moe-30b                  # exp_name=moe-30b
  'trainer.logger=[tensorboard]'                   # track_with=tensorboard
  trainer.nnodes=2                                 # actor_train.device_mapping=list(range(0,16)); trainer pool of 16 GPUs
  trainer.n_gpus_per_node=8                        # actor_train.device_mapping=list(range(0,16)); trainer pool of 16 GPUs
  trainer.save_freq=20                             # save_steps=20
  trainer.resume_mode=disable                      # resume_from_checkpoint=False, the ROLL 0.3.0 default
  trainer.test_freq=10                             # eval_steps=10
  trainer.default_local_dir=/ckpt/moe-30b/verl_examples/moe-30b  # checkpoint_config.output_dir=/ckpt/moe-30b; <root>/<project>/<experiment>
  trainer.use_v1=true                              # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=separate_async           # actor_train.device_mapping=list(range(0,16)), actor_infer.device_mapping=list(range(16,32))
  trainer.v1.separate_async.num_warmup_batches=1   # async_generation_ratio=1
  trainer.v1.separate_async.parameter_sync_step=4  # B x n / G
)

python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer "${ARGS[@]}" "$@"
