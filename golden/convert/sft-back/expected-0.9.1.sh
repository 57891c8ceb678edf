#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to veRL SFT 0.9.1.
set -euo pipefail

ARGS=(
  data.train_batch_size=128                   # buffer.train_batch_size=128
  data.use_dynamic_bsz=true                   # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  data.train_files=/data/demos/train.parquet  # buffer.trainer_input.experience_buffer.path=/data/demos, buffer.trainer_input.experience_buffer.split=train
  data.max_length=4096                        # model.max_model_len=4096

  model.path=/models/Qwen2.5-7B  # model.model_path=/models/Qwen2.5-7B
  model.use_remove_padding=true  # Trinity-RFT 0.6.0 default of trainer.use_remove_padding

  engine.ulysses_sequence_parallel_size=2  # trainer.ulysses_sequence_parallel_size=2
  engine.strategy=fsdp                     # trainer.trainer_strategy=fsdp

  optim.lr=1e-05                  # algorithm.optimizer.lr=1e-05
  optim.lr_warmup_steps=31        # algorithm.optimizer.lr_warmup_steps=31; 31 updates as scheduler ticks
  'optim.betas=[0.9, 0.999]'      # Trinity-RFT 0.6.0 default of algorithm.optimizer.betas
  optim.clip_grad=1.0             # Trinity-RFT 0.6.0 default of algorithm.optimizer.clip_grad
  optim.lr_scheduler_type=cosine  # algorithm.optimizer.lr_scheduler_type=cosine

  trainer.default_local_dir=/ckpt/chat/warmup  # checkpoint_root_dir=/ckpt; <root>/<project>/<experiment>
  trainer.project_name=chat                    # project=chat
  trainer.experiment_name=warmup               # name=warmup
  trainer.total_epochs=2                       # buffer.total_epochs=2; enough for 312 updates, which end the run
  trainer.total_training_steps=312             # trainer.total_steps=312
  'trainer.logger=[tensorboard]'               # monitor.monitor_type=tensorboard
  trainer.save_freq=100                        # trainer.save_interval=100
  trainer.nnodes=1                             # cluster.node_num=1
  trainer.n_gpus_per_node=8                    # cluster.gpu_per_node=8
)

python3 -m verl.trainer.sft_trainer_ray "${ARGS[@]}" "$@"
