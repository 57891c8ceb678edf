#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL SFT 0.7.1.
set -euo pipefail

ARGS=(
  data.train_batch_size=128                  # sft_train.training_args.per_device_train_batch_size=2, sft_train.training_args.gradient_accumulation_steps=16
  data.micro_batch_size_per_gpu=2            # sft_train.training_args.per_device_train_batch_size=2
  data.use_dynamic_bsz=false                 # ROLL 0.3.0 default of sft_train.use_dynamic_batching_in_train
  data.train_files=/data/proofs/train.jsonl  # sft_train.data_args.file_name=/data/proofs/train.jsonl
  data.val_files=/data/proofs/val.jsonl      # validation.data_args.file_name=/data/proofs/val.jsonl
  data.max_length=8192                       # sequence_length=8192

  model.path=Qwen/Qwen3-30B-A3B  # pretrain=Qwen/Qwen3-30B-A3B
  model.trust_remote_code=true   # ROLL 0.3.0: model_providers: always true
  +model.lora.rank=0             # what ROLL 0.3.0 does without sft_train.model_args.lora_target

  engine.tensor_model_parallel_size=2    # sft_train.strategy_args.strategy_config.tensor_model_parallel_size=2
  engine.expert_model_parallel_size=4    # sft_train.strategy_args.strategy_config.expert_model_parallel_size=4
  engine.pipeline_model_parallel_size=2  # sft_train.strategy_args.strategy_config.pipeline_model_parallel_size=2
  '+engine.override_transformer_config={recompute_granularity: full, recompute_method: uniform, recompute_num_layers: 1}'  # sft_train.strategy_args.strategy_config.recompute_granularity=full, sft_train.strategy_args.strategy_config.recompute_method=uniform
  +engine.strategy=megatron              # sft_train.strategy_args.strategy_name=megatron_train

  optim.lr=2e-05               # sft_train.training_args.learning_rate=2e-05
  optim.weight_decay=0.1       # sft_train.training_args.weight_decay=0.1
  optim.lr_warmup_steps=8      # sft_train.training_args.warmup_steps=8; 8 updates as scheduler ticks
  'optim.betas=[0.9, 0.999]'   # sft_train.training_args.adam_beta1=0.9, the ROLL 0.3.0 default
  optim.clip_grad=1.0          # ROLL 0.3.0 default of max_grad_norm
  optim.lr_decay_style=cosine  # sft_train.training_args.lr_scheduler_type=cosine

  trainer.default_local_dir=/ckpt/proofs/gsm8k-sft/proofs  # checkpoint_config.output_dir=/ckpt/proofs; <root>/<project>/<experiment>
  trainer.experiment_name=proofs                           # exp_name=proofs
  trainer.total_epochs=2                                   # sft_train.training_args.num_train_epochs=2
  trainer.total_training_steps=256                         # sft_train.training_args.num_train_epochs=2; floor(16384 rows / 128) x 2 epochs
  'trainer.logger=[tensorboard]'                           # track_with=tensorboard
  trainer.save_freq=32                                     # save_steps=32
  trainer.test_freq=16                                     # eval_steps=16
  trainer.resume_mode=disable                              # resume_from_checkpoint=False
  trainer.nnodes=2                                         # sft_train.device_mapping=list(range(0,16))
  trainer.n_gpus_per_node=8                                # num_gpus_per_node=8, sft_train.device_mapping=list(range(0,16))
)

python3 -m verl.trainer.sft_trainer_ray engine=megatron optim=megatron "${ARGS[@]}" "$@"
