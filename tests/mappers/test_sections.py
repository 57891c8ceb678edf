"""A section that is written as a value, with keys below it: the file that is made holds the keys, and the ledger says so."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.ledger import State
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint.rule import Example, trinity
from rftconf.load.load import load
from tests.fuzz.verbs import document_of

SELECTOR = "buffer.explorer_input.taskset.task_selector"


def converted(example: Example, to: str) -> tuple[dict[str, State], str, tuple[str, ...]]:
    document = document_of(example)
    assert document is not None
    done = convert_loaded(load(document, framework=example.framework), to, Options())
    return {line.key: line.state for line in done.ledger.sources}, done.text, done.ledger.notes


@pytest.mark.parametrize("value", ["???", "5", "${nowhere.at.all}"])
def test_keys_win_over_a_value_for_their_section(value: str) -> None:
    states, text, notes = converted(trinity(f"{SELECTOR}={value}"), "trinity")
    (taskset,) = yaml.safe_load(text)["buffer"]["explorer_input"]["tasksets"]
    assert isinstance(taskset["data_selector"], dict)
    assert states[SELECTOR] is State.NARROWED
    assert any("whole section" in note and "data_selector" in note for note in notes)


def test_an_empty_section_says_nothing() -> None:
    _, text, notes = converted(trinity("trainer={}"), "trinity")
    assert isinstance(yaml.safe_load(text), dict)
    assert not any("whole section" in note for note in notes)


@pytest.mark.parametrize("to", ["verl", "roll", "chatlearn"])
def test_a_sentence_names_an_open_value_as_its_key(to: str) -> None:
    example = trinity("buffer.explorer_input.taskset.subset_name=???")
    document = document_of(example)
    assert document is not None
    done = convert_loaded(load(document, framework="trinity"), to, Options())
    (line,) = (source for source in done.ledger.sources if source.key == "buffer.explorer_input.taskset.subset_name")
    assert "OpenKey" not in line.reason
    assert "export buffer.explorer_input.taskset.subset_name to it" in line.reason
