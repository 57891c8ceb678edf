"""Plan fields that the runner does not read, and the values with which that changes nothing. Any other value of a field
that counts for the mathematics is refused; of those that do not, `beyond.left_aside` says what a reader would miss."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

from rftconf.plan.field_roles import BOOKKEEPING, PERFORMANCE
from rftconf.plan.index import fields
from rftconf.plan.model import Stage
from rftconf.plan.trainer_numbers import DECAYED, MATRICES

ANY: tuple[Any, ...] = ()
"""Every value: what reads the field is off, or checked under another path."""
WITHOUT: dict[str, tuple[Any, ...]] = {
    # parts that are off, or whose other fields `refusals` looks at
    "placement.reference.*": ANY,
    "placement.actor.megatron.*": ANY,
    "algorithm.preference.*": ANY,
    "optim.critic.min_lr": (0.0,),
    "optim.critic.extra": ({}, {DECAYED: MATRICES}),
    # nothing to decide: updates are whole, the run keeps step, no dropout
    "batch.uneven_tail": ANY,
    "data.rows": ANY,
    "data.train[].storage": ("file",),
    "data.train[].keys.tools": ("tools",),  # a row that has something there stops the run (`data.COLUMNS`)
    "placement.actor.seed": ANY,
    "placement.critic.full_determinism": ANY,
    "placement.critic.megatron.*": ANY,
    "seeds.*": ANY,
    "sampling.train.responses": ANY,
    # the critic reads the policy's tokens
    "model.critic_tokenizer_path": ANY,
    # a label of a further model
    "placement.auxiliary[].name": ANY,
    # values that are what the runner does anyway
    "placement.auxiliary[].sampling.responses": (1,),
    "placement.auxiliary[].sampling.ignore_eos": (False,),
    "init_from": ("base",),
    "length.response_min_tokens": (0,),
    "algorithm.advantage_scope": ("rollout",),
    "optim.actor.min_lr": (0.0,),
    "optim.actor.extra": ({}, {DECAYED: MATRICES}),
    "sampling.train.repetition_penalty": (1.0,),
    "sampling.train.ignore_eos": (False,),
    "data.train_max_samples": (-1,),
    # how many may be drawn at a time; the runner draws again what is missing, round by round
    "algorithm.filters[].max_in_flight_rollouts": ANY,
}
OF_CRITIC = ("placement.critic.*", "optim.critic.*", "algorithm.critic.*", "model.critic_*", "batch.critic_*")
OF_LORA = ("model_options.lora.*",)
OF_ADAPTIVE = ("algorithm.kl_reward.target", "algorithm.kl_reward.horizon")
OF_KL_REWARD, OF_KL_LOSS = ("algorithm.kl_reward.*",), ("algorithm.kl_loss.*",)
"""What nothing reads while the critic, the adapter or the penalty is off."""
VALIDATION = ("sampling.eval.*", "data.eval[[]].*", "data.eval_max_samples", "cadence.eval_*")
"""Fields that `validation_reader` reads, or leaves out aloud: they change nothing of what is learned."""


def unread(stage: Stage, read: set[str]) -> Iterator[tuple[str, Any]]:
    """Fields that count for the mathematics, that nobody `read`, with values that are not harmless."""
    off = tuple(patterns_off(stage))
    for path, field in fields().items():
        plain = path.removeprefix("stage.")
        if plain == path or field.role in (PERFORMANCE, BOOKKEEPING) or plain in read:
            continue
        if any(fnmatchcase(plain, pattern) for pattern in (*VALIDATION, *off)):
            continue
        allowed = next((values for name, values in WITHOUT.items() if _fits(plain, name)), None)
        for value in _values(stage, plain.split(".")):
            if value is not None and allowed != ANY and (allowed is None or value not in allowed):
                yield plain, value


def patterns_off(stage: Stage) -> Iterator[str]:
    """Patterns of the fields that nothing reads in this stage."""
    algorithm = stage.algorithm
    parts = ((algorithm.critic, OF_CRITIC), (algorithm.kl_reward, OF_KL_REWARD), (algorithm.kl_loss, OF_KL_LOSS))
    for part, patterns in parts:
        if part.enabled is not True:
            yield from patterns
    if not stage.model_options.lora.rank and not stage.model_options.lora.path:
        yield from OF_LORA
    if algorithm.kl_reward.controller != "adaptive":
        yield from OF_ADAPTIVE


def _fits(path: str, name: str) -> bool:
    return path == name or (name.endswith("*") and path.startswith(name[:-1]))


def _values(node: Any, names: list[str]) -> Iterator[Any]:
    """The value at a path; every item's where the path goes through a list."""
    if not names:
        yield node
        return
    value = getattr(node, names[0].removesuffix("[]"))
    for item in value if names[0].endswith("[]") else (value,):
        yield from _values(item, names[1:])


def moved(stage: Stage) -> list[str]:
    """Paths by which the plan has states wait in the host's memory between phases; gradients do not outlive an update."""
    place = stage.placement
    roles = (("actor", place.actor), ("reference", place.reference), ("critic", place.critic))
    return [
        f"placement.{role}.offload.{name}"
        for role, worker in roles
        for name, value in worker.offload
        if value is True and worker.offload_policy is not True
    ]
