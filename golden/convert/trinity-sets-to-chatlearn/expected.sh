#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to ChatLearn 2025.10.23.
# Run it in a checkout of ChatLearn.
export CHATLEARN=$(pwd)
export PYTHONPATH="${CHATLEARN}:${PYTHONPATH:-}"
source scripts/base_env.sh

set -euo pipefail

ARGS=(
  runtime_args.train_backend=fsdp                         # trainer.trainer_strategy=fsdp2
  runtime_args.rollout_backend=sglang                     # explorer.rollout_model.engine_type=sglang
  runtime_args.exp_name=qwen3_8b                          # name=qwen3_8b
  'runtime_args.colocation=[policy_trainer, ref_policy]'  # mode=both, the Trinity-RFT 0.6.0 default
  runtime_args.output_dir=/checkpoints/math/qwen3_8b      # checkpoint_root_dir=/checkpoints; <root>/<project>/<experiment>
  "runtime_args.data_path='/data/math/train.jsonl,/data/code/train.jsonl'"  # buffer.explorer_input.tasksets[0].path=/data/math/train.jsonl, buffer.explorer_input.tasksets[0].storage_type=file
  runtime_args.eval_data_path=/data/math/test.parquet     # buffer.explorer_input.eval_tasksets[0].path=/data/math, buffer.explorer_input.eval_tasksets[0].split=test
  "runtime_args.data_checkpoint_path='\${runtime_args.output_dir}/data_checkpoint_path/'"  # resuming needs a folder for the data loader's state
  runtime_args.num_episode=100                            # buffer.total_steps=400, trainer.total_steps=400
  runtime_args.sample_per_episode=1024                    # buffer.batch_size=32; 128 prompts as sequences
  runtime_args.train_micro_batch_size=8                   # trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8
  runtime_args.train_global_batch_size=256                # buffer.train_batch_size=256, buffer.batch_size=32
  runtime_args.num_inference_per_prompt=8                 # algorithm.repeat_times=8; both copies of n are needed
  runtime_args.save_episode_interval=20                   # trainer.save_interval=80
  runtime_args.data_shuffle=false                         # buffer.explorer_input.tasksets[0].data_selector.selector_type=sequential, the Trinity-RFT 0.6.0 default
  runtime_args.max_replay_episode=1                       # 0 would leave advantages uncomputed
  runtime_args.eval_episode_interval=10                   # explorer.eval_interval=40
  runtime_args.enable_eval_before_training=true           # Trinity-RFT 0.6.0 default of explorer.eval_on_startup
  runtime_args.log_args_dict.log_dir=/checkpoints/math/qwen3_8b  # mandatory
  runtime_args.log_args_dict.enable_wandb=true            # monitor.monitor_type=wandb
  runtime_args.log_args_dict.wandb_project=math           # project=math

  models.policy_trainer.optimizer.lr=1.0e-06        # algorithm.optimizer.lr=1e-06
  models.policy_trainer.optimizer.clip_grad=1.0     # Trinity-RFT 0.6.0 default of algorithm.optimizer.clip_grad
  models.policy_trainer.optimizer.adam_beta2=0.999  # algorithm.optimizer.betas=[0.9, 0.999], the Trinity-RFT 0.6.0 default
  models.policy_trainer.trainable=true              # the model that is trained
  models.policy_trainer.generation_batch_size=8     # trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8; as the actor's
  models.policy_trainer.train_micro_batch_size=8    # trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8
  models.policy_trainer.gpu_per_process=1           # one GPU a process
  models.policy_trainer.num_gpu=4                   # cluster.node_num=1; all GPUs - rollout - auxiliary
  models.policy_trainer.packing=false               # trainer.use_dynamic_bsz=False
  models.policy_trainer.load=/models/Qwen3-8B       # model.model_path=/models/Qwen3-8B
  models.policy_trainer.pos_clip_ratio=0.2          # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_high
  models.policy_trainer.neg_clip_ratio=0.2          # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_range_low
  models.policy_trainer.entropy_coef=0.0            # what Trinity-RFT 0.6.0 does without algorithm.entropy_loss_fn_args.entropy_coef
  models.policy_trainer.kl_coef=0.002               # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  models.policy_trainer.trust_remote_code=false     # Trinity-RFT 0.6.0 default of model.trust_remote_code
  models.ref_policy.generation_batch_size=8         # trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=8; as the actor's
  models.ref_policy.gpu_per_process=1               # one GPU a process
  models.ref_policy.num_gpu=4                       # the reference always exists here, on the trainer's GPUs
  models.ref_policy.load=/models/Qwen3-8B           # model.model_path=/models/Qwen3-8B
  models.ref_policy.packing=false                   # trainer.use_dynamic_bsz=False
  models.ref_policy.trust_remote_code=false         # Trinity-RFT 0.6.0 default of model.trust_remote_code
  models.policy.generation_batch_size=256           # 256 is the engine's own default; ChatLearn's computes one answer at a time
  models.policy.gpu_per_process=1                   # one GPU a process
  models.policy.num_gpu=4                           # explorer.rollout_model.engine_num=4
  models.policy.enforce_eager=false                 # Trinity-RFT 0.6.0 default of explorer.rollout_model.enforce_eager
  models.policy.tensor_model_parallel_size=1        # explorer.rollout_model.tensor_parallel_size=1
  models.policy.load=/models/Qwen3-8B               # model.model_path=/models/Qwen3-8B
  models.policy.num_inference_per_prompt=8          # algorithm.repeat_times=8
  models.policy.max_prompt_tokens_length=1024       # model.max_prompt_tokens=1024
  models.policy.max_response_tokens_length=2048     # model.max_response_tokens=2048
  models.policy.temperature=1.0                     # model.temperature=1.0
  models.policy.top_p=1.0                           # Trinity-RFT 0.6.0 default of model.top_p
  models.policy.eval_temperature=1.0                # model.temperature=1.0
  models.policy.eval_top_p=1.0                      # what Trinity-RFT 0.6.0 does without buffer.explorer_input.eval_tasksets[0].rollout_args.top_p
  models.policy.eval_top_k=-1                       # Trinity-RFT 0.6.0 default of buffer.explorer_input.eval_tasksets[0].rollout_args.top_k
  models.policy.enable_thinking=true                # untold, as in the source, the model's template lets it think
  models.policy.gpu_memory_utilization=0.85         # explorer.rollout_model.gpu_memory_utilization=0.85
  models.policy.trust_remote_code=false             # Trinity-RFT 0.6.0 default of model.trust_remote_code
  models.reward.num_cpu=2                           # rule rewards run on CPUs
  models.reward.cpu_per_process=1                   # rule rewards run on CPUs
)

python chatlearn/entrypoint.py grpo --config-file template/grpo_fsdp.yaml "${ARGS[@]}" "$@"
