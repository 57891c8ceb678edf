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
    new_conversions = [
        Conversion(start, to) for start in starts() for to in registry.FRAMEWORKS if to != start.framework
    ]
    random.Random(seed).shuffle(new_conversions)
    return new_conversions


def certified(conversion: Conversion, folder: Path, chance: random.Random) -> Path | None:
    """Its certificate in `folder`; None where there is no conversion."""
    for name, text in conversion.start.beside.items():
        beside = folder / "in" / name
        beside.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(text)
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / "other.sh").write_text("echo\n")
    source, out = folder / "in" / f"run{conversion.start.suffix}", folder / "in" / "out"
    source.write_text(conversion.start.text)
    options = ["--rows", "7473"] if chance.random() < 0.5 else []
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
        code = run(["convert", str(source), "--to", conversion.to, "-q", "-o", f"{out}.out", "--certify", *options])
    return out.with_name("out.out.certificate.json") if code == 0 else None


def holds(path: Path) -> bool:
    """Whether `verify` would say so; what is no certificate does not."""
    try:
        return not any(check.problems for check in checks_of(path, {})[1])
    except RftconfError:
        return False


def judged(conversion: Conversion, drawn: int, chance: random.Random, ends: Counter[str]) -> Iterator[str]:
    """Name each break of the law: an honest certificate that does not hold, a forged one that does, an exception."""
    with tempfile.TemporaryDirectory() as folder:
        path = certified(conversion, Path(folder), chance)
        if path is None:
            ends["refused"] += 1
            return
        ends["certified"] += 1
        if not holds(path):
            yield f"{conversion}: what was written does not hold"
            return
        data = json.loads(path.read_text())
        yield from (f"{conversion}: {what}" for what in _held(data, path, drawn, chance, ends))


def _held(data: dict[str, Any], path: Path, drawn: int, chance: random.Random, ends: Counter[str]) -> Iterator[str]:
    new_forgeries = [*forgeries(data, GIVEN), *_inventions(data, path.parent)]
    for forgery in chance.sample(new_forgeries, min(drawn, len(new_forgeries))):
        forged = path.with_name("forged.json")
        forged.write_text(canonical({**forgery.data, "digest": digest_of(forgery.data)}))
        ends["forged: what was asked"] += 1
        if holds(forged):
            ends["forged and true"] += forgery.what in TRUE
            if forgery.what not in TRUE:
                yield forgery.what
    options = [*forgeries(data, frozenset(data) - GIVEN - {"digest"})]
    for forgery in chance.sample(options, min(20 * drawn, len(options))):
        ends["forged: what comes out"] += 1
        if not any(check.problems for check in differing_parts(forgery.data, data)):
            yield forgery.what


def _inventions(data: dict[str, Any], folder: Path) -> Iterator[Forgery]:
    for what, change in INVENTED.items():
        forged = json.loads(json.dumps(data))
        change(forged, folder)
        if forged != data:
            yield Forgery(what, forged)


def main(args: Sequence[str] | None = None) -> int:
    """The command line; 1 where anything broke."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=sys.maxsize)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--forgeries", type=int, default=3, help="of what was asked, for each certificate")
    parser.add_argument("--state", type=Path, help="where the tally is kept, and goes on from")
    parser.add_argument("-o", type=Path, help="where every break goes, a line each")
    new_arguments = parser.parse_args(args)
    data = json.loads(new_arguments.state.read_text()) if new_arguments.state and new_arguments.state.exists() else {}
    ends, first, began = Counter(data.get("ends", {})), data.get("next", 0), time.process_time()
    broken = data.get("broken", 0)
    with (new_arguments.o or Path(os.devnull)).open("a") as file:
        for number, conversion in enumerate(conversions(new_arguments.seed)[first : new_arguments.cases], first):
            for what in judged(
                conversion, new_arguments.forgeries, random.Random(f"{new_arguments.seed}/{number}"), ends
            ):
                broken += 1
                sys.stdout.write(f"{number}: {what}\n")
                file.write(f"{number}: {what}\n")
                file.flush()
            if new_arguments.state:
                names = {"seed": new_arguments.seed, "next": number + 1, "ends": ends, "broken": broken}
                new_arguments.state.write_text(json.dumps(names, indent=1) + "\n")
    sys.stdout.write(f"{json.dumps(ends)}; {broken} broken; {time.process_time() - began:.0f} s\n")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
