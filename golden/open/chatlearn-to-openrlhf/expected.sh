#!/usr/bin/env bash
# Converted by rftconf from ChatLearn 2025.10.23 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --ref.num_nodes 1          # models.ref_policy.num_gpu=8
  --ref.num_gpus_per_node 8  # models.ref_policy.num_gpu=8
  --ref.offload              # models.ref_policy.free_gpu_memory.offload_weights=True

  --actor.num_nodes 1                          # models.policy_trainer.num_gpu=8
  --actor.num_gpus_per_node 8                  # models.policy_trainer.num_gpu=8
  --actor.eps_clip_low_high 0.2 0.28           # models.policy_trainer.pos_clip_ratio=0.28
  --actor.adam.lr 2e-06                        # models.policy_trainer.optimizer.lr=2e-06
  --actor.adam.weight_decay 0.01               # ChatLearn 2025.10.23 default of models.policy_trainer.optimizer.weight_decay
  --actor.lr_scheduler constant                # ChatLearn 2025.10.23: no scheduler
  --actor.lr_warmup_ratio 0.0                  # ChatLearn 2025.10.23: the first update has the full rate
  --actor.model_name_or_path /models/Qwen3-8B  # models.policy.load=/models/Qwen3-8B, models.policy_trainer.load=/models/Qwen3-8B

  --train.colocate_all        # runtime_args.colocation=[policy, policy_trainer, ref_policy]
  --train.num_episodes 1      # one pass over these rows
  --train.micro_batch_size 4  # models.policy_trainer.train_micro_batch_size=4
  --train.batch_size 512      # runtime_args.train_global_batch_size=512

  --vllm.num_engines 4               # models.policy.num_gpu=8
  --vllm.tensor_parallel_size 2      # models.policy.tensor_model_parallel_size=2
  --vllm.enable_sleep                # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.7  # models.policy.gpu_memory_utilization=0.7

  --eval.steps 5                                # runtime_args.eval_episode_interval=5
  --eval.dataset "${HOME_DIR}/math/test.jsonl"  # runtime_args.eval_data_path=${HOME_DIR}/math/test.jsonl
  --eval.temperature 0.6                        # models.policy.eval_temperature=0.6
  --eval.n_samples_per_prompt 1                 # ChatLearn 2025.10.23: evaluation draws one answer a prompt

  --ckpt.save_steps 10              # runtime_args.save_episode_interval=10
  --ckpt.path "${HOME_DIR}/output"  # runtime_args.output_dir=${HOME_DIR}/output/qwen3_8b
  --ckpt.save_hf                    # ChatLearn 2025.10.23 default of models.policy_trainer.save_hf
  --ckpt.load_enable                # runtime_args.data_checkpoint_path=${HOME_DIR}/output/qwen3_8b/state/

  --ds.zero_stage 3  # weights are sharded, as in the source
  --ds.enable_sleep  # models.policy_trainer.free_gpu_memory.offload_weights=True, models.policy_trainer.free_gpu_memory.offload_optimizer_states=True

  --rollout.batch_size 256          # runtime_args.sample_per_episode=2048
  --rollout.micro_batch_size 8      # models.policy_trainer.generation_batch_size=8
  --rollout.max_new_tokens 2048     # models.policy.max_response_tokens_length=2048
  --rollout.n_samples_per_prompt 8  # models.policy.num_inference_per_prompt=8, runtime_args.num_inference_per_prompt=8

  --data.max_len 3072                                   # models.policy.max_prompt_tokens_length=1024; the longest prompt and the longest answer
  --data.max_samples 25600                              # runtime_args.num_episode=100; 100 rollout periods take 25600 prompts
  --data.prompt_dataset "${HOME_DIR}/math/train.jsonl"  # runtime_args.data_path=${HOME_DIR}/math/train.jsonl
  --data.input_key prompt                               # ChatLearn 2025.10.23: prompt_dataset reads this column
  --data.apply_chat_template                            # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.001              # models.policy_trainer.kl_coef=0.001
  --algo.kl.estimator k3                 # ChatLearn 2025.10.23: clamped k3
  --algo.advantage.estimator group_norm  # ChatLearn 2025.10.23: GRPO is the only algorithm: group mean and deviation
  --algo.kl.use_loss                     # models.policy_trainer.kl_coef=0.001

  --reward.remote_url '???'

  --logger.wandb.key "${WANDB_API_KEY}"  # runtime_args.log_args_dict.enable_wandb=True; the key comes from the environment
  --logger.wandb.project math            # runtime_args.log_args_dict.wandb_project=math
  --logger.wandb.run_name qwen3_8b       # runtime_args.exp_name=qwen3_8b
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
