#!/usr/bin/env bash
# Converted by rftconf from ROLL 0.3.0 to veRL SFT 0.9.1.
set -euo pipefail

ARGS=(
  data.train_batch_size=128           # sft_train.training_args.per_device_train_batch_size=4, sft_train.training_args.gradient_accumulation_steps=4
  data.use_dynamic_bsz=false          # ROLL 0.3.0 default of sft_train.use_dynamic_batching_in_train
  data.train_files=/data/train.jsonl  # sft_train.data_args.file_name=/data/train.jsonl
  data.val_files=/data/val.jsonl      # validation.data_args.file_name=/data/val.jsonl
  data.max_length=4096                # sequence_length=4096

  model.path=Qwen/Qwen2.5-7B    # pretrain=Qwen/Qwen2.5-7B
  model.trust_remote_code=true  # ROLL 0.3.0: model_providers: always true

  engine.fsdp_size=8     # sft_train.strategy_args.strategy_config.fsdp_size=8
  engine.strategy=fsdp2  # sft_train.strategy_args.strategy_name=fsdp2_train

  optim.lr=1e-05                  # sft_train.training_args.learning_rate=1e-05
  optim.weight_decay=0.1          # sft_train.training_args.weight_decay=0.1
  optim.lr_warmup_steps=47        # sft_train.training_args.warmup_ratio=0.1; 47 updates as scheduler ticks
  'optim.betas=[0.9, 0.999]'      # sft_train.training_args.adam_beta1=0.9, the ROLL 0.3.0 default
  optim.clip_grad=1.0             # ROLL 0.3.0 default of max_grad_norm
  optim.lr_scheduler_type=cosine  # sft_train.training_args.lr_scheduler_type=cosine

  trainer.default_local_dir=/ckpt/answers/answers/answers  # checkpoint_config.output_dir=/ckpt/answers; <root>/<project>/<experiment>
  trainer.project_name=answers                             # tracker_kwargs.project=answers
  trainer.experiment_name=answers                          # exp_name=answers
  trainer.total_epochs=3                                   # sft_train.training_args.num_train_epochs=3
  trainer.total_training_steps=468                         # sft_train.training_args.num_train_epochs=3; floor(20000 rows / 128) x 3 epochs
  'trainer.logger=[wandb]'                                 # track_with=wandb
  trainer.save_freq=100                                    # save_steps=100
  trainer.test_freq=50                                     # eval_steps=50
  trainer.resume_mode=disable                              # resume_from_checkpoint=False
  trainer.nnodes=1                                         # sft_train.device_mapping=list(range(0,8))
  trainer.n_gpus_per_node=8                                # sft_train.device_mapping=list(range(0,8))
)

python3 -m verl.trainer.sft_trainer_ray "${ARGS[@]}" "$@"
