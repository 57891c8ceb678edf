"""Notes on memory: the source and the output are priced on the same GPUs, and each difference is named by its setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rftconf.base.errors import RftconfError
from rftconf.base.ledger import LOSSES, Ledger
from rftconf.base.symbols import OpenKey, Value, is_symbolic
from rftconf.convert.learning.learning import VALUES
from rftconf.load.extensions import kept_keys
from rftconf.load.stage import StageRead
from rftconf.mappers.writing import Writing

if TYPE_CHECKING:
    from rftconf.budget.comparison import MemoryComparison, RoleDifference, RoleMemory, SettingEffect
    from rftconf.budget.price import Budget
    from rftconf.budget.roles.roles import Setup

GPU = "h100-80g"
"""Both are priced on this GPU: a trainer's memory does not hang on the size of a GPU."""
SMALL = "a100-40g"
"""Both are priced on this one too, for what an engine holds beside its share: of a small GPU that is more."""
PROMPT = "stage.length.prompt_max_tokens"
SERVER = ("stage.placement.rollout.gpus", "stage.placement.rollout.tp")
"""The fields of a server of engines: whoever starts the server gives them, and no key of the trainer's config does."""
NEEDS_MORE = "more memory: "
OTHERWISE = "memory: "
WHEN = ("at work", "while others work", "of cache", "at least")
"""Names of a role's figures, in the order of RoleMemory."""
MOST_NAMED = 3
"""Settings that a sentence names, the largest first."""


def memory_notes(
    ledger: Ledger, writing: Writing, mine: StageRead, theirs: StageRead, keys: Mapping[str, str]
) -> Iterator[str]:
    """A note for every role that holds more or less memory in what was written (`theirs`) than in its source.

    `keys` are the target's keys of plan fields. Nothing is said of a run that the account of memory cannot price.
    """
    from rftconf.budget.comparison import compare_memory
    from rftconf.budget.facts.gpus import gpu_named

    a = _setup(mine, ledger.source_framework, ledger.source_release)
    b = _setup(theirs, ledger.target_framework, ledger.target_release, mine)
    if a is None or b is None:
        return
    comparison = compare_memory(a, b, gpu_named(GPU))
    if comparison.differences:
        yield from _verdicts(comparison)
    words = _Words(writing, keys)
    for difference in comparison.differences:
        yield _sentence(difference, words)
    named = {difference.name for difference in comparison.differences}
    small = gpu_named(SMALL)
    for difference in compare_memory(a, b, small).differences:
        if difference.name not in named:
            yield f"{_sentence(difference, words)} (on GPUs as {small.name})"


def completed(values: Mapping[str, Value], source: Mapping[str, Value]) -> dict[str, Value]:
    """Return the plan values of an output with what it leaves to whoever starts it, as its source has that.

    That is the limit of a prompt, since the prompts are the source's, and the GPUs of a server of engines.
    """
    filled = dict(values)
    if isinstance(values.get(PROMPT), OpenKey):
        filled[PROMPT] = source.get(PROMPT)
    if is_symbolic(values.get(SERVER[0])):
        filled |= {path: source[path] for path in SERVER if path in source}
    return filled


def _setup(stage: StageRead, framework: str, release: str, source: StageRead | None = None) -> Setup | None:
    """The run as its memory sees it; None where the config does not tell enough, or names a model that no table has.

    `source`: the run that this one was converted from, which tells what this one leaves open.
    """
    from rftconf.budget.facts.models import find
    from rftconf.budget.roles.plan_view import plan_view
    from rftconf.budget.roles.setup import BudgetRequest, setup_of

    values = completed(stage.values, source.values) if source is not None else dict(stage.values)
    path = values.get("stage.model.path")
    if not isinstance(path, str) or find(path) is None:
        return None
    try:
        return setup_of(plan_view([values], framework, release, kept_keys([stage])), BudgetRequest())
    except RftconfError:
        return None


def _verdicts(comparison: MemoryComparison) -> Iterator[str]:
    a, b = comparison.a, comparison.b
    if a.verdict != b.verdict:
        lead = NEEDS_MORE if b.headroom < a.headroom else OTHERWISE
        yield f"{lead}on GPUs as {a.gpu.name} the source {_verdict(a)}; what is written {_verdict(b)}"


def _verdict(budget: Budget) -> str:
    word = "is too close to tell" if budget.verdict == "too close to tell" else budget.verdict
    phase = budget.deciding.deciding
    return f"{word} ({_gib(phase.size)} GiB in {phase.name}: {phase.moment})"


class _Words:
    """Writes what a sentence says of a setting: its values, its own effect, and the target's key or why there is none."""

    def __init__(self, writing: Writing, keys: Mapping[str, str]) -> None:
        self._writing, self._keys = writing, keys

    def of(self, effect: SettingEffect, role_memory: RoleMemory, fields: Mapping[str, str]) -> str:
        mine, theirs = effect.values
        values = f"{mine} in the source, {theirs} here" if mine != theirs else mine
        return (
            f"{effect.setting.name}: {values} ({_own_effect(role_memory, effect.memory)}{self._remedy(effect, fields)})"
        )

    def _remedy(self, effect: SettingEffect, fields: Mapping[str, str]) -> str:
        """The target's key of the setting, or why the target has none."""
        paths = [path.format_map(fields) for path in effect.setting.plan]
        values = [
            path for path in paths if (value := self._writing.values.get(path)) is not None and not is_symbolic(value)
        ]
        key = next((self._keys[path] for path in values if self._keys.get(path)), "")
        if key:
            return f"; {key} sets it"
        outcomes = (self._writing.outcomes.get(path) for path in paths)
        return next(
            (f"; {VALUES.sub('', o.note)}" for o in outcomes if o is not None and o.note and o.state in LOSSES), ""
        )


def _own_effect(role_memory: RoleMemory, changed: RoleMemory) -> str:
    """The figure of a role that a setting changes most by itself, and by how much."""
    changes = [(b - a, name) for (a, b), name in zip(role_memory.pairs_with(changed), WHEN, strict=True)]
    size, name = max(changes, key=lambda effect: abs(effect[0]))
    return f"{size / (1 << 30):+.1f} GiB {name}"


def _sentence(difference: RoleDifference, words: _Words) -> str:
    if difference.memory_a is None or difference.memory_b is None:
        place, other_place = ("in the source", "what is written") if difference.memory_a else ("here", "the source")
        size = max((memory.at_work for memory in (difference.memory_a, difference.memory_b) if memory), default=0)
        return f"{OTHERWISE if difference.memory_a else NEEDS_MORE}{difference.name}, {_gib(size)} GiB of a GPU {place}, is not in {other_place}"
    pairs = [
        (a, b, name) for (a, b), name in zip(difference.memory_a.pairs_with(difference.memory_b), WHEN, strict=True)
    ]
    at_work = pairs[0]
    a, b, name = max(pairs, key=lambda pair: abs(pair[0] - pair[1])) if _is_close(*at_work[:2]) else at_work
    effects = [words.of(effect, difference.memory_a, _fields(difference)) for effect in difference.effects[:MOST_NAMED]]
    more = len(difference.effects) - MOST_NAMED
    more_line = [f"{more} smaller one{'s' * (more != 1)}"] if more > 0 else []
    shares = hasattr(
        difference.role_a, "engine"
    )  # an engine takes what it is given; whether that fits is the verdict's
    lead = NEEDS_MORE if b > a and name == WHEN[0] and not shares else OTHERWISE
    return f"{lead}{_called(difference)}, {_gib(a)} GiB {name} in the source, {_gib(b)} here; {'; '.join([*effects, *more_line])}"


def _called(difference: RoleDifference) -> str:
    """The source's name of a role, and what it is called here."""
    name = difference.role_b.name if difference.role_b else difference.name
    return difference.name if name == difference.name else f"{difference.name} ({name} here)"


def _is_close(a: int, b: int) -> bool:
    from rftconf.budget.comparison import RoleMemory

    return RoleMemory(a).is_close_to(RoleMemory(b))


def _fields(difference: RoleDifference) -> dict[str, str]:
    """Map the placeholders in a setting's plan fields to their values in this role."""
    role = difference.role_a
    micro, infer = getattr(role, "micro", None), getattr(role, "infer", None)
    return {
        "role": difference.name,
        "critic_": "critic_" if difference.name == "critic" else "",
        "path": getattr(role, "path", ""),
        "micro": micro.path if micro else "",
        "infer": infer.path if infer else "",
    }


def _gib(size: int) -> str:
    return f"{size / (1 << 30):.1f}"
