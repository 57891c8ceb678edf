"""Convert the golden cases anew: `python scripts/golden.py [CASE...]` (`make golden`).

A case is a folder below golden/: `convert/` for conversions that a target accepts as they are, `open/` for those that
leave something to decide, `refused/` for those that must not succeed. It holds `input.*`, `case.toml`, what the
conversion gives for each release, the ledger and the report of the first release, and NOTES.md with the review.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # this checkout's rftconf, where there is one

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
GROUPS = ("convert", "open", "refused")
WIDTH = "100"
STYLES = {"yaml": ".yaml", "overrides": ".txt", "sh": ".sh"}
NOT_EXPECTED = ("input", "case", "NOTES", "template")


@dataclass(frozen=True, slots=True)
class Case:
    """One folder: what is converted, for which releases, with which options of the command line."""

    folder: Path
    title: str
    to: str
    releases: tuple[str, ...]
    options: tuple[str, ...]
    several: bool = False
    """Whether the target is a folder: one file a stage, each kept as `expected-<file>`."""

    @property
    def source(self) -> str:
        """Name of the input file."""
        (path,) = self.folder.glob("input.*")
        return path.name

    @property
    def group(self) -> str:
        """`convert`, `open` or `refused`."""
        return self.folder.parent.name

    @property
    def suffix(self) -> str:
        """Suffix of the form that is asked for."""
        from rftconf.schemas.registry import framework

        style = self.options[self.options.index("--as") + 1] if "--as" in self.options else ""
        return STYLES.get(style) or f".{framework(self.to).usual_form}"

    def expected(self, release: str) -> str:
        """Name of the file that holds the conversion for `release`."""
        return f"expected{self.suffix}" if len(self.releases) == 1 else f"expected-{release}{self.suffix}"


def read_case(folder: Path) -> Case:
    """The case in `folder`; its `case.toml` has title, to, releases, options."""
    from rftconf.text import toml

    facts = toml.loads((folder / "case.toml").read_text())
    return Case(
        folder,
        facts["title"],
        facts["to"],
        tuple(facts["releases"]),
        tuple(facts.get("options", ())),
        facts.get("several", False),
    )


def all_cases() -> list[Case]:
    """Every case, by group and name."""
    return [read_case(f.parent) for group in GROUPS for f in sorted((GOLDEN / group).glob("*/case.toml"))]


def produce(case: Case) -> dict[str, str]:
    """File name to text: everything in the folder that a conversion makes."""
    outputs: dict[str, str] = {}
    for number, release in enumerate(case.releases):
        code, message, texts, ledger = _convert(case, release)
        if code not in (0, 3):
            raise RuntimeError(f"{case.folder.name}: exit {code}\n{message}")
        if (code == 3) != (case.group == "refused"):
            raise RuntimeError(f"{case.folder.name}: exit {code} in {case.group}/\n{message}")
        for name, text in texts.items():
            outputs[f"expected-{name}" if case.several else case.expected(release)] = text
        if number == 0:
            outputs["report.txt"] = message
            if ledger is not None:
                outputs["ledger.json"] = compact(json.loads(ledger))
    return outputs


def _convert(case: Case, release: str) -> tuple[int, str, dict[str, str], str | None]:
    from rftconf.cli.app import run

    with tempfile.TemporaryDirectory() as scratch, _in(case.folder):
        target, ledger = (
            Path(scratch, "converted" if case.several else f"converted{case.suffix}"),
            Path(scratch, "ledger.json"),
        )
        arguments = ["--to", case.to, "--to-release", release, "-o", str(target), "--ledger", str(ledger)]
        message = io.StringIO()
        with contextlib.redirect_stderr(message), contextlib.redirect_stdout(message):
            code = run(["convert", case.source, *arguments, *case.options])
        files = sorted(target.iterdir()) if target.is_dir() else [target] if target.exists() else []
        texts = {file.name: file.read_text(encoding="utf-8") for file in files}
        return code, message.getvalue().replace(scratch, "."), texts, ledger.read_text() if ledger.exists() else None


@contextlib.contextmanager
def _in(folder: Path) -> Iterator[None]:
    """Inside `folder`, on a screen of a known width, so that neither paths nor terminals show in a report."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with mock.patch.dict(os.environ, {"COLUMNS": WIDTH, "LINES": "50", "NO_COLOR": "1"}):
            yield
    finally:
        os.chdir(before)


def compact(ledger: Mapping[str, Any]) -> str:
    """The ledger as JSON with one line for each decision, source leaf and target leaf."""
    parts = []
    for key, value in ledger.items():
        if isinstance(value, list) and value:
            lines = ",\n".join(f"    {json.dumps(item, ensure_ascii=False)}" for item in value)
            parts.append(f"  {json.dumps(key)}: [\n{lines}\n  ]")
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def kept(case: Case) -> dict[str, str]:
    """File name to text: what lies in the folder now, without input, facts and notes."""
    files = [f for f in sorted(case.folder.iterdir()) if f.is_file() and f.name.split(".")[0] not in NOT_EXPECTED]
    return {f.name: f.read_text(encoding="utf-8") for f in files}


def main(names: list[str]) -> int:
    """Write the named cases, or all, anew; say which files changed."""
    for case in all_cases():
        if names and case.folder.name not in names:
            continue
        outputs, old = produce(case), kept(case)
        for name in sorted(old.keys() - outputs.keys()):
            (case.folder / name).unlink()
            print(f"gone     {case.group}/{case.folder.name}/{name}")
        for name, text in outputs.items():
            if old.get(name) != text:
                (case.folder / name).write_text(text, encoding="utf-8")
                print(f"written  {case.group}/{case.folder.name}/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
