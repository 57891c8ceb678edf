#!/bin/bash
# flags of the releases before 0.10.2: four nodes, engines beside the models, reinforce++ with a penalty on rewards
python3 -m openrlhf.cli.train_ppo_ray \
   --ref_num_nodes 2 --ref_num_gpus_per_node 8 \
   --actor_num_nodes 2 --actor_num_gpus_per_node 8 \
   --colocate_actor_ref \
   --vllm_num_engines 8 --vllm_tensor_parallel_size 2 --vllm_gpu_memory_utilization 0.85 \
   --vllm_sync_backend nccl --enforce_eager \
   --pretrain org/base-14b \
   --remote_rm_url /code/reward_func.py \
   --save_path /checkpoints/last --ckpt_path /checkpoints/ppo --save_steps 25 --load_checkpoint \
   --micro_train_batch_size 2 --train_batch_size 512 --micro_rollout_batch_size 4 \
   --rollout_batch_size 256 --n_samples_per_prompt 4 \
   --max_epochs 1 --num_episodes 2 --max_samples 20480 \
   --prompt_max_len 1024 --generate_max_len 4096 \
   --zero_stage 3 --param_dtype bf16 --adam_offload --packing_samples \
   --actor_learning_rate 5e-7 --lr_warmup_ratio 0.03 --l2 0.01 \
   --init_kl_coef 0.01 --kl_estimator k1 --gamma 1.0 \
   --advantage_estimator reinforce \
   --prompt_data org/a,org/b --input_key question --label_key answer --apply_chat_template \
   --seed 7 --gradient_checkpointing --async_queue_size 1
