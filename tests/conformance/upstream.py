"""`rftconf check` and its safe fixes over a project's own examples, held against that project's own loader.

`python -m tests.conformance.upstream verl:0.10.0=CHECKOUT trinity:0.5.2+0.7.1=CHECKOUT ... [-o FILE.json]` where a
checkout is a work tree and the release says which rules its loader has (for Trinity-RFT, with the veRL that it stands
on). Scripts are run by bash with stubs in place of every program, so name only checkouts that you trust. Prints, for
each checkout, in how many examples an error stands that its loader does not confirm, and how many that it accepted are
refused after `rftconf check --fix`. Exit 1 unless both are 0.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rftconf.base.diagnostics import Severity
from rftconf.lint.engine import Options
from rftconf.verbs.check_files import Checked, Task, check_one
from rftconf.verbs.find_files import Candidate
from rftconf.verbs.read_arguments import Reading
from tests.conformance.environment import Target
from tests.conformance.judging import Bench
from tests.conformance.upstream_launches import Launches

PLACES = ("examples", "recipe", "recipes", "scripts", "benchmark", "template", "verl/experimental", "tests/special_e2e")
"""Where projects keep the configs that they show."""
SUFFIXES = (".sh", ".yaml", ".yml")
LONGEST = 300
"""Characters of a loader's words that are kept."""


@dataclass
class Example:
    """One file: what rftconf says of it, and what its loader says before and after the safe fixes."""

    name: str
    errors: list[str] = field(default_factory=list)
    before: str = ""
    """`accepted`, the loader's words, or why it was not asked."""
    fixes: int = 0
    after: str = ""

    @property
    def unconfirmed(self) -> bool:
        """True where rftconf reports an error in what the loader accepts."""
        return bool(self.errors) and self.before == "accepted"

    @property
    def broken(self) -> bool:
        """True where the loader refuses the fixed file and accepted the file as it was."""
        return self.before == "accepted" and self.after not in ("", "accepted")


def example_files(root: Path) -> Iterator[Path]:
    """Every script and YAML file where the project keeps its examples."""
    for place in PLACES:
        for file in sorted((root / place).rglob("*")):
            if file.suffix in SUFFIXES and file.is_file():
                yield file


def measure(root: Path, target: Target, bench: Bench, scratch: Path, only: str) -> list[Example]:
    """All examples of one checkout."""
    launches = Launches(root, target, bench, scratch)
    examples = []
    for file in example_files(root):
        name = str(file.relative_to(root))
        if only not in name:
            continue
        checked = _checked(file)
        if not checked.config or checked.problem:
            continue
        example = Example(name, [f"{d.code}: {d.message}" for d in checked.found if d.severity is Severity.ERROR])
        fixed = _checked(file, fix=True)
        example.fixes = fixed.made
        if example.errors or fixed.fixed is not None:
            example.before = launches.verdict(file, file.read_text(errors="replace"))[:LONGEST]
        if fixed.fixed is not None and example.before == "accepted":
            example.after = launches.verdict(file, fixed.fixed)[:LONGEST]
        examples.append(example)
        sys.stderr.write(f"{name}: {len(example.errors)} errors, {example.fixes} fixes, {example.before[:80]}\n")
    launches.close()
    return examples


def _checked(file: Path, *, fix: bool = False) -> Checked:
    """The file as `rftconf check FILE` sees it where nobody says what it is for."""
    return check_one(Candidate(str(file), False), Task(Reading(), Options(), fix=fix))


def summarize(title: str, examples: Sequence[Example]) -> dict[str, Any]:
    """The figures of one checkout, with every example that is not right."""
    with_errors = [e for e in examples if e.errors]
    return {
        "checkout": title,
        "examples": len(examples),
        "with errors": len(with_errors),
        "errors confirmed": sum(e.before != "accepted" and not e.before.startswith("not asked") for e in with_errors),
        "errors that no loader was asked about": sum(e.before.startswith("not asked") for e in with_errors),
        "errors not confirmed": sum(e.unconfirmed for e in examples),
        "with safe fixes": sum(bool(e.fixes) for e in examples),
        "accepted before, refused after": sum(e.broken for e in examples),
        "codes": dict(Counter(error.partition(":")[0] for e in examples for error in set(e.errors))),
        "not right": [asdict(e) for e in examples if e.unconfirmed or e.broken],
        "refused": [asdict(e) for e in with_errors if not e.unconfirmed],
    }


def main(args: Sequence[str] | None = None) -> int:
    """Measure every checkout that is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="+", metavar="FRAMEWORK:RELEASE[+VERL]=CHECKOUT")
    parser.add_argument("--only", default="", metavar="TEXT", help="examples with TEXT in their path")
    parser.add_argument("-o", "--output", type=Path)
    new_arguments = parser.parse_args(args)
    bench, results = Bench(), list[dict[str, Any]]()
    with tempfile.TemporaryDirectory(prefix="rftconf_upstream_") as scratch:
        for word in new_arguments.checkouts:
            named, _, place = word.partition("=")
            framework, _, releases = named.partition(":")
            release, _, beside = releases.partition("+")
            root = Path(place).resolve()
            target = Target(framework, release, beside, str(root))
            results.append(summarize(named, measure(root, target, bench, Path(scratch), new_arguments.only)))
            output = {k: v for k, v in results[-1].items() if k not in ("not right", "refused")}
            sys.stdout.write(json.dumps(output, indent=1) + "\n")
            for wrong in results[-1]["not right"]:
                sys.stdout.write(json.dumps(wrong, indent=1) + "\n")
    bench.close()
    if new_arguments.output:
        date = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
        new_arguments.output.write_text(
            json.dumps({"date": date, "checkouts": results}, indent=1) + "\n", encoding="utf-8"
        )
    return int(any(r["errors not confirmed"] or r["accepted before, refused after"] for r in results))


if __name__ == "__main__":
    sys.exit(main())
