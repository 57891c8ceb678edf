#!/usr/bin/env bash
# GRPO on a file of questions, DTensor, on top of the config that NeMo-RL ships.
set -euo pipefail

uv run python examples/run_grpo.py \
    --config examples/configs/grpo_math_1B.yaml \
    policy.model_name=Qwen/Qwen2.5-7B-Instruct \
    policy.max_total_sequence_length=4096 \
    policy.generation.max_new_tokens=3072 \
    policy.train_global_batch_size=512 \
    policy.train_micro_batch_size=2 \
    policy.dtensor_cfg.activation_checkpointing=true \
    policy.optimizer.kwargs.lr=1.0e-6 \
    policy.generation.vllm_cfg.tensor_parallel_size=2 \
    data.train.dataset_name=ResponseDataset \
    +data.train.data_path=/data/gsm8k/train.jsonl \
    +data.train.input_key=question \
    +data.train.output_key=answer \
    grpo.num_prompts_per_step=128 \
    grpo.num_generations_per_prompt=8 \
    grpo.max_num_steps=200 \
    grpo.max_num_epochs=10 \
    grpo.val_period=20 \
    grpo.use_leave_one_out_baseline=false \
    loss_fn.reference_policy_kl_penalty=0.001 \
    loss_fn.ratio_clip_max=0.28 \
    checkpointing.save_period=20 \
    checkpointing.checkpoint_dir=results/gsm8k \
    logger.wandb_enabled=true \
    logger.wandb.project=math \
    logger.wandb.name=qwen-7b \
    cluster.gpus_per_node=8 \
    cluster.num_nodes=1
