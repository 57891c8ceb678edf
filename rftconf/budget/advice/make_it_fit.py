"""A run fits the GPUs at hand after changes together: switches, micro-batches, engines' shares; nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from rftconf.base.record import record
from rftconf.budget.advice.cluster_search import Answer, Change
from rftconf.budget.advice.memory_savers import savings_without_field, steps
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.phases import Phase
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.roles import EngineRole, Setup
from rftconf.budget.terms.engine import requests_at_once
from rftconf.budget.terms.term import GIB

QUESTION = "what to change together so that it fits"
ROUNDS = 16
"""Changes at most; no plan has as many knobs that act."""
Where = tuple[int, int]
"""A pool and one of its phases, by their places."""


@record
class Knob:
    """A change by its path, and what it does to a run. `old` is what the plan has there now; `more` changes with it."""

    path: str
    old: int | float | bool | None
    new: int | float | bool
    words: str
    apply: Callable[[Setup], Setup]
    more: tuple[Change, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """All of it."""
        return (Change(self.path, self.old, self.new), *self.more)


def mended(setup: Setup, gpu: Gpu, *, without: tuple[str, ...] = ()) -> Answer | None:
    """The changes, or why there are none; None where the run fits as it is. `without` are ends of fields that stay."""
    budget = price(setup, gpu)
    if budget.verdict == "fits":
        return None
    taken: list[Knob] = []
    while budget.verdict != "fits" and len(taken) < ROUNDS:
        best = _next(budget, gpu, without)
        if best is None:
            break
        taken = [knob for knob in taken if knob.path != best.path] + [_first(best, taken)]
        budget = price(best.apply(budget.setup), gpu)
    if budget.verdict != "fits":
        return Answer(QUESTION, _why_not(budget, taken), (), None)
    taken = _needed(setup, gpu, taken)
    proof = price(_all(setup, taken), gpu)
    text = "; ".join(knob.words for knob in taken)
    return Answer(QUESTION, text, tuple(change for knob in taken for change in knob.changes), proof)


def _first(knob: Knob, taken: list[Knob]) -> Knob:
    """The knob with the values that the plan has, where an earlier change has moved them."""
    had = {change.path: change.old for knob in taken for change in knob.changes}
    more = tuple(replace(change, old=had.get(change.path, change.old)) for change in knob.more)
    return replace(knob, old=had.get(knob.path, knob.old), more=more)


def _all(setup: Setup, knobs: list[Knob]) -> Setup:
    for knob in knobs:
        setup = knob.apply(setup)
    return setup


def _needed(setup: Setup, gpu: Gpu, taken: list[Knob]) -> list[Knob]:
    """Without those that later ones made superfluous."""
    for knob in list(taken):
        knobs = [other_knob for other_knob in taken if other_knob is not knob]
        if price(_all(setup, knobs), gpu).verdict == "fits":
            taken = knobs
    return taken


def _next(budget: Budget, gpu: Gpu, without: tuple[str, ...]) -> Knob | None:
    """The first change that brings the worst phase into the GPU, else the first that lowers it; engines that starve last."""
    where = _worst(budget)
    if where is None:
        return next(_fed(budget, gpu), None)
    peak, hungry, best = _phase(budget, where).high, len(budget.starved), None
    for knob in _knobs(budget, where, gpu):
        if knob.path.endswith(without):
            continue
        after = price(knob.apply(budget.setup), gpu)
        lower = _phase(after, where).high
        if lower >= peak or len(after.starved) > hungry:
            continue
        if lower <= gpu.range[0]:
            return knob
        best = best or knob
    return best


def _worst(budget: Budget) -> Where | None:
    """The phase that is furthest over the GPU."""
    over = {
        (index, number): phase.high
        for index, pool_budget in enumerate(budget.pools)
        for number, phase in enumerate(pool_budget.phases)
        if phase.high > budget.gpu.range[0]
    }
    return max(over, key=lambda where: over[where]) if over else None


def _phase(budget: Budget, where: Where) -> Phase:
    return budget.pools[where[0]].phases[where[1]]


def _knobs(budget: Budget, where: Where, gpu: Gpu) -> Iterator[Knob]:
    """Changes that may lower the phase, what costs least speed first."""
    setup, phase = budget.setup, _phase(budget, where)
    for path, words, apply in steps(setup):
        yield Knob(path, False, True, words, apply)

    def within(changed: Setup) -> bool:
        return _phase(price(changed, gpu), where).high <= gpu.range[0]

    yield from _smaller_batches(setup, phase, within)
    for role in budget.pools[where[0]].pool.engines:
        if role.scorer is not None and role.rows > 1:
            yield from _fewer_rows(setup, role, within)
    awake = [role for role in setup.served if any(t.owner == role.name and t.part == "kv_cache" for t in phase.terms)]
    yield from _smaller_shares(setup, awake, gpu, within)


def _down(size: int, low: int, good: Callable[[int], bool]) -> int:
    """The largest number below `size` for which `good` holds, else `low`."""
    high = size - 1
    if high <= low or not good(low):
        return low
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if good(middle) else (low, middle - 1)
    return low


def _smaller_batches(setup: Setup, phase: Phase, within: Callable[[Setup], bool]) -> Iterator[Knob]:
    """Micro-batches whose tokens the phase holds."""
    busy = {t.owner for t in phase.terms if t.part in ("activations", "logits")}
    for role in setup.trainers:
        micro = role.micro if phase.name.endswith("update") else role.infer
        if role.name not in busy or micro is None:
            continue
        step = 1024 if micro.rows is None else 1
        low = -(-micro.longest // step) if step > 1 else 1
        size, path = -(-micro.size // step), micro.path
        if size <= low:
            continue
        smaller = step * _down(size, low, lambda n, path=path, step=step: within(setup.with_micro(path, n * step)))  # type: ignore[misc]
        what = f"{smaller:,} tokens" if step > 1 else f"{smaller} sequences" if smaller > 1 else "1 sequence"
        words = f"{role.name}: micro-batches of {what} in {phase.name} (now {micro.size:,})"
        yield Knob(micro.leaf, micro.size, smaller, words, lambda s, path=path, n=smaller: s.with_micro(path, n))  # type: ignore[misc]


def _fewer_rows(setup: Setup, role: EngineRole, within: Callable[[Setup], bool]) -> Iterator[Knob]:
    rows = _down(role.rows, 1, lambda n: within(setup.with_engine(role.passing(n))))
    words = f"{role.name}: {rows} sequence{'s' if rows > 1 else ''} in a pass (now {role.rows})"
    yield Knob(
        f"{role.path}.sequences_per_pass",
        role.rows,
        rows,
        words,
        lambda s: s.with_engine(_role_in_changed_run(s, role).passing(rows)),
    )


def _role_in_changed_run(setup: Setup, role: EngineRole) -> EngineRole:
    """The role of that name as it is in a run that may have changed."""
    return next(engine_role for engine_role in setup.engines if engine_role.name == role.name)


def _smaller_shares(setup: Setup, awake: list[EngineRole], gpu: Gpu, within: Callable[[Setup], bool]) -> Iterator[Knob]:
    """Shares of the engines that are awake: all in proportion, else one alone, as small as one request of each allows."""
    if len(awake) > 1:
        yield from _in_proportion(setup, awake, gpu, within)
    for role in sorted(awake, key=lambda role: -role.engine.fraction):
        now, least = round(role.engine.fraction * 100), _least(role, gpu)
        if least is None or least >= now:
            continue
        share = _down(now, least, lambda n, role=role: within(setup.with_engine(role.taking(n / 100)))) / 100  # type: ignore[misc]
        words = f"{role.name}: {share:g} of the GPU for the engine (now {role.engine.fraction:g})"
        yield Knob(
            f"{role.path}.gpu_memory_fraction",
            role.engine.fraction,
            share,
            words,
            lambda s, role=role, share=share: s.with_engine(_role_in_changed_run(s, role).taking(share)),  # type: ignore[misc]
        )


def _in_proportion(setup: Setup, awake: list[EngineRole], gpu: Gpu, within: Callable[[Setup], bool]) -> Iterator[Knob]:
    """All shares by the same factor, the largest with which the phase fits and every engine starts."""

    def scaled(setup: Setup, percent: int) -> Setup:
        for role in awake:
            setup = setup.with_engine(_role_in_changed_run(setup, role).taking(_share(role, percent)))
        return setup

    for percent in range(99, 4, -1):
        scaled_setup = scaled(setup, percent)
        starved = any(_starves(_role_in_changed_run(scaled_setup, role), gpu) for role in awake)
        if starved:
            return
        if within(scaled_setup):
            new = [Change(f"{r.path}.gpu_memory_fraction", r.engine.fraction, _share(r, percent)) for r in awake]
            words = " and ".join(f"{r.name} {c.new:g}" for r, c in zip(awake, new, strict=True))
            first, *more = new
            text = f"shares of the GPU for engines that answer at once: {words}"
            yield Knob(
                first.path, awake[0].engine.fraction, first.new, text, partial(scaled, percent=percent), tuple(more)
            )
            return


def _share(role: EngineRole, percent: int) -> float:
    """A part of its share, in whole hundredths."""
    return int(role.engine.fraction * percent) / 100


def _least(role: EngineRole, gpu: Gpu) -> int | None:
    """The smallest share [%] with which the engine starts: one request of the greatest length fits its cache."""
    starts = [n for n in range(1, 101) if not _starves(role.taking(n / 100), gpu)]
    return starts[0] if starts else None


def _starves(role: EngineRole, gpu: Gpu) -> bool:
    return requests_at_once(role.engine, gpu) < 1


def _fed(budget: Budget, gpu: Gpu) -> Iterator[Knob]:
    """A larger share for an engine that holds not even one request, as small as it may be."""
    names = [serving.role for serving in budget.starved]
    for role in budget.setup.served:
        least = _least(role, gpu) if role.name in names else None
        if least is not None and least > 100 * role.engine.fraction:
            words = f"{role.name}: {least / 100:g} of the GPU for the engine (now {role.engine.fraction:g})"
            yield Knob(
                f"{role.path}.gpu_memory_fraction",
                role.engine.fraction,
                least / 100,
                words,
                lambda s, role=role, least=least: s.with_engine(_role_in_changed_run(s, role).taking(least / 100)),  # type: ignore[misc]
            )


def _why_not(budget: Budget, taken: list[Knob]) -> str:
    """Return the reason why a run does not fit with every helpful setting at its smallest, and what is left."""
    tried = "; ".join(knob.words for knob in taken) or "no setting here lowers the peak"
    if budget.starved and _worst(budget) is None:
        serving = budget.starved[0]
        return f"{serving.role} holds {serving.requests:.2f} requests of the greatest length with any share; more GPUs for each engine would"
    phase = budget.deciding.deciding
    heaviest = sorted(phase.terms, key=lambda t: -t.size)[:3]
    parts = ", ".join(f"{t.owner or 'all'} {t.name} {t.size / GIB:.1f}" for t in heaviest)
    return (
        f"nothing that is offered here: after all of it ({tried}) {phase.name} still needs {phase.size / GIB:.1f} GiB "
        f"({phase.low / GIB:.1f} to {phase.high / GIB:.1f}) of {budget.gpu.usable_gib:g}, most of it {parts}; {_further_advice(budget)}"
    )


def _further_advice(budget: Budget) -> str:
    """Return advice on what still helps, with its account: an option that the plan has no field for, else more GPUs."""
    for name, words, apply in savings_without_field(budget.setup):
        after = price(apply(budget.setup), budget.gpu)
        if after.verdict == "fits":
            peak = after.deciding.deciding
            return f"{words} ({name}, set it yourself) would fit: {peak.size / GIB:.1f} GiB (to {peak.high / GIB:.1f})"
    return "more GPUs or other parallel sizes are left"
