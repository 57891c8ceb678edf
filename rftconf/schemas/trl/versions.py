"""Changes between TRL's releases from 0.18.2 to 1.16.0, and between the releases of transformers that they stand on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rftconf.base.record import record
from rftconf.base.symbols import Value
from rftconf.schemas.changes_of_releases import Changes
from rftconf.schemas.edits import C, Change, Edit, Move, Removed, removed_keys
from rftconf.schemas.lingering_keys import Lingers
from rftconf.schemas.value_edits import Revalue

SHARE, STEPS = "warmup_ratio", "warmup_steps"


@record
class WarmupShare:
    """A warm-up as a share of the run has no key of its own any more: `warmup_steps` below 1 is one.

    Before, steps above 0 won over the share (transformers 4.57 TrainingArguments.get_warmup_steps).
    """

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the key of the share where it is there."""
        return frozenset({SHARE}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Move the share to the steps, unless these are set or it is none."""
        cell = flat.pop(SHARE, None)
        if cell is None:
            return []
        steps = flat.get(STEPS)
        if cell.value in (None, 0, 0.0):
            return [Change(SHARE, cell, (), "no share of the run: the steps alone count")]
        if steps is not None and steps.value not in (None, 0, 0.0):
            return [Change(SHARE, cell, (), f"{STEPS} is set and wins")]
        flat[STEPS] = cell
        unset = [] if steps is None else [Change(STEPS, steps, (), f"it is not set, so that {SHARE} counts")]
        return [
            *unset,
            Change(SHARE, cell, (STEPS,), f"renamed {STEPS}, of which a value below 1 is a share of the run"),
        ]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Move a share back to its own key."""
        cell = flat.get(STEPS)
        if cell is None or not isinstance(cell.value, float) or not 0 < cell.value < 1:
            return []
        flat[SHARE] = flat.pop(STEPS)
        return [Change(STEPS, flat[SHARE], (SHARE,), f"called {SHARE} there")]


@record
class Spare:
    """An older name that both releases know the newer one beside, and that wins where it is set to something."""

    old: str
    new: str

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the older name where it is there."""
        return frozenset({self.old}.intersection(keys))

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Move the value, unless it is none."""
        cell = flat.pop(self.old, None)
        if cell is None:
            return []
        if not cell.value:
            return [Change(self.old, cell, (), f"it is not set, which leaves {self.new} as it is")]
        other = flat.get(self.new)
        flat[self.new] = cell
        renamed = Change(self.old, cell, (self.new,), f"renamed {self.new}")
        if other is None:
            return [renamed]
        lost = other.value != cell.value
        return [Change(self.new, other, (), f"overruled by {self.old}, its older name", lost), renamed]

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing: the older release has the newer name."""
        del flat
        return []


_SCALES = Revalue(
    "scale_rewards", {True: "group", False: "none"}, "whether and by what rewards are divided is a word since 0.22"
)
_GONE_UNREAD = removed_keys(
    "nothing that GRPO's trainer runs read it",
    *("fp16_backend", "fp16_opt_level", "half_precision_backend", "include_inputs_for_metrics", "include_tokens_per_second"),
    *("jit_mode_eval", "mp_parameters", "overwrite_output_dir", "past_index", "push_to_hub_model_id", "push_to_hub_organization"),
    *("ray_scope", "save_safetensors", "tpu_metrics_debug", "tpu_num_cores", "use_legacy_prediction_loop", "use_mps_device"),
    "group_by_length",
    harmless=True,
)  # fmt: skip
"""These are transformers 4.57's TrainingArguments; GRPO has a sampler of its own, which groups nothing by length."""
_GONE = (
    Removed("adafactor", "optim: adafactor says it"),
    Removed("fsdp_min_num_params", "fsdp_config says which modules are wrapped"),
    Removed("fsdp_transformer_layer_cls_to_wrap", "fsdp_config says which modules are wrapped"),
    Removed("torchdynamo", "torch_compile_backend says which compiler is used"),
    Removed("gradient_checkpointing_use_reentrant", "gradient_checkpointing_kwargs says it, false unless written"),
)
_STEPS: dict[str, tuple[Edit, ...]] = {
    "0.21.0": (_SCALES,),
    "0.22.2": (Move("torch_dtype", "dtype", stays=True),),
    "0.25.1": (Move("wandb_log_unique_prompts", "log_unique_prompts", stays=True),),
    "0.26.2": (
        Spare("torch_dtype", "dtype"),
        Spare("wandb_log_unique_prompts", "log_unique_prompts"),
        Move("vllm_guided_decoding_regex", "vllm_structured_outputs_regex", stays=True),
        Spare("no_cuda", "use_cpu"),
        Spare("per_gpu_train_batch_size", "per_device_train_batch_size"),
        Spare("per_gpu_eval_batch_size", "per_device_eval_batch_size"),
        Spare("push_to_hub_token", "hub_token"),
        *_GONE,
        *_GONE_UNREAD,
    ),
    "0.27.2": (
        Lingers("max_prompt_length", "TRL cuts no prompt since 0.26: leave long ones out of the data"),
        Spare("use_liger_loss", "use_liger_kernel"),
        Spare("vllm_guided_decoding_regex", "vllm_structured_outputs_regex"),
    ),
    "1.0.0": (
        WarmupShare(),
        Move("vllm_importance_sampling_cap", "vllm_importance_sampling_clip_max", stays=True),
        Removed("logging_dir", "the variable TENSORBOARD_LOGGING_DIR says it", harmless=True),
    ),
}
"""Each edit stands under the release that it leads from."""

IMPLIED: Mapping[tuple[str, str], Mapping[str, Value]] = {
    ("0.19.1", ""): {"importance_sampling_level": "token", "top_entropy_quantile": 1.0},
    ("0.22.2", ""): {"vllm_importance_sampling_correction": False, "vllm_enable_sleep_mode": False},
    ("0.25.1", ""): {"vllm_importance_sampling_mode": "token_truncate", "use_bias_correction_kl": False},
    ("0.26.2", ""): {"multi_objective_aggregation": "sum_then_normalize"},
    ("1.7.1", ""): {"entropy_coef": 0.0, "use_adaptive_entropy": False},
}
"""A release did this before it had the key (trl/trainer/grpo_trainer.py of both)."""
ALIASES = (
    Move("vllm_importance_sampling_cap", "vllm_importance_sampling_clip_max", stays=True),
    Move("use_transformers_paged", "use_transformers_continuous_batching", stays=True),
    _SCALES,
)
"""Spellings that the newest release still takes (GRPOConfig.__post_init__)."""


def edits(release: str, trainer: str) -> tuple[Edit, ...]:
    """The edits that lead from `release` to the next one."""
    del trainer
    return _STEPS.get(release, ())


CHANGES = Changes(edits, aliases=ALIASES, implied=IMPLIED)
