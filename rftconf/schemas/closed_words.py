"""Words of closed lists that only the framework's code knows, by the release that each came in."""

from __future__ import annotations

from rftconf.schemas.registry import at_least

ENGINE = "actor_rollout_ref.rollout.name"
"""What veRL's registry of engines is asked for; values that a release took away are among those that it refuses."""
_TYPES = (("", "fp32 bf16 fp16"),)
"""Types of numbers by the names that veRL's trainers look up (verl/utils/torch_dtypes.py: PrecisionType.to_dtype)."""
_SPELLINGS = frozenset({"float32", "32", "bfloat16", "float16", "16"})
"""Other names of the same types there."""
_TRAINED = ("fsdp_config.model_dtype", "fsdp_config.dtype", "megatron.dtype")
WORDS: dict[str, dict[str, tuple[tuple[str, ...], ...]]] = {
    "trinity": {
        **{
            f"trainer.trainer_config.{role}.{name}": _TYPES
            for role in ("actor_rollout_ref.actor", "actor_rollout_ref.ref")
            for name in _TRAINED
        },
        **{f"trainer.trainer_config.critic.model.{name}": _TYPES for name in _TRAINED[:2]},
        "trainer.trainer_config.critic.megatron.dtype": _TYPES,
        "mode": (("", "explore train both bench serve"), ("0.5.2", "colocate")),
        "explorer.concurrent_mode": (("", "sequential asynchronous multi-threading"),),
        "explorer.rollout_model.engine_type": (
            ("", "vllm vllm_async"),
            ("0.4.1", "tinker"),
            ("0.5.2", "external"),
            ("0.6.0", "sglang"),
        ),
        "trainer.trainer_type": (("", "verl"), ("0.4.1", "tinker")),
        "trainer.save_hf_checkpoint": (("", "last always never"),),
        "algorithm.advantage_fn_args.std_cal_level": (("", "group batch"),),
        "buffer.explorer_input.tasksets[].storage_type": (("", "sql queue file"),),
        "buffer.explorer_input.eval_tasksets[].storage_type": (("", "sql queue file"),),
        "buffer.trainer_input.experience_buffer.storage_type": (("", "sql queue file"),),
    },
    "verl": {
        **{f"actor_rollout_ref.{role}.{name}": _TYPES for role in ("actor", "ref") for name in _TRAINED},
        **{f"critic.{name}": _TYPES for name in ("fsdp.model_dtype", "fsdp.dtype", "megatron.dtype")},
        ENGINE: (("", "vllm sglang hf"), ("0.7.1", "trtllm"), ("", "sglang_async", "0.5.0")),
        "algorithm.rollout_correction.rollout_is": (("", "token sequence"),),
        "algorithm.rollout_correction.rollout_rs": (
            ("", "token sequence geometric", "0.7.0"),
            (
                "0.7.1",
                "token_k1 token_k2 token_k3 seq_sum_k1 seq_sum_k2 seq_sum_k3 seq_mean_k1 seq_mean_k2 seq_mean_k3",
            ),
            ("0.7.1", "seq_max_k2 seq_max_k3"),
        ),
        "algorithm.rollout_correction.loss_type": (("", "reinforce ppo_clip"),),
        "actor_rollout_ref.actor.megatron.router_replay.mode": (("", "disabled R2 R3"),),
        "actor_rollout_ref.ref.megatron.router_replay.mode": (("", "disabled R2 R3"),),
    },
    "verl_sft": {"engine.model_dtype": _TYPES, "engine.dtype": _TYPES},
    "verl_fsdp_sft": {"model.fsdp_config.model_dtype": _TYPES},
    "roll": {
        **{f"{role}.router_replay.mode": (("", "disable R3"),) for role in ("actor_train", "actor_infer", "reference")},
        "actor_train.pg_variant": (("", "vanilla ppo tis topr cispo kimi15"),),
    },
}
"""Framework and key (newest name) to the words, each group with the release that it came in, and the last that has it."""


SEVERAL = "algorithm.rollout_correction.rollout_rs"
"""The key that takes several of its words at once, with commas between them."""


def words_of(framework: str, release: str, key: str) -> tuple[str, ...]:
    """The words that a key (newest name, without indices) takes in a release; none where its list is not closed."""
    groups = WORDS.get(framework, {}).get(key, ())
    return tuple(
        word for since, group, *last in groups if _has(framework, release, since, last) for word in group.split()
    )


def _has(framework: str, release: str, since: str, last: list[str]) -> bool:
    return (not since or at_least(framework, release, since)) and all(
        at_least(framework, last_release, release) for last_release in last
    )


def takes_word(known: tuple[str, ...], key: str, word: str) -> bool:
    """True for one of the words, in whatever case and in quotes too, and for null; an engine type that begins with vllm is one
    of vLLM's, and a type of numbers has several names."""
    word = word.strip("\"' ")
    if key == SEVERAL and "," in word:
        return all(takes_word(known, key, part) for part in word.split(",") if part.strip())
    return (
        word.lower() in {"null", ""}
        or word.lower() in {spelling.lower() for spelling in known}
        or (key.endswith(".engine_type") and word.startswith("vllm"))
        or (key.endswith("dtype") and word in _SPELLINGS)
    )
