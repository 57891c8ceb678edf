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


def run_all(targets: Iterable[Target], corpora: dict[str, list[Real]]) -> Iterator[Run]:
    """Every config to every target of another framework."""
    bench = RememberingBench()
    with tempfile.TemporaryDirectory(prefix="rftconf_table_") as scratch:
        for target in targets:
            for corpus, found in corpora.items():
                for real in found if found[0].framework != target.framework else ():
                    folder = Path(scratch)
                    outcome: Outcome = guarded(lambda: outcome_of(bench, target, real, folder))  # noqa: B023 - called here
                    yield Run(corpus, real.framework, real.name, str(target), outcome.kind, outcome.why, outcome.reason)
    bench.close()


def table(runs: list[Run]) -> dict[str, dict[str, object]]:
    """`corpus -> target` to its figures."""
    found: dict[str, dict[str, object]] = {}
    for corpus, target in dict.fromkeys((run.corpus, run.target) for run in runs):
        these = [run for run in runs if (run.corpus, run.target) == (corpus, target)]
        kinds = Counter(run.kind for run in these)
        refused = Counter(f"{run.kind}: {run.reason}" for run in these if run.kind in (REFUSED_HERE, UNREAD))
        judged = sum(kinds[kind] for kind in (ACCEPTED, *WRONG))
        found[f"{corpus} -> {target}"] = {
            "configs": len(these),
            "accepted": kinds[ACCEPTED],
            "of": judged,
            "wrong": {kind: kinds[kind] for kind in WRONG if kinds[kind]},
            "refused": dict(refused.most_common()),
        }
    return found


def shown(figures: dict[str, dict[str, object]]) -> Iterator[str]:
    """The table as lines."""
    for name, row in figures.items():
        refused = row["refused"]
        assert isinstance(refused, dict)
        wrong = f"  {row['wrong']}" if row["wrong"] else ""
        yield f"{name:<58}{row['accepted']:>4}/{row['of']:<4} accepted, {sum(refused.values()):>3} refused{wrong}"
        for reason, count in refused.items():
            yield f"{'':<8}{count:>4} {reason}"


def main() -> None:
    """Command line: which sources and targets, and the file for the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--to", action="append", default=[], help="beginning of a target's name, as `verl 0.9`")
    parser.add_argument("--from", dest="of", action="append", default=[], help="beginning of a corpus's name")
    parser.add_argument("-o", "--output", type=Path, help="where the figures go, as JSON")
    parser.add_argument("--runs", type=Path, help="where each conversion's outcome goes, one JSON object a line")
    args = parser.parse_args()
    targets = [target for target in TARGETS if wanted(str(target), args.to)]
    corpora = {name: found for name, found in sources().items() if wanted(name, args.of)}
    started, runs = time.monotonic(), []
    for run in run_all(targets, corpora):
        runs.append(run)
        if args.runs:
            with args.runs.open("a") as log:
                log.write(json.dumps(asdict(run)) + "\n")
    figures = table(runs)
    print("\n".join(shown(figures)))
    print(f"{len(runs)} conversions in {time.monotonic() - started:.0f} s")
    if args.output:
        args.output.write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(any(run.kind in WRONG for run in runs))


if __name__ == "__main__":
    main()
