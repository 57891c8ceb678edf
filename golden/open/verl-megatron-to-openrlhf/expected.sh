#!/usr/bin/env bash
# Converted by rftconf from veRL 0.9.0 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --ref.num_nodes 4
  --ref.num_gpus_per_node 8
  --ref.offload  # actor_rollout_ref.ref.megatron.param_offload=True

  --actor.num_nodes 4                               # trainer.nnodes=4, trainer.n_gpus_per_node=8
  --actor.num_gpus_per_node 8                       # trainer.nnodes=4, trainer.n_gpus_per_node=8
  --actor.gradient_checkpointing_enable             # veRL 0.9.0 default of actor_rollout_ref.model.enable_gradient_checkpointing
  --actor.dual_clip 3.0                             # veRL 0.9.0 default of actor_rollout_ref.actor.clip_ratio_c
  --actor.adam.lr 1e-06                             # actor_rollout_ref.actor.optim.lr=1e-06
  --actor.adam.betas 0.9 0.999                      # veRL 0.9.0 default of actor_rollout_ref.actor.optim.betas
  --actor.adam.weight_decay 0.01                    # veRL 0.9.0 default of actor_rollout_ref.actor.optim.weight_decay
  --actor.lr_scheduler constant                     # veRL 0.9.0 default of actor_rollout_ref.actor.optim.lr_decay_style
  --actor.lr_warmup_ratio 0.0                       # veRL 0.9.0 default of actor_rollout_ref.actor.optim.lr_warmup_steps_ratio
  --actor.max_norm 0.5                              # actor_rollout_ref.actor.optim.clip_grad=0.5
  --actor.model_name_or_path /models/Qwen3-30B-A3B  # actor_rollout_ref.model.path=/models/Qwen3-30B-A3B

  --train.colocate_all              # trainer.v1.trainer_mode=sync, the veRL 0.9.0 default
  --train.dynamic_batch_enable      # actor_rollout_ref.actor.use_dynamic_bsz=True
  --train.max_tokens_per_gpu 32768  # actor_rollout_ref.actor.ppo_max_token_len_per_gpu=16384
  --train.num_episodes 1            # one pass over these rows
  --train.batch_size 1024           # actor_rollout_ref.actor.ppo_mini_batch_size=64

  --vllm.num_engines 8               # trainer.nnodes=4, trainer.n_gpus_per_node=8
  --vllm.tensor_parallel_size 4      # actor_rollout_ref.rollout.tensor_model_parallel_size=4
  --vllm.enable_prefix_caching       # veRL 0.9.0 default of actor_rollout_ref.rollout.enable_prefix_caching
  --vllm.enable_sleep                # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.5  # veRL 0.9.0 default of actor_rollout_ref.rollout.gpu_memory_utilization

  --eval.steps 10                         # trainer.test_freq=10
  --eval.dataset /data/aime/test.parquet  # data.val_files=/data/aime/test.parquet
  --eval.temperature 0                    # veRL 0.9.0 default of actor_rollout_ref.rollout.val_kwargs.temperature
  --eval.n_samples_per_prompt 1           # veRL 0.9.0 default of actor_rollout_ref.rollout.val_kwargs.n

  --ckpt.save_steps 10       # trainer.save_freq=10
  --ckpt.path checkpoints    # trainer.default_local_dir follows checkpoints/${trainer.project_name}/${trainer.experiment_name} in veRL 0.9.0
  --ckpt.max_num 1000000000  # what veRL 0.9.0 does without trainer.max_actor_ckpt_to_keep
  --ckpt.load_enable         # trainer.resume_mode=auto, the veRL 0.9.0 default

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.enable_sleep     # actor_rollout_ref.actor.megatron.param_offload=True, actor_rollout_ref.actor.megatron.optimizer_offload=True
  --ds.packing_samples  # veRL 0.9.0 default of actor_rollout_ref.model.use_remove_padding

  --rollout.max_tokens_per_gpu 32768  # actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu follows ${oc.select:actor_rollout_ref.actor.ppo_max_token_len_per_gpu,16384} in veRL 0.9.0
  --rollout.batch_size 256            # data.train_batch_size=256
  --rollout.max_new_tokens 8192       # data.max_response_length=8192
  --rollout.n_samples_per_prompt 16   # actor_rollout_ref.rollout.n=16

  --data.max_len 9216                                  # data.max_prompt_length=1024; the longest prompt and the longest answer
  --data.max_samples 25600                             # trainer.total_training_steps=100; 100 rollout periods take 25600 prompts
  --data.prompt_dataset /data/dapo-math/train.parquet  # data.train_files=/data/dapo-math/train.parquet
  --data.input_key prompt                              # veRL 0.9.0 default of data.prompt_key
  --data.apply_chat_template                           # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.01               # actor_rollout_ref.actor.use_kl_loss=True, actor_rollout_ref.actor.kl_loss_coef=0.01
  --algo.kl.estimator k3                 # actor_rollout_ref.actor.kl_loss_type=low_var_kl, the veRL 0.9.0 default
  --algo.advantage.estimator group_norm  # algorithm.adv_estimator=grpo
  --algo.kl.use_loss                     # actor_rollout_ref.actor.use_kl_loss=True

  --reward.remote_url '???'

  --logger.wandb.key "${WANDB_API_KEY}"  # the key comes from the environment
  --logger.wandb.project moe             # trainer.project_name=moe
  --logger.wandb.run_name qwen3_30b_a3b  # trainer.experiment_name=qwen3_30b_a3b
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
