"""Tests of one group run in one process: they share a survey, or a judge that takes long to start."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

GROUPED = """\
import os
import pytest

CASES = [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in "abcdef"]

@pytest.mark.parametrize("name", CASES)
def test_first(name):
    print(name, os.getpid())

@pytest.mark.parametrize("name", CASES)
def test_second(name):
    print(name, os.getpid())
"""


def test_a_group_stays_in_one_process(tmp_path: Path) -> None:
    """pytest 9.2 takes no notice of the names that pytest-xdist 3.8 gives its groups."""
    (tmp_path / "test_grouped.py").write_text(GROUPED)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "2",
        "--dist",
        "loadgroup",
        "-rP",
        "-p",
        "no:cacheprovider",
        "test_grouped.py",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    messages = [line.split() for line in done.stdout.splitlines()]
    observed = [
        (words[0], words[1]) for words in messages if len(words) == 2 and len(words[0]) == 1 and words[1].isdecimal()
    ]
    assert len(observed) == 12, done.stdout
    assert len(set(observed)) == 6
