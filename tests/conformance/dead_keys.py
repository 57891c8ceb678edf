"""Keys that rftconf calls dead in a release, beside the lines of that release's code that have their name.

python -m tests.conformance.dead_keys verl 0.6.1 [--trainer megatron]

A name in the code is no proof that the key acts: a person reads each line. Nothing here decides by itself.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rftconf.base.ledger import State
from rftconf.schemas import registry
from tests.conformance.environment import folder
from tests.laws.leaf_flip import Catalogued
from tests.laws.survey import flip

PATIENCE = 4
"""Base configs and values that are tried for one key."""
DECLARATIONS = re.compile(r"workers/config/|trainer/config/|utils/config|/tests?/|(^|/)test_")
"""Files that only declare keys, or try them."""
SHOWN = 3


class Line(NamedTuple):
    """A line of a framework's code."""

    file: str
    number: int
    text: str


def main() -> None:
    """Print each such key with the reason that rftconf gives, and the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework")
    parser.add_argument("release")
    parser.add_argument("--trainer", default="")
    parser.add_argument(
        "--code", type=Path, help="the framework's package, where it is not in the conformance environment"
    )
    args = parser.parse_args()
    code = args.code or folder() / "releases" / f"{args.framework}-{args.release}" / args.framework
    lines = [*_lines(code)]
    catalogued = Catalogued(args.framework, args.release, args.trainer or registry.framework(args.framework).trainer)
    for name in catalogued.leaves():
        verdict = flip(catalogued, name, PATIENCE)
        named = [*_naming(name, lines)] if verdict.state is State.DEAD_IN_SOURCE else []
        if named:
            print(f"{name}: {verdict.reason}")
            for line in named[:SHOWN]:
                print(f"    {line.file}:{line.number}: {line.text}")


def _lines(code: Path) -> Iterator[Line]:
    for path in sorted(code.rglob("*.py")):
        file = path.relative_to(code).as_posix()
        if not DECLARATIONS.search(file):
            for number, text in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if text.strip() and not text.lstrip().startswith("#"):
                    yield Line(file, number, text.strip())


def _naming(key: str, lines: list[Line]) -> Iterator[Line]:
    """Lines that take the key from its section, or from something that is called config."""
    section, _, name = key.rpartition(".")
    owner = re.escape(section.rpartition(".")[2] or "config")
    taken = re.compile(rf"""(?:{owner}|config)(?:\.{re.escape(name)}\b|(?:\.get\(|\[)["']{re.escape(name)}["'])""")
    return (line for line in lines if name in line.text and taken.search(line.text))


if __name__ == "__main__":
    main()
