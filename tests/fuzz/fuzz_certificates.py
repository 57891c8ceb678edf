"""Certificates of real conversions, as written and as forged: `python -m tests.fuzz.fuzz_certificates --seed 0`.

Every golden input and every config of the corpus, to every other framework, in an order drawn by the seed: what was
written holds, and of its forgeries as many as are asked, each with its digest put right, do not. With `--state FILE` a
run that was stopped goes on. What breaks is written as it comes.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rftconf.base.errors import RftconfError
from rftconf.certificate.canonical import canonical, digest_of
from rftconf.certificate.checks import differing_parts
from rftconf.cli.app import run
from rftconf.schemas import registry
from rftconf.verbs.verify import checks_of
from tests.certificate.forgeries import GIVEN, INVENTED, Forgery, forgeries
from tests.fuzz.mutations import Start, starts

TRUE = frozenset({"request.rows: another"})
"""Forgeries that may hold: another number of rows can make the same batches, and then all that is stated is true."""


class Conversion(NamedTuple):
    """A config, and the framework that it is converted to."""

    start: Start
    to: str

    def __str__(self) -> str:
        return f"{self.start.name} to {self.to}"


def conversions(seed: int) -> list[Conversion]:
    """All of them, so mixed that a part of them is a fair sample."""
    found = [Conversion(start, to) for start in starts() for to in registry.FRAMEWORKS if to != start.framework]
    random.Random(seed).shuffle(found)
    return found


def certified(one: Conversion, folder: Path, chance: random.Random) -> Path | None:
    """Its certificate in `folder`; None where there is no conversion."""
    for name, text in one.start.beside.items():
        beside = folder / "in" / name
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text)
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / "other.sh").write_text("echo\n")
    source, out = folder / "in" / f"run{one.start.suffix}", folder / "in" / "out"
    source.write_text(one.start.text)
    asked = ["--rows", "7473"] if chance.random() < 0.5 else []
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        code = run(["convert", str(source), "--to", one.to, "-q", "-o", f"{out}.txt", "--certify", *asked])
    return out.with_name("out.txt.certificate.json") if code == 0 else None


def holds(path: Path) -> bool:
    """Whether `verify` would say so; what is no certificate does not."""
    try:
        return not any(check.problems for check in checks_of(path, {})[1])
    except RftconfError:
        return False


def judged(one: Conversion, drawn: int, chance: random.Random, ends: Counter[str]) -> Iterator[str]:
    """Name each break of the law: an honest certificate that does not hold, a forged one that does, an exception."""
    with tempfile.TemporaryDirectory() as made:
        path = certified(one, Path(made), chance)
        if path is None:
            ends["refused"] += 1
            return
        ends["certified"] += 1
        if not holds(path):
            yield f"{one}: what was written does not hold"
            return
        data = json.loads(path.read_text())
        yield from (f"{one}: {what}" for what in _held(data, path, drawn, chance, ends))


def _held(data: dict[str, Any], path: Path, drawn: int, chance: random.Random, ends: Counter[str]) -> Iterator[str]:
    asked = [*forgeries(data, GIVEN), *_inventions(data, path.parent)]
    for one in chance.sample(asked, min(drawn, len(asked))):
        forged = path.with_name("forged.json")
        forged.write_text(canonical({**one.data, "digest": digest_of(one.data)}))
        ends["forged: what was asked"] += 1
        if holds(forged):
            ends["forged and true"] += one.what in TRUE
            if one.what not in TRUE:
                yield one.what
    told = [*forgeries(data, frozenset(data) - GIVEN - {"digest"})]
    for one in chance.sample(told, min(20 * drawn, len(told))):
        ends["forged: what comes out"] += 1
        if not any(check.problems for check in differing_parts(one.data, data)):
            yield one.what


def _inventions(data: dict[str, Any], folder: Path) -> Iterator[Forgery]:
    for what, change in INVENTED.items():
        forged = json.loads(json.dumps(data))
        change(forged, folder)
        if forged != data:
            yield Forgery(what, forged)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; 1 where anything broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--forgeries", type=int, default=3, help="of what was asked, for each certificate")
    parser.add_argument("--state", type=Path, help="where the tally is kept, and goes on from")
    parser.add_argument("-o", type=Path, help="where every break goes, a line each")
    asked = parser.parse_args(arguments)
    found = json.loads(asked.state.read_text()) if asked.state and asked.state.exists() else {}
    ends, first, began = Counter(found.get("ends", {})), found.get("next", 0), time.process_time()
    broken = found.get("broken", 0)
    with (asked.o or Path(os.devnull)).open("a") as file:
        for number, one in enumerate(conversions(asked.seed)[first : asked.cases], first):
            for what in judged(one, asked.forgeries, random.Random(f"{asked.seed}/{number}"), ends):
                broken += 1
                sys.stdout.write(f"{number}: {what}\n")
                file.write(f"{number}: {what}\n")
                file.flush()
            if asked.state:
                told = {"seed": asked.seed, "next": number + 1, "ends": ends, "broken": broken}
                asked.state.write_text(json.dumps(told, indent=1) + "\n")
    sys.stdout.write(f"{json.dumps(ends)}; {broken} broken; {time.process_time() - began:.0f} s\n")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
