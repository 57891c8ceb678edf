"""Two runs side by side: which role holds how much memory in each, and which settings make the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

from rftconf.base.record import record
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.memory_settings import OF_ENGINES, OF_RUNS, OF_TRAINERS, MemorySetting
from rftconf.budget.phases import Phase, phases
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.pools import pools
from rftconf.budget.roles.roles import EngineRole, Setup, TrainerRole

Role: TypeAlias = TrainerRole | EngineRole
SAME = 0.05
"""A share of a role's memory within which two runs hold the same."""
NOTHING = 1 << 27
"""Bytes (1/8 GiB) that make no difference whatever share of a role they are."""


@record
class RoleMemory:
    """Bytes of one role on one GPU: at most at its own work, at most while others work, and an engine's cache.

    `at_least` is what its work takes even where sequences are short.
    """

    at_work: int = 0
    while_others_work: int = 0
    cache: int = 0
    at_least: int = 0

    def is_close_to(self, role_memory: RoleMemory, share: float = SAME) -> bool:
        """True where every figure is within that share of the other's."""
        return all(abs(a - b) <= max(share * max(a, b), NOTHING) for a, b in self.pairs_with(role_memory))

    def largest_gap(self, role_memory: RoleMemory) -> int:
        """Bytes between the two figures that are furthest apart."""
        return max(abs(a - b) for a, b in self.pairs_with(role_memory))

    def pairs_with(self, role_memory: RoleMemory) -> tuple[tuple[int, int], ...]:
        """Each figure with the other's."""
        names = ("at_work", "while_others_work", "cache", "at_least")
        return tuple((getattr(self, name), getattr(role_memory, name)) for name in names)


@record
class SettingEffect:
    """A setting that differs: its values in the two runs in words, and the memory of the first run with the second's value."""

    setting: MemorySetting
    values: tuple[str, str]
    memory: RoleMemory


@record
class RoleDifference:
    """A role that holds more or less memory in run b than in run a (None: that run has no such role).

    `effects` are the settings that make the difference, the largest first.
    """

    role_a: Role | None
    role_b: Role | None
    memory_a: RoleMemory | None
    memory_b: RoleMemory | None
    effects: tuple[SettingEffect, ...] = ()

    @property
    def name(self) -> str:
        """Return the role's name in the first run that has the role."""
        role = self.role_a or self.role_b
        return role.name if role else ""


@record
class MemoryComparison:
    """The accounts of two runs, and the roles on which they differ."""

    a: Budget
    b: Budget
    differences: tuple[RoleDifference, ...]


def compare_memory(a: Setup, b: Setup, gpu: Gpu) -> MemoryComparison:
    """Compare two runs on GPUs of one kind. Where their verdicts differ every difference counts, however small."""
    budget_a, budget_b = price(a, gpu), price(b, gpu)
    share = SAME if budget_a.verdict == budget_b.verdict else 0.0
    return MemoryComparison(budget_a, budget_b, tuple(_differences(budget_a, budget_b, share)))


def memory_by_role(budget: Budget) -> dict[str, RoleMemory]:
    """Map each role's name to the memory that it holds in an account."""
    return _by_role(phase for pool in budget.pools for phase in pool.phases)


def _by_role(step: Iterable[Phase]) -> dict[str, RoleMemory]:
    memories: dict[str, RoleMemory] = {}
    for phase in step:
        sizes: dict[str, int] = {}
        caches: dict[str, int] = {}
        for term in phase.terms:
            if term.owner:
                sizes[term.owner] = sizes.get(term.owner, 0) + term.size
                caches[term.owner] = caches.get(term.owner, 0) + (term.size if term.part == "kv_cache" else 0)
        for name, size in sizes.items():
            was, cache = memories.get(name, RoleMemory()), caches[name]
            working = name in phase.at_work
            memories[name] = RoleMemory(
                max(was.at_work, size) if working else was.at_work,
                was.while_others_work if working else max(was.while_others_work, size),
                max(was.cache, cache),
                max(was.at_least, size - phase.open_end) if working else was.at_least,
            )
    return memories


def _differences(budget_a: Budget, budget_b: Budget, share: float) -> Iterator[RoleDifference]:
    """The roles that hold more than `share` of their memory more or less in one of the accounts."""
    memory_a, memory_b = memory_by_role(budget_a), memory_by_role(budget_b)
    mine, theirs = _roles(budget_a.setup), _roles(budget_b.setup)
    for path in dict.fromkeys((*mine, *theirs)):
        a, b = mine.get(path), theirs.get(path)
        before, after = memory_a.get(a.name) if a else None, memory_b.get(b.name) if b else None
        if a is None or b is None or before is None or after is None:
            yield RoleDifference(a, b, before, after)
        elif not before.is_close_to(after, share):
            effects = tuple(_effects((budget_a.setup, budget_b.setup), a, b, budget_a.gpu, before))
            if effects or not before.is_close_to(after):
                yield RoleDifference(a, b, before, after, effects)


def _roles(setup: Setup) -> dict[str, Role]:
    """The roles by what they are in every framework: a trainer's name, and where a plan has an engine."""
    return {
        **{role.name: role for role in setup.trainers},
        **{role.path or role.name: role for role in setup.engines},
    }


def _effects(
    runs: tuple[Setup, Setup], mine: Role, theirs: Role, gpu: Gpu, role_memory: RoleMemory
) -> Iterable[SettingEffect]:
    """The settings that differ, by what each alone changes; those that change nothing alone are left out."""
    effects = []
    for setting, changed, values in _swaps(*runs, mine, theirs):
        step = (phase for pool in pools(changed) for phase in phases(pool, changed, gpu))
        memory = _by_role(step).get(mine.name, RoleMemory())
        if memory != role_memory:
            effects.append(SettingEffect(setting, values, memory))
    return sorted(effects, key=lambda effect: -role_memory.largest_gap(effect.memory))


def _swaps(
    run: Setup, other_setup: Setup, mine: Role, theirs: Role
) -> Iterator[tuple[MemorySetting, Setup, tuple[str, str]]]:
    """The first run with one setting of the other's, for every setting that differs."""
    for setting in OF_TRAINERS if isinstance(mine, TrainerRole) else OF_ENGINES:
        if setting.differs(mine, theirs):
            yield (
                setting,
                _with(run, setting.taken_from(mine, theirs)),
                (setting.says(mine), setting.says(theirs)),
            )
    for setting in OF_RUNS:
        if setting.differs(run, other_setup):
            yield (
                setting,
                setting.in_run(run, other_setup),
                (setting.says(run), setting.says(other_setup)),
            )


def _with(setup: Setup, changed: Role) -> Setup:
    if isinstance(changed, EngineRole):
        return setup.with_engine(changed)
    return replace(
        setup,
        trainers=tuple(changed if role.name == changed.name else role for role in setup.trainers),
    )
