#!/usr/bin/env bash
# Converted by rftconf from TRL 1.16.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --actor.num_nodes 1                    # num_processes=8; one process a GPU
  --actor.num_gpus_per_node 8            # num_processes=8; one process a GPU
  --actor.gradient_checkpointing_enable  # TRL 1.16.0 default of gradient_checkpointing
  --actor.adam.lr 5e-07                  # learning_rate=5e-07
  --actor.adam.betas 0.9 0.999           # adam_beta1=0.9, the TRL 1.16.0 default
  --actor.lr_warmup_ratio 0.0            # warmup_steps=0, the TRL 1.16.0 default
  --actor.model_name_or_path org/small   # model_name_or_path=org/small

  --train.colocate_all        # use_vllm=True
  --train.num_episodes 2      # num_train_epochs=2
  --train.micro_batch_size 4  # per_device_train_batch_size=4
  --train.batch_size 256      # per_device_train_batch_size=4, gradient_accumulation_steps=8

  --vllm.num_engines 8               # use_vllm=True; on the trainer's GPUs
  --vllm.tensor_parallel_size 1      # TRL 1.16.0 default of vllm_tensor_parallel_size
  --vllm.enable_sleep                # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.3  # TRL 1.16.0 default of vllm_gpu_memory_utilization

  --eval.steps -1                # what TRL 1.16.0 does without eval_steps
  --eval.temperature 1.0         # TRL 1.16.0: evaluation draws as training does
  --eval.n_samples_per_prompt 8  # what TRL 1.16.0 does without num_generations_eval

  --ckpt.save_steps 500      # TRL 1.16.0 default of save_steps
  --ckpt.path out            # output_dir=out
  --ckpt.save_hf             # TRL 1.16.0: Trainer.save_model: checkpoints are in Hugging Face's format
  --ckpt.max_num 1000000000  # what TRL 1.16.0 does without save_total_limit

  --ds.zero_stage 0  # each process has the whole model, as in the source

  --rollout.batch_size 32           # per_device_train_batch_size=4, gradient_accumulation_steps=8
  --rollout.micro_batch_size 4      # per_device_train_batch_size=4
  --rollout.max_new_tokens 2048     # max_completion_length=2048
  --rollout.n_samples_per_prompt 8  # num_generations=8

  --data.max_len '???'            # the longest prompt and the longest answer; = max_prompt_length + 2048
  --data.prompt_dataset org/rows  # dataset_name=org/rows
  --data.prompt_split train       # TRL 1.16.0 default of dataset_train_split
  --data.input_key prompt         # TRL 1.16.0: GRPOTrainer reads this column
  --data.apply_chat_template      # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.0             # TRL 1.16.0 default of beta
  --algo.advantage.estimator dr_grpo  # scale_rewards=none

  --reward.remote_url '???'

  --logger.wandb.run_name dr  # run_name=dr
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
