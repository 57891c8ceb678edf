#!/usr/bin/env bash
set -euo pipefail

python3 -m verl.trainer.sft_trainer_ray \
  data.train_files=/data/chat/train.parquet \
  data.val_files=/data/chat/test.parquet \
  data.messages_key=conversation \
  data.train_batch_size=256 \
  data.use_dynamic_bsz=false \
  data.micro_batch_size_per_gpu=2 \
  data.max_length=8192 \
  model.path=/models/Qwen3-8B \
  engine=fsdp \
  engine.strategy=fsdp2 \
  engine.ulysses_sequence_parallel_size=2 \
  optim.lr=2e-5 \
  optim.lr_warmup_steps=30 \
  optim.clip_grad=1.0 \
  trainer.total_epochs=4 \
  trainer.save_freq=100 \
  trainer.test_freq=50 \
  trainer.nnodes=2 \
  trainer.n_gpus_per_node=8 \
  trainer.project_name=chat \
  trainer.experiment_name=qwen3-sft \
  trainer.logger=wandb
