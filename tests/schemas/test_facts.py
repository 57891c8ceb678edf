"""The committed catalogues against independent extractions of the same packages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rftconf.schemas import catalogue
from rftconf.schemas.registry import FRAMEWORKS
from tests.schemas.shared import FACTS, needs_facts

pytestmark = needs_facts
KEYS = FACTS / "keys"


def lines(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


@pytest.mark.parametrize("release", FRAMEWORKS["verl"].releases)
@pytest.mark.parametrize("trainer", ["fsdp", "megatron"])
def test_verl(release: str, trainer: str) -> None:
    infix = "megatron_" if trainer == "megatron" else ""
    rows = lines(KEYS / f"verl_keys_{infix}{release}.txt")
    known = catalogue.load("verl", release, trainer)
    in_yaml = {row[0]: json.loads(row[1]) for row in rows if not row[0].startswith("+")}
    raw = {row[0]: row[2] for row in rows if len(row) > 2 and not row[0].startswith("+")}
    ours = {name: key for name, key in known.keys.items() if not key.plus_only}
    assert set(ours) == set(in_yaml)
    for name, key in ours.items():
        assert key.default == in_yaml[name], name
        assert key.interpolation == raw.get(name), name
    # A line that ends in `!` is an import that failed; a mandatory key of the YAML is listed there a second time.
    plus = {row[0][1:] for row in rows if row[0].startswith("+") and not row[0].endswith("!")} - set(in_yaml)
    assert {name for name, key in known.keys.items() if key.plus_only} == plus


@pytest.mark.parametrize("release", FRAMEWORKS["trinity"].releases)
def test_trinity(release: str) -> None:
    rows = {row[0]: row for row in lines(KEYS / f"trinity_keys_{release}.txt")}
    sections = {name for name, row in rows.items() if row[2] == '"{...}"'}
    known = catalogue.load("trinity", release)
    assert set(known.keys) <= set(rows)
    assert set(rows) - set(known.keys) <= sections
    for name, key in known.keys.items():
        default = json.loads(rows[name][2])
        if name not in sections:
            assert key.default == ("???" if default == "<required>" else default), name
        assert key.optional == (rows[name][1].startswith(("Optional", "Union")) or rows[name][1] == "Any"), name
