"""The way in which each framework runs the roles of a run, as far as memory and GPUs depend on it: one entry a framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from rftconf.base.record import record

LayoutRule: TypeAlias = Literal[
    "whole replicas in a node",
    "whole nodes for the trainer",
    "no taking turns",
    "engines over whole nodes",
    "engines by tensor alone",
    "whole nodes in all",
]
"""Rules of layouts that only some frameworks have; `layout_rules` has the functions."""


@record
class Runtime:
    """The way in which one framework runs its roles.

    `code`: whose loss and optimizer code runs under FSDP; none is measured but one, and the interval says so. `sleeps_if`:
    the switch without which engines stay awake while trainers work. `answers_alone`: the head sees the answer's tokens only.
    `trainer_writes`: without an engine the trainer's own model writes all answers of a process at once.
    `leaves`: every role waits in host memory between its turns. `trainers_sleep`: where the actor's weights may wait, optimizers
    and gradients of all that train do, and weights stay where they are computed with. `pads`: sequences are padded
    where nobody asks for packing. `always_scores`: the reference is there even where no loss asks for it.
    `judges_meanwhile`: models that answer stay awake beside each other, because an answer is judged while others are written.
    `processes`: every role is a process of its own on its GPUs, with a context and communicators of its own.
    `asks_by_role`: it asks for the GPUs of its roles and for no whole nodes, so that none is idle.
    `rings`: the GPUs of one sequence pass keys and values around and divide no heads.
    `may_train_alone`: a trainer that has all GPUs leaves the engines to another program. `rules`: what it refuses besides
    what every framework does.
    """

    code: str = "verl"
    sleeps_if: str = ""
    answers_alone: bool = False
    trainer_writes: bool = False
    leaves: bool = False
    trainers_sleep: bool = False
    pads: bool = False
    always_scores: bool = False
    judges_meanwhile: bool = False
    processes: bool = False
    asks_by_role: bool = False
    rings: bool = False
    may_train_alone: bool = False
    rules: tuple[LayoutRule, ...] = ()


RUNTIMES: Mapping[str, Runtime] = {
    "verl": Runtime(rules=("whole replicas in a node",)),
    "trinity": Runtime(
        may_train_alone=True, rules=("whole nodes for the trainer", "no taking turns", "engines over whole nodes")
    ),
    "roll": Runtime(leaves=True, pads=True, judges_meanwhile=True, processes=True),
    "chatlearn": Runtime(always_scores=True, processes=True, rules=("engines by tensor alone", "whole nodes in all")),
    "openrlhf": Runtime(
        code="openrlhf",
        sleeps_if="vllm.enable_sleep",
        trainers_sleep=True,
        rings=True,
        processes=True,
        asks_by_role=True,
        pads=True,
        rules=("engines by tensor alone",),
    ),
    "nemo_rl": Runtime(code="nemo_rl", processes=True, pads=True, rules=("whole replicas in a node",)),
    "trl": Runtime(code="trl", sleeps_if="vllm_enable_sleep_mode", answers_alone=True, trainer_writes=True, pads=True),
}


def runtime_of(framework: str) -> Runtime:
    """Return how a framework runs; of one without an entry nothing is known but its name."""
    return RUNTIMES.get(framework) or Runtime(code=framework)
