"""From a keystroke to diagnostics, on files of 300 lines: what the language server does for one changed letter.

python -m benches.editor --rounds 40
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from datetime import datetime, timezone

from rftconf.lint.examples import block, tree
from rftconf.lint.rule import Example
from rftconf.lsp import protocol as answers
from rftconf.lsp.session import Session
from rftconf.schemas import catalogue
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import BASES, as_shell

LINES = 300


def filled(framework: str) -> list[str]:
    """The base of a framework and its release's own defaults, as `key=value`."""
    known = catalogue.load(framework)
    base = list(BASES[framework])
    taken = {line.partition("=")[0] for line in base}
    plain = [
        f"{name}={value}"
        for name, key in known.keys.items()
        if not {"[", "<"} & set(name) and not key.plus_only and not key.automatic and not key.open
        for value in (key.default,)
        if isinstance(value, (int, float)) and name not in taken
    ]
    return [*base, *plain]


def long_yaml() -> str:
    """A Trinity-RFT config of 300 lines."""
    lines = filled("trinity")
    size = next(n for n in range(len(lines), 0, -1) if len(block(tree(lines[:n]), 0)) <= LINES)
    return "\n".join(block(tree(lines[:size]), 0)) + "\n"


def long_script() -> str:
    """A veRL launch script of 300 lines."""
    return as_shell(Example("verl", tuple(filled("verl")[len(BASES["verl"]) :][: LINES - len(BASES["verl"]) - 4])))


def keystrokes(name: str, text: str, letter: str, rounds: int) -> dict[str, float | int]:
    """Type and take back a letter; milliseconds, of this process alone and by the clock."""
    session = Session()
    buffer = session.open(f"file:///{name}", f"/{name}", text, 1)
    session.check(buffer)
    line = next(number for number, written in enumerate(text.splitlines()) if letter in written)
    column = text.splitlines()[line].index(letter) + len(letter)
    cpu, clock, reading = [], [], []
    for turn in range(rounds):
        started = time.perf_counter(), time.process_time()
        change = (
            (((line, column), (line, column)), "0") if turn % 2 == 0 else (((line, column), (line, column + 1)), "")
        )
        session.change(buffer.uri, [change], turn)
        session.check(buffer, thorough=False)
        answers.diagnostics(buffer)
        clock.append(time.perf_counter() - started[0])
        cpu.append(time.process_time() - started[1])
        start = time.process_time()
        read(Source(buffer.name, buffer.text))
        reading.append(time.process_time() - start)
    return {
        "lines": text.count("\n"),
        "leaves": len(buffer.document.leaves) if buffer.document else 0,
        "CPU, median [ms]": round(statistics.median(cpu) * 1e3, 1),
        "clock, fastest [ms]": round(min(clock) * 1e3, 1),
        "clock, median [ms]": round(statistics.median(clock) * 1e3, 1),
        "of it reading, CPU [ms]": round(statistics.median(reading) * 1e3, 1),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    args = parser.parse_args()
    print(
        json.dumps(
            {
                "date": datetime.now(timezone.utc).date().isoformat(),
                "load_before": round(os.getloadavg()[0], 1),
                "yaml": keystrokes("run.yaml", long_yaml(), "repeat_times: 8", args.rounds),
                "script": keystrokes("run.sh", long_script(), "rollout.n=8", args.rounds),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    main()
