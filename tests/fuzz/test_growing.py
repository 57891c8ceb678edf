"""Files that ask for much, at a size at which what grows with its square takes more than an answer may."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.growing import CLASSES, text_of
from tests.fuzz.large_certificates import MOST_USED, SHAPES

SIZE = 60_000
ROOT = Path(__file__).parents[2]


def _bounds(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.fuzz.bounds", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=600,
    )


@pytest.mark.parametrize("verb", ["check", "convert", "migrate"])
def test_every_answer_stays_within_bounds(verb: str) -> None:
    done = _bounds("--size", str(SIZE), "--verb", verb)
    lines = done.stdout.splitlines()
    assert len(lines) == len(CLASSES), done.stderr
    assert [line for line in lines if line.startswith("! ")] == []
    assert done.returncode == 0


def test_certificates_that_ask_for_much_stay_within_bounds() -> None:
    done = _bounds("--verb", "verify")
    lines = done.stdout.splitlines()
    assert len(lines) == len(SHAPES) + len(MOST_USED), done.stderr
    assert [line for line in lines if line.startswith("! ")] == []
    assert done.returncode == 0


@pytest.mark.parametrize("name", CLASSES)
def test_files_grow_and_are_the_same_for_a_seed(name: str) -> None:
    small, large = text_of(name, 10), text_of(name, 10_000)
    assert len(small) < len(large) or "10000" in large
    assert text_of(name, 1_000, seed=5) == text_of(name, 1_000, seed=5)
