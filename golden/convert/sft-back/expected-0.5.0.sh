#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to veRL FSDP SFT 0.5.0.
set -euo pipefail

ARGS=(
  data.train_batch_size=128                   # buffer.train_batch_size=128
  data.train_files=/data/demos/train.parquet  # buffer.trainer_input.experience_buffer.path=/data/demos, buffer.trainer_input.experience_buffer.split=train
  data.val_files=/data/demos/train.parquet    # there is no evaluation set, and this program opens a file
  data.multiturn.enable=true                  # buffer.trainer_input.experience_buffer.format.prompt_type=messages
  data.multiturn.messages_key=messages        # buffer.trainer_input.experience_buffer.format.messages_key=messages
  data.multiturn.tools_key=tools              # Trinity-RFT 0.6.0 default of buffer.trainer_input.experience_buffer.format.tools_key
  data.max_length=4096                        # model.max_model_len=4096

  model.partial_pretrain=/models/Qwen2.5-7B  # model.model_path=/models/Qwen2.5-7B
  model.strategy=fsdp                        # trainer.trainer_strategy=fsdp

  optim.lr=1e-05                     # algorithm.optimizer.lr=1e-05
  'optim.betas=[0.9, 0.999]'         # Trinity-RFT 0.6.0 default of algorithm.optimizer.betas
  optim.warmup_steps_ratio=0.099359  # algorithm.optimizer.lr_warmup_steps=31; 31 of 312 updates
  optim.clip_grad=1.0                # Trinity-RFT 0.6.0 default of algorithm.optimizer.clip_grad
  optim.lr_scheduler=cosine          # algorithm.optimizer.lr_scheduler_type=cosine

  ulysses_sequence_parallel_size=2  # trainer.ulysses_sequence_parallel_size=2

  use_remove_padding=true  # Trinity-RFT 0.6.0 default of trainer.use_remove_padding

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

torchrun \
  --standalone \
  --nnodes=1 \
  --nproc_per_node=8 \
  -m \
  verl.trainer.fsdp_sft_trainer \
  "${ARGS[@]}" \
  "$@"
