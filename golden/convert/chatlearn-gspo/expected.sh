#!/usr/bin/env bash
# Converted by rftconf from veRL 0.9.1 to ChatLearn 2025.10.23.
# Run it in a checkout of ChatLearn.
export CHATLEARN=$(pwd)
export PYTHONPATH="${CHATLEARN}:${PYTHONPATH:-}"
source scripts/base_env.sh

set -euo pipefail

ARGS=(
  runtime_args.train_backend=megatron                  # veRL 0.9.1 default of actor_rollout_ref.actor.strategy
  runtime_args.rollout_backend=sglang                  # actor_rollout_ref.rollout.name=sglang
  runtime_args.exp_name=qwen3_30b                      # trainer.experiment_name=qwen3_30b
  'runtime_args.colocation=[policy, policy_trainer, ref_policy]'  # trainer.v1.trainer_mode=sync, the veRL 0.9.1 default
  runtime_args.output_dir=checkpoints/math/qwen3_30b   # <root>/<project>/<experiment>
  runtime_args.data_path=/data/math/train.parquet      # data.train_files=/data/math/train.parquet
  runtime_args.eval_data_path=/data/math/test.parquet  # data.val_files=/data/math/test.parquet
  runtime_args.num_episode=100                         # trainer.total_training_steps=100
  runtime_args.sample_per_episode=2048                 # data.train_batch_size=256; 256 prompts as sequences
  runtime_args.train_micro_batch_size=1                # asked for, but not used with packing
  runtime_args.train_global_batch_size=512             # actor_rollout_ref.actor.ppo_mini_batch_size=64
  runtime_args.save_episode_interval=10                # trainer.save_freq=10
  runtime_args.data_shuffle=true                       # veRL 0.9.1 default of data.shuffle
  runtime_args.max_replay_episode=1                    # 0 would leave advantages uncomputed
  runtime_args.eval_episode_interval=10                # trainer.test_freq=10
  runtime_args.enable_eval_before_training=false       # trainer.val_before_train=False
  runtime_args.log_args_dict.log_dir=checkpoints/math/qwen3_30b  # mandatory
  runtime_args.log_args_dict.enable_wandb=true         # trainer.logger=[console, wandb], the veRL 0.9.1 default
  runtime_args.log_args_dict.wandb_project=math        # trainer.project_name=math
  runtime_args.num_inference_per_prompt=8              # actor_rollout_ref.rollout.n=8; both copies of n are needed
  runtime_args.enable_resume_training=false            # trainer.resume_mode=disable
  runtime_args.data_checkpoint_path=null               # ChatLearn's own default; the template says ${runtime_args.output_dir}/data_checkpoint_path/

  models.policy_trainer.free_gpu_memory.offload_weights=true  # actor_rollout_ref.actor.megatron.param_offload=True
  models.policy_trainer.free_gpu_memory.offload_optimizer_states=true  # actor_rollout_ref.actor.megatron.optimizer_offload=True
  models.policy_trainer.optimizer.lr=1.0e-06                  # actor_rollout_ref.actor.optim.lr=1e-06
  models.policy_trainer.optimizer.min_lr=1.0e-06              # equal to lr, or the rate collapses after the first update
  models.policy_trainer.optimizer.clip_grad=1.0               # veRL 0.9.1 default of actor_rollout_ref.actor.optim.clip_grad
  models.policy_trainer.optimizer.adam_beta2=0.999            # actor_rollout_ref.actor.optim.betas=[0.9, 0.999], the veRL 0.9.1 default
  models.policy_trainer.max_prompt_tokens_length=1024         # data.max_prompt_length=1024
  models.policy_trainer.max_response_tokens_length=4096       # data.max_response_length=4096
  models.policy_trainer.tokenizer_type=HuggingFaceTokenizer
  models.policy_trainer.trust_remote_code=false               # veRL 0.9.1 default of actor_rollout_ref.model.trust_remote_code
  models.policy_trainer.tokenizer_model=/models/Qwen3-30B-A3B
  models.policy_trainer.trainable=true                        # the model that is trained
  models.policy_trainer.gpu_per_process=1                     # one GPU a process
  models.policy_trainer.num_gpu=16                            # trainer.nnodes=2, trainer.n_gpus_per_node=8
  models.policy_trainer.tensor_model_parallel_size=4          # actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4
  models.policy_trainer.pipeline_model_parallel_size=2        # actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2
  models.policy_trainer.load=/models/Qwen3-30B-A3B-mcore      # actor_rollout_ref.actor.megatron.dist_checkpointing_path=/models/Qwen3-30B-A3B-mcore, actor_rollout_ref.actor.megatron.use_dist_checkpointing=True
  models.policy_trainer.use_distributed_optimizer=true        # veRL 0.9.1 default of actor_rollout_ref.actor.megatron.use_distributed_optimizer
  models.policy_trainer.pos_clip_ratio=0.0004                 # actor_rollout_ref.actor.clip_ratio_high=0.0004
  models.policy_trainer.neg_clip_ratio=0.0003                 # actor_rollout_ref.actor.clip_ratio_low=0.0003
  models.policy_trainer.use_group_sequence_policy=true        # actor_rollout_ref.actor.policy_loss.loss_mode=gspo
  models.policy_trainer.packing=true                          # actor_rollout_ref.actor.use_dynamic_bsz=True
  models.policy_trainer.max_token_in_packing=20480            # actor_rollout_ref.actor.ppo_max_token_len_per_gpu=20480
  models.policy_trainer.seed=42                               # veRL 0.9.1 default of actor_rollout_ref.actor.megatron.seed
  models.ref_policy.free_gpu_memory.offload_weights=true      # waits in host memory while the others run, as in ChatLearn's examples
  models.ref_policy.max_prompt_tokens_length=1024             # data.max_prompt_length=1024
  models.ref_policy.max_response_tokens_length=4096           # data.max_response_length=4096
  models.ref_policy.tokenizer_type=HuggingFaceTokenizer
  models.ref_policy.trust_remote_code=false                   # veRL 0.9.1 default of actor_rollout_ref.model.trust_remote_code
  models.ref_policy.tokenizer_model=/models/Qwen3-30B-A3B
  models.ref_policy.tensor_model_parallel_size=4              # as the trainer's
  models.ref_policy.pipeline_model_parallel_size=2            # as the trainer's
  models.ref_policy.gpu_per_process=1                         # one GPU a process
  models.ref_policy.num_gpu=16                                # the reference always exists here, on the trainer's GPUs
  models.ref_policy.load=/models/Qwen3-30B-A3B-mcore          # as the trainer's
  models.ref_policy.packing=true
  models.ref_policy.max_token_in_packing=20480
  models.policy.free_gpu_memory.offload_weights=true          # engines give their memory back while the trainer runs
  models.policy.tensor_model_parallel_size=4                  # actor_rollout_ref.rollout.tensor_model_parallel_size=4
  models.policy.generation_batch_size=256                     # veRL 0.9.1 default of actor_rollout_ref.rollout.max_num_seqs
  models.policy.gpu_per_process=1                             # one GPU a process
  models.policy.num_gpu=16                                    # trainer.nnodes=2, trainer.n_gpus_per_node=8
  models.policy.trust_remote_code=false                       # veRL 0.9.1 default of actor_rollout_ref.model.trust_remote_code
  models.policy.load=/models/Qwen3-30B-A3B                    # actor_rollout_ref.model.path=/models/Qwen3-30B-A3B
  models.policy.num_inference_per_prompt=8                    # actor_rollout_ref.rollout.n=8
  models.policy.max_prompt_tokens_length=1024                 # data.max_prompt_length=1024
  models.policy.max_response_tokens_length=4096               # data.max_response_length=4096
  models.policy.temperature=1.0                               # veRL 0.9.1 default of actor_rollout_ref.rollout.temperature
  models.policy.top_p=1                                       # veRL 0.9.1 default of actor_rollout_ref.rollout.top_p
  models.policy.eval_temperature=0                            # veRL 0.9.1 default of actor_rollout_ref.rollout.val_kwargs.temperature
  models.policy.eval_top_p=1.0                                # veRL 0.9.1 default of actor_rollout_ref.rollout.val_kwargs.top_p
  models.policy.eval_top_k=-1                                 # veRL 0.9.1 default of actor_rollout_ref.rollout.val_kwargs.top_k
  models.policy.enable_thinking=true                          # untold, as in the source, the model's template lets it think
  models.policy.gpu_memory_utilization=0.5                    # veRL 0.9.1 default of actor_rollout_ref.rollout.gpu_memory_utilization
  models.policy.enforce_eager=false                           # veRL 0.9.1 default of actor_rollout_ref.rollout.enforce_eager
  models.policy.max_num_batched_tokens=8192                   # veRL 0.9.1 default of actor_rollout_ref.rollout.max_num_batched_tokens
  models.reward.num_cpu=2                                     # rule rewards run on CPUs
  models.reward.cpu_per_process=1                             # rule rewards run on CPUs
)

python chatlearn/entrypoint.py grpo --config-file template/grpo_megatron.yaml "${ARGS[@]}" "$@"
