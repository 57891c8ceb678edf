#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  data.train_files=/data/aime/test.parquet  # veRL opens a training file even if it only evaluates
  data.val_files=/data/aime/test.parquet    # buffer.explorer_input.eval_tasksets[0].path=/data/aime, buffer.explorer_input.eval_tasksets[0].split=test
  data.prompt_key=question                  # buffer.explorer_input.eval_tasksets[0].format.prompt_key=question
  data.max_prompt_length=2048               # model.max_prompt_tokens=2048
  data.max_response_length=8192             # model.max_response_tokens=8192

  actor_rollout_ref.actor.use_dynamic_bsz=true            # the trainer's micro-batches are checked although nothing trains
  actor_rollout_ref.rollout.name=vllm                     # explorer.rollout_model.engine_type=vllm
  actor_rollout_ref.rollout.gpu_memory_utilization=0.5    # chosen: 0.9 became 0.5: the engine shares its GPUs with the trainer now; veRL's default
  actor_rollout_ref.rollout.enforce_eager=false           # Trinity-RFT 0.6.0 default of explorer.rollout_model.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=2  # explorer.rollout_model.tensor_parallel_size=2
  actor_rollout_ref.rollout.val_kwargs.top_k=-1           # Trinity-RFT 0.6.0 default of buffer.explorer_input.eval_tasksets[0].rollout_args.top_k
  actor_rollout_ref.rollout.val_kwargs.top_p=1.0          # what Trinity-RFT 0.6.0 does without buffer.explorer_input.eval_tasksets[0].rollout_args.top_p
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6    # buffer.explorer_input.eval_tasksets[0].rollout_args.temperature=0.6
  actor_rollout_ref.rollout.val_kwargs.n=4                # buffer.explorer_input.eval_tasksets[0].repeat_times=4
  actor_rollout_ref.model.path=/models/Qwen3-8B           # model.model_path=/models/Qwen3-8B

  trainer.project_name=eval                   # project=eval
  trainer.experiment_name=qwen3               # name=qwen3
  'trainer.logger=[tensorboard]'              # monitor.monitor_type=tensorboard
  trainer.nnodes=1                            # cluster.node_num=1
  trainer.n_gpus_per_node=8                   # cluster.gpu_per_node=8
  trainer.val_before_train=true               # mode=bench; val_only stops after the validation before training
  trainer.val_only=true                       # mode=bench, algorithm.algorithm_type=grpo
  trainer.default_local_dir=/ckpt/eval/qwen3  # checkpoint_root_dir=/ckpt; <root>/<project>/<experiment>
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
