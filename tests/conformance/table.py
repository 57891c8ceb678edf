"""The whole corpus before every judge: `python -m tests.conformance.table [--to NAME]... [--from NAME]... [-o FILE.json]`.

Prints framework x release x accepted/total, refusals apart with their reasons, and writes both as JSON. Exit 1 when a
conversion came out wrong. A verdict once given is remembered in the environment's folder.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.conformance.environment import TARGETS, Target
from tests.conformance.outcomes import ACCEPTED, REFUSED_HERE, UNREAD, WRONG, Outcome, guarded, outcome_of
from tests.conformance.remembered import RememberingBench
from tests.conformance.sources import sources
from tests.corpus import Real

STARTED = "<!-- Written by `make started`; do not edit. -->"
"""Where the part of the page begins that another command writes (started.py)."""


@dataclass(frozen=True, slots=True)
class Run:
    """One conversion of the table."""

    corpus: str
    source: str
    name: str
    target: str
    kind: str
    why: str
    reason: str


def wanted(name: str, words: Iterable[str]) -> bool:
    """True when no word is given or one of them begins the name."""
    return not (words := tuple(words)) or any(name.lower().startswith(word.lower()) for word in words)


def right_before(log: Path | None) -> dict[tuple[str, str, str], Run]:
    """Outcomes of a run that was broken off, but for wrong and unread ones, which are tried again."""
    lines = log.read_text().splitlines() if log is not None and log.exists() else []
    runs = [Run(**json.loads(line)) for line in lines]
    return {(run.corpus, run.name, run.target): run for run in runs if run.kind not in (*WRONG, UNREAD)}


def run_all(targets: Iterable[Target], corpora: dict[str, list[Real]], log: Path | None = None) -> Iterator[Run]:
    """Every config to every target of another framework; `log` has what is known, and gets the rest."""
    known = right_before(log)
    bench = RememberingBench()
    with tempfile.TemporaryDirectory(prefix="rftconf_table_") as scratch:
        for target in targets:
            for corpus, reals in corpora.items():
                for real in reals if reals[0].framework != target.framework else ():
                    folder = Path(scratch)
                    if (run := known.get((corpus, real.name, str(target)))) is not None:
                        yield run
                        continue
                    outcome: Outcome = guarded(lambda: outcome_of(bench, target, real, folder))  # noqa: B023 - called here
                    run = Run(corpus, real.framework, real.name, str(target), outcome.kind, outcome.why, outcome.reason)
                    if log is not None:
                        with log.open("a") as file:
                            file.write(json.dumps(asdict(run)) + "\n")
                    yield run
    bench.close()


def table(runs: list[Run]) -> dict[str, dict[str, object]]:
    """`corpus -> target` to its figures."""
    values: dict[str, dict[str, object]] = {}
    for corpus, target in dict.fromkeys((run.corpus, run.target) for run in runs):
        these = [run for run in runs if (run.corpus, run.target) == (corpus, target)]
        kinds = Counter(run.kind for run in these)
        refused = Counter(f"{run.kind}: {run.reason}" for run in these if run.kind in (REFUSED_HERE, UNREAD))
        judged = sum(kinds[kind] for kind in (ACCEPTED, *WRONG))
        values[f"{corpus} -> {target}"] = {
            "configs": len(these),
            "accepted": kinds[ACCEPTED],
            "of": judged,
            "wrong": {kind: kinds[kind] for kind in WRONG if kinds[kind]},
            "refused": dict(refused.most_common()),
        }
    return values


def shown(figures: dict[str, dict[str, object]]) -> Iterator[str]:
    """The table as lines."""
    for name, row in figures.items():
        refused = row["refused"]
        assert isinstance(refused, dict)
        wrong = f"  {row['wrong']}" if row["wrong"] else ""
        yield f"{name:<58}{row['accepted']:>4}/{row['of']:<4} accepted, {sum(refused.values()):>3} refused{wrong}"
        for reason, count in refused.items():
            yield f"{'':<8}{count:>4} {reason}"


def page(figures: dict[str, dict[str, object]], date: str) -> str:
    """The table as a page of docs/."""
    text = (
        "<!-- Written by `make conformance-table`; do not edit. -->\n\n# What the frameworks say\n\n"
        f"Measured {date}: every config of the corpus, converted and put before the target's own loader and validators, "
        "then read back. *Accepted* is loaded, validated and the same plan. *Refused* by rftconf itself, with these reasons; "
        "`tests/conformance/test_refusals.py` forces them on the targets. *Unreadable* configs are incomplete or not in "
        "their own framework's grammar. "
        "A pair without a row was not measured; an outcome of earlier that day is not asked again, also where rftconf changed since.\n\n"
        "| configs -> target | accepted | refused or unreadable | wrong |\n| --- | --- | --- | --- |\n"
    )
    reasons: Counter[str] = Counter()
    for name, row in figures.items():
        refused = row["refused"]
        assert isinstance(refused, dict)
        reasons.update(refused)
        text += f"| {name} | {row['accepted']}/{row['of']} | {sum(refused.values())} | {row['wrong'] or ''} |\n"
    lines = (f"| {cell(reason)} | {count} |\n" for reason, count in reasons.most_common())
    return text + "\n| reason | times |\n| --- | --- |\n" + "".join(lines)


def cell(text: str) -> str:
    """Text that may stand in a table."""
    return text.replace("|", "\\|").removeprefix("refused: ")


def main() -> None:
    """Command line: which sources and targets, and the file for the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", action="append", default=[], help="beginning of a target's name, as `verl 0.9`")
    parser.add_argument("--from", dest="of", action="append", default=[], help="beginning of a corpus's name")
    parser.add_argument("-o", "--output", type=Path, help="where the figures go, as JSON")
    parser.add_argument(
        "--runs", type=Path, help="each conversion's outcome, one JSON object a line; resumes from there"
    )
    parser.add_argument("--page", type=Path, help="where the table goes, as Markdown")
    args = parser.parse_args()
    targets = [target for target in TARGETS if wanted(str(target), args.to)]
    corpora = {name: reals for name, reals in sources().items() if wanted(name, args.of)}
    started = time.monotonic()
    runs = list(run_all(targets, corpora, args.runs))
    figures = table(runs)
    print("\n".join(shown(figures)))
    print(f"{len(runs)} conversions in {time.monotonic() - started:.0f} s")
    if args.output:
        measured = {"date": time.strftime("%Y-%m-%d"), "figures": figures}
        args.output.write_text(json.dumps(measured, indent=1) + "\n")
    if args.page:
        _, mark, before = args.page.read_text().partition(STARTED) if args.page.exists() else ("", "", "")
        args.page.write_text(page(figures, time.strftime("%Y-%m-%d")) + (f"\n{mark}{before}" if mark else ""))
    sys.exit(any(run.kind in WRONG for run in runs))


if __name__ == "__main__":
    main()
