"""A break is asked of the golden cases that run the broken line, and of the tests that speak of its words first."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import FrameType
from typing import Any

from rftconf.schemas.registry import FRAMEWORKS
from tests.mutants.breaking import MAPPERS, ROOT, Break, at

Lines = Mapping[tuple[str, int], Sequence[str]]
WORD = re.compile(r"[A-Za-z_]\w+")
LONGEST_STATEMENT = 1500
EFFECTS = ROOT / "tests" / "laws" / "effects"
TEST_FILES = (
    *("tests/mappers/test_*.py", "tests/test_line_by_line*.py", "tests/test_*_rules.py", "tests/dialects/test_*.py"),
    *(
        "tests/diff/test_*.py",
        "tests/migrate/test_*.py",
        "tests/convert/ledger/test_*.py",
        "tests/convert/learning/test_*.py",
    ),
)
SLOW = (
    "test_typed_rows.py",
    "test_corpus",
    "test_reasons.py",
    "test_stated_defaults",
    "test_recipes",
)
"""Tests of types and of whole corpora, which are not what notices a break of a value first."""


def framework_of(mutation: Break) -> str:
    """The framework whose table a break is in; empty for what all tables share."""
    name = mutation.file.relative_to(MAPPERS).parts[0]
    return name if name in FRAMEWORKS else ""


def lines_run() -> Lines:
    """Line of a module of mappers/ to the golden cases that run it; what runs on import belongs to none."""
    from tests.test_golden import golden as script

    importlib.import_module("rftconf.mappers.tables").all_tables()
    result: defaultdict[tuple[str, int], list[str]] = defaultdict(list)
    for case in script.all_cases():
        visited: set[tuple[str, int]] = set()

        def trace(frame: FrameType, event: str, argument: Any, visited: set[tuple[str, int]] = visited) -> Any:
            del argument
            file = frame.f_code.co_filename
            if not file.startswith(str(MAPPERS)) or frame.f_code.co_name == "<module>":
                return None
            if event in ("line", "call"):
                visited.add((file, frame.f_lineno))
            return trace

        sys.settrace(trace)
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                script.produce(case)
        finally:
            sys.settrace(None)
        for line in visited:
            result[line].append(f"{case.group}/{case.folder.name}")
    return dict(result)


class Nearness:
    """Texts by name; those that share the rarest words with a statement are the nearest to it."""

    def __init__(self, texts: Mapping[Any, str]) -> None:
        self.words = {name: frozenset(WORD.findall(text)) for name, text in texts.items()}
        self.spread = Counter(word for words in self.words.values() for word in words)

    def order(self, statement: Set[str], among: Iterable[Any] | None = None) -> list[Any]:
        """The names, the nearest first."""
        names = list(self.words if among is None else among)
        share = {name: sum(1 / self.spread[word] for word in statement & self.words[name]) for name in names}
        return sorted(names, key=lambda name: -share[name])


class Relevance:
    """What the judges have, by nearness; `ran` says which golden cases run a line of the mappers."""

    def __init__(self, ran: Lines) -> None:
        self.ran = ran
        self.cases = Nearness(
            {f"{file.parent.parent.name}/{file.parent.name}": text_of_case(file.parent) for file in CASES}
        )
        self.tests = Nearness({str(file.relative_to(ROOT)): file.read_text() for file in files_of_tests()})
        self.flips = Nearness(dict(texts_of_flips()))

    def cases_of(self, mutation: Break) -> list[str]:
        """The golden cases that a break can change: those that run its line. Where none does, it is a declaration, which
        every case of its framework may use."""
        own = framework_of(mutation)
        ran = self.ran.get((str(mutation.file), mutation.line))
        among = ran or [name for name, words in self.cases.words.items() if not own or own in words]
        return self.cases.order(words_about(mutation), among)

    def tests_of(self, mutation: Break) -> list[str]:
        """The test files."""
        return self.tests.order(words_about(mutation))

    def flips_of(self, mutation: Break) -> list[tuple[str, str, int]]:
        """The effects of keys in which its framework takes part."""
        own = framework_of(mutation)
        return self.flips.order(words_about(mutation), [flip for flip in self.flips.words if not own or own in flip])


CASES = sorted((ROOT / "golden").glob("*/*/case.toml"))


def text_of_case(folder: Path) -> str:
    """All that a golden case has."""
    return "\n".join(file.read_text() for file in sorted(folder.iterdir()) if file.is_file())


def files_of_tests() -> list[Path]:
    """The tests that are asked."""
    files = [file for pattern in TEST_FILES for file in sorted(ROOT.glob(pattern))]
    return [file for file in files if not file.name.startswith(SLOW)]


def texts_of_flips() -> Iterator[tuple[tuple[str, str, int], str]]:
    """Each kept effect of a key as text, by file and line."""
    for file in sorted(EFFECTS.glob("*.json")):
        framework, _, to = file.stem.partition("-to-")
        for number, line in enumerate(json.loads(file.read_text())):
            yield (framework, to, number), json.dumps(line)


def words_about(mutation: Break) -> Set[str]:
    """The words of the call around a break, three levels above it at most, and of the names of its module."""
    tree = ast.parse(mutation.file.read_text(encoding="utf-8"))
    for shorter in range(max(1, len(mutation.route) - 3), len(mutation.route) + 1):
        text = ast.unparse(at(tree, mutation.route[:shorter]))
        if len(text) < LONGEST_STATEMENT:
            break
    return frozenset(WORD.findall(f"{text} {framework_of(mutation)} {mutation.file.stem}"))
