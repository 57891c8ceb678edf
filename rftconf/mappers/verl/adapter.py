"""veRL's rows and rewards: a chat in one column of a parquet file, a function of the user's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rftconf.base.symbols import formula
from rftconf.mappers.adapting import Adapter, R, Reward, Shape, Values, label_of


def _fields(values: Values, path: str) -> dict[str, Any]:
    """RLHFDataset: a chat in one column; everything else is fixed."""
    return {
        "prompt_key": values.get(path + "keys.prompt") or "prompt",
        "image_key": values.get(path + "keys.image") or "images",
        "video_key": values.get(path + "keys.video") or "videos",
        "source": label_of(values, path),
    }


def _reward(values: Values) -> Reward:
    file, name, args = (values.get(R + key) for key in ("function_path", "function_name", "function_args"))
    reward = Reward({"FUNCTION_FILE": file, "FUNCTION_NAME": name or "compute_score", "FUNCTION_ARGS": args or {}})
    reward.carried = [R + key for key in ("function_path", "function_name", "function_args")]
    if file is None:
        reward.asks.append(
            "there is no function of the user's own: the stub calls veRL's scorer, so veRL has to be installed"
        )
    reward.asks += _additions_to_score(values.get(R + "manager"), values.get(R + "manager_args") or {})
    return reward


def _additions_to_score(manager: Any, args: Mapping[str, Any]) -> list[str]:
    """Return what a veRL reward manager adds to the function's score; `dapo` nothing but a penalty that may be off."""
    penalty = args.get("overlong_buffer_cfg")
    penalty = penalty if isinstance(penalty, Mapping) else {}
    if manager in (None, "naive") or (manager == "dapo" and penalty.get("enable") is False):
        return []
    if manager == "dapo" and penalty.get("enable") is True:
        size, factor, longest = penalty.get("len"), penalty.get("penalty_factor"), args.get("max_resp_len")
        rule = f"min(0, -(tokens - ({formula(longest)} - {formula(size)})) / {formula(size)} * {formula(factor)})"
        return [
            f"reward manager dapo adds {rule} to the score of long answers; the stub knows no token counts and leaves it out"
        ]
    return [f"reward manager {formula(manager)} does more than call a function; the stub leaves that out"]


ADAPTER = Adapter(
    Shape(
        ".parquet",
        {"prompt": "prompt"},
        "the config names it; its path is relative to where the run starts",
        answers=("reward.custom_reward_function.path", "custom_reward_function.path"),  # up to 0.7.0 (H59)
        function="compute_score",
    ),
    _fields,
    _reward,
    first_reward="0.3.0",  # veRL 0.2.0's main_ppo.py passes none
    first_mapping="0.4.1",  # veRL 0.3.0's naive.py writes what it gets into a tensor
)
