#!/usr/bin/env bash
# Converted by rftconf from ChatLearn 2025.10.23 to veRL 0.9.1.
set -euo pipefail

ARGS=(
  algorithm.adv_estimator=grpo      # ChatLearn 2025.10.23: GRPO is the only algorithm: group mean and deviation
  algorithm.use_kl_in_reward=false  # ChatLearn 2025.10.23: the reward has no KL penalty; KL is in the loss alone

  'data.train_files=[/data/math/train.jsonl, /data/code/train.jsonl]'  # runtime_args.data_path=/data/math/train.jsonl,/data/code/train.jsonl
  data.val_files=/data/math/test.jsonl                    # runtime_args.eval_data_path=/data/math/test.jsonl
  data.max_prompt_length=1024                             # models.policy.max_prompt_tokens_length=1024, models.policy_trainer.max_prompt_tokens_length=1024
  data.max_response_length=2048                           # models.policy.max_response_tokens_length=2048, models.policy_trainer.max_response_tokens_length=2048
  data.train_batch_size=128                               # runtime_args.sample_per_episode=2048
  data.seed=0                                             # ChatLearn 2025.10.23: the sampler's constant
  data.filter_overlong_prompts=true                       # ChatLearn 2025.10.23: a prompt is kept where it is shorter than the limit, not where it is as long
  +data.apply_chat_template_kwargs.enable_thinking=false  # ChatLearn 2025.10.23 default of models.policy.enable_thinking

  actor_rollout_ref.actor.optim.lr=2e-06                   # models.policy_trainer.optimizer.lr=2e-06
  'actor_rollout_ref.actor.optim.betas=[0.9, 0.95]'        # models.policy_trainer.optimizer.adam_beta1=0.9, the ChatLearn 2025.10.23 default
  actor_rollout_ref.actor.optim.clip_grad=1.0              # ChatLearn 2025.10.23 default of models.policy_trainer.optimizer.clip_grad
  actor_rollout_ref.actor.megatron.param_offload=true      # models.policy_trainer.free_gpu_memory.offload_weights=True
  actor_rollout_ref.actor.megatron.optimizer_offload=true  # models.policy_trainer.free_gpu_memory.offload_optimizer_states=True
  actor_rollout_ref.actor.megatron.tensor_model_parallel_size=4  # models.policy_trainer.tensor_model_parallel_size=4
  actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=2  # models.policy_trainer.pipeline_model_parallel_size=2
  actor_rollout_ref.actor.megatron.use_dist_checkpointing=true  # models.policy_trainer.load=/models/Qwen3-30B-A3B-mcore
  actor_rollout_ref.actor.megatron.dist_checkpointing_path=/models/Qwen3-30B-A3B-mcore  # models.policy_trainer.load=/models/Qwen3-30B-A3B-mcore
  actor_rollout_ref.actor.megatron.seed=1234               # ChatLearn 2025.10.23 default of models.policy_trainer.seed
  '+actor_rollout_ref.actor.megatron.override_transformer_config={recompute_granularity: selective}'  # models.policy_trainer.recompute_granularity=selective
  actor_rollout_ref.actor.strategy=megatron                # runtime_args.train_backend=megatron
  actor_rollout_ref.actor.ppo_mini_batch_size=32           # runtime_args.train_global_batch_size=512; 512 sequences as prompts
  actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2   # runtime_args.train_micro_batch_size=2
  actor_rollout_ref.actor.use_dynamic_bsz=false            # ChatLearn 2025.10.23 default of models.policy_trainer.packing
  actor_rollout_ref.actor.clip_ratio_low=0.2               # ChatLearn 2025.10.23 default of models.policy_trainer.neg_clip_ratio
  actor_rollout_ref.actor.clip_ratio_high=0.2              # ChatLearn 2025.10.23 default of models.policy_trainer.pos_clip_ratio
  actor_rollout_ref.actor.loss_agg_mode=token-mean         # ChatLearn 2025.10.23: every response token of an update counts the same
  actor_rollout_ref.actor.entropy_coeff=0.0                # ChatLearn 2025.10.23: no gradient with Megatron
  actor_rollout_ref.actor.use_kl_loss=false                # ChatLearn 2025.10.23: no gradient with Megatron
  actor_rollout_ref.rollout.name=vllm                      # runtime_args.rollout_backend=vllm
  actor_rollout_ref.rollout.temperature=1.0                # ChatLearn 2025.10.23 default of models.policy.temperature
  actor_rollout_ref.rollout.top_k=-1                       # ChatLearn 2025.10.23 default of models.policy.top_k
  actor_rollout_ref.rollout.top_p=1.0                      # ChatLearn 2025.10.23 default of models.policy.top_p
  actor_rollout_ref.rollout.seed=1234                      # ChatLearn 2025.10.23 default of models.policy.seed
  actor_rollout_ref.rollout.gpu_memory_utilization=0.75    # models.policy.gpu_memory_utilization=0.75
  actor_rollout_ref.rollout.enforce_eager=false            # ChatLearn 2025.10.23 default of models.policy.enforce_eager
  actor_rollout_ref.rollout.tensor_model_parallel_size=4   # models.policy.tensor_model_parallel_size=4
  actor_rollout_ref.rollout.max_num_batched_tokens=32768   # ChatLearn 2025.10.23 default of models.policy.max_num_batched_tokens
  actor_rollout_ref.rollout.max_num_seqs=128               # models.policy.generation_batch_size=128
  actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2  # runtime_args.train_micro_batch_size=2; as the trainer's
  actor_rollout_ref.rollout.n=16                           # models.policy.num_inference_per_prompt=16, runtime_args.num_inference_per_prompt=16
  actor_rollout_ref.rollout.val_kwargs.top_k=20            # ChatLearn 2025.10.23 default of models.policy.eval_top_k
  actor_rollout_ref.rollout.val_kwargs.top_p=0.95          # ChatLearn 2025.10.23 default of models.policy.eval_top_p
  actor_rollout_ref.rollout.val_kwargs.temperature=0.6     # ChatLearn 2025.10.23 default of models.policy.eval_temperature
  actor_rollout_ref.rollout.val_kwargs.n=1                 # ChatLearn 2025.10.23: evaluation draws one answer a prompt
  actor_rollout_ref.model.path=/models/Qwen3-30B-A3B       # models.policy.load=/models/Qwen3-30B-A3B
  actor_rollout_ref.model.trust_remote_code=true           # ChatLearn 2025.10.23 default of models.policy.trust_remote_code

  trainer.total_epochs=200                                # enough for 200 rollout periods, which end the run
  trainer.total_training_steps=200                        # runtime_args.num_episode=200
  trainer.experiment_name=qwen3_30b                       # runtime_args.exp_name=qwen3_30b
  'trainer.logger=[console, tensorboard]'                 # runtime_args.log_args_dict.enable_tensorboard=True
  trainer.nnodes=2                                        # models.policy_trainer.num_gpu=16; 16 GPUs as nodes of 8: no key says how many a node has
  trainer.n_gpus_per_node=8                               # models.policy_trainer.num_gpu=16; 16 GPUs as nodes of 8: no key says how many a node has
  trainer.save_freq=20                                    # runtime_args.save_episode_interval=20
  trainer.resume_mode=disable                             # runtime_args.enable_resume_training=True, the ChatLearn 2025.10.23 default
  trainer.val_before_train=false                          # ChatLearn 2025.10.23 default of runtime_args.enable_eval_before_training
  trainer.test_freq=10                                    # runtime_args.eval_episode_interval=10
  trainer.default_local_dir=/out/verl_examples/qwen3_30b  # runtime_args.output_dir=/out/qwen3_30b; <root>/<project>/<experiment>
  trainer.use_v1=true                                     # the trainer of veRL 0.9, which reads trainer.v1.trainer_mode
  trainer.v1.trainer_mode=sync                            # runtime_args.colocation=[policy, policy_trainer, ref_policy]
)

python3 -m verl.trainer.main_ppo --config-name=ppo_megatron_trainer "${ARGS[@]}" "$@"
