#!/bin/bash
# One data set on one node; the template lies beside this script.
set -x
export exp_name=qwen3_8b
HOME_DIR=${HOME_DIR:?}
python chatlearn/entrypoint.py grpo --config-file template.yaml \
        runtime_args.exp_name=${exp_name} \
        runtime_args.data_path=${HOME_DIR}/math/train.jsonl \
        runtime_args.eval_data_path=${HOME_DIR}/math/test.jsonl \
        runtime_args.output_dir=${HOME_DIR}/output/${exp_name} \
        runtime_args.num_episode=100 \
        runtime_args.sample_per_episode=2048 \
        runtime_args.train_global_batch_size=512 \
        runtime_args.train_micro_batch_size=4 \
        runtime_args.eval_episode_interval=5 \
        runtime_args.enable_eval_before_training=True \
        runtime_args.log_args_dict.enable_wandb=True \
        models.policy_trainer.num_gpu=8 \
        models.policy_trainer.load=/models/Qwen3-8B \
        models.policy_trainer.kl_coef=0.001 \
        models.policy_trainer.pos_clip_ratio=0.28 \
        models.policy.tensor_model_parallel_size=2 \
        models.policy.gpu_memory_utilization=0.7 \
        models.policy.eval_temperature=0.6 \
        2>&1 | tee log_${exp_name}.log ; exit ${PIPESTATUS[0]}
