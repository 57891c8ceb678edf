"""A file with the answers to all questions of a conversion: what is asked, as comments, and null until it is answered."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.record import record
from rftconf.base.secrets import masked
from rftconf.base.span import Place
from rftconf.base.symbols import Value
from rftconf.convert.questions.questions import Answer, Question
from rftconf.report.wording import without_citations
from rftconf.text.read.read_plan import tree_of

VERSION = 1
DIALECT = "https://json-schema.org/draft/2020-12/schema"
_WIDE = 100


@record
class FileAnswers:
    """The answers of a file by question, without those that are still null, and where each stands."""

    values: Mapping[str, Value]
    places: Mapping[str, Place]

    def below(self, prefix: str) -> FileAnswers:
        """The answers whose questions are named so, without that part of their names."""
        cut = len(prefix)
        values = {name[cut:]: value for name, value in self.values.items() if name.startswith(prefix)}
        return FileAnswers(
            values, {name[cut:]: place for name, place in self.places.items() if name.startswith(prefix)}
        )


def questions_text(
    questions: Sequence[Question], title: str, command: str, answers: Mapping[str, Value] | None = None
) -> str:
    """The file: YAML that `read_answers` takes, with what each answer does above it; `answers` are filled in already.

    `title` says what is converted, `command` how the answers are used.
    """
    answers = answers or {}
    lines = [
        f"# Questions of a conversion: {title}",
        "# Replace null where you have an answer; a null stays open. Then:",
    ]
    lines += [f"#   {command}", f"version: {VERSION}", "answers:" if questions else "answers: {}"]
    for number, question in enumerate(questions, 1):
        lines += (f"  # {line}".rstrip() for line in _question_lines(number, question))
        lines.append(f"  {_quoted(question.name)}: {json.dumps(answers.get(question.name), ensure_ascii=False)}")
    return "".join(f"{line}\n" for line in lines)


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _question_lines(number: int, question: Question) -> Iterator[str]:
    def wrapped(text: str, lead: str = "") -> Iterator[str]:
        clean = " ".join(without_citations(masked(text)).split())
        pad = " " * len(lead)
        yield from textwrap.wrap(
            clean, _WIDE, initial_indent=lead, subsequent_indent=pad, break_long_words=False, break_on_hyphens=False
        )

    yield from wrapped(f"{number}. {question.why}")
    if question.has:
        yield from wrapped(question.has, "   in the source: ")
    if question.now:
        yield from wrapped(question.now, "   written now: ")
    for choice in question.choices:
        does = f": {choice.does}" if choice.does else ""
        flag = f" ({choice.flag})" if choice.flag and choice.to != "key" else ""
        yield from wrapped(f"{choice.answer}{does}{flag}", "   - ")
    if question.takes:
        kind = "an" if question.takes[0] in "aeiou" else "a"
        free_text = "another " if question.choices else f"{kind} "
        yield from wrapped(f"{free_text}{question.takes} ({question.flag})", "   - ")
    for advice in question.advice:
        yield from wrapped(advice, "   by hand: ")


def read_answers(name: str, text: str) -> FileAnswers:
    """The answers of a file. Raises UsageError with the place where it is no such file."""
    tree = tree_of(name, text, "file of answers")
    if tree.problems:
        message, place = tree.problems[0]
        raise UsageError(f"{place}: {message}")
    data = tree.data
    if not isinstance(data, dict) or "answers" not in data or not isinstance(data["answers"], (dict, type(None))):
        raise UsageError(
            f"{name}: a file of answers has `answers:` with a value for each question; --questions FILE writes one"
        )
    if data.get("version", VERSION) != VERSION:
        raise UsageError(f"{tree.place(('version',))}: this is version {data['version']}, and rftconf reads {VERSION}")
    more = [key for key in data if key not in ("version", "answers")]
    if more:
        raise UsageError(f"{tree.keys[(more[0],)]}: {more[0]} is neither version nor answers")
    answers = data["answers"] or {}
    places = {key: tree.keys[("answers", key)] for key in answers}
    return FileAnswers({key: value for key, value in answers.items() if value is not None}, places)


def answers_taken_from_file(given_answers: FileAnswers, questions: Mapping[str, Question]) -> dict[str, Answer]:
    """Return the effect of each answer. Raises UsageError, with the place, for one that its question does not take."""
    answers = {}
    for name, value in given_answers.values.items():
        question = questions.get(name)
        if question is None:
            continue
        answer = question.effect_of_answer(value)
        if answer is None:
            raise UsageError(
                f"{given_answers.places[name]}: {name} does not take {json.dumps(value)}; {_takes(question)}"
            )
        answers[name] = answer
    return answers


def _takes(question: Question) -> str:
    words = [choice.answer for choice in question.choices]
    if question.takes:
        words.append({"integer": "a whole number", "number": "a number"}.get(question.takes, "a text"))
    return f"it takes {' or '.join(words)}"


def refuse_strangers(given_answers: FileAnswers, questions: Mapping[str, Question]) -> None:
    """Raises UsageError for the first answer that no question asks for, with the nearest name."""
    for name in given_answers.values:
        if name not in questions:
            near = get_close_matches(name, questions, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else f"; it asks for {', '.join(questions) or 'nothing'}"
            raise UsageError(f"{given_answers.places[name]}: {name} is no question of this conversion{hint}")


def answers_schema(questions: Sequence[Question] | None = None) -> dict[str, Any]:
    """The JSON Schema of a file of answers; of one conversion's, where its questions are given."""
    value = {"type": ["null", "string", "number", "boolean", "array"]}
    answers: dict[str, Any] = {"type": ["object", "null"], "additionalProperties": value}
    if questions is not None:
        answers = {
            "type": ["object", "null"],
            "properties": {question.name: _schema(question) for question in questions},
            "additionalProperties": False,
        }
    return {
        "$schema": DIALECT,
        "title": "Answers to the questions of rftconf convert",
        "type": "object",
        "properties": {"version": {"const": VERSION}, "answers": answers},
        "required": ["answers"],
        "additionalProperties": False,
    }


def _schema(question: Question) -> dict[str, Any]:
    words: list[Any] = [choice.answer for choice in question.choices]
    words += [int(word) for word in words if word.isdigit()]
    fixed = {"enum": [None, *words]}
    if not question.takes:
        return {"description": question.why, **fixed}
    free = {"integer": "integer", "number": "number"}.get(question.takes)
    kind = {"type": free} if free else {"type": ["string", "number", "boolean", "array"]}
    return {"description": question.why, "anyOf": [fixed, kind]}
