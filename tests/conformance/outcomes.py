"""What became of one config on its way to one target: accepted there as the same plan, refused with a reason, or wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.answers import answers, asks_for_numbers, of_variable
from tests.conformance.cases import DECISIONS
from tests.conformance.conversions import REFUSED, UNREADABLE, Converted, convert, decide, differences_after, judge
from tests.conformance.environment import Target
from tests.conformance.judging import Bench
from tests.corpus import ROWS, Real

ROUNDS = 4
"""Times that a conversion is asked: an answer (no number of steps) may bring up another question (a share of the run)."""
WAITS_FOR = re.compile(r"help: --set (\w+)=\.\.\.")
"""A variable without which a script starts nothing."""
ACCEPTED, REFUSED_HERE, UNREAD, OPEN = "accepted", "refused", "unreadable", "undecided"
REJECTED, ANOTHER_PLAN, FAILED = "rejected", "another plan", "rftconf fails"
WRONG = (OPEN, REJECTED, ANOTHER_PLAN, FAILED)
"""What an outcome must not be. `undecided`: a question to which the suite has no answer, so nothing was judged."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One of the words above, and in what words of rftconf's or the target's."""

    kind: str
    why: str = ""

    @property
    def wrong(self) -> bool:
        """True for what has to be mended."""
        return self.kind in WRONG

    @property
    def reason(self) -> str:
        """Why, without what differs from config to config: numbers, paths, names in quotes."""
        text = re.sub(r"^rftconf: |\S*source/source\.\w+\S* ", "", self.why)
        return re.sub(r"\b\d+(\.\d+)*\b", "N", text)[:160]

    def __str__(self) -> str:
        """For people."""
        return f"{self.kind}: {self.why}" if self.why else self.kind


def converted_to(target: Target, real: Real, folder: Path, more: Sequence[str] = ()) -> Converted:
    """The config as rftconf writes it for the target; `more` options than a config of its corpus always gets."""
    new_options = (
        ["--from", real.framework, "--from-release", real.release] if real.release else []
    )  # a stranger's is guessed
    steps = ["--assume", "steps_per_episode=1"] if real.framework == "trinity" else []  # no config tells it
    options = [*new_options, *steps, "--rows", str(ROWS), *real.options, *more]
    return convert(real.write(folder), target, folder, options)


def answered(target: Target, real: Real, folder: Path) -> tuple[Converted, list[str]]:
    """The config as rftconf writes it once its questions have answers, and the keys that stay open."""
    ledger, options = folder / "ledger.json", list[str]()
    for _ in range(ROUNDS):
        ledger.unlink(missing_ok=True)
        converted = converted_to(target, real, folder, [*options, "--ledger", str(ledger)])
        if converted.code == UNREADABLE and (names := WAITS_FOR.findall(converted.said)) and not options:
            options = [word for name in names for word in ("--set", f"{name}={of_variable(name, 1)}")]
            continue
        still_open = [] if converted.code else decide(target, converted.file, DECISIONS)
        asks = still_open or (not converted.code and asks_for_numbers(ledger))
        new_options = answers(ledger) if asks else []
        if set(new_options) <= set(options):
            break
        options += new_options
    return converted, still_open


def outcome_of(bench: Bench, target: Target, real: Real, folder: Path) -> Outcome:
    """Convert, answer what is asked, put it before the target, read what the target made of it."""
    converted, still_open = answered(target, real, folder)
    if converted.code in (REFUSED, UNREADABLE):
        return Outcome(REFUSED_HERE if converted.code == REFUSED else UNREAD, converted.reason)
    if converted.code:
        return Outcome(FAILED, f"exit {converted.code}: {converted.said[-600:]}")
    if still_open:
        return Outcome(OPEN, ", ".join(still_open))
    verdict = judge(bench, target, converted.file, folder)
    if not verdict.ok:
        return Outcome(REJECTED, f"{verdict.stage}: {verdict.error}")
    differing = differences_after(target, verdict, converted.file, folder)
    return Outcome(ANOTHER_PLAN, "; ".join(differing)) if differing else Outcome(ACCEPTED)


def guarded(work: Callable[[], Outcome]) -> Outcome:
    """`work()`; what it raises is an outcome as well."""
    try:
        return work()
    except (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, TypeError, ValueError) as error:
        return Outcome(FAILED, f"{type(error).__name__}: {error}")
