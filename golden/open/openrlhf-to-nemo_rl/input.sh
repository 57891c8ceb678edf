#!/bin/bash
# GRPO on one node: engines and trainer take turns, answers are scored by a function
set -x
MODEL=Qwen/Qwen2.5-7B-Instruct
PROMPTS=org/math-prompts

ray job submit --address="http://127.0.0.1:8265" \
   --runtime-env-json='{"working_dir": "/code"}' \
   -- python3 -m openrlhf.cli.train_ppo_ray \
   --actor.num_nodes 1 \
   --actor.num_gpus_per_node 8 \
   --ref.num_nodes 1 \
   --ref.num_gpus_per_node 8 \
   --train.colocate_all \
   --vllm.num_engines 4 \
   --vllm.tensor_parallel_size 2 \
   --vllm.gpu_memory_utilization 0.6 \
   --vllm.enable_sleep \
   --ds.enable_sleep \
   --ds.zero_stage 3 \
   --ds.packing_samples \
   --actor.model_name_or_path ${MODEL} \
   --actor.gradient_checkpointing_enable \
   --actor.adam.lr 1e-6 \
   --actor.lr_warmup_ratio 0.05 \
   --actor.eps_clip_low_high 0.2 0.28 \
   --actor.dual_clip 10 \
   --reward.remote_url /code/reward_func.py \
   --algo.advantage.estimator group_norm \
   --algo.kl.init_coef 1e-3 \
   --algo.kl.use_loss \
   --algo.kl.estimator k3 \
   --algo.dynamic_filtering_enable \
   --rollout.batch_size 128 \
   --rollout.n_samples_per_prompt 8 \
   --rollout.micro_batch_size 8 \
   --rollout.max_new_tokens 3072 \
   --data.max_len 4096 \
   --data.max_samples 25600 \
   --data.prompt_dataset ${PROMPTS} \
   --data.input_key prompt \
   --data.label_key answer \
   --data.apply_chat_template \
   --train.batch_size 256 \
   --train.micro_batch_size 4 \
   --train.num_episodes 4 \
   --eval.steps 10 \
   --eval.dataset org/math-test \
   --eval.split test \
   --ckpt.path /checkpoints/grpo \
   --ckpt.save_steps 20 \
   --ckpt.save_hf \
   --logger.wandb.project math \
   --logger.wandb.run_name grpo-7b
