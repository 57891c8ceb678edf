"""What stays unknown is written back as shell source; bash must make of it what it made of the script."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rftconf.base.symbols import Expr, Value, names_in
from rftconf.text.shell import Word, read_script
from rftconf.text.shell.parse.quoting import double_quoted
from tests.differential.compare import align
from tests.differential.oracle import BASH, Oracle, starts_program

SCRIPTS = [p for p in sorted((Path(__file__).parent / "scripts").glob("*.sh")) if "# unknowns" in p.read_text()[:40]]

pytestmark = pytest.mark.skipif(not Path(BASH).exists(), reason="bash is not installed")


def evaluated(oracle: Oracle, source: str) -> str:
    """`source` inside double quotes, as bash expands it in the oracle's environment."""
    hidden = {"BASH_ENV": str(oracle.root / "quiet"), "RFTCONF_RECORD": "/dev/null"}
    done = subprocess.run(
        [BASH, "-c", f'printf %s "{source}"'], cwd=oracle.root / "work", env={**oracle.environment(), **hidden},
        stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False,
    )  # fmt: skip
    return done.stdout.decode(errors="surrogateescape")


def symbolic(path: Path, oracle: Oracle) -> list[tuple[Word, str]]:
    """Every argument with an unknown value, and what bash made of it."""
    run = oracle.run(path)
    commands = list(read_script(path.name, path.read_text()).commands)
    known: dict[str, Value] = {}
    values: list[tuple[Word, str]] = []
    for argv in run.records:
        if starts_program(argv) < 0:
            continue
        command = next(
            (c for c in commands if len(c.argv) == len(argv) and align(c.argv, argv, known) is not None), None
        )
        if command is not None:
            commands.remove(command)
            pairs = zip(command.argv, argv, strict=True)
            values += [(w, a) for w, a in pairs if isinstance(w.value, Expr) and w.condition is None and not w.splits]
    return values


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_written_back_it_means_the_same(path: Path) -> None:
    oracle = Oracle()
    try:
        pairs = symbolic(path, oracle)
        assert pairs
        for word, argument in pairs:
            if "$$" not in word.raw and "BASH_SOURCE" not in names_in(word.value):
                assert evaluated(oracle, double_quoted(word.value)) == argument, (word.raw, word.value)
    finally:
        oracle.close()
