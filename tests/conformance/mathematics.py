"""Source and output before their own functions: the same random period, and what each framework makes of it.

A quantity that differs (advantages, what the actor's and the critic's loss teach, the learning rate of each update, how
many sequences each update of the period has) has to be named in the account of the conversion: by a line or a note about
a plan field that the quantity hangs on.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

from tests.conformance.cases import DECISIONS, golden_cases, open_cases
from tests.conformance.conversions import convert, decide
from tests.conformance.environment import PARSED_TARGETS, TARGETS, Target
from tests.conformance.judging import Bench, Verdict
from tests.conformance.launching import launched
from tests.conformance.sources import sources
from tests.corpus import ROWS, Real

WIDTH = 200
SEEDS = (0, 1)
TOLERANCE = 1e-6
"""Largest difference, as a share of the largest value: some functions compute in 32 bits, whose step is 6e-8."""
FIRST_WITH_FUNCTIONS = {
    "verl": (0, 8, 0),
    "trinity": (0, 6, 0),
    "roll": (0, 3, 0),
    "chatlearn": (1, 2, 0),
    "trl": (1, 16, 0),
    "openrlhf": (0, 11, 2),
}
"""The first release whose losses can be called without a model; earlier ones compute them inside a step."""
JUDGED_BY = (
    *("algorithm.advantage", "algorithm.std", "algorithm.gamma", "algorithm.lam", "algorithm.kl_reward"),
    *("batch.responses_per_prompt", "reward."),
)
"""Beginnings of the plan fields that make a return of a reward."""
HANGS_ON = {
    "advantages": (*JUDGED_BY, "algorithm.whiten", "algorithm.critic.enabled"),
    "returns": JUDGED_BY,
    "actor_gradient": ("algorithm.policy_loss", "algorithm.loss", "algorithm.kl_loss", "algorithm.entropy"),
    "critic_gradient": ("algorithm.critic",),
    "learning_rates": ("optim.actor",),
    "updates": ("batch.", "sync.every_rollouts"),
    "micro_batches": (
        *("batch.micro.", "batch.sequences_per_update", "batch.responses_per_prompt", "length."),
        *("placement.actor.gpus", "placement.actor.sp", "placement.actor.megatron."),
    ),
}
"""Beginnings of the plan fields that decide a quantity."""
TUNING = "speed and memory differ too"
"""How the note begins that lists each field of speed and memory that differs."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A conversion: `gaps` is the largest difference of each quantity, `named` the fields that its account names."""

    source: Target
    target: Target
    gaps: Mapping[str, float] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    left_out: str = ""

    @property
    def differing(self) -> list[str]:
        """The quantities that are not the same."""
        return [name for name, gap in self.gaps.items() if not gap <= TOLERANCE]

    @property
    def unnamed(self) -> list[str]:
        """The quantities that differ although the account names none of the fields that decide them."""
        return [
            f"{name} by {self.gaps[name]:.2g}"
            for name in self.differing
            if not any(path.startswith(HANGS_ON[name]) for path in self.named)
        ]


def newest() -> dict[str, Target]:
    """The judge of the newest release of each framework that is here."""
    return {
        target.framework: target
        for target in judges()
        if number(target.release) >= FIRST_WITH_FUNCTIONS[target.framework]
    }


def judges() -> list[Target]:
    """Every judge that is here and can call functions, the oldest release of each framework first."""
    return [
        target
        for target in (*TARGETS, *PARSED_TARGETS)
        if not target.beside or number(target.beside) >= FIRST_WITH_FUNCTIONS["verl"]
    ]


def number(release: str) -> tuple[int, ...]:
    """A release as numbers."""
    return tuple(int(part) for part in release.split(".")) if release else ()


def judge_of(framework: str, release: str) -> Target | None:
    """The judge that can call the functions of a release, if there is one here."""
    known = framework in FIRST_WITH_FUNCTIONS and number(release) >= FIRST_WITH_FUNCTIONS[framework]
    return next((t for t in judges() if known and (t.framework, t.release) == (framework, release)), None)


READ_BY_JUDGES = {
    **dict.fromkeys(("roll", "chatlearn", "trl"), (".yaml", ".yml")),
    "openrlhf": (".sh",),
}
"""Suffixes of the sources that a judge takes, where it does not take all."""


def takes(source: Target, suffix: str) -> bool:
    """True where the source's judge reads files of this form."""
    return suffix in READ_BY_JUDGES.get(source.framework, (suffix,))


def measured(bench: Bench, target: Target, file: Path, scratch: Path) -> Verdict:
    """What the functions of `target` make of the period under a file of its own framework."""
    case: dict[str, Any]
    if target.framework == "verl" and file.suffix == ".sh":
        program, overrides, processes = launched(file, scratch)
        case = {"program": program, "overrides": overrides, "processes": processes}
    else:
        case = {"file": str(file), "drops": True}  # what ROLL drops in silence is no matter of its functions
    return bench.ask(target, case | {"mathematics": list(SEEDS)})


def compared(
    bench: Bench, source: Target, file: Path, target: Target, folder: Path, options: Sequence[str] = ()
) -> Compared:
    """Convert `file` and call both sides' functions; `left_out` says why where that cannot be done."""
    account = folder / "ledger.json"
    account.unlink(missing_ok=True)
    converted = convert(file, target, folder, [*options, "--ledger", str(account)])
    if converted.code != 0:
        return Compared(source, target, left_out="refused")
    if still_open := decide(target, converted.file, DECISIONS):
        return Compared(source, target, left_out=f"left open: {', '.join(still_open)}")
    named = frozenset(named_fields(json.loads(account.read_text())))
    try:
        mine, theirs = (measured(bench, *side, folder) for side in ((source, file), (target, converted.file)))
    except AssertionError as error:
        return Compared(source, target, left_out=str(error).splitlines()[0])
    for side, verdict in (("source", mine), ("output", theirs)):
        if not (verdict.ok and isinstance(verdict.config, list)):
            why = str(verdict) if not verdict.ok else "not a run of this kind"
            return Compared(source, target, left_out=f"{side}: {' '.join(why.split())[:WIDTH]}")
    return Compared(source, target, dict(gaps(mine.config, theirs.config)), named)


def named_fields(account: Mapping[str, Any]) -> Iterator[str]:
    """The plan fields, without `stage.`, of which a ledger says that they are not carried over as they are."""
    for line in account["sources"]:
        if line["state"] != "exact":
            yield from (path.removeprefix("stage.") for path in line["plan"])
    for note in account["notes"]:
        beginning, _, remainder = note.partition(": ")
        fields = [part.partition(": ")[0] for part in remainder.split("; ")] if beginning == TUNING else [beginning]
        yield from (path.removeprefix("stage.") for path in fields)


def gaps(mine: Sequence[Mapping[str, Any]], theirs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, float]]:
    """The largest difference of each quantity that both sides computed, over all seeds."""
    for name in HANGS_ON:
        if name in mine[0] and name in theirs[0]:
            yield name, max(difference(a[name], b[name]) for a, b in zip(mine, theirs, strict=True))


def difference(first: Any, second: Any) -> float:
    """The largest difference of two lists of numbers, nested alike, as a share of the largest number.

    It is infinite for NaN, and for lists of different lengths.
    """
    a, b = list(flat(first)), list(flat(second))
    if len(a) != len(b):
        return inf
    largest = max(map(abs, [*a, *b]), default=0.0)
    gap = max((abs(x - y) for x, y in zip(a, b, strict=True)), default=0.0)
    return gap / largest if largest else gap


def flat(values: Any) -> Iterator[float]:
    """The numbers of nested lists."""
    if isinstance(values, list):
        for value in values:
            yield from flat(value)
    else:
        yield float(values)


def golden_runs() -> Iterator[tuple[Target, Path, Target, tuple[str, ...], str]]:
    """Source's judge, source, target's judge, options and name of each golden case that can be measured here."""
    for case in dict.fromkeys((*golden_cases(), *open_cases())):
        known = json.loads((case.source.parent / "ledger.json").read_text())["source"]
        source = judge_of(known["framework"], known["release"])
        for release in case.releases:
            target = judge_of(case.to, release)
            if source and target and takes(source, case.source.suffix):
                yield source, case.source, target, case.options, f"{case.name} to {target}"


def corpus_runs(folder: Path, thin: int) -> Iterator[tuple[Target, Path, Target, tuple[str, ...], str]]:
    """The same of every `thin`th config of the corpora and every framework that is here."""
    for name, reals in sources().items():
        for real in reals[::thin]:
            source = judge_of(real.framework, real.release)
            if source is None or not takes(source, real.suffix):
                continue
            file = written(real, folder)
            for target in newest().values():
                yield source, file, target, (*real.options, "--rows", str(ROWS)), f"{name}/{real.name} to {target}"


def written(real: Real, folder: Path) -> Path:
    """The config in a folder of its own."""
    home = folder / real.name
    home.mkdir(parents=True, exist_ok=True)
    return real.write(home)


def main() -> None:
    """Command line: `--thin 1` measures the whole corpus; exit 1 where a difference is not named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--thin", type=int, default=1, help="every how many configs of the corpora; 0: golden cases only"
    )
    parser.add_argument("-o", "--output", type=Path, help="where the figures go, as JSON")
    args = parser.parse_args()
    bench, started = Bench(), time.monotonic()
    counts: dict[str, Counter[str]] = {}
    left_out: Counter[str] = Counter()
    unnamed: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        runs = [*golden_runs(), *(corpus_runs(folder, args.thin) if args.thin else ())]
        for source, file, target, options, name in runs:
            result = compared(bench, source, file, target, folder, options)
            row = counts.setdefault(f"{source.framework} -> {target.framework}", Counter())
            if result.left_out:
                row["left out"] += 1
                left_out[f"{source.framework} -> {target.framework}: {result.left_out}"] += 1
                continue
            row["compared"] += 1
            row["equal" if not result.differing else f"difference {'not ' if result.unnamed else ''}named"] += 1
            if result.unnamed:
                unnamed[name] = result.unnamed
    bench.close()
    for pair, row in sorted(counts.items()):
        print(f"{pair:<26}" + ", ".join(f"{count} {kind}" for kind, count in row.most_common()))
    for name, values in unnamed.items():
        print(f"not named: {name}: {'; '.join(values)}")
    for why, count in left_out.most_common():
        print(f"left out: {count:>4} {why}")
    print(f"{len(runs)} conversions in {time.monotonic() - started:.0f} s")
    if args.output:
        figures = {"pairs": counts, "not named": unnamed, "left out": dict(left_out.most_common())}
        args.output.write_text(json.dumps({"date": time.strftime("%Y-%m-%d"), **figures}, indent=1) + "\n")
    sys.exit(bool(unnamed))


if __name__ == "__main__":
    main()
