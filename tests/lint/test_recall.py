"""Seeded mutations of configs that are fine: at least 95 of 100 are found, with the code that names the cause."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product

from rftconf.lint import engine
from rftconf.lint.rule import Example
from tests.lint.bases import documents
from tests.lint.mutations import TRINITY, VERL

VERL_BASES: tuple[tuple[str, ...], ...] = (
    (),
    ("algorithm.adv_estimator=rloo",),
    ("trainer.nnodes=2",),
    ("actor_rollout_ref.actor.fsdp_config.param_offload=True", "actor_rollout_ref.actor.strategy=fsdp2"),
)
TRINITY_BASES: tuple[tuple[str, ...], ...] = (
    (),
    ("cluster.node_num=2", "explorer.rollout_model.engine_num=4"),
    ("algorithm.repeat_times=16", "buffer.batch_size=16"),
)
LEAST = 0.95


@dataclass(frozen=True, slots=True)
class Case:
    """One mistake in one config, and the code (or its start) that names the cause."""

    framework: str
    base: tuple[str, ...]
    mutation: str
    code: str

    @property
    def example(self) -> Example:
        changed = {line.lstrip("+").partition("=")[0] for line in self.mutation.splitlines()}
        remaining = [line for line in self.base if line.partition("=")[0] not in changed]
        return Example(self.framework, (*remaining, *self.mutation.splitlines()))


def cases() -> list[Case]:
    new_cases = [Case("verl", base, mutation, code) for base, (mutation, code) in product(VERL_BASES, VERL)]
    return new_cases + [
        Case("trinity", base, mutation, code) for base, (mutation, code) in product(TRINITY_BASES, TRINITY)
    ]


@cache
def codes_in(example: Example) -> frozenset[str]:
    return frozenset(d.code for d in engine.check(documents(example)[0], engine.Options(example.framework)))


def is_found(case: Case) -> bool:
    """True when a finding that the config had not before names the cause."""
    new = codes_in(case.example) - codes_in(Example(case.framework, case.base))
    return any(name.startswith(case.code) for name in new)


def test_mutations_are_found() -> None:
    new_cases = cases()
    assert len(new_cases) >= 300
    missed = [
        f"{case.framework} {case.base} {case.mutation!r}: {case.code} not among {sorted(codes_in(case.example))}"
        for case in new_cases
        if not is_found(case)
    ]
    assert len(missed) <= (1 - LEAST) * len(new_cases), "\n".join(missed)
