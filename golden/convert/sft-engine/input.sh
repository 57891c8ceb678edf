#!/usr/bin/env bash
# Chat messages, every answer trained on; the schedule is left to the release, which has lr 1e-3 and no warm-up (H70).
set -euo pipefail

python3 -m verl.trainer.sft_trainer_ray \
  data.train_files=/data/chat/train.parquet \
  data.val_files=/data/chat/test.parquet \
  data.messages_key=conversation \
  data.train_batch_size=256 \
  data.max_length=8192 \
  data.max_token_len_per_gpu=16384 \
  data.truncation=right \
  model.path=/models/Qwen3-8B \
  engine=fsdp \
  engine.strategy=fsdp2 \
  engine.ulysses_sequence_parallel_size=2 \
  engine.param_offload=true \
  optim.lr=2e-5 \
  optim.lr_scheduler_type=cosine \
  optim.lr_warmup_steps=30 \
  trainer.total_training_steps=600 \
  trainer.total_epochs=4 \
  trainer.save_freq=200 \
  trainer.nnodes=2 \
  trainer.n_gpus_per_node=8 \
  trainer.project_name=chat \
  trainer.experiment_name=qwen3-sft \
  trainer.logger=tensorboard
