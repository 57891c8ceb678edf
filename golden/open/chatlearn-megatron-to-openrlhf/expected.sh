#!/usr/bin/env bash
# Converted by rftconf from ChatLearn 2025.10.23 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --actor.num_nodes 2                               # models.policy_trainer.num_gpu=16
  --actor.num_gpus_per_node 8                       # models.policy_trainer.num_gpu=16
  --actor.eps_clip 0.001                            # models.policy_trainer.neg_clip_ratio=0.001, models.policy_trainer.pos_clip_ratio=0.001
  --actor.policy_loss_type gspo                     # models.policy_trainer.use_group_sequence_policy=True
  --actor.adam.lr 2e-06                             # models.policy_trainer.optimizer.lr=2e-06
  --actor.adam.weight_decay 0.01                    # ChatLearn 2025.10.23 default of models.policy_trainer.optimizer.weight_decay
  --actor.lr_scheduler constant                     # models.policy_trainer.optimizer.min_lr=2e-06
  --actor.lr_warmup_ratio 0.0                       # ChatLearn 2025.10.23: the first update has the full rate
  --actor.model_name_or_path /models/Qwen3-30B-A3B  # models.policy.load=/models/Qwen3-30B-A3B

  --train.colocate_all              # runtime_args.colocation=[policy, policy_trainer, ref_policy]
  --train.dynamic_batch_enable      # models.policy_trainer.packing=True
  --train.max_tokens_per_gpu 16384  # models.policy_trainer.max_token_in_packing=16384
  --train.num_episodes 1            # one pass over these rows
  --train.batch_size 512            # runtime_args.train_global_batch_size=512

  --vllm.num_engines 4                # models.policy.num_gpu=16
  --vllm.tensor_parallel_size 4       # models.policy.tensor_model_parallel_size=4
  --vllm.enable_sleep                 # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.75  # models.policy.gpu_memory_utilization=0.75

  --eval.steps 10                       # runtime_args.eval_episode_interval=10
  --eval.dataset /data/math/test.jsonl  # runtime_args.eval_data_path=/data/math/test.jsonl
  --eval.temperature 0.6                # ChatLearn 2025.10.23 default of models.policy.eval_temperature
  --eval.n_samples_per_prompt 1         # ChatLearn 2025.10.23: evaluation draws one answer a prompt

  --ckpt.save_steps 20  # runtime_args.save_episode_interval=20
  --ckpt.path /out      # runtime_args.output_dir=/out/qwen3_30b

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.enable_sleep     # models.policy_trainer.free_gpu_memory.offload_weights=True, models.policy_trainer.free_gpu_memory.offload_optimizer_states=True
  --ds.packing_samples  # a ring, and batches by tokens, need packed sequences

  --rollout.max_tokens_per_gpu 16384  # models.policy_trainer.max_token_in_packing=16384
  --rollout.batch_size 128            # runtime_args.sample_per_episode=2048
  --rollout.max_new_tokens 2048       # models.policy.max_response_tokens_length=2048, models.policy_trainer.max_response_tokens_length=2048
  --rollout.n_samples_per_prompt 16   # models.policy.num_inference_per_prompt=16

  --data.max_len 3072                           # models.policy.max_prompt_tokens_length=1024; the longest prompt and the longest answer
  --data.max_samples 25600                      # runtime_args.num_episode=200; 200 rollout periods take 25600 prompts
  --data.prompt_dataset /data/math/train.jsonl  # runtime_args.data_path=/data/math/train.jsonl
  --data.input_key prompt                       # ChatLearn 2025.10.23: prompt_dataset reads this column
  --data.apply_chat_template                    # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.0                # ChatLearn 2025.10.23: the reward has no KL penalty; KL is in the loss alone
  --algo.advantage.estimator group_norm  # ChatLearn 2025.10.23: GRPO is the only algorithm: group mean and deviation

  --reward.remote_url '???'

  --logger.wandb.run_name qwen3_30b     # runtime_args.exp_name=qwen3_30b
  --logger.tensorboard_dir tensorboard  # runtime_args.log_args_dict.enable_tensorboard=True
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
