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
        ["diff", "--help"],
        ["verify", "--help"],
        ["new", "--help"],
        ["explain"],
        ["explain", "SYN110"],
        ["explain", "actor_rollout_ref.rollout.n"],
        ["explain", "plan.batch.passes", "--json"],
        ["metrics", "verl", "trinity"],
    ],
    ids=" ".join,
)
def test_light_commands_load_nothing_heavy(arguments: list[str]) -> None:
    assert not loaded(*arguments) & HEAVY


IDLE = frozenset({"typer", "click", "shutil", "tempfile", "hashlib", "difflib", "subprocess"})
"""What a plain command line has no use for: the parser, and modules that cost as much as a rule family."""
YAML = Path(__file__).parents[2] / "golden" / "convert" / "bench" / "input.yaml"
SCRIPT = Path(__file__).parents[2] / "benches" / "grpo_60.sh"


def test_a_check_loads_nothing_heavy() -> None:
    assert not loaded("check", str(SCRIPT), "--quiet") & HEAVY


def test_a_plain_line_loads_no_parser(tmp_path: Path) -> None:
    assert not loaded("check", str(SCRIPT), "--quiet") & IDLE
    assert not loaded("budget", str(SCRIPT), "--gpu", "h100", "--model", "Qwen/Qwen3-8B", "--quiet") & IDLE
    target = ("--to", "trinity", "--rows", "7473", "-o", str(tmp_path / "out.yaml"), "--quiet")
    assert not loaded("convert", str(SCRIPT), *target) & {"typer", "click"}


def test_a_yaml_loads_no_shell_no_overrides_and_no_other_framework() -> None:
    code = PROBE.replace('.partition(".")[0]', "")
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(YAML), "-q", "--exit-zero"],
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(done.stdout.rpartition("LOADED ")[2].split())
    others = {f"rftconf.{part}" for part in ("text.shell", "text.overrides", "text.hydra_grammar", "lint.rules.dialect_verl",
              "mappers.verl.table", "mappers.roll.table", "mappers.chatlearn.table", "lint.codes")}  # fmt: skip
    assert "rftconf.lint.rules.dialect_trinity" in names
    assert not names & others


def test_a_conversion_loads_no_model_and_no_terminal_library(tmp_path: Path) -> None:
    result = loaded("convert", str(SCRIPT), "--to", "trinity", "--rows", "7473", "-o", str(tmp_path / "out.yaml"))
    assert not result & (HEAVY - {"yaml", "ruamel"})  # what is written is read back


def test_a_budget_loads_nothing_heavy() -> None:
    arguments = ("budget", str(SCRIPT), "--gpu", "h100", "--model", "Qwen/Qwen3-8B", "--quiet")
    assert not loaded(*arguments) & HEAVY


def test_importing_the_package_loads_nothing_heavy() -> None:
    probe = "import sys, rftconf; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    assert not set(done.stdout.split()) & (HEAVY | {"typer", "click"})
