#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  'data.train_files=[/data/math/test.jsonl, /data/code/test.jsonl]'  # veRL opens a training file even if it only evaluates
  'data.val_files=[/data/math/test.jsonl, /data/code/test.jsonl]'  # validation.data_args.file_name=[/data/math/test.jsonl, /data/code/test.jsonl]
  data.prompt_key=messages       # actor_train.data_args.messages=messages
  data.max_prompt_length=2048    # prompt_length=2048
  data.max_response_length=8192  # response_length=8192

  actor_rollout_ref.actor.use_dynamic_bsz=true              # the trainer's micro-batches are checked although nothing trains
  actor_rollout_ref.rollout.name=vllm                       # actor_infer.strategy_args.strategy_name=vllm
  actor_rollout_ref.rollout.seed=7                          # seed=7
  actor_rollout_ref.rollout.gpu_memory_utilization=0.5      # chosen: 0.85 became 0.5: the engine shares its GPUs with the trainer now; veRL's default
  actor_rollout_ref.rollout.enforce_eager=false             # what ROLL 0.3.0 does without actor_infer.strategy_args.strategy_config.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=2    # actor_infer.strategy_args.strategy_config.tensor_parallel_size=2
  actor_rollout_ref.rollout.load_format=auto                # actor_infer.strategy_args.strategy_config.load_format=auto
  actor_rollout_ref.rollout.val_kwargs.top_k=50             # validation.generating_args.top_k=50
  actor_rollout_ref.rollout.val_kwargs.top_p=0.95           # validation.generating_args.top_p=0.95
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6      # validation.generating_args.temperature=0.6
  actor_rollout_ref.rollout.val_kwargs.n=4                  # validation.generating_args.num_return_sequences=4
  actor_rollout_ref.model.path=/models/Qwen2.5-7B-Instruct  # pretrain=/models/Qwen2.5-7B-Instruct
  actor_rollout_ref.model.trust_remote_code=true            # ROLL 0.3.0: model_providers: always true

  trainer.project_name=scores                          # tracker_kwargs.project=scores
  trainer.experiment_name=scores-7b                    # exp_name=scores-7b
  'trainer.logger=[wandb]'                             # track_with=wandb
  trainer.nnodes=2                                     # actor_infer.device_mapping=list(range(0,16))
  trainer.n_gpus_per_node=8                            # num_gpus_per_node=8, actor_infer.device_mapping=list(range(0,16))
  trainer.resume_mode=disable                          # resume_from_checkpoint=False, the ROLL 0.3.0 default
  trainer.val_before_train=true                        # max_steps=0; val_only stops after the validation before training
  trainer.val_only=true                                # max_steps=0
  trainer.default_local_dir=./output/scores/scores-7b  # output_dir=./output; <root>/<project>/<experiment>
)

python3 -m verl.trainer.main_ppo "${ARGS[@]}" "$@"
