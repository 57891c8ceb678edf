#!/usr/bin/env bash
set -xeuo pipefail

BACKEND=${BACKEND:-megatron}
TP=${TP:-4}
CP=${CP:-2}

torchrun --nnodes=2 --nproc_per_node=8 --rdzv_backend=c10d --rdzv_endpoint="$HEAD:29500" \
    -m verl.trainer.sft_trainer \
    engine="$BACKEND" \
    optim="$BACKEND" \
    data.train_files=/data/tools/train.parquet \
    data.val_files=/data/tools/test.parquet \
    data.train_batch_size=128 \
    data.use_dynamic_bsz=True \
    data.max_token_len_per_gpu=16384 \
    data.max_length=32768 \
    data.messages_key=messages \
    model.path=Qwen/Qwen3-8B \
    model.use_remove_padding=True \
    engine.tensor_model_parallel_size="$TP" \
    engine.context_parallel_size="$CP" \
    engine.param_offload=True \
    engine.optimizer_offload=True \
    +engine.override_transformer_config.moe_router_dtype=fp32 \
    optim.lr=1e-5 \
    optim.lr_warmup_steps=20 \
    optim.lr_decay_style=cosine \
    optim.min_lr=1e-6 \
    optim.weight_decay=0.05 \
    optim.betas='[0.9,0.95]' \
    trainer.project_name=tools \
    trainer.experiment_name="tools-$BACKEND-tp$TP-cp$CP" \
    trainer.logger='["console","wandb"]' \
    trainer.total_epochs=3 \
    trainer.save_freq=100 \
    trainer.test_freq=-1
