#!/usr/bin/env bash
# Question and answer columns; no schedule is written, so the program's own cosine and warm-up count.
set -euo pipefail
save_path=${1:-/ckpt/gsm8k}

torchrun --standalone --nnodes=1 --nproc_per_node=4 \
  -m verl.trainer.fsdp_sft_trainer \
  data.train_files="$HOME/data/gsm8k/train.parquet" \
  data.val_files="$HOME/data/gsm8k/test.parquet" \
  data.prompt_key=question \
  data.response_key=answer \
  data.train_batch_size=64 \
  data.micro_batch_size_per_gpu=4 \
  data.max_length=2048 \
  optim.lr=1e-4 \
  model.partial_pretrain=Qwen/Qwen2.5-0.5B-Instruct \
  model.lora_rank=32 \
  model.lora_alpha=16 \
  model.target_modules=all-linear \
  ulysses_sequence_parallel_size=2 \
  use_remove_padding=true \
  trainer.default_local_dir="$save_path" \
  trainer.project_name=gsm8k-sft \
  trainer.experiment_name=qwen-lora \
  trainer.total_epochs=2 \
  trainer.logger='["console","wandb"]'
