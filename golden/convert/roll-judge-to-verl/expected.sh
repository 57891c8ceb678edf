#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # adv_estimator=grpo
  algorithm.use_kl_in_reward=false  # ROLL 0.3.0 default of add_token_level_kl

  data.train_files=/data/open/train.jsonl  # actor_train.data_args.file_name=[/data/open/train.jsonl]
  data.val_files=/data/open/test.jsonl     # validation.data_args.file_name=[/data/open/test.jsonl]
  data.prompt_key=messages                 # actor_train.data_args.messages=messages
  data.max_prompt_length=1024              # prompt_length=1024
  data.max_response_length=3072            # response_length=3072
  data.train_batch_size=128                # rollout_batch_size=128
  data.seed=42                             # seed=42
  data.filter_overlong_prompts=true        # ROLL 0.3.0: rlvr_pipeline keeps 5 < len <= prompt_length

  actor_rollout_ref.actor.optim.lr=1e-06                      # actor_train.training_args.learning_rate=1e-06
  actor_rollout_ref.actor.optim.lr_warmup_steps=5             # actor_train.training_args.warmup_steps=20; 20 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0                 # ROLL 0.3.0 default of max_grad_norm
  actor_rollout_ref.actor.optim.lr_scheduler_type=constant    # actor_train.training_args.lr_scheduler_type=constant_with_warmup
  actor_rollout_ref.actor.fsdp_config.param_offload=true      # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.fsdp_config.optimizer_offload=true  # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.fsdp_config.fsdp_size=8             # actor_train.strategy_args.strategy_config.fsdp_size=8
  actor_rollout_ref.actor.strategy=fsdp2                      # actor_train.strategy_args.strategy_name=fsdp2_train
  actor_rollout_ref.actor.ppo_mini_batch_size=32              # actor_train.training_args.per_device_train_batch_size=2; 256 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2      # actor_train.training_args.per_device_train_batch_size=2
  actor_rollout_ref.actor.use_dynamic_bsz=false               # ROLL 0.3.0 default of actor_train.use_dynamic_batching_in_train
  actor_rollout_ref.actor.clip_ratio_low=0.2                  # pg_clip=0.2
  actor_rollout_ref.actor.clip_ratio_high=0.2                 # pg_clip=0.2
  actor_rollout_ref.actor.clip_ratio_c=1000000000.0           # none in the source: a bound that no ratio reaches
  actor_rollout_ref.actor.loss_agg_mode=token-mean            # loss_agg_mode=token-mean
  actor_rollout_ref.actor.entropy_coeff=0.0                   # entropy_loss_coef=0.0
  actor_rollout_ref.actor.use_kl_loss=true                    # use_kl_loss=True
  actor_rollout_ref.actor.kl_loss_coef=0.001                  # kl_loss_coef=0.001
  actor_rollout_ref.actor.kl_loss_type=low_var_kl             # ROLL 0.3.0: hard-coded
  actor_rollout_ref.actor.shuffle=true                        # ROLL 0.3.0: mini-batches are always shuffled
  actor_rollout_ref.actor.ulysses_sequence_parallel_size=2    # actor_train.model_args.ulysses_size=2
  actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=16  # reference.infer_batch_size=16
  actor_rollout_ref.ref.fsdp_config.fsdp_size=8               # reference.strategy_args.strategy_config.fsdp_size=8
  actor_rollout_ref.rollout.name=vllm                         # actor_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.temperature=1.0                   # actor_infer.generating_args.temperature=1.0
  actor_rollout_ref.rollout.top_k=-1                          # actor_infer.generating_args.top_k=-1
  actor_rollout_ref.rollout.top_p=1.0                         # actor_infer.generating_args.top_p=1.0
  actor_rollout_ref.rollout.gpu_memory_utilization=0.7        # actor_infer.strategy_args.strategy_config.gpu_memory_utilization=0.7
  actor_rollout_ref.rollout.enforce_eager=false               # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=2      # actor_infer.strategy_args.strategy_config.tensor_parallel_size=2
  actor_rollout_ref.rollout.max_num_batched_tokens=16384      # actor_infer.strategy_args.strategy_config.max_num_batched_tokens=16384
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8  # actor_train.infer_batch_size=8
  actor_rollout_ref.rollout.n=8                               # num_return_sequences_in_group=8
  actor_rollout_ref.rollout.val_kwargs.top_k=50               # validation.generating_args.top_k=50
  actor_rollout_ref.rollout.val_kwargs.top_p=0.95             # validation.generating_args.top_p=0.95
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6        # validation.generating_args.temperature=0.6
  actor_rollout_ref.rollout.val_kwargs.n=4                    # validation.generating_args.num_return_sequences=4
  actor_rollout_ref.model.path=/models/Qwen2.5-7B             # pretrain=/models/Qwen2.5-7B
  actor_rollout_ref.model.trust_remote_code=true              # ROLL 0.3.0: model_providers: always true

  reward.reward_model.enable=true                             # rewards.llm_judge.judge_model_type=inference
  reward.reward_model.enable_resource_pool=true               # rewards.llm_judge.device_mapping=list(range(8,12))
  reward.reward_model.n_gpus_per_node=4                       # rewards.llm_judge.device_mapping=list(range(8,12))
  reward.reward_model.nnodes=1                                # rewards.llm_judge.device_mapping=list(range(8,12))
  reward.reward_model.model_path=/models/Qwen2.5-32B-Instruct  # rewards.llm_judge.model_args.model_name_or_path=/models/Qwen2.5-32B-Instruct
  reward.reward_model.rollout.name=vllm                       # rewards.llm_judge.strategy_args.strategy_name=vllm
  reward.reward_model.rollout.dtype=bfloat16                  # rewards.llm_judge.model_args.dtype=bf16
  reward.reward_model.rollout.gpu_memory_utilization=0.85     # rewards.llm_judge.strategy_args.strategy_config.gpu_memory_utilization=0.85
  reward.reward_model.rollout.enforce_eager=false             # what ROLL 0.3.0 does without rewards.llm_judge.strategy_args.strategy_config.enforce_eager
  reward.reward_model.rollout.data_parallel_size=1            # ROLL 0.3.0: every worker is an engine of its own
  reward.reward_model.rollout.tensor_model_parallel_size=2    # rewards.llm_judge.strategy_args.strategy_config.tensor_parallel_size=2
  reward.reward_model.rollout.pipeline_model_parallel_size=1  # what ROLL 0.3.0 does without rewards.llm_judge.strategy_args.strategy_config.pipeline_parallel_size
  reward.reward_model.rollout.max_model_len=8192              # rewards.llm_judge.strategy_args.strategy_config.max_model_len=8192
  reward.reward_model.rollout.load_format=auto                # rewards.llm_judge.strategy_args.strategy_config.load_format=auto
  reward.reward_model.rollout.prompt_length=7680              # rewards.llm_judge.strategy_args.strategy_config.max_model_len=8192; 8192 - 512 tokens
  reward.reward_model.rollout.response_length=512             # rewards.llm_judge.generating_args.max_new_tokens=512

  trainer.total_epochs=200                   # enough for 200 rollout periods, which end the run
  trainer.total_training_steps=200           # max_steps=200
  trainer.project_name=rlvr                  # tracker_kwargs.project=rlvr
  trainer.experiment_name=qwen2.5-7b-judged  # exp_name=qwen2.5-7b-judged
  'trainer.logger=[wandb]'                   # track_with=wandb
  trainer.nnodes=1                           # actor_train.device_mapping=list(range(0,8)); the 4 GPUs of the reward model are a pool of their own
  trainer.n_gpus_per_node=8                  # actor_train.device_mapping=list(range(0,8)); the 4 GPUs of the reward model are a pool of their own
  trainer.save_freq=50                       # save_steps=50
  trainer.resume_mode=disable                # resume_from_checkpoint=False
  trainer.test_freq=10                       # eval_steps=10
  trainer.default_local_dir=/ckpt/qwen2.5-7b-judged/rlvr/qwen2.5-7b-judged  # checkpoint_config.output_dir=/ckpt/qwen2.5-7b-judged; <root>/<project>/<experiment>
  trainer.use_v1=true                        # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync               # actor_train.device_mapping=list(range(0,8)), actor_infer.device_mapping=list(range(0,8))
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
