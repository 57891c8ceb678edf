"""Gives each key of a framework a value of each wrong type, and asks every verb: `python -m tests.fuzz.fuzz_values --all`.

Whatever a file holds, a verb ends with an answer or an error that is raised on purpose, and no answer shows how Python
writes its objects. Without `--all` a seeded sample is tried.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from rftconf.base.errors import RftconfError
from rftconf.lint import registry
from rftconf.lint.rule import Example
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.schemas import catalogue
from rftconf.text.document import Document
from tests.fuzz.verbs import OF_CONFIGS, OF_DOCUMENTS, document_of
from tests.lint.bases import BASES

ODD = (
    "null", "true", "false", "yes", "0", "1", "-1", "-3", "5", "1.0", "1.5", "1e-30", "1e400", ".nan", "100000000",
    "99999999999999999999", "9" * 5000, "''", "words", "'8'", "1e-6x", "gpu", "1:4", "ünïcode ✓", "[]", "[a,b]", "[null]",
    "[1,2,3]", "[[1,2],{b: c}]", "{}", "{a: 1}", "{a: {b: [1]}}", "$VAR", "${oc.env:X}", "${nowhere.at.all}", "???",
)  # fmt: skip
"""Values of every type, of no possible size, and that nobody told."""
PYTHON = re.compile(
    r"\b(?:Var|Arith|Branch|ShellOnly|OpenKey|Text|Now|Fraction|Leaf|Place)\(|<rftconf| object at 0x|[=:] ?None\b|\bNoneType\b"
)
"""How Python writes objects, which nobody who reads an answer knows."""
SECONDS_PER_FILE = 20.0


@dataclass
class Tally:
    """How often each verb answered or said on purpose that it cannot, and what went wrong."""

    ends: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    files: int = 0

    def report(self, verb: str, changes: tuple[str, ...], what: str) -> None:
        """Keep what went wrong, values shortened."""
        output = " ".join(change if len(change) < 90 else f"{change[:90]}…" for change in changes)
        self.wrong.append(f"{verb}: {output}: {what}")


def keys_of(framework: str) -> list[str]:
    """Every key of the newest release that a file may name, and every section above one."""
    known = catalogue.load(framework)
    keys = [key.replace("[]", "[0]").replace("<*>", ".some") for key in (*known.keys, *sorted(known.prefixes()))]
    return list(dict.fromkeys([*keys, *_keys_of_examples(framework)]))


def _keys_of_examples(framework: str) -> Iterator[str]:
    """What rules speak of, free keys among them."""
    for rule in registry.rules():
        if rule.bad.framework == framework:
            yield from (line.lstrip("+~").partition("=")[0] for line in rule.bad.lines)


def try_file(example: Example, tally: Tally) -> None:
    """One config before every verb."""
    document = document_of(example)
    if document is None:
        return
    began = time.process_time()
    for verb, ask in OF_DOCUMENTS.items():
        attempt(tally, verb, example.lines, lambda ask=ask: ask(document))  # type: ignore[misc]
    loaded: list[Loaded] = []
    attempt(tally, "read", example.lines, lambda: _messages(loaded, document, example.framework))
    for verb, answer in OF_CONFIGS.items() if loaded else ():
        attempt(tally, verb, example.lines, lambda answer=answer: answer(loaded[0]))  # type: ignore[misc]
    spent = time.process_time() - began
    if spent > SECONDS_PER_FILE:
        tally.report("all", example.lines, f"{spent:.1f} s")


def _messages(loaded: list[Loaded], document: Document, framework: str) -> str:
    loaded.append(load(document, framework=framework))
    return "\n".join(d.message + d.help for d in loaded[0].diagnostics)


def attempt(tally: Tally, verb: str, changes: tuple[str, ...], answer: Callable[[], str]) -> None:
    """Ask one verb. What it raises on purpose is an answer too."""
    try:
        text = answer()
    except RftconfError as error:
        tally.ends[f"{verb}: exit {error.exit_code}"] += 1
        text = str(error)
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        frame = traceback.extract_tb(error.__traceback__)[-1]
        tally.report(verb, changes, f"{type(error).__name__}: {error!s:.90} ({frame.filename}:{frame.lineno})")
        return
    else:
        tally.ends[f"{verb}: answered"] += 1
    written = PYTHON.search(text)
    if written is not None:
        line = text[: written.end() + 40].splitlines()[-1]
        tally.report(verb, changes, f"Python's own writing in {line[-120:]!r}")


def every_change() -> Iterator[tuple[str, str]]:
    """Each framework with each change of one key."""
    for framework in BASES:
        for key in keys_of(framework):
            yield from ((framework, f"{key}={value}") for value in ODD)


def fuzz(files: int, seed: int) -> Tally:
    """Try a sample: half of the files have one change, half have two."""
    chance, tally = random.Random(seed), Tally()
    keys = {framework: keys_of(framework) for framework in BASES}
    for _ in range(files):
        tally.files += 1
        framework = chance.choice(list(keys))
        changes = [f"{chance.choice(keys[framework])}={chance.choice(ODD)}" for _ in range(chance.choice((1, 2)))]
        try_file(Example(framework, tuple(changes)), tally)
    return tally


def fuzz_all(part: int, parts: int, seconds: float = float("inf")) -> Tally:
    """Try every change of one key, or one of so many parts of them, for so long."""
    tally, ends = Tally(), time.monotonic() + seconds
    for number, (framework, change) in enumerate(every_change()):
        if number % parts == part and time.monotonic() < ends:
            tally.files += 1
            count_before = len(tally.wrong)
            try_file(Example(framework, (change,)), tally)
            for line in tally.wrong[count_before:]:
                sys.stdout.write(f"{line}\n")
    return tally


def main() -> int:
    """Print what went wrong; 1 where anything did."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="every key with every value")
    parser.add_argument("--part", default="0/1", help="with --all: which of how many parts, 0/4")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="with --all: stop after so many")
    args = parser.parse_args()
    part, parts = map(int, args.part.split("/"))
    tally = fuzz_all(part, parts, args.seconds) if args.all else fuzz(args.files, args.seed)
    if not args.all:
        sys.stdout.write("".join(f"{line}\n" for line in tally.wrong))
    sys.stdout.write(
        f"{tally.files} files, {sum(tally.ends.values())} answers: {dict(tally.ends)}; {len(tally.wrong)} wrong\n"
    )
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
