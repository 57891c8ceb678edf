"""ROLL's releases differ by these edits. The edits of a release lead from it up to the next one.

Every role of every pipeline is a worker with the same keys, so edits on workers name the roles.
"""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.symbols import Value
from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import Edit, Move, Removed, removed_keys

_ROLES: dict[str, tuple[str, ...]] = {
    "rlvr": ("actor_train", "actor_infer", "critic", "reference", "reward", "validation", "rewards<*>"),
    "agentic": ("actor_train", "actor_infer", "critic", "reference", "reward", "train_env_manager", "val_env_manager"),
    "dpo": ("actor_train", "reference", "validation"),
    "sft": ("sft_train", "validation"),
    "distill": ("student", "teacher"),
}
_MASKS = (
    *("train_infer_ratio_mask", "train_infer_ratio_threshold_low", "train_infer_ratio_threshold_high"),
    *("train_infer_diff_mask", "train_infer_diff_threshold_low", "train_infer_diff_threshold_high"),
    *("train_infer_ratio_seq_mask", "train_infer_ratio_seq_threshold_low", "train_infer_ratio_seq_threshold_high"),
    *("train_infer_diff_seq_mask", "train_infer_diff_seq_threshold_low", "train_infer_diff_seq_threshold_high"),
)
_WEIGHTS = ("use_rollout_importance_sampling_ratio", "rollout_importance_sampling_ratio_upper_bound")


def _from_0_1_1(pipeline: str) -> tuple[Edit, ...]:
    """Trainers without rollouts lost keys that nothing in them read."""
    if pipeline in ("rlvr", "agentic"):
        return ()
    unread = ("async_generation_ratio", "max_length") if pipeline == "distill" else ("async_generation_ratio",)
    return removed_keys("it is gone, and nothing in this pipeline read it before", *unread, harmless=True)


def _from_0_1_3(pipeline: str) -> tuple[Edit, ...]:
    roles = _ROLES[pipeline]
    edits: tuple[Edit, ...] = (
        Removed("alive_check_interval", "workers are always checked, at an interval of ROLL's own", harmless=True),
        *removed_keys(
            "weights always reach the engines the same way",
            *(f"{role}.model_update_method" for role in roles),
            harmless=True,
        ),
        *removed_keys(
            "use_sequence_packing is what takes padding out now", *(f"{role}.use_remove_padding" for role in roles)
        ),
    )
    if pipeline == "rlvr":
        edits += removed_keys("train_infer_correction.filters says it, as a list of rules of its own shape", *_MASKS)
        edits += removed_keys("train_infer_correction.is_weight says it, with another default bound", *_WEIGHTS)
    if pipeline == "dpo":
        why = "pairs an update are micro-batch x accumulation x data-parallel ranks, as in the other pipelines"
        edits += (Removed("train_batch_size", why),)
    return edits


def _from_0_2_1(pipeline: str) -> tuple[Edit, ...]:
    return (Move("opd_kl_coef", "teacher.opd_kl_coef"),) if pipeline in ("rlvr", "agentic") else ()


_STEPS = {"0.1.1": _from_0_1_1, "0.1.3": _from_0_1_3, "0.2.1": _from_0_2_1}
_DROPPED = "ROLL has no such key, and its loader leaves it out without a word (H57): "
_TRAINED = ("actor_train", "sft_train", "student", "validation")
DEAD: dict[str, Mapping[str, str]] = {
    "0.3.0": {
        **{f"{role}.data_args.dataset_dir": _DROPPED + "files lie where file_name says" for role in _TRAINED},
        **{
            f"{role}.data_args.interleave_probs": _DROPPED + "domain_interleave_probs mixes the domains"
            for role in _TRAINED
        },
        **{
            f"{role}.model_args.flash_attn": _DROPPED + "model_args.attn_implementation chooses the kernel"
            for role in ("actor_train", "actor_infer", "reference", "critic")
        },
        **{
            f"reward_{name}": _DROPPED + "norm_mean_type and norm_std_type replace it"
            for name in ("norm", "shift", "scale")
        },
        "sft_loss_coef": _DROPPED + "no loss has such a term",
        "validation.eval_steps": _DROPPED + "eval_steps stands at the top",
        "actor_train.use_remove_padding": _DROPPED + "sequences are packed with use_sequence_packing",
        "reward_system_config": _DROPPED + "no code asks for it",
        "model_name": _DROPPED + "exp_name names the run",
    }
}
"""What ROLL's own examples still set, as of 0.3.0, and no dataclass takes."""
_GONE_STRATEGIES = ("deepspeed_train", "deepspeed_infer", "diffusion_deepspeed_train")
REFUSED: dict[str, Mapping[str, tuple[Value, ...]]] = {
    "0.2.1": {f"{role}.strategy_args.strategy_name": ("mock_infer",) for roles in _ROLES.values() for role in roles},
    "0.3.0": {f"{role}.strategy_args.strategy_name": _GONE_STRATEGIES for roles in _ROLES.values() for role in roles},
}


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one, for one pipeline."""
    return _STEPS[release](trainer)


CHANGES = Changes(edits, dead=DEAD, refused=REFUSED)
