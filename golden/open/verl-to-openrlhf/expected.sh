#!/usr/bin/env bash
# Converted by rftconf from veRL 0.9.1 to OpenRLHF 0.11.2.
set -euo pipefail

ARGS=(
  --ref.num_nodes 1
  --ref.num_gpus_per_node 8
  --ref.offload  # actor_rollout_ref.ref.fsdp_config.param_offload=True

  --actor.num_nodes 1                    # trainer.nnodes=1, trainer.n_gpus_per_node=8
  --actor.num_gpus_per_node 8            # trainer.nnodes=1, trainer.n_gpus_per_node=8
  --actor.gradient_checkpointing_enable  # actor_rollout_ref.model.enable_gradient_checkpointing=True
  --actor.dual_clip 3.0                  # veRL 0.9.1 default of actor_rollout_ref.actor.clip_ratio_c
  --actor.adam.lr 1e-06                  # actor_rollout_ref.actor.optim.lr=1e-06
  --actor.adam.betas 0.9 0.999           # veRL 0.9.1 default of actor_rollout_ref.actor.optim.betas
  --actor.adam.weight_decay 0.01         # veRL 0.9.1 default of actor_rollout_ref.actor.optim.weight_decay
  --actor.lr_scheduler constant          # veRL 0.9.1 default of actor_rollout_ref.actor.optim.lr_scheduler_type
  --actor.lr_warmup_ratio 0.0            # veRL 0.9.1 default of actor_rollout_ref.actor.optim.lr_warmup_steps_ratio
  --actor.model_name_or_path deepseek-ai/deepseek-llm-7b-chat  # actor_rollout_ref.model.path=deepseek-ai/deepseek-llm-7b-chat

  --train.colocate_all              # trainer.v1.trainer_mode=sync, the veRL 0.9.1 default
  --train.dynamic_batch_enable      # actor_rollout_ref.actor.use_dynamic_bsz=True
  --train.max_tokens_per_gpu 24000  # actor_rollout_ref.actor.ppo_max_token_len_per_gpu=24000
  --train.num_episodes 15           # trainer.total_epochs=15
  --train.batch_size 2048           # actor_rollout_ref.actor.ppo_mini_batch_size=256

  --vllm.num_engines 4               # trainer.nnodes=1, trainer.n_gpus_per_node=8
  --vllm.tensor_parallel_size 2      # actor_rollout_ref.rollout.tensor_model_parallel_size=2
  --vllm.enable_prefix_caching       # veRL 0.9.1 default of actor_rollout_ref.rollout.enable_prefix_caching
  --vllm.enable_sleep                # engines give their memory back while the trainer runs
  --vllm.gpu_memory_utilization 0.6  # actor_rollout_ref.rollout.gpu_memory_utilization=0.6

  --eval.steps 5                                    # trainer.test_freq=5
  --eval.dataset "${HOME}/data/gsm8k/test.parquet"  # data.val_files=${HOME}/data/gsm8k/test.parquet
  --eval.temperature 0                              # veRL 0.9.1 default of actor_rollout_ref.rollout.val_kwargs.temperature
  --eval.n_samples_per_prompt 1                     # veRL 0.9.1 default of actor_rollout_ref.rollout.val_kwargs.n

  --ckpt.save_steps 20       # trainer.save_freq=20
  --ckpt.path checkpoints    # trainer.default_local_dir follows checkpoints/${trainer.project_name}/${trainer.experiment_name} in veRL 0.9.1
  --ckpt.max_num 1000000000  # what veRL 0.9.1 does without trainer.max_actor_ckpt_to_keep
  --ckpt.load_enable         # trainer.resume_mode=auto, the veRL 0.9.1 default

  --ds.zero_stage 3     # weights are sharded, as in the source
  --ds.packing_samples  # actor_rollout_ref.model.use_remove_padding=True

  --rollout.max_tokens_per_gpu 24000  # actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu follows ${oc.select:actor_rollout_ref.actor.ppo_max_token_len_per_gpu,16384} in veRL 0.9.1
  --rollout.batch_size 1024           # data.train_batch_size=1024
  --rollout.max_new_tokens 512        # data.max_response_length=512
  --rollout.n_samples_per_prompt 8    # actor_rollout_ref.rollout.n=8

  --data.max_len 1024                                       # data.max_prompt_length=512; the longest prompt and the longest answer
  --data.prompt_dataset "${HOME}/data/gsm8k/train.parquet"  # data.train_files=${HOME}/data/gsm8k/train.parquet
  --data.input_key prompt                                   # veRL 0.9.1 default of data.prompt_key
  --data.apply_chat_template                                # prompts become text by the model's template, which takes plain text as well

  --algo.kl.init_coef 0.001              # actor_rollout_ref.actor.use_kl_loss=True, actor_rollout_ref.actor.kl_loss_coef=0.001
  --algo.kl.estimator k3                 # actor_rollout_ref.actor.kl_loss_type=low_var_kl
  --algo.advantage.estimator group_norm  # algorithm.adv_estimator=grpo
  --algo.kl.use_loss                     # actor_rollout_ref.actor.use_kl_loss=True

  --reward.remote_url '???'

  --logger.wandb.key "${WANDB_API_KEY}"           # trainer.logger=[console, wandb]; the key comes from the environment
  --logger.wandb.project verl_grpo_example_gsm8k  # trainer.project_name=verl_grpo_example_gsm8k
  --logger.wandb.run_name deepseek_llm_7b_function_rm_seq_packing  # trainer.experiment_name=deepseek_llm_7b_function_rm_seq_packing
)

python3 -m openrlhf.cli.train_ppo_ray "${ARGS[@]}" "$@"
