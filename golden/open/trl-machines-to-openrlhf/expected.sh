#!/usr/bin/env bash
# Converted by rftconf from TRL 1.16.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --actor.num_nodes 2                                  # num_processes=8; one process a GPU
  --actor.num_gpus_per_node 4                          # num_processes=8; one process a GPU
  --actor.gradient_checkpointing_enable                # TRL 1.16.0 default of gradient_checkpointing
  --actor.eps_clip_low_high 0.2 0.28                   # epsilon=0.2, epsilon_high=0.28
  --actor.adam.lr 1e-06                                # learning_rate=1e-06
  --actor.adam.betas 0.9 0.999                         # adam_beta1=0.9, the TRL 1.16.0 default
  --actor.lr_scheduler constant_with_warmup            # lr_scheduler_type=constant_with_warmup
  --actor.lr_warmup_ratio 0.05                         # warmup_steps=20.0; 20 of 400 updates
  --actor.model_name_or_path Qwen/Qwen2.5-7B-Instruct  # model_name_or_path=Qwen/Qwen2.5-7B-Instruct

  --train.colocate_all        # use_vllm=True, vllm_mode=colocate
  --train.num_episodes 1      # one pass over these rows
  --train.micro_batch_size 8  # per_device_train_batch_size=8
  --train.batch_size 256      # per_device_train_batch_size=8, gradient_accumulation_steps=4

  --vllm.num_engines 4                # use_vllm=True; on the trainer's GPUs
  --vllm.tensor_parallel_size 2       # vllm_tensor_parallel_size=2
  --vllm.enable_sleep                 # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.35  # vllm_gpu_memory_utilization=0.35

  --eval.steps -1                 # what TRL 1.16.0 does without eval_steps
  --eval.temperature 1.0          # TRL 1.16.0: evaluation draws as training does
  --eval.n_samples_per_prompt 16  # what TRL 1.16.0 does without num_generations_eval

  --ckpt.save_steps 25       # save_steps=50.0
  --ckpt.path "${HOME}/out"  # output_dir=${HOME}/out
  --ckpt.save_hf             # TRL 1.16.0: Trainer.save_model: checkpoints are in Hugging Face's format
  --ckpt.max_num 1000000000  # what TRL 1.16.0 does without save_total_limit

  --ds.zero_stage 3  # zero_stage=3

  --rollout.batch_size 32            # steps_per_generation=8, per_device_train_batch_size=8
  --rollout.micro_batch_size 8       # per_device_train_batch_size=8
  --rollout.max_new_tokens 4096      # max_completion_length=4096
  --rollout.n_samples_per_prompt 16  # num_generations=16

  --data.max_len '???'            # the longest prompt and the longest answer; = max_prompt_length + 4096
  --data.max_samples 6400         # max_steps=400; 200 rollout periods take 6400 prompts
  --data.prompt_dataset org/math  # dataset_name=org/math
  --data.prompt_split train       # TRL 1.16.0 default of dataset_train_split
  --data.input_key prompt         # TRL 1.16.0: GRPOTrainer reads this column
  --data.apply_chat_template      # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.0                # beta=0.0
  --algo.advantage.estimator group_norm  # scale_rewards=group, the TRL 1.16.0 default

  --reward.remote_url '???'

  --logger.wandb.run_name math-dapo  # run_name=math-dapo
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
