#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --ref.num_nodes 1
  --ref.num_gpus_per_node 4

  --train.colocate_actor_ref        # the reference stands on the actor's GPUs
  --train.dynamic_batch_enable      # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  --train.max_tokens_per_gpu 16384  # trainer.max_token_len_per_gpu=16384
  --train.num_episodes 1            # one pass over these rows
  --train.batch_size 256            # buffer.train_batch_size=256, buffer.batch_size=32

  --actor.num_nodes 1                          # cluster.node_num=1; all GPUs - rollout - auxiliary
  --actor.num_gpus_per_node 4                  # cluster.node_num=1; all GPUs - rollout - auxiliary
  --actor.gradient_checkpointing_enable        # Trinity-RFT 0.6.0 default of trainer.trainer_config.actor_rollout_ref.model.enable_gradient_checkpointing
  --actor.dual_clip 3.0                        # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_ratio_c
  --actor.adam.lr 1e-06                        # algorithm.optimizer.lr=1e-06
  --actor.adam.betas 0.9 0.999                 # Trinity-RFT 0.6.0 default of algorithm.optimizer.betas
  --actor.adam.weight_decay 0.01               # Trinity-RFT 0.6.0 default of algorithm.optimizer.weight_decay
  --actor.lr_scheduler constant_with_warmup    # algorithm.optimizer.lr_scheduler_type=constant, the Trinity-RFT 0.6.0 default
  --actor.lr_warmup_ratio 0.02                 # algorithm.optimizer.lr_warmup_steps=8; 8 of 400 updates
  --actor.model_name_or_path /models/Qwen3-8B  # model.model_path=/models/Qwen3-8B

  --vllm.num_engines 4                # explorer.rollout_model.engine_num=4
  --vllm.tensor_parallel_size 1       # explorer.rollout_model.tensor_parallel_size=1
  --vllm.enable_prefix_caching        # Trinity-RFT 0.6.0 default of explorer.rollout_model.enable_prefix_caching
  --vllm.gpu_memory_utilization 0.85  # explorer.rollout_model.gpu_memory_utilization=0.85

  --eval.steps 10                # explorer.eval_interval=40
  --eval.dataset /data/math      # buffer.explorer_input.eval_tasksets[0].path=/data/math
  --eval.split test              # buffer.explorer_input.eval_tasksets[0].split=test
  --eval.temperature 1.0         # model.temperature=1.0
  --eval.n_samples_per_prompt 4  # buffer.explorer_input.eval_tasksets[0].repeat_times=4

  --ckpt.save_steps 20       # trainer.save_interval=80
  --ckpt.path /checkpoints   # checkpoint_root_dir=/checkpoints
  --ckpt.max_num 1000000000  # trainer.max_checkpoints_to_keep=0, the Trinity-RFT 0.6.0 default
  --ckpt.load_enable         # Trinity-RFT 0.6.0 default of continue_from_checkpoint

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.packing_samples  # Trinity-RFT 0.6.0 default of trainer.use_remove_padding

  --rollout.max_tokens_per_gpu 16384  # trainer.max_token_len_per_gpu=16384
  --rollout.batch_size 128            # buffer.batch_size=32, synchronizer.sync_interval=4
  --rollout.max_new_tokens 2048       # model.max_response_tokens=2048
  --rollout.n_samples_per_prompt 8    # algorithm.repeat_times=8

  --data.max_len 3072               # model.max_prompt_tokens=1024; the longest prompt and the longest answer
  --data.max_samples 12800          # buffer.total_steps=400; 100 rollout periods take 12800 prompts
  --data.prompt_dataset /data/math  # buffer.explorer_input.taskset.path=/data/math
  --data.prompt_split train         # buffer.explorer_input.taskset.split=train
  --data.input_key prompt           # buffer.explorer_input.taskset.format.prompt_key=prompt
  --data.label_key answer           # buffer.explorer_input.taskset.format.response_key=answer
  --data.apply_chat_template        # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.002              # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  --algo.kl.estimator k3                 # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  --algo.advantage.estimator group_norm  # algorithm.algorithm_type=grpo
  --algo.kl.use_loss                     # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo

  --reward.remote_url '???'

  --logger.wandb.key "${WANDB_API_KEY}"  # monitor.monitor_type=wandb; the key comes from the environment
  --logger.wandb.project math            # project=math
  --logger.wandb.run_name qwen3_8b       # name=qwen3_8b
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
