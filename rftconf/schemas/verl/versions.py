"""Releases of veRL differ by these edits. The edits of a release lead from it up to the next one.

Both trainers share the table; keys that one trainer has and the other keeps are in ONLY. `actor.grad_clip` beside
`optim.clip_grad` is not an edit: both names exist, and which one acts is a question of the worker.
"""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.symbols import Value
from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import Edit, Move, Removed, Split, moves, removed_keys
from rftconf.schemas.needed_keys import Came, NeededKey, Required
from rftconf.schemas.value_edits import Copied, Opposite, PathAsWord, Pin, Reinterpret, Revalue
from rftconf.schemas.verl import engine_versions
from rftconf.schemas.verl.prefill import PrefillInPieces
from rftconf.schemas.verl.unreleased import UNRELEASED

_ARR = "actor_rollout_ref"
_A, _C, _R = f"{_ARR}.actor", "critic", f"{_ARR}.rollout"
_ROLES = (_A, f"{_ARR}.ref", _C)
_CORRECTION = "algorithm.rollout_correction"
_NSYS, _STEPS = "global_profiler.global_tool_config.nsys", "global_profiler.steps"
_PROFILER = ("discrete", "all_ranks", "ranks")
_GREEDY: Mapping[str, Value] = {"top_k": -1, "top_p": 1.0, "temperature": 0, "n": 1, "do_sample": False}
_RM, _REWARD = "reward_model", "reward.reward_model"
_OLD_RM_WORKER = "the reward model is an inference server from 0.7.1 on, so nothing trains or shards it"


def _set(value: Value) -> bool:
    return value is not None and value != []


def _reward(keeps_both: bool) -> tuple[Edit, ...]:
    """`reward_model`, `custom_reward_function` and `sandbox_fusion` went below `reward`.

    The old names stay in the schema as nulls. 0.7.1 and 0.8.0 still obey them, over the new ones; 0.9.1 ignores them.
    """
    return (
        *moves(
            "custom_reward_function",
            "reward.custom_reward_function",
            ("path", "name"),
            stays=True,
            keeps_both=keeps_both,
        ),
        Move(
            "custom_reward_function.reward_kwargs",
            "reward.custom_reward_function.reward_kwargs",
            True,
            True,
            keeps_both,
        ),
        Move(f"{_RM}.reward_manager", "reward.reward_manager.name", stays=True, both=keeps_both),
        Move(f"{_RM}.reward_kwargs", "reward.reward_kwargs", tree=True, stays=True, both=keeps_both),
        *moves(
            _RM,
            _REWARD,
            ("enable", "enable_resource_pool", "n_gpus_per_node", "nnodes"),
            stays=True,
            keeps_both=keeps_both,
        ),
        Move(f"{_RM}.model.path", f"{_REWARD}.model_path", stays=True, both=keeps_both),
        Move("sandbox_fusion", "reward.sandbox_fusion", tree=True, stays=True, both=keeps_both),
        Move(f"{_RM}.rollout", f"{_REWARD}.rollout", tree=True, stays=True, both=keeps_both),
    )


EDITS: dict[str, tuple[Edit, ...]] = {
    "0.2.0": (
        PathAsWord("trainer.resume_mode", ("auto", "disable"), "resume_path", "trainer.resume_from_path"),
        Revalue("trainer.resume_from_path", {False: None}, "no path is null from 0.3.0 on", {None: False}),
        Reinterpret(
            "trainer.resume_from_path",
            (True,),
            "0.2.0 took the newest checkpoint where this was true; from 0.3.0 on it is the path itself",
        ),
    ),
    "0.3.0": (
        Move("trainer.val_generations_to_log_to_wandb", "trainer.log_val_generations"),
        *(
            Split(
                f"{role}.checkpoint.contents", tuple(f"{role}.checkpoint.{verb}_contents" for verb in ("save", "load"))
            )
            for role in (_A, _C)
        ),
        Opposite(
            f"{_A}.use_kl_loss",
            "algorithm.use_kl_in_reward",
            ("algorithm.kl_ctrl.kl_coef", 0.0),
            "up to 0.3.0 the KL is taken off the rewards wherever it is not in the loss (ray_trainer.fit)",
        ),
        Copied(
            f"{_A}.clip_ratio",
            (f"{_A}.clip_ratio_low", f"{_A}.clip_ratio_high"),
            "up to 0.3.0 clip_ratio is both bounds (core_algos.compute_policy_loss)",
        ),
        Came(f"{_RM}.reward_kwargs", "up to 0.3.0 reward managers take no arguments (main_ppo)"),
        *(
            Required(
                f"{role}.log_prob_micro_batch_size_per_gpu",
                like,
                "up to 0.3.0 every run has a reference, and its fixed micro-batches are asked for (ray_trainer._validate_config)",
                f"{role}.log_prob_micro_batch_size",
                (f"{_A}.use_dynamic_bsz", True),
            )
            for role, like in (
                (f"{_ARR}.ref", f"{_R}.log_prob_micro_batch_size_per_gpu"),
                (_R, f"{_A}.ppo_micro_batch_size_per_gpu"),
            )
        ),
    ),
    "0.4.1": (
        *moves(f"{_A}.profiler", f"{_ARR}.profiler", _PROFILER),
        *removed_keys(
            "actor, reference and rollout share one worker and, from 0.5.0 on, one profiler block",
            *(f"{_ARR}.{role}.profiler.{name}" for role in ("ref", "rollout") for name in _PROFILER),
        ),
        Removed(f"{_R}.use_fire_sampling", "FIRE sampling (a hot first token) was removed from the vLLM rollout"),
        *removed_keys(
            "the critic never applied a KL penalty; algorithm.kl_ctrl does", "critic.kl_ctrl", tree=True, harmless=True
        ),
    ),
    "0.5.0": (
        Removed(f"{_R}.multi_turn.completion_callback", "the agent loop replaced the chat scheduler and its callbacks"),
        Move("ray_init.timeline_json_file", "ray_kwargs.timeline_json_file"),
        Move("ray_init", "ray_kwargs.ray_init", tree=True),
        Move("trainer.profile_steps", _STEPS),
        Pin((_STEPS, _set), "global_profiler.tool", "nsys", "0.5.0 knows no other tool", overrules=False),
        Move("trainer.controller_nsight_options", f"{_NSYS}.controller_nsight_options", tree=True),
        Move("trainer.worker_nsight_options", f"{_NSYS}.worker_nsight_options", tree=True),
        Move("trainer.npu_profile.options.save_path", "global_profiler.save_path"),
        Move("trainer.npu_profile.options.level", f"{_A}.profiler.tool_config.npu.level"),
        Move("trainer.npu_profile.options.analysis", f"{_A}.profiler.tool_config.npu.analysis"),
        *removed_keys(
            "profiler.tool_config.npu.contents lists what is recorded, instead of one switch each",
            *(
                f"trainer.npu_profile.options.{name}"
                for name in ("with_memory", "record_shapes", "with_npu", "with_cpu")
            ),
            *(f"trainer.npu_profile.options.{name}" for name in ("with_module", "with_stack")),
        ),
        Move(f"{_ARR}.profiler.discrete", f"{_NSYS}.discrete"),
        *(
            Split(f"{_ARR}.profiler.{name}", (f"{_A}.profiler.{name}", f"{_ARR}.ref.profiler.{name}"))
            for name in _PROFILER[1:]
        ),
        *removed_keys(
            "one switch serves all roles: global_profiler.global_tool_config.nsys.discrete", "critic.profiler.discrete"
        ),
        *removed_keys(
            "one switch serves all roles: global_profiler.global_tool_config.nsys.discrete",
            "reward_model.profiler.discrete",
        ),
        *removed_keys(
            "a dataclass's catch-all `extra` that nothing read",
            *(f"{node}.extra" for node in (f"{_ARR}.profiler", "critic", "critic.profiler", "reward_model.profiler")),
            *(f"{node}.extra" for node in ("algorithm", "algorithm.kl_ctrl", "algorithm.pf_ppo")),
            harmless=True,
        ),
        *removed_keys(
            "a class name nothing needs", f"{_ARR}.profiler._target_", "algorithm.pf_ppo._target_", harmless=True
        ),
        *removed_keys(
            "torch profiling of one worker moved to global_profiler with tool=torch, which counts steps differently",
            f"{_ARR}.ref.profile",
            tree=True,
        ),
        Move(f"{_A}.optim.warmup_style", f"{_A}.optim.lr_scheduler_type", stays=True),
        Move("critic.optim.warmup_style", "critic.optim.lr_scheduler_type", stays=True),
        Pin((f"{_R}.name", lambda name: name == "sglang_async"), f"{_R}.mode", "async", "the name said so until 0.5.0"),
        Revalue(f"{_R}.name", {"sglang_async": "sglang"}, "rollout.mode says whether it is asynchronous", {}),
    ),
    "0.6.1": (
        PrefillInPieces(),
        NeededKey(
            (f"{_RM}.enable", lambda enabled: enabled is True),
            f"{_RM}.micro_batch_size_per_gpu",
            1,
            "0.6.1 and older want a micro-batch for the reward model's worker; its size changes no score",
            unless=("critic.use_dynamic_bsz", True),
        ),
        *_reward(keeps_both=False),
        Move("reward_model.sandbox_fusion", "reward.sandbox_fusion", tree=True),
        *removed_keys(
            _OLD_RM_WORKER,
            *("reward_model.strategy", "reward_model.nccl_timeout", "reward_model.load_weight"),
            *("reward_model.max_length", "reward_model.use_dynamic_bsz", "reward_model.forward_max_token_len_per_gpu"),
            *("reward_model.micro_batch_size", "reward_model.micro_batch_size_per_gpu"),
            *("reward_model.ulysses_sequence_parallel_size", "reward_model.model.use_shm"),
            *("reward_model.model.use_remove_padding", "reward_model.model.use_fused_kernels"),
        ),
        *removed_keys(_OLD_RM_WORKER, "reward_model.model.fsdp_config", "reward_model.megatron", tree=True),
        Removed(
            "reward_model.model.input_tokenizer",
            "the reward loop decodes with the tokenizer of actor_rollout_ref.model.path",
        ),
        Removed(
            "reward_model.launch_reward_fn_async", "rewards are always scored while the log-probabilities are computed"
        ),
        Removed("reward_model.profiler", "the reward model's server has no profiler of veRL's", tree=True),
        *removed_keys(
            "torch profiles whole global_profiler.steps from 0.7.1 on",
            *(f"{role}.profiler.tool_config.torch.{end}" for role in _ROLES for end in ("step_start", "step_end")),
        ),
        Removed(f"{_ARR}.ref.model", "the reference is always the policy's starting model", tree=True),
        Move(f"{_R}.update_weights_bucket_megabytes", f"{_R}.checkpoint_engine.update_weights_bucket_megabytes"),
        Removed(
            f"{_CORRECTION}.rollout_rs_threshold_lower", "rollout_rs_threshold may hold `lower_upper` as text instead"
        ),
        Removed(f"{_CORRECTION}.rollout_token_veto_threshold", "rejection by a single token's ratio was removed"),
        Move(f"{_CORRECTION}.use_policy_gradient", f"{_CORRECTION}.loss_type"),
        Revalue(f"{_CORRECTION}.loss_type", {True: "reinforce", False: "ppo_clip"}, "the loss in bypass mode by name"),
        Reinterpret(
            f"{_CORRECTION}.rollout_rs",
            ("token", "sequence", "geometric"),
            "0.7.1 rejects by divergence (token_k1, seq_sum_k1, seq_mean_k3, ...) and refuses the names of the ratio",
        ),
        Revalue(f"{_R}.mode", {"sync": "async"}, "the synchronous rollout was removed in 0.7.1", {}),
        Reinterpret(f"{_R}.name", ("hf",), "the Hugging Face rollout was removed in 0.7.1"),
        Revalue(
            "reward.reward_manager.name",
            {"prime": "naive"},
            "0.7.1's reward loop runs every score by itself and at once, as prime did; a score that fails or hangs is an "
            "error there, and was 0 with prime",
            {},
            lossy=True,
        ),
        Reinterpret(
            "reward.reward_manager.name",
            ("batch",),
            "0.7.1's reward loop has no manager of this name (naive, dapo, gdpo, rate_limited, remote)",
        ),
        Revalue(f"{_A}.policy_loss.loss_mode", {"rollout_correction": "bypass_mode"}, "the loss without an old policy"),
        Reinterpret(
            f"{_A}.loss_agg_mode",
            ("seq-mean-token-sum-norm",),
            "up to 0.6.1 the loss is the sum over tokens divided by the response width L; from 0.7.1 on it is divided "
            "by the number of sequences as well, Σ/(G·L), so gradients shrink by G and grad_clip bites differently",
        ),
    ),
    "0.7.1": (
        Removed("trainer.use_legacy_worker_impl", "0.8.0 has the engine workers only"),
        Removed(f"{_R}.multi_turn.interaction_config_path", "0.8.0's agent loop runs tools, and no interactions"),
        Move(f"{_R}.skip_rollout", f"{_R}.skip.enable"),
        Move(f"{_R}.skip_dump_dir", f"{_R}.skip.dump_dir"),
        *removed_keys(
            "the reward model's server never replayed dumped rollouts",
            *(f"{_REWARD}.rollout.{name}" for name in ("skip_rollout", "skip_dump_dir")),
            harmless=True,
        ),
        *removed_keys(
            "custom samplers went with the old data loader", "data.sampler.class_path", "data.sampler.class_name"
        ),
        *removed_keys(
            "data generated while training was removed from the data loader", "data.datagen.path", "data.datagen.name"
        ),
        Move("critic.model.fsdp_config", "critic.fsdp", tree=True),
        Removed("critic.model_config", "a field the critic filled itself", harmless=True),
        *removed_keys(
            "0.8.0 has no checkpointed Σπ²; calculate_sum_pi_squared computes it in one go",
            *(f"{_ARR}.{role}.sum_pi_squared_checkpointing" for role in ("actor", "ref")),
        ),
    ),
    "0.8.0": (
        *_reward(keeps_both=True),
        Removed(f"{_R}.skip._target_", "the class of a block that moved", harmless=True),
        Move(f"{_R}.skip.enable", "skip.rollout_tq.enable"),
        Move(f"{_R}.skip.dump_dir", "skip.rollout_tq.dump_dir"),
        Move(f"{_R}.skip.action", "skip.rollout_tq.action"),
        Removed(f"{_R}.skip.max_dump_step", "skip.rollout_tq.steps lists the steps themselves"),
        *removed_keys(
            "only the policy's rollout can be skipped",
            *(f"{node}.skip" for node in (f"{_REWARD}.rollout", "distillation.teacher_models.teacher_model.inference")),
            tree=True,
            harmless=True,
        ),
        *removed_keys(
            "the engine workers always load the weights that model.path names",
            *(f"{role}.load_weight" for role in _ROLES),
            harmless=True,
            acted=(
                "0.7.1",
                "Megatron's workers start from random weights where it is False (megatron_workers.py up to 0.7)",
            ),
        ),
    ),
    "0.9.0": (
        *removed_keys(
            "0.9.1 always keeps the tokens of earlier turns, by the family that the model's own config names",
            *(f"data.continuous_token.{name}" for name in ("enable", "model_family")),
        ),
        *removed_keys(
            "the training engines of 0.8 read the flag and never offloaded gradients apart from the parameters",
            *(f"{role}.megatron.grad_offload" for role in _ROLES),
            *(f"{role}.fsdp_config.grad_offload" for role in _ROLES[:2]),
            "critic.fsdp.grad_offload",
            harmless=True,
        ),
        Pin(
            (f"{_A}.policy_loss.loss_mode", lambda mode: mode == "gspo"),
            f"{_A}.loss_agg_mode",
            "seq-mean-token-mean",
            "up to 0.9.0 gspo averages tokens within a sequence and then sequences, whatever loss_agg_mode says; 0.9.1 "
            "obeys loss_agg_mode",
        ),
    ),
}
_ROUTER_REPLAY = ("_target_", "mode", "record_file", "replay_file")
_VPP_BY_LAYERS = "it was never read: virtual pipeline stages are counted by virtual_pipeline_model_parallel_size since"
ONLY: dict[tuple[str, str], tuple[Edit, ...]] = {
    ("0.2.0", "fsdp"): (
        *(
            Pin(
                (f"{role}.ppo_epochs", lambda passes: passes not in (None, 1)),
                f"{role}.ppo_epochs",
                1,
                "0.2.0 goes once over the rollout, whatever ppo_epochs says (dp_actor.update_policy, dp_critic.update_critic)",
            )
            for role in (_A, _C)
        ),
        *removed_keys(
            "0.2.0 could leave gradients on the GPU while parameters are offloaded; later releases free them",
            f"{_A}.fsdp_config.grad_offload",
            "critic.model.fsdp_config.grad_offload",
        ),
        Move(
            "reward_model.model.fsdp_config.min_num_params", "reward_model.model.fsdp_config.wrap_policy.min_num_params"
        ),
        *(
            Pin(
                ("trainer.remove_previous_ckpt_in_save", lambda removes: removes is True),
                f"trainer.{keeps}",
                1,
                "trainer.remove_previous_ckpt_in_save kept the newest checkpoint only",
            )
            for keeps in ("max_actor_ckpt_to_keep", "max_critic_ckpt_to_keep")
        ),
        Removed(
            "trainer.remove_previous_ckpt_in_save",
            "max_actor_ckpt_to_keep and max_critic_ckpt_to_keep say it",
            harmless=True,
        ),
    ),
    ("0.2.0", "megatron"): (
        *removed_keys(
            _VPP_BY_LAYERS,
            *(f"{role}.megatron.num_layers_per_virtual_pipeline_stage" for role in (*_ROLES, "reward_model")),
            harmless=True,
        ),
    ),
    ("0.3.0", "fsdp"): (
        *(
            Pin(
                (f"{role}.optim.warmup_style", lambda style: style not in (None, "constant")),
                f"{role}.optim.warmup_style",
                "constant",
                "up to 0.3.0 the rate is constant after its warm-up, whatever warmup_style says (fsdp_workers)",
            )
            for role in (_A, _C)
        ),
        *(
            Revalue(
                f"{role}.strategy",
                {},
                "up to 0.3.0 the FSDP trainer is the first FSDP alone (main_ppo)",
                {"fsdp2": "fsdp"},
            )
            for role in (_A, _C, "reward_model")
        ),
    ),
    ("0.3.0", "megatron"): (
        *(
            Pin(
                (f"{role}.optim.{key}", lambda value: value not in (None, -1, 0)),
                f"{role}.optim.{key}",
                0,
                "up to 0.3.0 Megatron's workers have no scheduler, and no warm-up (megatron_workers)",
            )
            for role, key in ((_A, "lr_warmup_steps"), (_A, "lr_warmup_steps_ratio"), (_C, "lr_warmup_steps_ratio"))
        ),
        *removed_keys(
            "Megatron's workers had no schedule up to 0.3.0; 0.4.1 has optim.lr_decay_style and optim.min_lr",
            *(f"{role}.optim.{name}" for role in (_A, _C) for name in ("warmup_style", "min_lr_ratio")),
            harmless=True,
        ),
        Move(f"{_ARR}.ref.param_offload", f"{_ARR}.ref.megatron.param_offload"),
        Move("reward_model.param_offload", "reward_model.megatron.param_offload"),
    ),
    ("0.4.1", "megatron"): (
        *(
            Move(
                f"{role}.model.gradient_checkpointing_kwargs.activations_checkpoint_{name}",
                f"{megatron}.megatron.override_transformer_config.recompute_{name}",
                only_if=(f"{role}.model.enable_gradient_checkpointing", True),
                implies=True,
            )
            for role, megatron in ((_ARR, _A), (_C, _C))
            for name in ("granularity", "method", "num_layers")
        ),
        *removed_keys(
            "a recompute_granularity in override_transformer_config turns Megatron's recomputation on",
            *(f"{role}.model.enable_gradient_checkpointing" for role in (_ARR, _C)),
            harmless=True,
        ),
    ),
    ("0.5.0", "fsdp"): (
        Revalue(
            f"{_R}.load_format",
            {"dummy_dtensor": "dummy", "dummy_hf": "dummy"},
            "one name for unloaded weights",
            {"dummy": "dummy_dtensor"},
        ),
    ),
    ("0.5.0", "megatron"): (
        Revalue(f"{_R}.load_format", {"dummy_megatron": "dummy"}, "one name for unloaded weights"),
    ),
    ("0.9.0", "fsdp"): removed_keys(
        "up to 0.9.0 it was read for Megatron only",
        *(f"{_ARR}.{role}.router_replay.{name}" for role in ("actor", "ref") for name in _ROUTER_REPLAY),
        harmless=True,
    ),
    ("0.8.0", "fsdp"): (
        *removed_keys(
            "options of Megatron's checkpoint bridge, which FSDP does not use",
            *(f"{role}.checkpoint.mbridge_config" for role in (_A, _C)),
            tree=True,
            harmless=True,
        ),
    ),
    ("0.9.0", "megatron"): (
        *removed_keys(
            "the class of a block that moved",
            *(f"{_ARR}.{r}.router_replay._target_" for r in ("actor", "ref")),
            harmless=True,
        ),
        *moves(f"{_A}.router_replay", f"{_A}.megatron.router_replay", _ROUTER_REPLAY[1:]),
        *moves(f"{_ARR}.ref.router_replay", f"{_ARR}.ref.megatron.router_replay", _ROUTER_REPLAY[1:]),
    ),
}

ALIASES: tuple[Edit, ...] = (
    Move(f"{_A}.optim.warmup_style", f"{_A}.optim.lr_scheduler_type", stays=True, both=True),
    Move("critic.optim.warmup_style", "critic.optim.lr_scheduler_type", stays=True, both=True),
)
"""Names that the newest release still obeys beside the ones the mappers know."""

VARIANT_ALIASES: dict[str, tuple[Edit, ...]] = {
    trainer: _reward(keeps_both=True) for trainer in ("fully_async", "fully_async_megatron")
}
"""Names that one of the newest release's trainers still obeys: fully_async_main.py calls migrate_legacy_reward_impl."""

PER_RANK: dict[str, Mapping[str, str]] = {
    "0.8.0": {
        **{f"{node}.ppo_micro_batch_size": f"{node}.ppo_micro_batch_size_per_gpu" for node in (_A, _C)},
        **{
            f"{_ARR}.{role}.log_prob_micro_batch_size": f"{_ARR}.{role}.log_prob_micro_batch_size_per_gpu"
            for role in ("rollout", "ref")
        },
        "critic.forward_micro_batch_size": "critic.forward_micro_batch_size_per_gpu",
    },
}
"""Counts over all ranks that a release and all later ones take and never read, and the count per rank they do read."""

_UNDIVIDED = {
    total: f"0.8 and later accept {total} and never divide it: their workers read {share}"
    for total, share in PER_RANK["0.8.0"].items()
}

_OLD_REWARD = {
    node: f"0.9 still accepts {node}.* and reads none of it; {new} took its place"
    for node, new in (
        (_RM, "reward.reward_model and reward.reward_manager"),
        ("custom_reward_function", "reward.custom_reward_function"),
        ("sandbox_fusion", "reward.sandbox_fusion"),
    )
}
DEAD: dict[str, Mapping[str, str]] = {
    "0.8.0": _UNDIVIDED,
    "0.9.0": _UNDIVIDED | _OLD_REWARD,
    "0.9.1": _UNDIVIDED | _OLD_REWARD,
}
"""Nodes that a release accepts and ignores, with the sentence that says so."""

REFUSED: dict[str, Mapping[str, tuple[Value, ...]]] = {
    "0.7.1": {f"{_R}.mode": ("sync",), f"{_R}.name": ("hf",)},
}
"""Values that a release and all later ones refuse where an older one took them."""

_OVERRIDES = "megatron.override_transformer_config"
_WITHOUT_CAP = 1.0e9
"""A bound of the dual clip that no ratio reaches: core_algos cuts the difference of log-probabilities at 20."""
IMPLIED: dict[tuple[str, str], Mapping[str, Value]] = {
    ("0.2.0", ""): {
        "data.filter_overlong_prompts": True,
        "data.truncation": "error",
        **{f"{_R}.val_kwargs.{name}": value for name, value in _GREEDY.items()},
        "trainer.balance_batch": True,
        **{f"{role}.checkpoint.contents": ["model", "optimizer", "extra"] for role in (_A, _C)},
    },
    ("0.2.0", "fsdp"): {f"{_A}.use_torch_compile": True},
    ("0.2.0", "megatron"): {
        f"{_A}.use_kl_loss": False,
        **{f"{role}.megatron.use_distributed_optimizer": True for role in _ROLES},
    },
    ("0.3.0", ""): {
        f"{_ARR}.model.trust_remote_code": False,
        f"{_A}.policy_loss.loss_mode": "vanilla",
        f"{_A}.loss_agg_mode": "token-mean",
        f"{_A}.clip_ratio_c": _WITHOUT_CAP,
        f"{_A}.optim.weight_decay": 0.01,
        f"{_R}.mode": "sync",
        "critic.loss_agg_mode": "token-mean",
        "critic.optim.weight_decay": 0.01,
        "algorithm.norm_adv_by_std_in_grpo": True,
        "trainer.val_before_train": True,
    },
    ("0.5.0", "megatron"): {f"{role}.{_OVERRIDES}.attention_backend": "auto" for role in _ROLES},
}
"""Keys that came with the release after the one named, and the value by which it does what the older one did without
them; by trainer, `""` for both."""

SETTLED: dict[str, Mapping[str, str]] = {
    "0.8.0": {f"{role}.megatron.use_mbridge": "the Megatron engine loads through a bridge only" for role in _ROLES},
}
"""Keys that a release and all later ones take with their default only, and why."""

_ASKED_EARLY = (
    *(f"{node}.{name}" for node in (f"{_ARR}.model", "critic.model") for name in ("trust_remote_code", "use_liger")),
    *(
        f"{node}.fsdp_config.{name}"
        for node in (_A, f"{_ARR}.ref", "critic.model")
        for name in ("model_dtype", "mixed_precision")
    ),
    *(f"{role}.optim.{name}" for role in (_A, _C) for name in ("betas", "weight_decay")),
    *(f"algorithm.kl_ctrl.{name}" for name in ("horizon", "target_kl")),
    *("data.seed", "trainer.val_before_train", "trainer.val_only"),
)
ASKED_FOR: dict[str, tuple[str, ...]] = {
    "0.2.0": _ASKED_EARLY,
    "0.3.0": (*_ASKED_EARLY, "critic.optim.lr_warmup_steps", "trainer.remove_previous_ckpt_in_save"),
    "0.4.1": (
        *(f"{node}.fsdp_config.model_dtype" for node in (_A, f"{_ARR}.ref", "critic.model")),
        f"{_R}.seed",
    ),
    "0.5.0": (
        f"{_R}.seed",
        *(f"{node}.fsdp_config.model_dtype" for node in (_A, f"{_ARR}.ref", "critic.model")),
        f"{_A}.fsdp_config.use_orig_params",
    ),
}
"""Keys that are in no YAML of a release and that its code asks for all the same: `+key=value` acts."""


HYBRID = "actor_rollout_ref.hybrid_engine"


ALL_PARTS = {"model", "optimizer", "extra"}
"""FSDPCheckpointManager of 0.3.0 asserts these; 0.2.0 has no choice of parts, and 0.4.1 asks for each."""


def stopping(values: Mapping[str, Value], *, chooses_engines: bool, wants_all_parts: bool) -> dict[str, str]:
    """Give the keys by which main_ppo stops, each with why.

    `chooses_engines`: it has trainers with engines of their own (0.9). `wants_all_parts`: its checkpoints hold all parts.
    """
    stops = {}
    ignored = chooses_engines and values.get("trainer.use_v1") is not False
    own_engines = ignored or values.get("trainer.v1.trainer_mode") == "separate_async"
    if values.get(HYBRID) is False and not own_engines:
        stops[HYBRID] = "the trainer asserts that it is true: engines and trainer share their GPUs"
    for key in (f"{role}.checkpoint.contents" for role in (_A, _C)):
        parts = values.get(key)
        if wants_all_parts and isinstance(parts, list) and not {str(part) for part in parts} >= ALL_PARTS:
            stops[key] = (
                f"FSDP's checkpoints hold {', '.join(sorted(ALL_PARTS))} in this release, whatever is asked for"
            )
    return stops


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one."""
    return EDITS[release] + ONLY.get((release, trainer), ()) + engine_versions.ONLY.get((release, trainer), ())


CHANGES = Changes(
    edits,
    aliases=ALIASES,
    trainer_aliases=VARIANT_ALIASES,
    unreleased=UNRELEASED,
    dead=DEAD,
    refused=REFUSED,
    implied=IMPLIED,
    settled=SETTLED,
    per_rank=PER_RANK,
    asked_for=ASKED_FOR,
)
