"""How many broken mappings our judges notice: `python -m tests.mutants --count 300 --seed 0` (`make mutants`).

Breaks are drawn evenly over their kinds. Golden cases that run the broken line are asked first, then the laws, then the
tests of mappers. What nobody notices is listed.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from tests.mutants.breaking import MAPPERS, ROOT, Break, all_breaks

LONGEST_S = 600
TOO_LONG = "time"
"""A break that keeps a judge busy for so long is noticed too."""
Lines = dict[tuple[str, int], list[str]]


def lines_run() -> Lines:
    """Line of a module of mappers/ to the golden cases that run it; what runs on import belongs to all of them."""
    from tests.test_golden import golden as script

    found: Lines = defaultdict(list)
    for case in script.all_cases():
        seen: set[tuple[str, int]] = set()

        def trace(frame: FrameType, event: str, argument: Any, seen: set[tuple[str, int]] = seen) -> Any:
            del argument
            file = frame.f_code.co_filename
            if not file.startswith(str(MAPPERS)):
                return None
            if event in ("line", "call"):
                seen.add((file, frame.f_lineno))
            return trace

        sys.settrace(trace)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                script.produce(case)
        finally:
            sys.settrace(None)
        for line in seen:
            found[line].append(f"{case.group}/{case.folder.name}")
    return found


def drawn(count: int, seed: int) -> list[Break]:
    """So many breaks, as many of each kind as there are."""
    by_kind: dict[str, list[Break]] = defaultdict(list)
    for found in all_breaks():
        by_kind[found.kind].append(found)
    order = random.Random(seed)
    for alike in by_kind.values():
        order.shuffle(alike)
    turns = [alike[turn] for turn in range(count) for alike in by_kind.values() if turn < len(alike)]
    return turns[:count]


def ask_text(module_file: Path, text: str, cases: Sequence[str]) -> str:
    """The judge that notices when a module has this text, or an empty text."""
    module = ".".join(module_file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(text)
        file.flush()
        try:
            done = subprocess.run(
                [sys.executable, "-m", "tests.mutants.noticing", module, file.name, *cases],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TOO_LONG
    return done.stdout if done.returncode == 0 else "tables"


def main() -> None:
    """Command line: how many breaks, drawn by which seed; exit 1 when less than 95 % are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-o", "--output", type=Path, help="where the figures go, as JSON")
    args = parser.parse_args()
    started, ran = time.monotonic(), lines_run()
    everywhere = sorted({case for cases in ran.values() for case in cases})
    if judge := ask_text(whole := MAPPERS / "codecs.py", whole.read_text(encoding="utf-8"), everywhere):
        sys.exit(f"{judge} fail with nothing broken: mend that first")
    by_judge: Counter[str] = Counter()
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    unnoticed = []
    for one in drawn(args.count, args.seed):
        # a line that no case runs belongs to a table's declaration (it ran on import), which every case may use
        cases = ran.get((str(one.file), one.line)) or everywhere
        judge = ask_text(one.file, one.source(), cases)
        by_judge[judge or "nobody"] += 1
        by_kind[one.kind]["noticed" if judge else "unnoticed"] += 1
        if not judge:
            unnoticed.append(str(one))
        print(f"{judge or 'NOBODY':<14}{one}", flush=True)
    total = sum(by_judge.values())
    share = 1 - by_judge["nobody"] / total if total else 0.0
    print(f"{share:.1%} of {total} noticed: {dict(by_judge)}, {time.monotonic() - started:.0f} s")
    if args.output:
        figures = {
            "date": time.strftime("%Y-%m-%d"),
            "seed": args.seed,
            "breaks": total,
            "noticed": round(share, 4),
            "by judge": by_judge,
            "by kind": by_kind,
            "unnoticed": sorted(unnoticed),
        }
        args.output.write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(share < 0.95)


if __name__ == "__main__":
    main()
