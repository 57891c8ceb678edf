"""The certificate of every golden conversion holds, wherever it is checked from."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from tests.test_golden import CASES

CONVERTED = [case for case in CASES if case.group != "refused"]


@pytest.mark.parametrize("case", CONVERTED, ids=lambda case: case.folder.name)
def test_it_holds(case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(case.folder, tmp_path / "in")
    output = tmp_path / ("out" if case.several else "out.txt")
    arguments = ["--to", case.to, "--to-release", case.releases[0], "-o", str(output), "--certify", "-q"]
    with monkeypatch.context() as inside:
        inside.chdir(tmp_path / "in")
        assert run(["convert", case.source, *arguments, *case.options]) == 0
    path = output / "certificate.json" if case.several else tmp_path / "out.txt.certificate.json"
    new_path = tmp_path / "said"
    assert run(["verify", str(path), "-q", "-o", str(new_path)]) == 0, new_path.read_text()
    data = json.loads(path.read_text())
    assert (data["verdict"] == "same") == (
        not any(difference["effect"] != "bookkeeping" for difference in data["differences"])
    )
    assert str(tmp_path) not in path.read_text()


def test_an_asked_layout_is_part_of_the_request(tmp_path: Path) -> None:
    case = next(case for case in CONVERTED if case.folder.name == "grpo-guide-back")
    shutil.copytree(case.folder, tmp_path / "in")
    source, out = tmp_path / "in" / case.source, tmp_path / "out.sh"
    assert (
        run(["convert", str(source), "--to", "verl", "--layout", "colocated", "-q", "-o", str(out), "--certify"]) == 0
    )
    path = tmp_path / "out.sh.certificate.json"
    assert json.loads(path.read_text())["request"]["layout"] == "colocated"
    assert run(["verify", str(path), "-q"]) == 0
