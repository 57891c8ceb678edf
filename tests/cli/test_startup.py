"""Which modules a command loads decides how fast it starts; that is held here, not the time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = frozenset({"pydantic", "rich", "ruamel", "yaml", "hydra", "omegaconf", "pyarrow", "torch", "ray", "vllm"})
PROBE = """
import sys
from rftconf.cli.app import run
code = run(sys.argv[1:])
print("LOADED", *sorted({name.partition(".")[0] for name in sys.modules}))
sys.exit(code)
"""


def loaded(*arguments: str) -> frozenset[str]:
    done = subprocess.run([sys.executable, "-c", PROBE, *arguments], capture_output=True, text=True, check=True)
    return frozenset(done.stdout.rpartition("LOADED ")[2].split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["convert", "--help"],
        ["check", "--help"],
        ["plan", "--help"],
        ["budget", "--help"],
        ["explain"],
        ["explain", "SYN110"],
    ],
    ids=" ".join,
)
def test_light_commands_load_nothing_heavy(arguments: list[str]) -> None:
    assert not loaded(*arguments) & HEAVY


SCRIPT = Path(__file__).parents[2] / "benches" / "grpo_60.sh"


def test_a_check_loads_nothing_heavy() -> None:
    assert not loaded("check", str(SCRIPT), "--quiet") & HEAVY


def test_a_conversion_loads_no_model_and_no_terminal_library(tmp_path: Path) -> None:
    found = loaded("convert", str(SCRIPT), "--to", "trinity", "--rows", "7473", "-o", str(tmp_path / "out.yaml"))
    assert not found & HEAVY


def test_a_budget_loads_nothing_heavy() -> None:
    arguments = ("budget", str(SCRIPT), "--gpu", "h100", "--model", "Qwen/Qwen3-8B", "--quiet")
    assert not loaded(*arguments) & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    probe = "import sys, rftconf; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & (HEAVY | {"typer", "click"})
