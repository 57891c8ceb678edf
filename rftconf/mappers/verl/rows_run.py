"""veRL rows: identity, cluster, model, lengths, batches, cadence, sampling, seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.mappers.codecs import checkpoint_folder, counts, off_as, same, words
from rftconf.mappers.context import When
from rftconf.mappers.rows import rows_of
from rftconf.mappers.verl.conditions import (
    CRITIC,
    DYNAMIC,
    FSDP,
    FSDP_LORA,
    LOG_PROB_DYNAMIC,
    LOG_PROB_STATIC,
    LORA,
    MEGATRON,
    MEGATRON_LORA,
    REF_DYNAMIC,
    REF_STATIC,
    REFERENCE,
    STATIC,
    total,
    v1_trainer,
)
from rftconf.mappers.verl.folds_recipes import BY_BATCHES
from rftconf.mappers.verl.forks import CRITIC_MINI_BATCH, GROUP_SIZE, MINI_BATCH
from rftconf.mappers.verl.model_overrides import OVERRIDES
from rftconf.mappers.verl.ranks import REFERENCE_TOKENS
from rftconf.plan.units import Unit

if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.verl.model import Verl

row = rows_of["Verl", "Run"]()

ADAPTS = When(
    FSDP.test,
    "only the FSDP trainer builds adapters from it, so every weight is trained; but main_ppo takes the policy without its "
    "adapter for the reference all the same, and stops at the first step where KL wants one: leave it out",
)

ADAPTER = When(
    lambda c: LORA.test(c) or (FSDP.test(c) and c.since("0.6.1") and not c.since("0.8.0")),
    "no effect while the rank of LoRA is 0; FSDP's workers of 0.6 and 0.7 went on from it all the same",
)

RUN_ROWS = (
    # -- identity -----------------------------------------------------------------------------------------------
    row(lambda c: c.trainer.project_name, lambda p: p.identity.project, same, why="trainer: Tracking(project_name=)"),
    row(lambda c: c.trainer.experiment_name, lambda p: p.identity.experiment, same, why="trainer: Tracking(experiment_name=)"),
    row(lambda c: c.trainer.logger, lambda p: p.identity.loggers, same, why="trainer: Tracking(default_backend=), a list"),
    row(lambda c: c.trainer.resume_mode, lambda p: p.identity.resume,
        words({"auto": "auto", "disable": "never", "resume_path": "path"}), why="trainer: _load_checkpoint"),
    row(lambda c: c.trainer.resume_from_path, lambda p: p.identity.resume_path, checkpoint_folder, why="trainer: _load_checkpoint"),
    # -- model --------------------------------------------------------------------------------------------------
    row(lambda c: c.actor_rollout_ref.model.path, lambda p: p.stage.model.path, same, always=True, why="HFModelConfig.path"),
    row(lambda c: c.actor_rollout_ref.model.tokenizer_path, lambda p: p.stage.model.tokenizer_path, same,
        why="HFModelConfig.tokenizer_path, else the model's own"),
    row(lambda c: c.critic.model.path, lambda p: p.stage.model.critic_path, same, when=CRITIC, always=True,
        why="critic.yaml: not inherited from the actor"),
    row(lambda c: c.critic.model.tokenizer_path, lambda p: p.stage.model.critic_tokenizer_path, same, when=CRITIC,
        why="critic.yaml: inherits the actor's model path"),
    row(lambda c: c.actor_rollout_ref.model.trust_remote_code, lambda p: p.stage.model.trust_remote_code, same,
        why="HFModelConfig.trust_remote_code"),
    row(lambda c: c.actor_rollout_ref.model.custom_chat_template, lambda p: p.stage.model.chat_template, same,
        why="HFModelConfig.custom_chat_template"),
    row(lambda c: c.actor_rollout_ref.model.override_config, lambda p: p.stage.model.config_overrides, OVERRIDES,
        why="HFModelConfig.override_config, merged into config.json"),
    # -- lengths ------------------------------------------------------------------------------------------------
    row(lambda c: c.data.max_prompt_length, lambda p: p.stage.length.prompt_max_tokens, counts(Unit.TOKENS), always=True,
        why="rl_dataset: longest prompt"),
    row(lambda c: c.data.max_response_length, lambda p: p.stage.length.response_max_tokens, counts(Unit.TOKENS), always=True,
        why="rollout.response_length interpolates it"),
    row(lambda c: c.actor_rollout_ref.rollout.prompt_length, lambda p: p.stage.length.prompt_max_tokens, counts(Unit.TOKENS),
        alias=True, read_only=True, why="the engine's own limit, when written; follows data.max_prompt_length otherwise"),
    row(lambda c: c.actor_rollout_ref.rollout.response_length, lambda p: p.stage.length.response_max_tokens, counts(Unit.TOKENS),
        alias=True, read_only=True, why="the engine's own limit, when written; follows data.max_response_length otherwise"),
    row(lambda c: c.actor_rollout_ref.rollout.max_model_len, lambda p: p.stage.length.model_max_tokens, counts(Unit.TOKENS),
        why="rollout.yaml: null means prompt + response"),
    row(lambda c: c.data.filter_overlong_prompts, lambda p: p.stage.length.overlong_prompt,
        words({True: "drop_gt", False: "keep"}, narrowed={
            "drop_ge": (True, "veRL keeps a prompt of exactly max_prompt_length (H51)"),
            "mask_dummy": (True, "veRL drops prompts over the limit from the data; the source keeps their slot with reward 0 (H50)")}),
        why="rl_dataset: keeps len <= max_prompt_length"),
    # -- batches ------------------------------------------------------------------------------------------------
    row(lambda c: c.data.gen_batch_size, lambda p: p.stage.batch.prompts_per_fetch, counts(Unit.PROMPTS),
        when=BY_BATCHES, why="trainer: prompts one dataloader fetch returns"),
    row(lambda c: c.actor_rollout_ref.rollout.n, lambda p: p.stage.batch.responses_per_prompt, GROUP_SIZE, always=True,
        why="trainer: rows are repeated n times"),
    row(lambda c: c.actor_rollout_ref.actor.ppo_mini_batch_size, lambda p: p.stage.batch.sequences_per_update,
        MINI_BATCH, always=True, why="workers: multiplied by rollout.n before it is split over ranks"),
    row(lambda c: c.actor_rollout_ref.actor.ppo_epochs, lambda p: p.stage.batch.passes, same, why="actor: passes over the rollout"),
    row(lambda c: c.actor_rollout_ref.actor.shuffle, lambda p: p.stage.batch.shuffle_sequences, same, why="actor: make_iterator(shuffle=)"),
    row(lambda c: c.trainer.balance_batch, lambda p: p.stage.batch.balance_ranks, same,
        when=When(lambda c: not v1_trainer(c), "the 0.9 trainer always balances, whatever balance_batch says (H64)"),
        why="trainer: _balance_batch"),
    row(lambda c: c.actor_rollout_ref.actor.use_dynamic_bsz, lambda p: p.stage.batch.micro.dynamic, same, always=True,
        why="workers: prepare_dynamic_batch"),
    row(lambda c: c.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu, lambda p: p.stage.batch.micro.sequences_per_rank,
        counts(Unit.SEQUENCES_PER_RANK), when=STATIC, why="workers: micro-batch of one rank"),
    row(lambda c: c.actor_rollout_ref.actor.ppo_micro_batch_size, lambda p: p.stage.batch.micro.sequences_per_rank,
        counts(Unit.SEQUENCES), when=total(STATIC), alias=True, read_only=True, why="up to 0.7: over all ranks, divided by them"),
    row(lambda c: c.actor_rollout_ref.actor.ppo_max_token_len_per_gpu, lambda p: p.stage.batch.micro.tokens_per_rank,
        counts(Unit.TOKENS_PER_GPU), when=DYNAMIC, why="workers: multiplied by ulysses_sequence_parallel_size"),
    row(lambda c: c.actor_rollout_ref.rollout.log_prob_use_dynamic_bsz, lambda p: p.stage.batch.log_prob.dynamic, same,
        why="engine_workers: must equal actor.use_dynamic_bsz since 0.8"),
    row(lambda c: c.actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu,
        lambda p: p.stage.batch.log_prob.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), when=LOG_PROB_STATIC,
        why="workers: micro-batch of the old log-probabilities"),
    row(lambda c: c.actor_rollout_ref.rollout.log_prob_micro_batch_size, lambda p: p.stage.batch.log_prob.sequences_per_rank,
        counts(Unit.SEQUENCES), when=total(LOG_PROB_STATIC), alias=True, read_only=True, why="up to 0.7: over all ranks, divided by them"),
    row(lambda c: c.actor_rollout_ref.rollout.log_prob_max_token_len_per_gpu, lambda p: p.stage.batch.log_prob.tokens_per_rank,
        counts(Unit.TOKENS_PER_GPU), when=LOG_PROB_DYNAMIC, why="workers: as ppo_max_token_len_per_gpu"),
    row(lambda c: c.actor_rollout_ref.ref.log_prob_use_dynamic_bsz, lambda p: p.stage.batch.reference.dynamic, same,
        when=REFERENCE, why="workers: the reference's own switch"),
    row(lambda c: c.actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu,
        lambda p: p.stage.batch.reference.sequences_per_rank, counts(Unit.SEQUENCES_PER_RANK), when=REF_STATIC,
        why="workers: micro-batch of the reference"),
    row(lambda c: c.actor_rollout_ref.ref.log_prob_micro_batch_size, lambda p: p.stage.batch.reference.sequences_per_rank,
        counts(Unit.SEQUENCES), when=total(REF_STATIC), alias=True, read_only=True, why="up to 0.7: over all ranks, divided by them"),
    row(lambda c: c.actor_rollout_ref.ref.log_prob_max_token_len_per_gpu, lambda p: p.stage.batch.reference.tokens_per_rank,
        REFERENCE_TOKENS, when=REF_DYNAMIC, why="workers: as ppo_max_token_len_per_gpu"),
    row(lambda c: c.critic.ppo_mini_batch_size, lambda p: p.stage.batch.critic_sequences_per_update, CRITIC_MINI_BATCH,
        when=CRITIC, why="critic worker: multiplied by rollout.n; defaults to the actor's"),
    row(lambda c: c.critic.ppo_epochs, lambda p: p.stage.batch.critic_passes, same, when=CRITIC, why="critic: passes"),
    row(lambda c: c.critic.shuffle, lambda p: p.stage.batch.critic_shuffle_sequences, same, when=CRITIC, why="critic: make_iterator"),
    # -- cadence ------------------------------------------------------------------------------------------------
    row(lambda c: c.trainer.save_freq, lambda p: p.stage.cadence.save_rollouts, counts(Unit.ROLLOUTS, off=(-1, 0)), always=True,
        why="trainer.fit: global_steps % save_freq, one step = one rollout period; also at the last step"),
    row(lambda c: c.trainer.test_freq, lambda p: p.stage.cadence.eval_rollouts, counts(Unit.ROLLOUTS, off=(-1, 0)), always=True,
        why="trainer.fit: global_steps % test_freq, after the weights are synced"),
    row(lambda c: c.trainer.val_before_train, lambda p: p.stage.cadence.eval_at_start, same, why="trainer.fit"),
    # -- checkpoints --------------------------------------------------------------------------------------------
    row(lambda c: c.actor_rollout_ref.actor.checkpoint.save_contents, lambda p: p.stage.checkpoint.contents, same,
        why="CheckpointConfig.save_contents"),
    row(lambda c: c.actor_rollout_ref.actor.checkpoint.load_contents, lambda p: p.stage.checkpoint.load_contents, same,
        why="CheckpointConfig.load_contents"),
    row(lambda c: c.actor_rollout_ref.actor.checkpoint.async_save, lambda p: p.stage.checkpoint.asynchronous, same,
        absent=False, why="CheckpointConfig.async_save"),
    row(lambda c: c.trainer.max_actor_ckpt_to_keep, lambda p: p.stage.checkpoint.keep, off_as((None, 0)), why="trainer._save_checkpoint"),
    row(lambda c: c.trainer.max_critic_ckpt_to_keep, lambda p: p.stage.checkpoint.critic_keep, off_as((None, 0)), when=CRITIC,
        why="trainer._save_checkpoint"),
    # -- sampling -----------------------------------------------------------------------------------------------
    row(lambda c: c.actor_rollout_ref.rollout.temperature, lambda p: p.stage.sampling.train.temperature, same, always=True,
        why="rollout.yaml; the trainer divides logits by it"),
    row(lambda c: c.actor_rollout_ref.rollout.top_p, lambda p: p.stage.sampling.train.top_p, same, always=True, why="rollout.yaml"),
    row(lambda c: c.actor_rollout_ref.rollout.top_k, lambda p: p.stage.sampling.train.top_k, same, always=True, why="rollout.yaml"),
    row(lambda c: c.actor_rollout_ref.rollout.ignore_eos, lambda p: p.stage.sampling.train.ignore_eos, same, why="rollout.yaml"),
    row(lambda c: c.actor_rollout_ref.rollout.val_kwargs.top_p, lambda p: p.stage.sampling.eval.top_p, same, always=True,
        why="agent_loop: validation sampling"),
    row(lambda c: c.actor_rollout_ref.rollout.val_kwargs.top_k, lambda p: p.stage.sampling.eval.top_k, same, always=True,
        why="agent_loop: validation sampling"),
    row(lambda c: c.actor_rollout_ref.rollout.val_kwargs.n, lambda p: p.stage.sampling.eval.responses, same, always=True,
        why="agent_loop: answers per validation prompt"),
    # -- turns --------------------------------------------------------------------------------------------------
    row(lambda c: c.actor_rollout_ref.rollout.agent.default_agent_loop, lambda p: p.stage.turns.loop,
        off_as(("single_turn_agent",)), why="agent_loop.py: where a row's agent_name is missing"),
    row(lambda c: c.actor_rollout_ref.rollout.multi_turn.tool_config_path, lambda p: p.stage.turns.tools, same,
        why="tool_agent_loop.py, for rows whose loop is tool_agent"),
    row(lambda c: c.actor_rollout_ref.rollout.multi_turn.max_assistant_turns, lambda p: p.stage.turns.assistant_max, same,
        why="tool_agent_loop.py"),
    row(lambda c: c.actor_rollout_ref.rollout.multi_turn.max_user_turns, lambda p: p.stage.turns.user_max, same,
        why="tool_agent_loop.py"),
    # -- model options ------------------------------------------------------------------------------------------
    row(lambda c: c.actor_rollout_ref.model.lora_rank, lambda p: p.stage.model_options.lora.rank, off_as((0, None)),
        when=ADAPTS, why="fsdp/transformer_impl: lora_rank; 0 is off. ray_trainer: ref_in_actor, whatever the engine"),
    row(lambda c: c.actor_rollout_ref.model.lora.rank, lambda p: p.stage.model_options.lora.rank, off_as((0, None)),
        when=MEGATRON, alias=True, why="megatron/transformer_impl: peft_config=model.lora; 0 is off"),
    row(lambda c: c.actor_rollout_ref.model.lora_alpha, lambda p: p.stage.model_options.lora.alpha, same, when=FSDP_LORA, always=True,
        why="scale is alpha / rank (H54)"),
    row(lambda c: c.actor_rollout_ref.model.target_modules, lambda p: p.stage.model_options.lora.targets, same, when=FSDP_LORA, always=True,
        why="HFModelConfig.target_modules"),
    row(lambda c: c.actor_rollout_ref.model.lora.alpha, lambda p: p.stage.model_options.lora.alpha, same, when=MEGATRON_LORA,
        alias=True, always=True, why="scale is alpha / rank; 32 by default (H54)"),
    row(lambda c: c.actor_rollout_ref.model.lora.target_modules, lambda p: p.stage.model_options.lora.targets, same,
        when=MEGATRON_LORA, alias=True, why="Megatron's names: linear_qkv, linear_proj, linear_fc1, linear_fc2"),
    row(lambda c: c.actor_rollout_ref.model.exclude_modules, lambda p: p.stage.model_options.lora.excluded, same, when=FSDP_LORA,
        why="HFModelConfig.exclude_modules"),
    row(lambda c: c.actor_rollout_ref.model.lora_adapter_path, lambda p: p.stage.model_options.lora.path, same, when=ADAPTER,
        why="HFModelConfig.lora_adapter_path; fsdp_workers up to 0.7: _is_lora"),
    row(lambda c: c.actor_rollout_ref.model.enable_gradient_checkpointing, lambda p: p.stage.model_options.gradient_checkpointing,
        same, why="HFModelConfig"),
    row(lambda c: c.actor_rollout_ref.model.enable_activation_offload, lambda p: p.stage.model_options.activation_offload, same,
        absent=False, why="HFModelConfig"),
    row(lambda c: c.actor_rollout_ref.model.use_remove_padding, lambda p: p.stage.model_options.remove_padding, same, always=True,
        why="HFModelConfig; needed by Ulysses SP (USER_PAIN 23)"),
    row(lambda c: c.actor_rollout_ref.model.use_liger, lambda p: p.stage.model_options.liger, same, absent=False, why="HFModelConfig"),
    row(lambda c: c.actor_rollout_ref.model.use_fused_kernels, lambda p: p.stage.model_options.fused_kernels, same,
        absent=False, why="HFModelConfig"),
    row(lambda c: c.critic.model.enable_gradient_checkpointing, lambda p: p.stage.model_options.critic_gradient_checkpointing,
        same, when=CRITIC, why="critic.model"),
    row(lambda c: c.critic.model.enable_activation_offload, lambda p: p.stage.model_options.critic_activation_offload, same,
        when=CRITIC, absent=False, why="critic.model"),
    row(lambda c: c.critic.model.use_remove_padding, lambda p: p.stage.model_options.critic_remove_padding, same, when=CRITIC,
        always=True, why="critic.model: not inherited from the actor"),
    # -- seeds --------------------------------------------------------------------------------------------------
    row(lambda c: c.actor_rollout_ref.actor.data_loader_seed, lambda p: p.stage.seeds.minibatch, same,
        when=When(lambda c: c.plan("stage.batch.shuffle_sequences") is not False, "no effect while actor.shuffle is False"),
        why="engine_workers: seed of the mini-batch shuffle"),
)  # fmt: skip
