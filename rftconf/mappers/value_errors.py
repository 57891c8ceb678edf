"""Written values that their keys cannot have: which one explains what a row could not read, and sizes that no run has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any, Protocol, TypeAlias

from rftconf.base.errors import UncountableError
from rftconf.base.numbers import BEYOND
from rftconf.base.record import record
from rftconf.base.symbols import Expr, is_symbolic
from rftconf.mappers.context import ReadContext
from rftconf.mappers.paths import fits
from rftconf.mappers.rows import Table, plans_of
from rftconf.mappers.words_of_keys import words_of_field, words_of_keys
from rftconf.mappers.written_leaves import first_inside, innermost, written_leaves
from rftconf.plan.fitting import expected, takes_words
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.schemas import catalogue
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.values import wrong
from rftconf.text.document import Leaf

STUMBLES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RuntimeError)
"""What rows and rules raise when a value has another type, or is zero where something is divided by it."""


Spot: TypeAlias = tuple[str, str, int]
"""Where a value stands: its key, its file and the offset there. A config may be translated anew for each reading."""


def spot_of(leaf: Leaf) -> Spot:
    """Return where the value of a leaf stands."""
    return leaf.key, leaf.place.file, leaf.place.span.start


@record
class ValueFinding:
    """A written value that its key, or the plan field it stands for, cannot have; `why` completes "KEY=VALUE: …"."""

    leaf: Leaf
    why: str
    code: str = "KEY016"
    sure: bool = True
    """False where the framework may have a meaning for it that rftconf does not know."""


class UnusableValueError(ValueError):
    """A row says of a value that it cannot have a meaning; `finding` says which, None where nobody wrote it."""

    def __init__(self, why: str, finding: ValueFinding | None) -> None:
        super().__init__(why)
        self.finding = finding


def unusable_value(reading: ReadContext, key: str, why: str) -> UnusableValueError:
    """Make the error that says what is wrong with the value of a key; a row that raises it is left unread."""
    cell = reading.source.cells.get(key)
    leaf = cell.leaf if cell is not None and cell.leaf is not None else first_inside(reading.source, key)
    return UnusableValueError(f"{key}: {why}", None if leaf is None else ValueFinding(leaf, why, sure=False))


class StageReading(ReadContext, Protocol):
    """A reading as those see it who say which of its values are at fault."""

    table: Table
    value_errors: list[ValueFinding]
    unread_rows: dict[int, str]
    last: bool
    lacks: bool

    def is_set_aside(self, leaf: Leaf) -> bool:
        """True for a value that an earlier reading found unusable."""

    def look_again(self, index: int) -> list[str]:
        """Read a row that stumbles a second time, and list the keys that it looks at until it does."""


class ReadAgainError(Exception):
    """A row stumbled over a written value: the stage is read again with that value set aside."""


def leave_unread(reading: StageReading, index: int, error: Exception) -> None:
    """Find the written value that explains why a row stumbled, and raise ReadAgainError to have it set aside.

    Where nobody told such a value, the row stays unread. Where nothing written explains it, the error goes on.
    """
    if isinstance(error, UncountableError):
        reading.unread_rows[index] = f"{error.args[0]} is not known"
        return
    if reading.value_errors and not reading.last:
        raise ReadAgainError from error
    finding, why = _explain(reading, index, error)
    if finding is not None:
        reading.value_errors.append(finding)
        if not reading.last:
            raise ReadAgainError from error
    elif not why:
        raise error
    reading.unread_rows[index] = why or "it depends on a value that cannot be used"


def _explain(reading: StageReading, index: int, error: Exception) -> tuple[ValueFinding | None, str]:
    """The written value that explains an error, or in words what is not told; neither, where nothing does."""
    if isinstance(error, UnusableValueError):
        finding = error.finding
        if finding is None or is_symbolic(finding.leaf.value) or reading.is_set_aside(finding.leaf):
            return None, str(error)
        return finding, ""
    if reading.lacks:
        return None, "it depends on values that could not be read"
    looked_at, row = reading.look_again(index), reading.table.rows[index]
    finding = blame_value(reading, looked_at)
    # one value that is known to be unusable is enough: nothing else that the row looks at is at fault then
    set_aside = any(map(reading.is_set_aside, written_leaves(reading.source, looked_at)))
    if finding is None and not set_aside:
        finding = suspect_value(reading, looked_at, plans_of(row))
    if finding is None and is_open(reading, looked_at):
        return None, "it depends on values that the source does not tell"
    return finding, ""


def judge_value(known: Catalogue, name: str, value: Any) -> str | None:
    """Return what is wrong with `value` for the key `name` by the catalogue's types, or None."""
    key = known.get(name)
    if key is not None:
        return wrong(known, key, value)
    for end, char in enumerate(name):
        above = known.get(name[:end]) if char in ".[" else None
        if above is not None and not any(kind in above.type for kind in ("any", "dict" if char == "." else "list")):
            return f"it stands below {name[:end]}, which is {above.type}"
    return None


_INTERPOLATION = re.compile(r"\$\{[^{}]+\}").fullmatch


def judge_section(known: Catalogue, name: str, value: Any) -> str | None:
    """Report that `name` is a section where the file has a plain value, or nothing, in its place; else None."""
    if isinstance(value, (dict, Expr)) or not known.is_node(name) or name in known.keys:
        return None
    if isinstance(value, str) and _INTERPOLATION(value):
        return None  # it may lead to another section
    return "this is a section of keys, and it is empty here" if value is None else "this is a section of keys"


def blame_value(reading: StageReading, looked_at: Sequence[str]) -> ValueFinding | None:
    """Find the written value that its own key cannot have: the last one that a row looked at."""
    source = reading.source
    known = catalogue.load(source.framework, reading.release, reading.trainer)
    leaves = _candidates(reading, looked_at)
    for leaf in leaves:
        if why := judge_value(known, leaf.key, leaf.value):
            return ValueFinding(leaf, why, "KEY004")
    for leaf in leaves:
        if why := _judge_size(known, leaf):
            return ValueFinding(leaf, why)
    return next(report_sizes(reading), None)


def suspect_value(reading: StageReading, looked_at: Sequence[str], plans: tuple[str, ...]) -> ValueFinding | None:
    """Find the value that may explain why a row could not be read: the last known one that it looked at."""
    fields = " and ".join(plan.removeprefix("stage.") for plan in plans[:2])
    plain = (leaf for leaf in _candidates(reading, looked_at) if not is_symbolic(leaf.value))
    return next((ValueFinding(leaf, f"{fields} cannot be read from it", sure=False) for leaf in plain), None)


def _candidates(reading: StageReading, looked_at: Sequence[str]) -> list[Leaf]:
    return [leaf for leaf in written_leaves(reading.source, looked_at) if not reading.is_set_aside(leaf)]


def is_open(reading: StageReading, looked_at: Sequence[str]) -> bool:
    """True when a row looked at values that nobody told: then it may well not be readable."""
    return any(
        is_symbolic(reading.native(key)) or is_symbolic(leaf.value) or reading.is_set_aside(leaf)
        for key in looked_at
        for leaf in written_leaves(reading.source, [key])
    )


def _judge_size(known: Catalogue, leaf: Leaf) -> str | None:
    """A number without an end, or zero and less where the key's own default is above zero."""
    value, key = leaf.value, known.get(leaf.key)
    if isinstance(value, float) and not isfinite(value):
        return "something is counted with it, and it is not finite"
    usual = key.default if key is not None else None
    number = isinstance(value, (int, float)) and not value > 0
    if number and key is not None and "int" in key.type and (usual in (None, "???") or _is_above_zero(usual)):
        return "something is divided by it, and it is not above zero"
    return None


def _is_above_zero(value: Any) -> bool:
    return isinstance(value, (int, float)) and value > 0


def report_unfit(reading: StageReading, path: str, value: Any, keys: tuple[str, ...]) -> ValueFinding | None:
    """Find the written value that gave a plan field something it does not take; None where nobody wrote it."""
    written = list(written_leaves(reading.source, list(reversed(innermost(reading.source, keys)))))
    leaves = [leaf for leaf in written if not reading.is_set_aside(leaf)]
    if written and not leaves:
        return None  # what is wrong with them has been reported
    known = catalogue.load(reading.source.framework, reading.release, reading.trainer)
    for leaf in leaves:
        if why := judge_value(known, leaf.key, leaf.value):
            return ValueFinding(leaf, why, "KEY004")
    # a default that follows another key has that key's value
    leaves = leaves or [
        leaf for _, leaf in reading.source.leaves()
        if type(leaf.value) is type(value) and leaf.value == value and not reading.is_set_aside(leaf)
    ]  # fmt: skip
    newest = catalogue.load(reading.source.framework, None, reading.trainer)
    words = words_of_keys(newest, keys) or words_of_field(reading.table, path) if takes_words(path) else ()
    expectation = f"one of {', '.join(words)}" if words else expected(path)
    finite = isinstance(value, int) or (isinstance(value, float) and isfinite(value))
    too_large = finite and abs(value) >= BEYOND
    why = "no setting of a run is as large" if too_large else f"{expectation} is expected"
    return ValueFinding(leaves[0], why) if leaves else None


def report_undecided(reading: StageReading) -> Iterator[ValueFinding]:
    """Yield the values that nobody told and by which the reading goes another way, each with what depends on it."""
    for key, leaf in reading.source.leaves() if reading.open else ():
        what = next((what for pattern, what in reading.table.decides.items() if fits(key, pattern)), None)
        if what is not None and is_symbolic(leaf.value):
            yield ValueFinding(leaf, f"the source does not tell it, and it decides {what}", sure=False)


MOST_OF_A_SIZE = 1_000_000
"""GPUs, nodes, prompts and sequences of a run that anybody could start; divisors of such sizes are tried one by one."""
TRAINER = "stage.placement.actor.gpus"
_SIZES = re.compile(
    r"cluster\.(?:nodes|gpus_per_node)|stage\.placement\..*|stage\.batch\.(?:prompts_\w+|responses_\w+|sequences_\w+|passes)"
    r"|stage\.batch\.micro\.\w*sequences\w*"
)
_PARALLEL = re.compile(r"\.(?:tp|pp|cp|sp|dp|etp|megatron\.ep)\Z")
_COUNTED = tuple(
    f"stage.batch.{name}" for name in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update", "passes")
)


def report_sizes(reading: StageReading) -> Iterator[ValueFinding]:
    """Yield the written values that make a size of the run one that no run has, or leave it without any."""
    for path, origin in reading.origins.items():
        value = reading.values.get(path)
        if value is None and path in _COUNTED:
            yield from _report_nulls(reading, origin.keys)
        if (
            isinstance(value, (int, float))
            and _SIZES.fullmatch(path)
            and (why := _judge_plan_size(reading, path, value))
        ):
            leaves = written_leaves(reading.source, list(reversed(origin.keys)))
            usable = [leaf for leaf in leaves if not reading.is_set_aside(leaf)]
            if usable:  # the one that is farthest off
                leaf = (max if value > 0 else min)(usable, key=_magnitude)
                yield ValueFinding(leaf, f"{path.removeprefix('stage.')} {why}")


def _magnitude(leaf: Leaf) -> float:
    return leaf.value if isinstance(leaf.value, (int, float)) else 1


def _judge_plan_size(reading: StageReading, path: str, value: float) -> str | None:
    if value > MOST_OF_A_SIZE:
        return f"would be {value:.6g}, and no run has more than {MOST_OF_A_SIZE:,}"
    if path in _COUNTED and value <= 0:
        return f"would be {value}, and it has to be above zero"
    if value < 1 and _PARALLEL.search(path):
        return f"would be {value}, and a parallel size is 1 or more"
    if path == TRAINER and value <= 0 and reading.values.get("stage.kind") in WITH_ROLLOUTS:
        return f"would be {value}, and nothing trains without GPUs"
    return None


def _report_nulls(reading: StageReading, keys: tuple[str, ...]) -> Iterator[ValueFinding]:
    """A null in a key that has to be a number, where nothing else says the number."""
    known = catalogue.load(reading.source.framework, reading.release, reading.trainer)
    for key in keys:
        cell = reading.source.cells.get(key)
        leaf = cell.leaf if cell is not None else None
        own = known.get(leaf.key) if leaf is not None and leaf.value is None else None
        if leaf is None or own is None or own.optional or own.default is None or reading.is_set_aside(leaf):
            continue
        yield ValueFinding(leaf, f"expects {own.type}, and null is not one", "KEY004")
