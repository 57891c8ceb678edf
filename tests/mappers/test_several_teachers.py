"""Teachers under names of their own, each for the rows of a tag: the plan has one, so another framework's is asked for."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.sources import ROOT

OPEN = next((ROOT / "golden").glob("*/roll-distill-to-verl")) / "input.yaml"
SCRIPT = next((ROOT / "golden").glob("*/verl-distill-to-trinity")) / "input.sh"
TEACHER = "distillation.teacher_models."
PATHS = {
    "verl": f"{TEACHER}teacher_model.model_path",
    "trinity": "explorer.auxiliary_models[0].model_path",
    "roll": "teacher.model_args.model_name_or_path",
}


def of_roll() -> Document:
    tree: dict[str, Any] = yaml.safe_load(OPEN.read_text())
    teacher = tree["teacher"]
    tree["teacher"] = {name: {**teacher, "tag_included": [name]} for name in ("math", "code")}
    return read(Source("input.yaml", yaml.safe_dump(tree, sort_keys=False)))


def of_verl() -> Document:
    """Two beside `teacher_model`, which veRL takes out then."""
    named = "".join(
        f"    +{TEACHER}{name}.key={name} +{TEACHER}{name}.model_path=/m/{name} \\\n" for name in ("math", "code")
    )
    first = f"    {TEACHER}teacher_model.model_path"
    text = SCRIPT.read_text()
    assert first in text
    return read(Source("input.sh", text.replace(first, named + first)))


DOCUMENTS = {"roll": of_roll, "verl": of_verl}
DIRECTIONS = [(source, target) for source in DOCUMENTS for target in PATHS if source != target]


def out(done: Conversion) -> dict[str, Any]:
    return {line.key: line.value for line in done.ledger.targets}


@pytest.mark.parametrize("source", DOCUMENTS)
def test_none_of_them_is_taken_for_the_one(source: str) -> None:
    values = load(DOCUMENTS[source](), framework=source).stages[-1].values
    assert values["stage.kind"] == "distill"
    assert values["stage.placement.auxiliary[0].role"] == "teacher"
    assert values.get("stage.placement.auxiliary[0].path") is None


@pytest.mark.parametrize(("source", "target"), DIRECTIONS)
def test_another_frameworks_teacher_is_asked_for(source: str, target: str) -> None:
    done = convert(DOCUMENTS[source](), target, framework=source)
    assert PATHS[target] in {decision.key for decision in done.ledger.decisions}
    assert str(out(done).get(PATHS[target], "???")) == "???"
    keys = {line.key for line in done.ledger.sources if line.key.startswith(("teacher.", TEACHER))}
    assert {name for key in keys for name in ("math", "code") if f".{name}." in key} == {"math", "code"}


@pytest.mark.parametrize("source", DOCUMENTS)
def test_they_come_back_in_their_own_framework(source: str) -> None:
    document = DOCUMENTS[source]()
    done = convert(document, source, framework=source)
    own = {leaf.key: leaf.value for leaf in document.leaves if ".math." in leaf.key or ".code." in leaf.key}
    again = {leaf.key: leaf.value for leaf in read(Source(document.name, done.text)).leaves}
    assert len(own) >= 4
    assert {key: again.get(key) for key in own} == own
