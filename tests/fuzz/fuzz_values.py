"""Gives keys values of another type or of no possible size, and runs commands: `python -m tests.fuzz.fuzz_values --configs 1000`.

Whatever a file holds, a command ends with an answer or a clear error (exit 0 to 3), never as a defect of rftconf's.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from rftconf.cli.app import run
from rftconf.lint import registry
from rftconf.lint.rule import Example
from rftconf.schemas import catalogue
from tests.lint.bases import BASES, as_shell, as_yaml

ODD = (
    "[a,b]", "[]", "{a: 1}", "{}", "[[1,2],{b: c}]", "[null]", "[1,2,3]", "5", "-3", "0", "-1", "1.0", "1.5", "1e-30", "1e400", ".nan",
    "99999999999999999999", "100000000", "null", "true", "false", "words", "''", "'8'", "$VAR", "${oc.env:X}",
)  # fmt: skip
COMMANDS = (
    ("check",), ("check", "--fix", "--diff"), ("plan",), ("migrate",), ("explain", "--json"), ("budget", "--gpu", "H100"),
    *(("convert", "--to", target) for target in BASES),
)  # fmt: skip
SECONDS_PER_COMMAND = 10.0


@dataclass
class Tally:
    """How often a command ended with each exit code, and what went wrong."""

    ends: dict[int, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)


def keys_of(framework: str) -> list[str]:
    """What rules and rows look at, and every other key of the newest release."""
    known = [key for key in catalogue.load(framework).keys if "[]" not in key and "*" not in key]
    shown = [rule.bad for rule in registry.rules() if rule.bad.framework == framework]
    told = [line.lstrip("+~").partition("=")[0] for example in shown for line in example.lines]
    base = [line.partition("=")[0] for line in BASES[framework]]
    return [*known, *(told * (1 + len(known) // max(len(told), 1))), *(base * (len(known) // len(base)))]


def said(arguments: list[str]) -> tuple[int, str]:
    """The exit code of a command, and what it says on standard error."""
    out, err = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    err.seek(0)
    return code, err.read()


def one(chance: random.Random, keys: dict[str, list[str]], folder: Path, tally: Tally) -> None:
    """A config with an odd value or two, before three commands."""
    framework = chance.choice(list(keys))
    changes = [f"{chance.choice(keys[framework])}={chance.choice(ODD)}" for _ in range(chance.choice((1, 1, 2)))]
    example = Example(framework, tuple(changes))
    try:
        text = as_shell(example) if framework == "verl" else as_yaml(example)
    except (TypeError, AttributeError, IndexError):  # one change below another's plain value: no tree
        return
    path = folder / ("run.sh" if framework == "verl" else "run.yaml")
    path.write_text(text, encoding="utf-8")
    for command in chance.sample(COMMANDS, 3):
        began = time.process_time()
        code, errors = said([command[0], str(path), *command[1:]])
        spent = time.process_time() - began
        tally.ends[code] = tally.ends.get(code, 0) + 1
        if code not in range(4) or "Traceback" in errors or spent > SECONDS_PER_COMMAND:
            last = errors.strip().splitlines()[-2:]
            tally.wrong.append(f"{' '.join(command)} {changes}: exit {code}, {spent:.1f} s, {' '.join(last)}")


def fuzz(configs: int, seed: int) -> Tally:
    """So many."""
    chance, tally = random.Random(seed), Tally()
    keys = {framework: keys_of(framework) for framework in BASES}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(configs):
            one(chance, keys, Path(folder), tally)
    return tally


def main() -> int:
    """Print what went wrong; 1 where anything did."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    tally = fuzz(asked.configs, asked.seed)
    print(*tally.wrong, f"{sum(tally.ends.values())} commands: {tally.ends}", sep="\n")
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
