"""The same inputs through the commands: exit code 2, the place, no traceback, nothing written."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bad_input.corpus import CORPUS, Bad, build
from tests.sources import ROOT

MEMORY_BYTES = 500 * 1024 * 1024
TIMEOUT_SECONDS = 10
SOUND = ROOT / "golden" / "convert" / "bench" / "input.yaml"
COMMANDS = {
    "check": (["check"], {2}),
    "plan": (["plan"], {2}),
    "convert": (["convert", "--to", "trinity"], {2}),
    "diff": (["diff", str(SOUND)], {2}),
    "verify": (["verify"], {2}),
}
HEAVY = ("large.yaml", "deep_flow.yaml", "alias_bomb.yaml")
PLAIN = (
    "binary.yaml",
    "empty.yaml",
    "latin1.yaml",
    "tab.yaml",
    "unterminated.sh",
    "missing.yaml",
)
ONE_KEY = ("deep_override.txt", "huge_number.yaml", "tag.yaml", "sweep.txt")
"""What is wrong costs one key; the rest of these files is no config of RL training."""
CONVERTED = ("large.yaml", "latin1.yaml", "unterminated.sh")
CASES = [bad for bad in CORPUS if bad.name in HEAVY + PLAIN]


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rftconf", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), "NO_COLOR": "1", "COLUMNS": "200"},
        preexec_fn=limited,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "bad"),
    [("check", bad) for bad in CASES]
    + [(name, bad) for name in ("convert", "diff") for bad in CASES if bad.name in CONVERTED],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_bad_input(command: str, bad: Bad, tmp_path: Path) -> None:
    path = build(bad, tmp_path)
    before = sorted(tmp_path.iterdir())
    arguments, codes = COMMANDS[command]
    done = run([*arguments, path.name], tmp_path)
    text = done.stdout + done.stderr
    assert done.returncode in codes, text
    assert "Traceback" not in text
    assert bad.words in " ".join(text.split())
    assert bad.name in text
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("bad", [bad for bad in CORPUS if bad.name in ONE_KEY], ids=lambda bad: bad.name)
def test_what_costs_one_key_is_bounded_too(bad: Bad, tmp_path: Path) -> None:
    path = build(bad, tmp_path)
    checked = run(["check", path.name], tmp_path)
    assert (checked.returncode, checked.stdout) == (0, "")
    assert "is no config of RL training" in checked.stderr
    converted = run(["convert", "--to", "trinity", path.name], tmp_path)
    assert (converted.returncode, converted.stdout) == (2, "")
    assert "Traceback" not in converted.stderr
    assert bad.name in converted.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_a_tag_that_would_build_something_costs_its_key_alone(tmp_path: Path) -> None:
    config = SOUND.read_text(encoding="utf-8") + "extra: !!python/object/apply:os.system ['touch canary']\n"
    (tmp_path / "bench.yaml").write_text(config, encoding="utf-8")
    done = run(["convert", "--to", "verl", "bench.yaml"], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SYN208" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["bench.yaml"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_script_is_not_run(command: str, tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("alive")
    (tmp_path / "run.sh").write_text(
        f"rm -rf {canary}\nX=$(rm -rf {canary})\npython3 -m verl.trainer.main_ppo data.train_batch_size=8 data.x=$X\n"
    )
    arguments, _ = COMMANDS[command]
    done = run([*arguments, "run.sh"], tmp_path)
    assert "Traceback" not in done.stdout + done.stderr
    assert canary.read_text() == "alive"
