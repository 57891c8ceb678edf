"""Switches of veRL's config beside the plan."""

from __future__ import annotations

from rftconf.mappers.gates import NO_CRITIC, Gate, Gates, Section, critic_trains, has, may_be_fsdp2

GATES = Gates(
    sections=(
        Section("*.profiler", "enable", "utils/profiler/profile.py: check_enable"),
        Section("*.qat", "enable", "workers/engine/fsdp/transformer_impl.py: _qat_enabled"),
        Section("*.mtp", "enable", "workers/config/model.py, workers/engine/megatron/transformer_impl.py"),
        Section("*.tiled_mlp", "enabled", "models/transformers/monkey_patch.py: use_tiled_mlp"),
        Section("*.disaggregation", "enabled", "workers/rollout/replica.py, vllm_async_server.py"),
        Section("distillation", "enabled", "trainer/distillation: is_distillation_enabled"),
    ),
    gates=(
        Gate(("critic.*",), critic_trains, NO_CRITIC, "trainer/ppo/utils.py: need_critic"),
        Gate(("trainer.resume_from_path",), has("trainer.resume_mode", "resume_path"),
             "no effect unless trainer.resume_mode is resume_path", "trainer/ppo/ray_trainer.py: _load_checkpoint"),
        Gate(("actor_rollout_ref.model.fused_kernel_options.*",),
             has("actor_rollout_ref.model.use_fused_kernels", True),
             "no effect while actor_rollout_ref.model.use_fused_kernels is False",
             "models/transformers/monkey_patch.py: apply_monkey_patch"),
        *(Gate((f"trainer.v1.{mode}.*",), has("trainer.v1.trainer_mode", mode), f"trainer.v1.trainer_mode is not {mode}",
               "trainer/ppo/v1: one trainer a mode") for mode in ("separate_async", "colocate_async")),
        Gate(("actor_rollout_ref.actor.fsdp_config.offload_policy",), may_be_fsdp2, "only fsdp2 reads it",
             "workers/engine/fsdp/transformer_impl.py: strategy"),
    ),
)  # fmt: skip
