#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # nothing is learned from it; gae would train a critic
  algorithm.use_kl_in_reward=false  # ROLL 0.3.0: the teacher's divergence is the advantage

  data.train_files=/data/math-train.jsonl  # student_train.data_args.file_name=[/data/math-train.jsonl]
  data.val_files=/data/math-test.jsonl     # validation.data_args.file_name=[/data/math-test.jsonl]
  data.prompt_key=messages                 # student_train.data_args.messages=messages
  data.max_prompt_length=1024              # prompt_length=1024
  data.max_response_length=4096            # response_length=4096
  data.train_batch_size=64                 # rollout_batch_size=64
  data.seed=7                              # seed=7
  data.filter_overlong_prompts=true        # ROLL 0.3.0: rlvr_pipeline keeps 5 < len <= prompt_length

  actor_rollout_ref.actor.optim.lr=1e-06                     # student_train.training_args.learning_rate=1e-06
  actor_rollout_ref.actor.optim.lr_warmup_steps=5            # student_train.training_args.warmup_steps=10; 10 updates as scheduler ticks
  actor_rollout_ref.actor.optim.clip_grad=1.0                # ROLL 0.3.0 default of max_grad_norm
  actor_rollout_ref.actor.optim.lr_decay_style=linear        # ROLL 0.3.0 default of student_train.training_args.lr_scheduler_type
  actor_rollout_ref.actor.megatron.param_offload=true        # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.megatron.optimizer_offload=true    # ROLL 0.3.0: every role leaves its GPUs between its turns
  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2  # student_train.strategy_args.strategy_config.tensor_model_parallel_size=2
  actor_rollout_ref.actor.megatron.sequence_parallel=false   # what ROLL 0.3.0 does without student_train.strategy_args.strategy_config.sequence_parallel
  actor_rollout_ref.actor.strategy=megatron                  # student_train.strategy_args.strategy_name=megatron_train
  actor_rollout_ref.actor.ppo_mini_batch_size=32             # student_train.training_args.per_device_train_batch_size=4; 128 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4     # student_train.training_args.per_device_train_batch_size=4
  actor_rollout_ref.actor.use_dynamic_bsz=false              # ROLL 0.3.0 default of student_train.use_dynamic_batching_in_train
  actor_rollout_ref.actor.loss_agg_mode=seq-mean-token-mean  # ROLL 0.3.0 default of loss_agg_mode
  actor_rollout_ref.actor.entropy_coeff=0                    # ROLL 0.3.0 default of entropy_loss_coef
  actor_rollout_ref.actor.use_kl_loss=false                  # ROLL 0.3.0: the teacher's divergence is the advantage
  actor_rollout_ref.actor.shuffle=true                       # ROLL 0.3.0: mini-batches are always shuffled
  actor_rollout_ref.actor.data_loader_seed=7                 # seed=7
  actor_rollout_ref.rollout.name=vllm                        # student_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.temperature=1.0                  # student_infer.generating_args.temperature=1.0
  actor_rollout_ref.rollout.top_k=-1                         # student_infer.generating_args.top_k=-1
  actor_rollout_ref.rollout.top_p=1.0                        # student_infer.generating_args.top_p=1.0
  actor_rollout_ref.rollout.seed=7                           # seed=7
  actor_rollout_ref.rollout.gpu_memory_utilization=0.7       # student_infer.strategy_args.strategy_config.gpu_memory_utilization=0.7
  actor_rollout_ref.rollout.enforce_eager=false              # what ROLL 0.3.0 does without student_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=1     # what ROLL 0.3.0 does without student_infer.strategy_args.strategy_config.tensor_parallel_size
  actor_rollout_ref.rollout.load_format=auto                 # student_infer.strategy_args.strategy_config.load_format=auto
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8  # student_train.infer_batch_size=8
  actor_rollout_ref.rollout.n=4                              # num_return_sequences_in_group=4
  actor_rollout_ref.rollout.val_kwargs.top_k=50              # validation.generating_args.top_k=50
  actor_rollout_ref.rollout.val_kwargs.top_p=0.95            # validation.generating_args.top_p=0.95
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6       # validation.generating_args.temperature=0.6
  actor_rollout_ref.rollout.val_kwargs.n=2                   # validation.generating_args.num_return_sequences=2
  actor_rollout_ref.model.path=/models/qwen-7b               # student_train.model_args.model_name_or_path=/models/qwen-7b, student_infer.model_args.model_name_or_path=/models/qwen-7b
  actor_rollout_ref.model.trust_remote_code=true             # ROLL 0.3.0: model_providers: always true
  actor_rollout_ref.model.use_remove_padding=false           # ROLL 0.3.0 default of student_train.use_sequence_packing

  trainer.total_epochs=300                    # enough for 300 rollout periods, which end the run
  trainer.total_training_steps=300            # max_steps=300
  trainer.experiment_name=follow-the-teacher  # exp_name=follow-the-teacher
  'trainer.logger=[tensorboard]'              # track_with=tensorboard
  trainer.nnodes=1                            # chosen: all 8 GPUs in turns
  trainer.n_gpus_per_node=8                   # chosen: all 8 GPUs in turns
  trainer.save_freq=50                        # save_steps=50
  trainer.resume_mode=disable                 # resume_from_checkpoint=False, the ROLL 0.3.0 default
  trainer.test_freq=25                        # eval_steps=25
  trainer.default_local_dir=/data/checkpoints/verl_examples/follow-the-teacher  # checkpoint_config.output_dir=/data/checkpoints; <root>/<project>/<experiment>
  trainer.use_v1=true                         # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync                # chosen: engines and trainer take turns on the same GPUs

  distillation.enabled=true                                # ROLL 0.3.0: each pipeline has a start script of its own
  distillation.distillation_loss.loss_mode=kl              # kl_penalty=kl
  distillation.distillation_loss.use_task_rewards=false    # ROLL 0.3.0: each pipeline has a start script of its own
  distillation.distillation_loss.use_policy_gradient=true  # ROLL 0.3.0: functionals: advantages = -coefficient x KL
  distillation.distillation_loss.clip_ratio_low=0.2        # ROLL 0.3.0 default of pg_clip
  distillation.distillation_loss.clip_ratio_high=0.2       # ROLL 0.3.0 default of pg_clip
  distillation.n_gpus_per_node=4                           # chosen: one engine of 4 GPUs
  distillation.nnodes=1                                    # chosen: one engine of 4 GPUs
  distillation.teacher_models.teacher_model.model_path=/models/qwen-32b  # teacher.model_args.model_name_or_path=/models/qwen-32b
  distillation.teacher_models.teacher_model.inference.name=vllm  # teacher.strategy_args.strategy_name=megatron_infer
  distillation.teacher_models.teacher_model.inference.dtype=bfloat16  # teacher.model_args.dtype=bf16
  distillation.teacher_models.teacher_model.inference.tensor_model_parallel_size=4  # teacher.strategy_args.strategy_config.tensor_model_parallel_size=4
)

python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer "${ARGS[@]}" "$@"
