"""Every plan value ends in an outcome, and the worst outcome of a value counts."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from rftconf.base.ledger import LOSSES, State
from rftconf.convert import convert as conversions
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.schemas import catalogue, registry
from tests.laws.flip_base import Base
from tests.laws.flip_bases import BASES
from tests.laws.round_trips import convert_flat

REFUSED = {
    *("sapo", "ActorPGWorker"),
    *("ppo", "ppo with a critic", "megatron with a critic", "megatron, decaying", "adaptive KL", "shuffled"),
    *("adaptive KL with a critic", "dynamic with a critic", "agentic with a critic", "agentic, megatron critic"),
    *("agentic", "agentic with sglang", "agentic with Megatron"),
    *("static micro-batches with a critic", "cosine with a critic", "cosine critic", "static critic"),
    *(
        "megatron, static micro-batches with a critic",
        "engine's fixed micro-batches of a critic",
        "megatron, fixed critic",
    ),
    *(
        "taught",
        "student",
        "student with Megatron",
        "student lora",
        "student, dynamic",
        "student, other engine and worker",
        "validation alone",
        "benchmark",
        "rollouts alone",
    ),
}
"""Bases with another loss, with a critic, with environments or a teacher to follow: ChatLearn and TRL have none of them."""
TRAINS_A_CRITIC = {base for base in REFUSED if "critic" in base and "agentic" not in base} | {
    "ppo",
    "shuffled",
    "adaptive KL",
    "megatron, decaying",
}
"""Bases of these that OpenRLHF takes."""
WITHOUT = {
    "chatlearn": REFUSED,
    "trl": REFUSED,
    "openrlhf": REFUSED - TRAINS_A_CRITIC,
    "nemo_rl": REFUSED - TRAINS_A_CRITIC,
}


def kind_of(framework: str, base: Base) -> str:
    """The kind of run of a base: a pipeline's, or reinforcement learning."""
    if framework == "roll":
        return {"sft": "sft", "dpo": "dpo"}.get(base.trainer, "rl")
    return "sft" if framework == "verl_sft" else "rl"


PAIRS = [
    pytest.param(framework, to, base, id=f"{framework} to {to}: {base.name}")
    for framework, bases in BASES.items()
    for to in registry.FRAMEWORKS
    for base in bases
    if framework != to and kind_of(framework, base) == "rl" and base.name not in WITHOUT.get(to, ())
]


def written(framework: str, to: str, base: Base) -> Writing:
    caught: list[Writing] = []
    write = conversions._write

    def spy(*args: Any) -> Writing:
        caught.append(write(*args))
        return caught[-1]

    with mock.patch.object(conversions, "_write", spy):
        convert_flat(framework, to, base.flat, base.trainer)
    return caught[0]


@pytest.mark.parametrize(("framework", "to", "base"), PAIRS)
def test_every_value_has_an_outcome_and_every_loss_a_reason(framework: str, to: str, base: Base) -> None:
    done = written(framework, to, base)
    without = [path for path, value in done.values.items() if value is not None and path not in done.outcomes]
    assert without == []
    silent = [path for path, outcome in done.outcomes.items() if outcome.state in LOSSES and not outcome.note]
    assert silent == []
    unsaid = [p for p, outcome in done.outcomes.items() if outcome.note == "no control for this here"]
    assert unsaid == []


@pytest.mark.parametrize(("framework", "to", "base"), PAIRS)
def test_every_written_key_is_one_of_the_targets(framework: str, to: str, base: Base) -> None:
    done = written(framework, to, base)
    known = catalogue.load(to, None, done.trainer)
    missing = [key for key in done.out if not key.startswith("+") and known.get(key) is None and not known.is_node(key)]
    assert missing == []


def writing() -> Writing:
    return Writing(table_of("verl"), "verl", "0.9.1", "fsdp", {"a": 1}, {})


def test_the_worst_outcome_of_a_value_counts() -> None:
    done = writing()
    done.put("x", 1, "a")
    done.put("y", 2, "a", state=State.NARROWED, note="less than asked")
    assert done.outcomes["a"].state is State.NARROWED
    assert done.outcomes["a"].targets == ("x", "y")
    assert done.outcomes["a"].note == "less than asked"


def test_a_note_without_a_state_narrows() -> None:
    done = writing()
    done.put("x", 1, "a", note="less than asked")
    done.put("y", 2, how="nothing is lost")
    assert [done.out[key].state for key in ("x", "y")] == [State.NARROWED, State.EXACT]
    assert done.outcomes["a"].state is State.NARROWED


def test_without_a_loss_the_best_outcome_counts() -> None:
    done = writing()
    done.lose("a", State.DEFAULT, "as the target does")
    done.put("x", 1, "a")
    assert done.outcomes["a"].state is State.EXACT


def test_what_was_written_so_far_can_be_asked_for() -> None:
    done = writing()
    done.put("x", 1)
    assert done.effective("x") == 1
    assert done.effective("y") is None
