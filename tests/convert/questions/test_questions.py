"""Questions and answers: what can be asked can be answered, all at once, and the same answers give the same bytes."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
import yaml

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import Value
from rftconf.convert.convert import Options, convert_loaded
from rftconf.convert.questions.answers_file import answers_schema, questions_text, read_answers
from rftconf.convert.questions.questions import Question, questions_of
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.verbs.answer_questions import convert_with_answers
from rftconf.verbs.convert_many import Job
from rftconf.verbs.read_arguments import Reading
from tests.corpus_conversions import FRAMEWORKS, sample
from tests.sources import PACKAGE

SAMPLES: dict[str, Value] = {"integer": 7473, "number": 0.5, "text": "one"}
"""An answer of each kind that is not one of the choices."""
EVERY = 23
GOLDEN = sorted((PACKAGE.parent / "golden").glob("*/*/input.*"))


def answer_to(question: Question) -> Value:
    """Its first choice, else any value of its kind."""
    choice = question.choices[0].answer if question.choices else ""
    return choice or SAMPLES[question.takes]


def check_law(name: str, text: str, to: str) -> None:
    """Ask, answer each, convert again: none of the questions is left, twice the same bytes, and the files are valid."""
    source = Source(name, text)
    job = Job(Reading(), to, Options(), None, "warn", {})
    done = convert_loaded(load(read(source)), to, Options())
    questions = questions_of(done.ledger)
    assert [question.name for question in questions] == [decision.key for decision in done.ledger.decisions]
    values = {question.name: answer_to(question) for question in questions}
    empty, filled = (questions_text(questions, "it", "again", values) for values in ({}, values))
    for written, new_values in ((empty, dict.fromkeys(values)), (filled, values)):
        data = yaml.safe_load(written)
        assert (data["answers"] or {}) == new_values
        jsonschema.validate(data, answers_schema())
        jsonschema.validate(data, answers_schema(questions))
    arguments = read_answers("answers.yaml", filled)
    assert arguments.values == values
    once, twice = (convert_with_answers(source, name, job, done, arguments).done for _ in range(2))
    remaining = {decision.key for decision in once.ledger.decisions}
    assert remaining.isdisjoint(values)
    assert once.text == twice.text
    nothing = convert_with_answers(source, name, job, done, read_answers("answers.yaml", empty)).done
    assert nothing.text == done.text
    assert nothing.ledger.decisions == done.ledger.decisions


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_the_law_holds_on_golden_cases(path: Path) -> None:
    count = 0
    for to in FRAMEWORKS:
        try:
            convert_loaded(load(read(Source(path.name, path.read_text()))), to, Options())
        except RftconfError:
            continue
        check_law(path.name, path.read_text(), to)
        count += 1
    assert count or path.parent.parent.name == "refused"


@pytest.mark.parametrize("to", FRAMEWORKS)
def test_the_law_holds_on_the_corpus(to: str) -> None:
    count = 0
    for real in sample(EVERY):
        if real.beside or real.framework == to:
            continue
        try:
            convert_loaded(load(real.document()), to, Options())
        except RftconfError:
            continue
        check_law(f"source{real.suffix}", real.text, to)
        count += 1
    assert count > 1 or not sample(EVERY)
