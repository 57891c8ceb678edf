"""veRL's rewards: function, manager, reward model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import State
from rftconf.mappers.verl.trees import put_tree
from rftconf.plan.symbols import Expr

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing


R = "stage.reward."


def read_reward(r: Reading) -> None:
    """The custom function, the manager, and a neural reward model as an auxiliary model."""
    block = "reward."
    r.set(R + "function_path", r.native(block + "custom_reward_function.path"), block + "custom_reward_function.path")
    named = r.plan(R + "function_path") is not None
    if not named:
        r.inactive[block + "custom_reward_function.name"] = "no effect without reward.custom_reward_function.path"
    name = r.native(block + "custom_reward_function.name") if named else None
    r.set(R + "function_name", name, block + "custom_reward_function.name")
    kwargs = r.source.branch("reward.custom_reward_function.reward_kwargs") or None
    r.set(R + "function_args", kwargs, "reward.custom_reward_function.reward_kwargs")
    r.set(R + "manager", r.native(block + "reward_manager.name", "naive"), block + "reward_manager.name")
    r.set(R + "manager_args", r.source.branch("reward.reward_kwargs") or None, "reward.reward_kwargs")
    enabled = r.native("reward.reward_model.enable", False)
    if enabled is not True and not isinstance(enabled, Expr):
        rest = ("model_path", "enable_resource_pool", "nnodes", "n_gpus_per_node", "rollout")
        why = "no effect while reward.reward_model.enable is False"
        r.inactive.update({f"reward.reward_model.{key}": why for key in rest})
        return
    at = "stage.placement.auxiliary[0]."
    r.set(at + "role", "reward", "reward.reward_model.enable")
    for key, field in REWARD_MODEL.items():
        r.set(at + field, r.native(f"reward.reward_model.{key}"), f"reward.reward_model.{key}")
    pool = r.native("reward.reward_model.enable_resource_pool", False)
    r.set(at + "own_pool", pool, "reward.reward_model.enable_resource_pool")
    keys = ("reward.reward_model.nnodes", "reward.reward_model.n_gpus_per_node")
    sizes = [r.native(k) for k in keys]
    r.set(
        at + "gpus", sizes[0] * sizes[1] if pool and None not in sizes else None, *keys, how="nnodes x n_gpus_per_node"
    )


REWARD_MODEL = {
    "model_path": "path", "rollout.name": "engine", "rollout.tensor_model_parallel_size": "tp", "rollout.data_parallel_size": "dp",
    "rollout.gpu_memory_utilization": "gpu_memory_fraction", "rollout.max_num_seqs": "max_num_seqs", "rollout.dtype": "dtype",
    "rollout.enforce_eager": "enforce_eager", "rollout.prompt_length": "prompt_max_tokens",
    "rollout.response_length": "response_max_tokens", "rollout.max_model_len": "model_max_tokens",
}  # fmt: skip


def write_reward(w: Writing) -> None:
    """The same references under `reward.*`; code is never carried along."""
    for key, field in (("reward.custom_reward_function.path", "function_path"), ("reward.custom_reward_function.name", "function_name"),
                       ("reward.reward_manager.name", "manager")):  # fmt: skip
        if w.plan(R + field) is not None:
            w.put(key, w.plan(R + field), R + field)
    put_tree(w, "+reward.custom_reward_function.reward_kwargs", R + "function_args")
    put_tree(w, "+reward.reward_kwargs", R + "manager_args")
    count = w.items("stage.placement.auxiliary")
    for index in range(count):
        at = f"stage.placement.auxiliary[{index}]."
        if w.plan(at + "role") == "reward" and index == 0:
            _write_reward_model(w, at)
            continue
        for path in [p for p in w.values if p.startswith(at) and w.values[p] is not None]:
            w.lose(
                path,
                State.NO_COUNTERPART,
                "veRL serves one reward model; judges and helpers live in the user's own code (rows 7.8, 7.9)",
            )


def _write_reward_model(w: Writing, at: str) -> None:
    w.put("reward.reward_model.enable", True, at + "role", always=True)
    for key, field in REWARD_MODEL.items():
        if w.plan(at + field) is not None:
            w.put(f"reward.reward_model.{key}", w.plan(at + field), at + field, always=True)
    pool = bool(w.plan(at + "own_pool"))
    w.put("reward.reward_model.enable_resource_pool", pool, at + "own_pool")
    gpus = w.plan(at + "gpus")
    if not pool or gpus is None:
        if gpus is not None:
            w.lose(at + "gpus", State.DEFAULT, "shares the trainer's GPUs")
        return
    w.put("reward.reward_model.nnodes", 1, at + "gpus", always=True)
    w.put("reward.reward_model.n_gpus_per_node", gpus, at + "gpus", always=True)
