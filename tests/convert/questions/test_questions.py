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


ANY_ANSWERS = jsonschema.Draft202012Validator(answers_schema())


def check_law(name: str, text: str, to: str) -> bool:
    """Ask, answer each, convert again: none of the questions is left, twice the same bytes, and the files are valid.

    False where the config is refused.
    """
    source = Source(name, text)
    job = Job(Reading(), to, Options(), None, "warn", {})
    try:
        done = convert_loaded(load(read(source)), to, Options())
    except RftconfError:
        return False
    questions = questions_of(done.ledger)
    assert [question.name for question in questions] == [decision.key for decision in done.ledger.decisions]
    values = {question.name: answer_to(question) for question in questions}
    empty, filled = (questions_text(questions, "it", "again", values) for values in ({}, values))
    schema = answers_schema(questions)
    for written, new_values in ((empty, dict.fromkeys(values)), (filled, values)):
        data = yaml.load(written, yaml.CSafeLoader)
        assert (data["answers"] or {}) == new_values
        ANY_ANSWERS.validate(data)
        jsonschema.validate(data, schema)
    arguments = read_answers("answers.yaml", filled)
    assert arguments.values == values
    once, twice = (convert_with_answers(source, name, job, done, arguments).done for _ in range(2))
    remaining = {decision.key for decision in once.ledger.decisions}
    assert remaining.isdisjoint(values)
    assert once.text == twice.text
    nothing = convert_with_answers(source, name, job, done, read_answers("answers.yaml", empty)).done
    assert nothing.text == done.text
    assert nothing.ledger.decisions == done.ledger.decisions
    return True


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.parent.name)
def test_the_law_holds_on_golden_cases(path: Path) -> None:
    text = path.read_text()
    count = sum(check_law(path.name, text, to) for to in FRAMEWORKS)
    assert count or path.parent.parent.name == "refused"


@pytest.mark.parametrize("to", FRAMEWORKS)
def test_the_law_holds_on_the_corpus(to: str) -> None:
    alone = [real for real in sample(EVERY) if not real.beside and real.framework != to]
    count = sum(check_law(f"source{real.suffix}", real.text, to) for real in alone)
    assert count > 1 or not sample(EVERY)
