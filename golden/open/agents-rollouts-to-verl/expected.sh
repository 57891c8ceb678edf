#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  data.max_prompt_length=1024    # ROLL 0.3.0 default of prompt_length
  data.max_response_length=7168  # sequence_length=8192

  actor_rollout_ref.actor.use_dynamic_bsz=true             # the trainer's micro-batches are checked although nothing trains
  actor_rollout_ref.rollout.name=vllm                      # actor_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.gpu_memory_utilization=0.5     # chosen: 0.8 became 0.5: the engine shares its GPUs with the trainer now; veRL's default
  actor_rollout_ref.rollout.enforce_eager=false            # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=1   # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.tensor_parallel_size
  actor_rollout_ref.rollout.load_format=auto               # actor_infer.strategy_args.strategy_config.load_format=auto
  actor_rollout_ref.rollout.val_kwargs.top_k=100           # actor_infer.generating_args.top_k=100
  actor_rollout_ref.rollout.val_kwargs.top_p=0.99          # actor_infer.generating_args.top_p=0.99
  actor_rollout_ref.rollout.val_kwargs.temperature=0.99    # actor_infer.generating_args.temperature=0.99
  actor_rollout_ref.rollout.val_kwargs.n=4                 # train_env_manager.group_size=4
  actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct  # pretrain=Qwen/Qwen2.5-0.5B-Instruct
  actor_rollout_ref.model.trust_remote_code=true           # ROLL 0.3.0: model_providers: always true

  trainer.experiment_name=agentic_rollout  # exp_name=agentic_rollout
  'trainer.logger=[tensorboard]'           # track_with=tensorboard
  trainer.nnodes=1                         # actor_infer.device_mapping=list(range(0,8))
  trainer.n_gpus_per_node=8                # actor_infer.device_mapping=list(range(0,8))
  trainer.resume_mode=disable              # resume_from_checkpoint=False, the ROLL 0.3.0 default
  trainer.val_before_train=true            # val_only stops after the validation before training
  trainer.val_only=true                    # ROLL 0.3.0: start_agentic_rollout_pipeline.py trains nothing
  trainer.default_local_dir=./output/verl_examples/agentic_rollout  # <root>/<project>/<experiment>
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
