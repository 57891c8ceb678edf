#!/usr/bin/env bash
# A run whose config the script writes itself; STEPS may come from whoever starts it.
set -euo pipefail
NAME=qwen2.5-7b-grpo
MODEL=/models/Qwen2.5-7B
GPUS=8

mkdir -p examples/mine
cat > examples/mine/$NAME.yaml <<EOF
exp_name: $NAME
seed: 42
logging_dir: ./output/logs
output_dir: ./output

checkpoint_config:
  type: file_system
  output_dir: /ckpt/\${exp_name}

track_with: wandb
tracker_kwargs:
  project: rlvr
  tags: [grpo, baseline]

num_gpus_per_node: $GPUS

max_steps: ${STEPS:-200}
save_steps: 50
logging_steps: 1
eval_steps: 10
resume_from_checkpoint: false

rollout_batch_size: 128
prompt_length: 1024
response_length: 3072

num_return_sequences_in_group: 8
ppo_epochs: 1
adv_estimator: grpo

pg_clip: 0.2
loss_agg_mode: token-mean
use_kl_loss: true
kl_loss_coef: 0.001
init_kl_coef: 0.0
entropy_loss_coef: 0.0

pretrain: $MODEL

validation:
  data_args:
    template: qwen2_5
    file_name:
      - /data/math500/test.jsonl
  generating_args:
    max_new_tokens: \${response_length}
    top_p: 0.95
    top_k: 50
    temperature: 0.6
    num_return_sequences: 4

actor_train:
  model_args:
    disable_gradient_checkpointing: false
    dtype: bf16
    ulysses_size: 2
  training_args:
    learning_rate: 1.0e-6
    weight_decay: 0.01
    lr_scheduler_type: constant_with_warmup
    per_device_train_batch_size: 2
    gradient_accumulation_steps: 32
    warmup_steps: 20
  data_args:
    template: qwen2_5
    file_name:
      - /data/deepmath/train.jsonl
    messages: messages
    domain_interleave_probs:
      math_rule: 1.0
    preprocessing_num_workers: 16
  strategy_args:
    strategy_name: fsdp2_train
    strategy_config:
      fsdp_size: 8
      param_dtype: bf16
      reduce_dtype: bf16
  device_mapping: list(range(0,$GPUS))
  infer_batch_size: 8

actor_infer:
  model_args:
    dtype: bf16
  generating_args:
    max_new_tokens: \${response_length}
    top_p: 1.0
    top_k: -1
    temperature: 1.0
    num_return_sequences: \${num_return_sequences_in_group}
  strategy_args:
    strategy_name: vllm
    strategy_config:
      gpu_memory_utilization: 0.7
      tensor_parallel_size: 2
      max_num_batched_tokens: 16384
  device_mapping: list(range(0,$GPUS))
  infer_batch_size: 1

reference:
  model_args:
    dtype: bf16
    ulysses_size: 2
  strategy_args:
    strategy_name: fsdp2_infer
    strategy_config:
      fsdp_size: 8
  device_mapping: list(range(0,$GPUS))
  infer_batch_size: 16

rewards:
  math_rule:
    worker_cls: roll.pipeline.rlvr.rewards.math_rule_reward_worker.MathRuleRewardWorker
    model_args:
      model_name_or_path: \${pretrain}
    tag_included: [deepmath]
    world_size: $GPUS
    infer_batch_size: 1
EOF

python examples/start_rlvr_pipeline.py --config_path mine --config_name $NAME 2>&1 | tee $NAME.log
