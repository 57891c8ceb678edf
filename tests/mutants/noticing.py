"""The judges of a broken module, one after another, until one notices.

Each break gets a process of its own, forked from one that has everything in memory but the mappers and what imports
them. The cheapest judges come first, and each asks only about what the broken module can change.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import pkgutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType

from rftconf.schemas import catalogue, registry

ABOVE = ("base", "text", "plan", "schemas")
"""Packages that import no mapper, so that a break cannot reach them."""
TABLES, WORKED, GOLDEN, EFFECTS = "tables", "worked runs", "golden cases", "effects of keys"
TESTS, LAWS = "tests", "laws"
WORKED_FILES = ("tests/mappers/worked",)
"""Small runs worked out by hand: the cheapest that know right from wrong, and asked about every break."""
LAW_FILES = ("tests/laws/test_same_run.py", "tests/laws/test_supervised.py", "tests/laws/test_round_trips.py")
NEAR, NEAR_FLIPS = 8, 40
"""Golden cases, test files and effects of keys that are asked first."""
ARGUMENTS = ("-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist")


@dataclass(frozen=True, slots=True)
class Question:
    """One broken module: its name and text, its framework (empty for all); what to ask, the nearest first."""

    module: str
    text: str
    framework: str
    cases: Sequence[str]
    tests: Sequence[str]
    flips: Sequence[tuple[str, str, int]]


def warm() -> None:
    """Load what no break can change: the packages above the mappers, the catalogues, pytest."""
    for name in ABOVE:
        package = importlib.import_module(f"rftconf.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    for framework in registry.FRAMEWORKS:
        for trainer in registry.framework(framework).trainers:
            with contextlib.suppress(KeyError, FileNotFoundError):
                catalogue.load(framework, None, trainer)
    importlib.import_module("pytest")
    early = [name for name in sys.modules if name.startswith("rftconf.mappers")]
    assert not early, f"{early[0]} is loaded before it is broken"


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from another text than its file's."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_code(self, fullname: str) -> CodeType:
        """The broken module, compiled."""
        return compile(self.text, self.path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    """Finds the one broken module."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module with the broken text; every other module is found as always."""
        del target
        if fullname != self.name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        return importlib.util.spec_from_file_location(
            fullname,
            spec.origin,
            loader=Loader(fullname, spec.origin, self.text),
            submodule_search_locations=spec.submodule_search_locations,
        )


def tables() -> bool:
    """Every table can be put together."""
    from rftconf.mappers.tables import all_tables, table_of

    for framework, kind in all_tables():
        table_of(framework, kind)
    return True


def golden(names: Sequence[str]) -> bool:
    """These golden cases come out as they are kept."""
    from tests.test_golden import golden as script

    cases = {f"{case.group}/{case.folder.name}": case for case in script.all_cases()}
    return all(script.produce(cases[name]) == script.kept(cases[name]) for name in names)


def passes(paths: Sequence[str], words: str = "") -> bool:
    """These tests pass; with `words`, those whose name has one of them."""
    import pytest

    chosen = ["-k", words] if words else []
    return pytest.main([*ARGUMENTS, *chosen, *paths]) in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def effects(flips: Sequence[tuple[str, str, int]]) -> bool:
    """Keys do to a conversion what they are kept to do."""
    from tests.laws.row_effects import effect, kept

    chosen = (kept(framework, to)[number] for framework, to, number in flips)
    return all(values == effect(flip) for flip, values in chosen)


ROUNDS: tuple[Mapping[str, Callable[[Question], bool]], ...] = (
    {
        TABLES: lambda _: tables(),
        WORKED: lambda _: passes(WORKED_FILES),
        GOLDEN: lambda q: golden(q.cases[:NEAR]),
        EFFECTS: lambda q: effects(q.flips[:NEAR_FLIPS]),
    },
    {GOLDEN: lambda q: golden(q.cases[NEAR:])},
    {TESTS: lambda q: passes(q.tests[:NEAR])},
    {TESTS: lambda q: passes(q.tests[NEAR:])},
    {EFFECTS: lambda q: effects(q.flips[NEAR_FLIPS:])},
    {LAWS: lambda q: passes(LAW_FILES, q.framework)},
)
"""Judges by what they cost: a round is asked only about what the rounds before did not notice."""


def noticed(question: Question, judges: Mapping[str, Callable[[Question], bool]]) -> str:
    """The first of these judges that notices, or an empty text."""
    sys.meta_path.insert(0, Finder(question.module, question.text))
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        for name, judge in judges.items():
            try:
                if not judge(question):
                    return name
            except Exception:  # noqa: BLE001 - whatever a broken module raises, somebody noticed
                return name
    return ""
