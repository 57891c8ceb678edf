"""The golden cases, byte for byte: what a conversion writes, accounts for and says must not change unnoticed."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State

ROOT = Path(__file__).resolve().parents[1]


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("golden", ROOT / "scripts" / "golden.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden"] = module
    spec.loader.exec_module(module)
    return module


golden = load_script()
CASES = golden.all_cases()
IDS = [f"{case.group}/{case.folder.name}" for case in CASES]
REFUSED = [case for case in CASES if case.group == "refused"]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_conversion_is_as_kept(case: Any) -> None:
    assert golden.produce(case) == golden.kept(case)


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_files_hold_no_paths_of_this_machine(case: Any) -> None:
    for name, text in golden.kept(case).items():
        assert str(ROOT) not in text, name
        assert text.endswith("\n"), name


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.to == "trinity" and c.group != "refused"], ids=lambda c: c.folder.name
)
def test_expected_yaml_parses_to_nested_sections(case: Any) -> None:
    for release in case.releases:
        config = yaml.safe_load((case.folder / case.expected(release)).read_text())
        assert isinstance(config, dict)
        sections = {"model", "buffer"} if config.get("mode") == "bench" else {"algorithm", "model", "buffer"}
        assert sections <= set(config)


@pytest.mark.parametrize("case", [c for c in CASES if c.group != "refused"], ids=lambda c: c.folder.name)
def test_ledger_accounts_for_every_leaf_once(case: Any) -> None:
    ledger = json.loads((case.folder / "ledger.json").read_text())
    keys = [line["key"] for line in ledger["sources"]]
    assert len(keys) == len(set(keys))
    assert sum(ledger["counts"].values()) == len(keys)
    assert {line["state"] for line in ledger["sources"]} <= set(State)
    silent = {"exact", "default", "derived"}
    assert all(line["reason"] for line in ledger["sources"] if line["state"] not in silent)


@pytest.mark.parametrize("case", [c for c in CASES if c.group == "convert"], ids=lambda c: c.folder.name)
def test_nothing_is_left_open(case: Any) -> None:
    for name, text in golden.kept(case).items():
        if name.startswith("expected"):
            assert "???" not in text


@pytest.mark.parametrize("case", REFUSED, ids=lambda c: c.folder.name)
def test_refusal_says_why_and_what_would_do(case: Any) -> None:
    from rftconf.convert.convert import convert
    from rftconf.text.read.read import read
    from rftconf.text.source import open_source

    document = read(open_source(case.folder / case.source))
    with pytest.raises(RefusedError) as refused:
        convert(document, case.to, to_release=case.releases[0], **arguments(case.options))
    answer = (case.folder / "report.txt").read_text()
    assert f"rftconf: {refused.value.message}" in answer
    assert refused.value.choices
    assert all(f"possible: {choice}" in answer for choice in refused.value.choices)
    assert not list(case.folder.glob("expected*"))


def arguments(options: tuple[str, ...]) -> dict[str, Any]:
    """The options of a refused case as arguments of `convert`."""
    names = {"--rollout-gpus": ("rollout_gpus", int), "--rows": ("rows", int), "--form": ("form", str)}
    pairs = zip(options[::2], options[1::2], strict=True)
    return {names[option][0]: names[option][1](value) for option, value in pairs}


def test_every_case_was_reviewed() -> None:
    assert [case.folder.name for case in CASES if not (case.folder / "NOTES.md").exists()] == []
