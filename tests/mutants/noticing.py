"""A process with one broken module: the judges one after another, until one notices.

`python -m tests.mutants.noticing MODULE FILE [CASE ...]`: MODULE is imported from the text of FILE; the golden cases
named run first. Prints the judge that noticed, or nothing.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType

LAWS = (
    *("tests/mappers/test_tables.py", "tests/laws/test_round_trips.py", "tests/laws/test_same_run.py"),
    *("tests/laws/test_supervised.py", "tests/test_corpus_round_trips.py"),
)
TESTS = ("tests/mappers", "tests/test_chatlearn_rules.py", "tests/test_roll_rules.py", "tests/budget", "tests/migrate")


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


def pages() -> bool:
    """The pages that are made from the tables are the ones that are committed."""
    generate_docs = importlib.import_module("scripts.generate_docs")
    made = generate_docs.pages()
    return all((generate_docs.DOCS / name).read_text(encoding="utf-8") == text for name, text in made.items())


def passes(paths: Sequence[str]) -> bool:
    """These tests pass."""
    import pytest

    return pytest.main(["-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", *paths]) == pytest.ExitCode.OK


def noticed(names: Sequence[str]) -> str:
    """The first judge that notices."""
    judges: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("tables", tables),
        ("golden cases", lambda: golden(names)),
        ("generated pages", pages),
        ("laws", lambda: passes(LAWS)),
        ("tests", lambda: passes(TESTS)),
    )
    for name, judge in judges:
        try:
            if not judge():
                return name
        except Exception:  # noqa: BLE001 - whatever a broken module raises, somebody noticed
            return name
    return ""


def main() -> None:
    """Break, ask, print."""
    module, file, *names = sys.argv[1:]
    sys.meta_path.insert(0, Finder(module, Path(file).read_text(encoding="utf-8")))
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        found = noticed(names)
    sys.stdout.write(found)


if __name__ == "__main__":
    main()
