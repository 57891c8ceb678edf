"""Every odd value at every path of the newest catalogues, many in one file: `python -m tests.fuzz.fuzz_tree --state FILE`.

A leaf counts for a verb once it stands in a config that was read and that verb answered; a file of which a verb wants
nothing is divided, first by what its refusal names, until the leaf it will not have stands alone, and that refusal is the
leaf's answer. Companions are drawn anew for each value, so that none hides the same neighbour twice. With `--state` a run
goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TypeVar

from rftconf.base.errors import RftconfError
from rftconf.lint.rule import Example
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.fuzz.fuzz_values import ODD, PYTHON, keys_of
from tests.fuzz.leaf_tally import LeafTally
from tests.fuzz.tally import crash
from tests.fuzz.verbs import OF_CONFIGS, OF_DOCUMENTS
from tests.lint.bases import BASES, as_yaml, lines_of

_About = TypeVar("_About", Document, Loaded)
TOGETHER = 100
"""Leaves in one file; sections that were keys' parents stand in files of SECTIONS."""
SECTIONS = 6


@dataclass(frozen=True, slots=True)
class Leaves:
    """Changes of one framework's base that do not touch each other."""

    framework: str
    changes: tuple[str, ...]

    @property
    def document(self) -> Document | None:
        """The base with these changes; None where a change stands below the plain value of another."""
        example = Example(self.framework, self.changes)
        try:
            text = _as_shell(example) if self.framework == "verl" else as_yaml(example)
        except (TypeError, AttributeError, IndexError):
            return None
        return read(Source("run.sh" if self.framework == "verl" else "run.yaml", text))

    def parts(self, refusals: Iterable[str]) -> tuple[Leaves, ...]:
        """The same changes in several files: each that a refusal names alone, and the rest; two halves where none is named."""
        text = "\n".join(refusals)
        named = [change for change in self.changes if re.search(rf"\b{re.escape(_key(change))}(?![\w.])", text)]
        if named and len(named) < len(self.changes):
            alone = tuple(Leaves(self.framework, (change,)) for change in named)
            return (*alone, Leaves(self.framework, tuple(change for change in self.changes if change not in named)))
        middle = len(self.changes) // 2
        return Leaves(self.framework, self.changes[:middle]), Leaves(self.framework, self.changes[middle:])


def _key(change: str) -> str:
    return change.partition("=")[0].lstrip("+~")


def _as_shell(example: Example) -> str:
    """A launch script in which each override is one word, whatever its value holds."""
    words = " \\\n    ".join(_quoted(line) for line in lines_of(example))
    return f"#!/usr/bin/env bash\npython3 -m verl.trainer.main_ppo \\\n    {words}\n"


def _quoted(line: str) -> str:
    if line.endswith("=$VAR"):
        return line
    return '"' + line.replace("$", "\\$") + '"' if "'" in line else f"'{line}'"


def groups(seed: int = 0) -> Iterator[Leaves]:
    """Every path with every value once: free leaves first, then sections, then what the base hangs on, one a file."""
    drawn = list(range(len(ODD)))
    for kind, most in (("free", TOGETHER), ("section", SECTIONS), ("base", 1)):
        for turn in drawn:
            for framework in BASES:
                chance = random.Random(f"{seed}/{kind}/{turn}/{framework}")
                keys = [(index, key) for index, key in enumerate(keys_of(framework)) if _kinds(framework)[key] == kind]
                chance.shuffle(keys)
                yield from _grouped(framework, [f"{key}={ODD[(index + turn) % len(ODD)]}" for index, key in keys], most)


def _grouped(framework: str, changes: Sequence[str], most: int) -> Iterator[Leaves]:
    """Files of at most so many changes, none of which stands above another."""
    open_: list[_Group] = []
    for change in changes:
        key = change.partition("=")[0]
        sections = _sections(key)
        group = next((g for g in open_ if key not in g.above and g.keys.isdisjoint((key, *sections))), None)
        if group is None:
            group = _Group()
            open_.append(group)
        group.changes.append(change)
        group.keys.add(key)
        group.above.update((key, *sections))
        if len(group.changes) == most:
            open_.remove(group)
            yield Leaves(framework, tuple(group.changes))
    yield from (Leaves(framework, tuple(group.changes)) for group in open_)


@dataclass(eq=False)
class _Group:
    """Changes that will stand in one file, their keys, and these with every section above one."""

    changes: list[str] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    above: set[str] = field(default_factory=set)


def _sections(key: str) -> list[str]:
    return [key[:index] for index, sign in enumerate(key) if sign in ".["]


def _touch(a: str, b: str) -> bool:
    return a == b or a.startswith((f"{b}.", f"{b}[")) or b.startswith((f"{a}.", f"{a}["))


@cache
def _kinds(framework: str) -> dict[str, str]:
    base = [line.partition("=")[0] for line in BASES[framework]]
    keys = keys_of(framework)
    above = {key[:index] for key in keys for index, sign in enumerate(key) if sign in ".["}
    return {
        key: "base" if any(_touch(key, name) for name in base) else "section" if key in above else "free"
        for key in keys
    }


def judge(leaves: Leaves, tally: LeafTally, verbs: Sequence[str] = ()) -> frozenset[str]:
    """Ask verbs about one file; divide it for those that give no answer. The verbs with which something is wrong."""
    verbs = verbs or tally.verbs
    document = leaves.document
    if document is None:
        return _divided(leaves, tally, dict.fromkeys(verbs, ("", "refused")))
    tally.files += 1
    reached = _reached(leaves, document)
    if not reached and len(leaves.changes) > 1:  # one of them makes the text no YAML
        return _divided(leaves, tally, dict.fromkeys(verbs, ("", "refused")))
    unanswered: dict[str, tuple[str, str]] = {}
    loaded: Loaded | str | None = None
    for verb in verbs:
        if verb in OF_DOCUMENTS:
            text, end = _asked(OF_DOCUMENTS[verb], document)
        else:
            if loaded is None:
                loaded = _loaded(document, leaves.framework)
            text, end = (loaded, "refused") if isinstance(loaded, str) else _asked(OF_CONFIGS[verb], loaded)
            if isinstance(loaded, str) and loaded.startswith("! "):
                end = "wrong"
        if end == "answered":
            tally.answers[f"{verb}: answered"] += len(reached)
        elif end == "refused" and len(leaves.changes) == 1:
            tally.answers[f"{verb}: {text.partition(': ')[0]}"] += len(reached)
        else:
            unanswered[verb] = (text, end)
    wrong = _divided(leaves, tally, unanswered)
    hidden = [change for change in leaves.changes if change not in reached]
    if len(leaves.changes) > 1:  # companions hide these, or nothing reads them: each is asked about alone
        parts = (Leaves(leaves.framework, (change,)) for change in hidden)
        return wrong.union(*(judge(part, tally, verbs) for part in parts))
    tally.hidden += len(hidden) * (len(verbs) == len(tally.verbs))
    return wrong


def _divided(leaves: Leaves, tally: LeafTally, unanswered: dict[str, tuple[str, str]]) -> frozenset[str]:
    """Ask again with fewer leaves in a file; what is wrong with all of them and with no part is of the whole."""
    if not unanswered:
        return frozenset()
    wrong: frozenset[str] = frozenset()
    if len(leaves.changes) > 1:
        for part in leaves.parts(text for text, _ in unanswered.values()):
            wrong |= judge(part, tally, tuple(unanswered))
    for verb, (text, end) in unanswered.items():
        if end == "wrong" and verb not in wrong:
            output = " ".join(change if len(change) < 90 else f"{change[:90]}…" for change in leaves.changes)
            tally.wrong.append(f"{verb}: {leaves.framework}: {output}: {text}")
            wrong |= {verb}
    return wrong


def _reached(leaves: Leaves, document: Document) -> list[str]:
    """The changes whose key, or something below it, stands in the config as read."""
    known = {leaf.key for leaf in document.leaves}
    values = []
    for change in leaves.changes:
        key = change.partition("=")[0].lstrip("+~")
        if key in known or any(name.startswith((f"{key}.", f"{key}[")) for name in known):
            values.append(change)
    return values


def _loaded(document: Document, framework: str) -> Loaded | str:
    """The config as understood; why not where it cannot be, `! ` before it where that is a defect."""
    try:
        return load(document, framework=framework)
    except RftconfError as error:
        return f"exit {error.exit_code}: {error}"
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        return f"! {crash(error)}"


def _asked(verb: Callable[[_About], str], about: _About) -> tuple[str, str]:
    try:
        text = verb(about)
    except RftconfError as error:
        text, end = str(error), f"exit {error.exit_code}: {error}"
    except Exception as error:  # noqa: BLE001 - a defect, whatever it is
        return crash(error), "wrong"
    else:
        end = ""
    written = PYTHON.search(text)
    if written is not None:
        line = text[: written.end() + 40].splitlines()[-1]
        return f"Python's own writing in {line[-120:]!r}", "wrong"
    return (end, "refused") if end else ("", "answered")


def run(
    leaf_groups: Iterator[Leaves], tally: LeafTally, until: float, keep: Callable[[int], None], first: int = 0
) -> int:
    """Judge files from number `first` on until the time is over; the number of the next one."""
    number = first
    for number, leaves in enumerate(leaf_groups):
        if number < first:
            continue
        if time.monotonic() > until:
            return number
        count_before = len(tally.wrong)
        tally.leaves += len(leaves.changes)
        judge(leaves, tally)
        sys.stdout.writelines(f"{line}\n" for line in tally.wrong[count_before:])
        if number % 20 == 19:
            keep(number + 1)
    return number + 1


def main() -> int:
    """The command line; 1 where anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="which leaves stand together")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--state", type=Path, help="where the tally is kept, and goes on from")
    verbs_of_all = (*OF_DOCUMENTS, *OF_CONFIGS)
    parser.add_argument("--without", action="append", default=[], choices=verbs_of_all, help="leave a verb out")
    args = parser.parse_args()
    verbs = tuple(verb for verb in LeafTally().verbs if verb not in args.without)
    tally, first, spent = LeafTally(verbs=verbs), 0, 0.0
    if args.state and args.state.exists():
        old = json.loads(args.state.read_text())
        first, spent = old["next"], old["processor_seconds"]
        tally = LeafTally(Counter(old["answers"]), old["wrong"], old["files"], old["leaves"], verbs, old["hidden"])

    def keep(number: int) -> None:
        if args.state:
            data = {
                "seed": args.seed, "next": number, "leaves": tally.leaves, "hidden": tally.hidden, "files": tally.files,
                "total": tally.total, "processor_seconds": round(spent + time.process_time(), 1),
                "answers": dict(sorted(tally.answers.items())), "wrong": tally.wrong,
            }  # fmt: skip
            args.state.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")

    keep(run(groups(args.seed), tally, time.monotonic() + args.seconds, keep, first))
    sys.stdout.write(
        f"{tally.leaves} leaves in {tally.files} files, {tally.total} answers, {tally.hidden} leaves not reached; "
        f"{len(tally.wrong)} wrong; {spent + time.process_time():.0f} processor seconds\n"
    )
    return int(bool(tally.wrong))


if __name__ == "__main__":
    sys.exit(main())
