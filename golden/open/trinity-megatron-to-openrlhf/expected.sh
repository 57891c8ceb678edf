#!/usr/bin/env bash
# Converted by rftconf from Trinity-RFT 0.6.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --ref.num_nodes 2
  --ref.num_gpus_per_node 8
  --ref.offload  # trainer.param_offload=True

  --train.colocate_actor_ref        # the reference stands on the actor's GPUs
  --train.dynamic_batch_enable      # Trinity-RFT 0.6.0 default of trainer.use_dynamic_bsz
  --train.max_tokens_per_gpu 32768  # trainer.max_token_len_per_gpu=16384
  --train.num_episodes 1            # one pass over these rows
  --train.batch_size 1024           # buffer.train_batch_size=1024, buffer.batch_size=64

  --actor.num_nodes 2                               # cluster.node_num=4; all GPUs - rollout - auxiliary
  --actor.num_gpus_per_node 8                       # cluster.node_num=4; all GPUs - rollout - auxiliary
  --actor.gradient_checkpointing_enable             # Trinity-RFT 0.6.0 default of trainer.trainer_config.actor_rollout_ref.model.enable_gradient_checkpointing
  --actor.dual_clip 3.0                             # what Trinity-RFT 0.6.0 does without algorithm.policy_loss_fn_args.clip_ratio_c
  --actor.adam.lr 1e-06                             # algorithm.optimizer.lr=1e-06
  --actor.adam.betas 0.9 0.999                      # Trinity-RFT 0.6.0 default of algorithm.optimizer.betas
  --actor.adam.weight_decay 0.01                    # Trinity-RFT 0.6.0 default of algorithm.optimizer.weight_decay
  --actor.lr_scheduler constant                     # Trinity-RFT 0.6.0 default of algorithm.optimizer.lr_scheduler_type
  --actor.lr_warmup_ratio 0.0                       # Trinity-RFT 0.6.0 default of algorithm.optimizer.lr_warmup_steps_ratio
  --actor.max_norm 0.5                              # algorithm.optimizer.clip_grad=0.5
  --actor.model_name_or_path /models/Qwen3-30B-A3B  # model.model_path=/models/Qwen3-30B-A3B

  --vllm.num_engines 4               # explorer.rollout_model.engine_num=4
  --vllm.tensor_parallel_size 4      # explorer.rollout_model.tensor_parallel_size=4
  --vllm.enable_prefix_caching       # Trinity-RFT 0.6.0 default of explorer.rollout_model.enable_prefix_caching
  --vllm.gpu_memory_utilization 0.9  # Trinity-RFT 0.6.0 default of explorer.rollout_model.gpu_memory_utilization

  --eval.steps -1  # explorer.eval_interval=100, the Trinity-RFT 0.6.0 default

  --ckpt.save_steps 10       # trainer.save_interval=40
  --ckpt.path /ckpt          # checkpoint_root_dir=/ckpt
  --ckpt.max_num 1000000000  # trainer.max_checkpoints_to_keep=0, the Trinity-RFT 0.6.0 default
  --ckpt.load_enable         # Trinity-RFT 0.6.0 default of continue_from_checkpoint

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.enable_sleep     # trainer.param_offload=True, trainer.optimizer_offload=True
  --ds.packing_samples  # Trinity-RFT 0.6.0 default of trainer.use_remove_padding

  --rollout.max_tokens_per_gpu 32768  # trainer.max_token_len_per_gpu=16384
  --rollout.batch_size 256            # buffer.batch_size=64, synchronizer.sync_interval=4
  --rollout.max_new_tokens 8192       # model.max_response_tokens=8192
  --rollout.n_samples_per_prompt 16   # algorithm.repeat_times=16

  --data.max_len 9216                    # model.max_prompt_tokens=1024; the longest prompt and the longest answer
  --data.max_samples 25600               # buffer.total_steps=400; 100 rollout periods take 25600 prompts
  --data.prompt_dataset /data/dapo-math  # buffer.explorer_input.taskset.path=/data/dapo-math
  --data.prompt_split train              # buffer.explorer_input.taskset.split=train
  --data.input_key prompt                # Trinity-RFT 0.6.0 default of buffer.explorer_input.tasksets[0].format.prompt_key
  --data.label_key response              # Trinity-RFT 0.6.0 default of buffer.explorer_input.tasksets[0].format.response_key
  --data.apply_chat_template             # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.01               # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  --algo.kl.estimator k3                 # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo
  --algo.advantage.estimator group_norm  # algorithm.algorithm_type=grpo
  --algo.kl.use_loss                     # algorithm.kl_loss_fn=low_var_kl, algorithm.algorithm_type=grpo

  --reward.remote_url '???'

  --logger.wandb.key "${WANDB_API_KEY}"  # monitor.monitor_type=wandb; the key comes from the environment
  --logger.wandb.project moe             # project=moe
  --logger.wandb.run_name back           # name=back
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
