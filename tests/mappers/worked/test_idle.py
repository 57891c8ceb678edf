"""Keys that do nothing in a run: of roles, back ends and methods that it has not, and of counters that nobody looks at."""

from __future__ import annotations

import pytest

from tests.laws.flip_bases import ARR, CHATLEARN_GRPO, CRITIC, MCORE, STATIC, TAUGHT, TRINITY_GRPO, VERL_GRPO
from tests.laws.flip_bases_roll import AGENTIC, DPO, RLVR, SFT
from tests.laws.flip_bases_sft import SAMPLES
from tests.mappers.worked.runs import Flat, assert_idle, read

ALONE = {**VERL_GRPO, f"{ARR}.actor.use_kl_loss": False, f"{ARR}.rollout.log_prob_use_dynamic_bsz": True}
MEGATRON = {f"{ARR}.actor.strategy": "megatron"}
ENGINE = {"critic.fsdp.use_dynamic_bsz": False, "critic.fsdp.micro_batch_size_per_gpu": 4}
CRITICS = {**VERL_GRPO, **CRITIC, **STATIC, **ENGINE}
ROLES = ("actor_rollout_ref.actor.", "actor_rollout_ref.ref.", "critic.")
OLD_TOTALS = (
    "actor_rollout_ref.actor.ppo_micro_batch_size",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size",
    "actor_rollout_ref.ref.log_prob_micro_batch_size",
    "critic.ppo_micro_batch_size",
    "critic.forward_micro_batch_size",
)
RUNS: dict[str, tuple[str, Flat, str, str, tuple[str, ...]]] = {
    # trainer/ppo/utils.py of 0.9.1: need_critic, need_reference_policy; a batch is cut by tokens (use_dynamic_bsz)
    "veRL: no critic, no KL, batches cut by tokens, FSDP": (
        "verl",
        ALONE,
        "fsdp",
        "0.9.1",
        (
            "critic.*",
            "trainer.max_critic_ckpt_to_keep",
            f"{ARR}.ref.*",
            *(f"*.{engine}.*" for engine in ("megatron", "veomni", "torchtitan")),
            *("algorithm.lam", "algorithm.gamma", "algorithm.kl_penalty", "algorithm.kl_ctrl.*"),
            f"{ARR}.actor.kl_loss_*",
            f"{ARR}.actor.ppo_micro_batch_size*",
            f"{ARR}.rollout.log_prob_micro_batch_size*",
            *("distillation.*", f"{ARR}.actor.tau_*", f"{ARR}.actor.engine.*"),
            *(
                f"{ARR}.model.lora.*",
                f"{ARR}.model.lora_alpha",
                f"{ARR}.model.*_modules",
                f"{ARR}.model.lora_adapter_path",
            ),
            *(f"{ARR}.actor.optim.{name}" for name in ("lr_decay_style", "min_lr*", "lr_min", "decay_type", "name")),
            *(f"{ARR}.actor.data_loader_seed", f"{ARR}.actor.grad_clip", "trainer.balance_batch"),
            f"{ARR}.rollout.checkpoint_engine.backend",
        ),
    ),
    # workers/utils of 0.8 and later look for *_per_gpu alone; static batches know no cap of tokens
    "veRL: micro-batches of sequences": (
        "verl",
        CRITICS,
        "fsdp",
        "0.9.1",
        (
            f"{ARR}.actor.ppo_max_token_len_per_gpu",
            f"{ARR}.rollout.log_prob_max_token_len_per_gpu",
            f"{ARR}.ref.log_prob_max_token_len_per_gpu",
            *("critic.use_dynamic_bsz", "critic.ppo_micro_batch_size_per_gpu"),
            *OLD_TOTALS,
            *("critic.megatron.*", "critic.veomni.*", "critic.torchtitan.*"),
            *("critic.grad_clip", "critic.optim.min_lr*", "critic.optim.decay_type", "critic.optim.name"),
            "critic.ulysses_sequence_parallel_size",
            *("algorithm.kl_ctrl.target_kl", "algorithm.kl_ctrl.horizon"),
        ),
    ),
    "veRL: Megatron": (
        "verl",
        {**CRITICS, **MEGATRON},
        "megatron",
        "0.9.1",
        (
            *(
                "*.fsdp_config.*",
                "critic.fsdp.*",
                "*.lr_scheduler_type",
                "*.min_lr_ratio",
                "*.veomni.*",
                "*.torchtitan.*",
            ),
            *("critic.forward_micro_batch_size_per_gpu", f"{ARR}.model.lora_rank", f"{ARR}.model.lora_alpha"),
            *("*.entropy_from_logits_with_chunking", "*.entropy_checkpointing"),
        ),
    ),
    # workers/engine/torchtitan: its optimizer is named in keys of its own
    "veRL: TorchTitan": (
        "verl",
        {**VERL_GRPO, **CRITIC},
        "torchtitan",
        "0.9.1",
        (
            "*.optim.optimizer",
            "*.lr_scheduler_type",
            "*.lr_decay_style",
            "*.fsdp_config.*",
            "*.megatron.*",
            "*.veomni.*",
        ),
    ),
    # up to 0.7 the FSDP workers read actor.grad_clip (dp_actor.py: clip_grad_norm_(max_norm=self.config.grad_clip))
    "veRL: FSDP's workers of 0.6": (
        "verl",
        {**VERL_GRPO, **CRITIC},
        "fsdp",
        "0.6.1",
        (
            f"{ARR}.actor.optim.clip_grad",
            f"{ARR}.actor.optim.grad_clip",
            "critic.optim.clip_grad",
            "critic.optim.grad_clip",
        ),
    ),
    "veRL: a policy that follows a teacher alone": (
        "verl",
        {**VERL_GRPO, **TAUGHT},
        "fsdp",
        "0.9.1",
        (f"{ARR}.actor.clip_ratio_low", f"{ARR}.actor.clip_ratio_high", "critic.*", f"{ARR}.ref.*"),
    ),
    # trainer/config/engine: fsdp.yaml and megatron.yaml are two files, of which one is taken
    "veRL: a supervised run by tokens": (
        "verl_sft",
        SAMPLES,
        "fsdp",
        "0.9.1",
        (
            "data.micro_batch_size_per_gpu",
            *("optim.lr_decay_style", "optim.min_lr", "optim.min_lr_ratio"),
            *("engine.*_model_parallel_size", "engine.context_parallel_size", "engine.sequence_parallel"),
            *("engine.use_dist*", "engine.use_mbridge", "engine.override_*", "engine.dist_checkpointing_path"),
            *("model.lora_alpha", "model.*_modules", "model.lora.*", "model.lora_adapter_path"),
        ),
    ),
    # trainer/fsdp_sft_trainer.py of 0.5.0: `if self.config.model.get("lora_rank", 0) > 0`
    "veRL: a supervised run of 0.5 without LoRA": (
        "verl_fsdp_sft",
        {"model.partial_pretrain": "base/model", "model.lora_rank": 0},
        "",
        "0.5.0",
        ("model.lora_alpha", "model.target_modules"),
    ),
    "veRL: a supervised run by samples, Megatron": (
        "verl_sft",
        {**SAMPLES, "engine.strategy": "megatron", "data.use_dynamic_bsz": False, "data.micro_batch_size_per_gpu": 2},
        "megatron",
        "0.9.1",
        (
            *("data.max_token_len_per_gpu", "optim.lr_scheduler_type", "engine.ulysses_sequence_parallel_size"),
            *("engine.fsdp_size", "engine.reshard_after_forward", "engine.offload_policy", "engine.forward_prefetch"),
            *("engine.model_dtype", "engine.use_orig_params", "engine.wrap_policy.min_num_params", "model.lora_rank"),
        ),
    ),
    # trainer/verl/verl_config.py of 0.6.0: clip_grad goes to back ends from 0.8 on; FSDP of 0.5 reads trainer.grad_clip
    "Trinity: FSDP, no critic, batches cut by tokens": (
        "trinity",
        TRINITY_GRPO,
        "",
        "0.6.0",
        (
            "trainer.megatron.*",
            "trainer.trainer_config.*.megatron.*",
            "trainer.trainer_config.critic.*",
            "trainer.trainer_config.trainer.critic_warmup",
            *("trainer.grad_offload", "trainer.grad_clip", "algorithm.optimizer.min_lr_ratio"),
            "trainer.trainer_config.*.ppo_micro_batch_size_per_gpu",
            "trainer.trainer_config.*.log_prob_micro_batch_size_per_gpu",
            "trainer.trainer_config.actor_rollout_ref.actor.data_loader_seed",
            "explorer.rollout_model.extra_engine_args.max_running_requests",
        ),
    ),
    "Trinity: Megatron, SGLang, batches of sequences": (
        "trinity",
        {
            **TRINITY_GRPO,
            "trainer.trainer_strategy": "megatron",
            "explorer.rollout_model.engine_type": "sglang",
            "trainer.use_dynamic_bsz": False,
        },
        "",
        "0.6.0",
        (
            *("*.fsdp_config.*", "*.fsdp.*", "trainer.ulysses_sequence_parallel_size", "trainer.offload_policy"),
            *("trainer.max_token_len_per_gpu", "trainer.grad_clip", "*.entropy_*"),
            *("*.extra_engine_args.max_num_seqs", "*.extra_engine_args.max_num_batched_tokens"),
        ),
    ),
    "Trinity: FSDP of 0.5": (
        "trinity",
        TRINITY_GRPO,
        "",
        "0.5.2",
        ("algorithm.optimizer.clip_grad", "trainer.critic_warmup"),
    ),
    # pipeline/rlvr/rlvr_config.py: the critic is for gae, the reference for a KL term or init_kl_coef above 0
    "ROLL: no critic, no reference, vLLM, FSDP": (
        "roll",
        {**RLVR, "use_kl_loss": False},
        "rlvr",
        "0.3.0",
        (
            *("critic.*", "reference.*", "sft_train.*", "student.*", "value_clip", "lambd"),
            *("kl_loss_coef", "kl_penalty", "kl_horizon", "kd_*", "distill_*", "logits_topk", "teacher_temperature"),
            *("skew_lambda", "adaptive_kl_alpha", "actor_train.use_sequence_packing", "actor_train.model_args.dtype"),
            *("actor_train.strategy_args.strategy_config.*_parallel*", "*.use_distributed_optimizer"),
            "actor_train.max_tokens_per_microbatch_in_infer",
            "actor_infer.strategy_args.strategy_config.max_running_requests",
        ),
    ),
    # distributed/strategy/sglang_strategy.py hands on other names than vllm_strategy.py
    "ROLL: SGLang": (
        "roll",
        {**RLVR, "actor_infer.strategy_args.strategy_name": "sglang"},
        "rlvr",
        "0.3.0",
        tuple(
            f"actor_infer.strategy_args.strategy_config.{name}"
            for name in (
                *("data_parallel_size", "max_num_seqs", "max_num_batched_tokens", "enforce_eager"),
                *("enable_prefix_caching", "enable_chunked_prefill", "load_format"),
            )
        ),
    ),
    "ROLL: Megatron": (
        "roll",
        {**RLVR, "actor_train.strategy_args.strategy_name": "megatron_train"},
        "rlvr",
        "0.3.0",
        (
            *("actor_train.model_args.ulysses_size", "actor_train.model_args.disable_gradient_checkpointing"),
            "actor_train.strategy_args.strategy_config.fsdp_size",
            "actor_train.strategy_args.strategy_config.reshard_after_forward",
        ),
    ),
    # pipeline/sft/sft_pipeline.py has one role, sft_train
    "ROLL: a supervised run": (
        "roll",
        SFT,
        "sft",
        "0.3.0",
        (
            *("actor_train.*", "actor_infer.*", "reference.*", "critic.*", "student.*", "validation.*"),
            *("whiten_advantages", "entropy_loss_coef", "critic_warmup", "kl_loss_coef", "kl_penalty", "eval_steps"),
            *("model_update_buffer_size_mb", "lambd", "value_clip"),
            *("kd_temperature", "logits_topk", "distill_on_prompt"),
        ),
    ),
    "ROLL: agents play environments": (
        "roll",
        AGENTIC,
        "agentic",
        "0.3.0",
        ("validation.*", "critic.*", "sft_train.*", "student.*"),
    ),
    "ROLL: pairs": (
        "roll",
        DPO,
        "dpo",
        "0.3.0",
        ("actor_infer.*", "critic.*", "sft_train.*", "student.*", "entropy_loss_coef"),
    ),
    # models/fsdp_module.py and models/megatron_module.py: each reads its own sizes
    "ChatLearn: FSDP": (
        "chatlearn",
        CHATLEARN_GRPO,
        "fsdp",
        "2025.10.23",
        (
            *("models.policy_trainer.*_model_parallel_size", "models.ref_policy.*_model_parallel_size"),
            *("models.*.context_parallel_size", "models.*.expert_*", "models.*.sequence_parallel", "models.*.bf16"),
            "models.policy_trainer.use_distributed_optimizer",
            "models.policy_trainer.free_gpu_memory.free_grad_buffers",
        ),
    ),
    "ChatLearn: Megatron": (
        "chatlearn",
        {**CHATLEARN_GRPO, **MCORE},
        "megatron",
        "2025.10.23",
        ("models.policy_trainer.ulysses_sequence_parallel_size", "models.ref_policy.ulysses_sequence_parallel_size"),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_nothing_comes_of_them(name: str) -> None:
    framework, flat, trainer, release, patterns = RUNS[name]
    assert_idle(read(framework, flat, trainer=trainer, release=release), patterns)
