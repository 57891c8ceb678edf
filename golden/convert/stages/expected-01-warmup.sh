#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to veRL SFT 0.9.1.
set -euo pipefail

ARGS=(
  data.train_batch_size=128                   # stages[0].buffer.train_batch_size=128
  data.use_dynamic_bsz=true                   # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  data.train_files=/data/demos/train.parquet  # stages[0].buffer.trainer_input.experience_buffer.path=/data/demos, stages[0].buffer.trainer_input.experience_buffer.split=train
  data.max_length=2048                        # model.max_prompt_tokens=1024; prompt + response

  model.path=/models/Qwen2.5-1.5B-Instruct  # model.model_path=/models/Qwen2.5-1.5B-Instruct
  model.use_remove_padding=true             # Trinity-RFT 0.6.0 default of trainer.use_remove_padding

  engine.strategy=fsdp2  # Trinity-RFT 0.6.0 default of trainer.trainer_strategy

  optim.lr=1e-05                    # stages[0].algorithm.optimizer.lr=1e-05
  'optim.betas=[0.9, 0.999]'        # Trinity-RFT 0.6.0 default of algorithm.optimizer.betas
  optim.clip_grad=1.0               # Trinity-RFT 0.6.0 default of algorithm.optimizer.clip_grad
  optim.lr_scheduler_type=constant  # Trinity-RFT 0.6.0 default of algorithm.optimizer.lr_scheduler_type

  'checkpoint.save_contents=[model, optimizer, extra, hf_model]'  # the next stage starts from weights in Hugging Face's format
  'checkpoint.load_contents=[model, optimizer, extra]'  # Trinity-RFT 0.6.0 default of trainer.trainer_config.actor_rollout_ref.actor.checkpoint.load_contents

  trainer.default_local_dir=/ckpt/staged/sft_grpo/warmup  # checkpoint_root_dir=/ckpt; <root>/<project>/<experiment>
  trainer.project_name=staged                             # project=staged
  trainer.experiment_name=sft_grpo/warmup                 # name=sft_grpo; <name>/<stage>, as the stages do
  trainer.total_epochs=2                                  # stages[0].buffer.total_epochs=2
  trainer.total_training_steps=100                        # stages[0].trainer.total_steps=100
  'trainer.logger=[tensorboard]'                          # monitor.monitor_type=tensorboard
  trainer.save_freq=50                                    # stages[0].trainer.save_interval=50
  trainer.nnodes=1                                        # cluster.node_num=1
  trainer.n_gpus_per_node=4                               # cluster.gpu_per_node=4
)

python3 -m verl.trainer.sft_trainer_ray "${ARGS[@]}" "$@"
