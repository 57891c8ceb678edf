#!/bin/bash
# Two machines with four GPUs each; every process holds a quarter of an update's completions at a time.
RUN=math-dapo
accelerate launch \
  --num_machines 2 --num_processes 8 --use_deepspeed --zero_stage 3 \
  -m trl.scripts.grpo \
  --model_name_or_path Qwen/Qwen2.5-7B-Instruct --dtype bfloat16 \
  --dataset_name org/math \
  --output_dir "$HOME/out" --run_name "$RUN" \
  --reward_funcs accuracy_reward think_format_reward \
  --per_device_train_batch_size 8 --gradient_accumulation_steps 4 --steps_per_generation 8 \
  --num_generations 16 --max_completion_length 4096 \
  --learning_rate 1e-6 --lr_scheduler_type constant_with_warmup --warmup_steps 20 --max_steps 400 --save_steps 50 \
  --loss_type dapo --epsilon 0.2 --epsilon_high 0.28 --beta 0.0 --mask_truncated_completions \
  --use_vllm --vllm_mode colocate --vllm_gpu_memory_utilization 0.35 --vllm_tensor_parallel_size 2 \
  --no_shuffle_dataset
