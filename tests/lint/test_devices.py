"""GPUs of ROLL that are no list of numbers are a finding, and the rest is checked as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.cli.app import run
from rftconf.lint import engine
from rftconf.lint.rule import roll
from tests.lint.bases import documents

PYTHON = ("[i for i in range(8)]", "list(range(0,16//2))", "list(range(len(x)))")
WRONG = ("list(range(0,8)", "''", "{a: 1}", "[0, x]", "5")


@pytest.mark.parametrize("text", [*PYTHON, *WRONG])
def test_what_is_not_read_is_said(text: str) -> None:
    (config,) = documents(
        roll(f'actor_train.device_mapping="{text}"' if text in PYTHON else f"actor_train.device_mapping={text}")
    )
    diagnostics = [diagnostic for diagnostic in engine.check(config) if "device_mapping" in diagnostic.message]
    assert diagnostics
    assert (Severity.ERROR in {diagnostic.severity for diagnostic in diagnostics}) == (text in WRONG)


def test_other_files_are_checked_all_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    golden = Path(__file__).parents[2] / "golden/convert/roll-single-to-verl/input.yaml"
    for name, mapping in (("a.yaml", "{a: 1}"), ("b.yaml", "[i for i in range(8)]")):
        text = golden.read_text(encoding="utf-8").replace(
            "device_mapping: list(range(0,8))", f"device_mapping: {mapping}"
        )
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert run(["check", str(tmp_path)]) == 1
    output = capsys.readouterr()
    assert "a.yaml:79" in output.out
    assert "b.yaml:79" in output.out
    assert "Traceback" not in output.err
