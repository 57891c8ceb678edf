"""Trinity's one value for all trainer roles: back end, Ulysses SP, Megatron layout, FSDP2's own offload."""

from __future__ import annotations

from functools import partial
from typing import Any

from rftconf.mappers.context import Context, When
from rftconf.mappers.copies import Follower
from rftconf.mappers.shapes import together
from rftconf.plan.kinds import WITH_ROLLOUTS

P = "stage.placement."
MEGATRON = {
    "tensor_model_parallel_size": "tp", "pipeline_model_parallel_size": "pp", "virtual_pipeline_model_parallel_size": "vpp",
    "context_parallel_size": "cp", "expert_model_parallel_size": "ep", "expert_tensor_parallel_size": "etp",
    "sequence_parallel": "sequence_parallel",
}  # fmt: skip
SHARED = {
    "trainer.trainer_strategy": "backend",
    "trainer.ulysses_sequence_parallel_size": "sp",
    "trainer.offload_policy": "offload_policy",
    **{f"trainer.megatron.{native}": f"megatron.{field}" for native, field in MEGATRON.items()},
}
"""Native key to the field of a role. The actor's own rows write the keys; here the other roles hear of them."""
ROLES = ("reference", "critic")


SIZES = {"dynamic": "trainer.use_dynamic_bsz", "tokens_per_rank": "trainer.max_token_len_per_gpu"}
BLOCKS = {"log_prob": "actor", "reference": "reference", "critic": "critic", "critic_infer": "critic"}
"""Micro-batches beside the actor's updates, and the role whose they are, by the plan's block."""
FOLLOWING = {
    **{
        f"stage.batch.{block}.{field}": (role, key, f"stage.batch.micro.{field}")
        for block, role in BLOCKS.items()
        for field, key in SIZES.items()
    },
    "stage.model_options.critic_remove_padding": (
        "critic",
        "trainer.use_remove_padding",
        "stage.model_options.remove_padding",
    ),
}
"""Plan fields that follow the actor's updates: the role that each is of, the key that sets both, and the actor's field."""


def _exists(context: Context, role: str) -> bool:
    algorithm = "stage.algorithm."
    if role == "critic":
        return bool(context.plan(algorithm + "critic.enabled"))
    if role == "actor":
        return context.plan("stage.kind") in WITH_ROLLOUTS
    pairs = context.plan("stage.kind") == "dpo"
    return pairs or any(context.plan(f"{algorithm}{kl}.enabled") for kl in ("kl_loss", "kl_reward"))


EXISTS = {role: When(partial(_exists, role=role), f"there is no {role} in this run") for role in ("actor", *ROLES)}
ROLES_FOLD = together(
    *(
        Follower(f"{P}{role}.{field}", f"{P}actor.{field}", key, EXISTS[role], f"{key} holds for all roles",
                 f"{key} holds for all roles and follows the actor")
        for key, field in SHARED.items()
        for role in ROLES
    ),
    *(
        Follower(path, actor, key, EXISTS[role], f"{key} holds for the {role} too")
        for path, (role, key, actor) in FOLLOWING.items()
    ),
    why="trainer: one worker config for all roles",
)  # fmt: skip


def follows(key: str) -> Any:
    """The default of a role's key is another key of the same file."""

    def default(context: Any) -> Any:
        return context.effective(key)

    default.key = key  # type: ignore[attr-defined]
    return default
