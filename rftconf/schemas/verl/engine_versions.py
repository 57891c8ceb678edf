"""Releases of veRL differ by these edits for the engines beside FSDP and Megatron: VeOmni and TorchTitan."""

from __future__ import annotations

from rftconf.schemas.edits import Edit, removed_keys

_ROLES = ("actor_rollout_ref.actor", "actor_rollout_ref.ref", "critic")
_ROUTER_REPLAY = ("_target_", "mode", "record_file", "replay_file")
NO_BRIDGE: tuple[Edit, ...] = removed_keys(
    "options of Megatron's checkpoint bridge, which no other engine uses",
    *(f"{role}.checkpoint.mbridge_config" for role in (_ROLES[0], _ROLES[2])),
    tree=True,
    harmless=True,
)
NO_REPLAY: tuple[Edit, ...] = removed_keys(
    "the role's own router_replay was read for Megatron only",
    *(f"{role}.router_replay.{name}" for role in _ROLES[:2] for name in _ROUTER_REPLAY),
    harmless=True,
)
"""Blocks that 0.9 took out of the roles' common config."""


def _unread(engine: str, *names: str) -> tuple[Edit, ...]:
    why = f"{engine}'s engine never read it"
    return removed_keys(why, *(f"{role}.{engine.lower()}.{name}" for role in _ROLES for name in names), harmless=True)


VEOMNI_OF_9: tuple[Edit, ...] = (
    *removed_keys(
        "VeOmni's engine no longer logs how evenly experts are used; the training is the same",
        *(f"{role}.veomni.moe_load_balance_monitor_interval" for role in _ROLES),
        harmless=True,
    ),
    *_unread("VeOmni", "offload_policy", "reshard_after_forward", "use_orig_params"),
    *removed_keys(
        "VeOmni's engine never read it", *(f"{role}.veomni.wrap_policy" for role in _ROLES), tree=True, harmless=True
    ),
)
VEOMNI_OF_91: tuple[Edit, ...] = (
    *removed_keys(
        "VeOmni's engine offloads activations as enable_async_activation_offload says, and not down to a limit",
        *(f"{role}.veomni.activation_gpu_limit" for role in _ROLES),
    ),
    *_unread("VeOmni", "grad_offload"),
)
TORCHTITAN: tuple[Edit, ...] = _unread("TorchTitan", "grad_offload")
ONLY: dict[tuple[str, str], tuple[Edit, ...]] = {
    ("0.8.0", "veomni"): NO_BRIDGE + VEOMNI_OF_9,
    ("0.8.0", "torchtitan"): NO_BRIDGE,
    ("0.9.0", "veomni"): NO_REPLAY + VEOMNI_OF_91,
    ("0.9.0", "torchtitan"): NO_REPLAY + TORCHTITAN,
}
