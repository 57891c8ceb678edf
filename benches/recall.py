"""What we find of seeded mistakes, beside what the frameworks' own checks refuse; writes docs/recall.md.

Needs the environment of `make conformance-env`: python -m benches.recall --write
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from rftconf.lint.rule import Example
from tests.conformance.environment import TRINITY_TARGETS, VERL_TARGETS, Target
from tests.conformance.judging import Bench, Verdict
from tests.lint.bases import as_yaml, lines_of
from tests.lint.test_recall import Case, cases, is_found

ROOT = Path(__file__).resolve().parents[1]
PAGE, RESULTS = ROOT / "docs" / "recall.md", ROOT / "benches" / "results"
OWN = {"verl": ("compose", "resolve", "validate"), "trinity": ("load", "check")}
"""The stages that are a framework's own check of a config; what comes after needs its workers."""
NAMES = {"verl": "Hydra's compose and `validate_config`", "trinity": "`load_config` and `check_and_update`"}


HEAD = """Each mistake is one change of a config that is fine, and that its framework accepts. Ours counts as found
when a finding names the cause with its own code; theirs when loading and checking the config raises anything at all. The
column after that also counts what dataclasses and workers refuse later, on the cluster."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One mistake: whether we name its cause, and where the framework refuses it (empty: nowhere)."""

    framework: str
    base: tuple[str, ...]
    mutation: str
    code: str
    ours: bool
    theirs: str
    words: str


def target_of(framework: str) -> Target:
    """The newest release, with the newest companion."""
    return {"verl": VERL_TARGETS, "trinity": TRINITY_TARGETS}[framework][-1]


def ask(bench: Bench, example: Example, folder: Path) -> Verdict:
    """What the framework itself says of an example."""
    target = target_of(example.framework)
    if example.framework == "verl":
        return bench.ask(target, {"program": "verl.trainer.main_ppo", "overrides": lines_of(example)})
    file = folder / "run.yaml"
    file.write_text(as_yaml(example))
    return bench.ask(target, {"file": str(file)})


def outcomes(bench: Bench, chosen: list[Case], folder: Path) -> Iterator[Outcome]:
    """One outcome for each case. Raises ValueError for a base that the framework refuses as it is."""
    fine: set[tuple[str, tuple[str, ...]]] = set()
    for case in chosen:
        if (case.framework, case.base) not in fine:
            verdict = ask(bench, Example(case.framework, case.base), folder)
            if not verdict.ok:
                raise ValueError(f"{case.framework} {case.base}: {verdict}")
            fine.add((case.framework, case.base))
        verdict = ask(bench, case.example, folder)
        where = "" if verdict.ok else verdict.stage
        print(case.framework, case.mutation, where or "accepted", file=sys.stderr, flush=True)
        yield Outcome(case.framework, case.base, case.mutation, case.code, is_found(case), where, verdict.error[:200])


def page(outcomes: list[Outcome], command: str) -> str:
    """The table, with the date, the command and the releases that were asked."""
    rows = []
    for framework in dict.fromkeys(outcome.framework for outcome in outcomes):
        mine = [outcome for outcome in outcomes if outcome.framework == framework]
        count, ours = len(mine), sum(outcome.ours for outcome in mine)
        own = sum(outcome.theirs in OWN[framework] for outcome in mine)
        late = sum(bool(outcome.theirs) for outcome in mine)
        share = [f"{number} ({number / count:.1%})" for number in (ours, own, late)]
        rows.append(f"| {target_of(framework)} | {count} | {' | '.join(share)} | {NAMES[framework]} |")
    blind: dict[str, set[str]] = defaultdict(set)
    for outcome in outcomes:
        if not outcome.ours:
            blind[outcome.framework].add(outcome.mutation.replace("\n", ", "))
    missed = [f"* {name}: {', '.join(f'`{m}`' for m in sorted(all_of))}" for name, all_of in blind.items()]
    unseen = sorted({(o.code[:3], o.mutation.replace("\n", ", ")) for o in outcomes if o.ours and not o.theirs})
    return "\n".join(
        [
            "# Seeded mistakes: who finds them",
            "",
            f"Measured on {datetime.now(timezone.utc).date().isoformat()} by `python -m benches.recall {command}`.",
            "",
            HEAD,
            "",
            "| framework | mistakes | rftconf check | its own check | anything before training | its own check is |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
            "Not found by us:" if missed else "None of them is missed by us.",
            *(["", *missed] if missed else []),
            "",
            "Found by us and refused nowhere before training, by family:",
            "",
            *[
                f"* {family}: {', '.join(f'`{m}`' for f, m in unseen if f == family)}"
                for family in dict.fromkeys(f for f, _ in unseen)
            ],
            "",
        ]
    )


def main() -> None:
    """Ask, print the table, and write the page where that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/recall.md and the raw outcomes")
    parser.add_argument("--only", choices=sorted(OWN))
    parser.add_argument("--quick", action="store_true", help="each mistake in one config instead of several")
    args = parser.parse_args()
    command = " ".join(sys.argv[1:])
    chosen = [case for case in cases() if case.framework in OWN and args.only in (None, case.framework)]
    if args.quick:
        first = {
            name: next(case.base for case in chosen if case.framework == name)
            for name in OWN
            if name in {c.framework for c in chosen}
        }
        chosen = [case for case in chosen if case.base == first[case.framework]]
    bench = Bench()
    try:
        with TemporaryDirectory() as name:
            outcome_list = list(outcomes(bench, chosen, Path(name)))
    finally:
        bench.close()
    if args.write:
        day = datetime.now(timezone.utc).date().isoformat()
        for framework in {outcome.framework for outcome in outcome_list}:
            mine = [asdict(outcome) for outcome in outcome_list if outcome.framework == framework]
            (RESULTS / f"recall-{framework}-{day}.json").write_text(json.dumps(mine, indent=0) + "\n", encoding="utf-8")
        PAGE.write_text(page(kept(), command), encoding="utf-8")
    print(page(outcome_list, command))


def kept() -> list[Outcome]:
    """The newest outcomes of each framework that were written down."""
    newest = {file.name.split("-")[1]: file for file in sorted(RESULTS.glob("recall-*.json"))}
    rows = [row for file in newest.values() for row in json.loads(file.read_text(encoding="utf-8"))]
    return [Outcome(**{**row, "base": tuple(row["base"])}) for row in rows]


if __name__ == "__main__":
    main()
