"""Committed files that scripts write are what the scripts write today."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.sources import ROOT

GENERATORS = (
    "generate_plan_schema",
    "generate_certificate_schema",
    "generate_schemas",
    "generate_dialects",
    "generate_docs",
    "generate_sections",
    "generate_options",
    "generate_looks",
    "generate_description",
)


@pytest.mark.parametrize("name", GENERATORS)
def test_nothing_is_stale(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"scripts.{name}", "--check"], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
