"""`rftconf convert` with a file of answers: each is given to the option or the key that its question names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.errors import UsageError
from rftconf.record import record

if TYPE_CHECKING:
    from rftconf.answers_file import Given
    from rftconf.cli.many import Job
    from rftconf.convert import Conversion
    from rftconf.questions import Answer, Question
    from rftconf.text.source import Source

MOST_BYTES = 1024 * 1024
"""The largest file of answers that is read; one for a conversion with every question has some 20 kB."""
_ROUNDS = 5
"""An answer may bring up another question (a layout, then its split); no chain of them is longer."""


@record
class Answering:
    """What came of a source: the job with the answers in it, the conversion, and every question that was asked."""

    job: Job
    done: Conversion
    questions: dict[str, Question]


def given_by(path: Path | None, *, certify: bool) -> Given | None:
    """Read the answers of a file.

    Raises UsageError where it is no such file or a certificate is asked for, UnreadableError where it cannot be read.
    """
    from rftconf.answers_file import read_answers
    from rftconf.text.source import open_source

    if path is None:
        return None
    if certify:
        raise UsageError("--certify: a certificate does not hold a file of answers; give them by options instead")
    source = open_source(path, MOST_BYTES)
    return read_answers(source.name, source.text)


def answered(opened: Source, path: str, job: Job, done: Conversion, given: Given | None) -> Answering:
    """Convert again as the answers say; `done` is what came of `opened` without them.

    Raises UsageError for an answer that no question asks for, or that its question does not take.
    """
    from rftconf.answers_file import refuse_strangers, taken
    from rftconf.questions import questions_of

    known = {one.name: one for one in questions_of(done.ledger)}
    if given is None:
        return Answering(job, done, known)
    settled: dict[str, Answer] = {}
    mine = job
    for _ in range(_ROUNDS):
        found = taken(given, {name: one for name, one in known.items() if name not in settled})
        if not found:
            break
        settled.update(found)
        mine = _with(job, settled)
        done = _convert(opened, path, mine)
        known.update((one.name, one) for one in questions_of(done.ledger) if one.name not in known)
    refuse_strangers(given, known)
    return Answering(mine, done, known)


def _convert(opened: Source, path: str, job: Job) -> Conversion:
    from rftconf.cli.loading import read_source
    from rftconf.convert import convert_loaded
    from rftconf.load import load

    document = read_source(opened, path, job.how)
    loaded = load(document, framework=job.how.framework, release=job.how.release, rows=job.rows, assume=job.assume)
    return convert_loaded(loaded, job.target, job.options)


def _with(job: Job, answers: Mapping[str, Answer]) -> Job:
    """The same job with the options that the answers stand for. Raises UsageError where two of them disagree."""
    from rftconf.cli.reading import assumptions, with_arguments

    said: dict[tuple[str, str], str] = {}
    for question, answer in answers.items():
        text = _text(answer.value)
        if answer.to not in ("key", "keep") and said.setdefault((answer.to, answer.name), text) != text:
            raise UsageError(
                f"{question}: {text}, and another answer says {said[(answer.to, answer.name)]} for the same"
            )
    bound = {name: text for (to, name), text in said.items() if to == "set"}
    assumed = assumptions([f"{name}={text}" for (to, name), text in said.items() if to == "assume"])
    how = replace(job.how, bindings={**bound, **job.how.bindings})
    args = said.get(("args", ""))
    how = with_arguments(how, args) if args is not None else how
    rows, gpus = (_count(said.get((to, "")), to) for to in ("rows", "rollout-gpus"))
    options = replace(
        job.options,
        rollout_gpus=gpus or job.options.rollout_gpus,
        layout=said.get(("layout", ""), job.options.layout),
        answers=dict(answers),
    )
    return replace(job, how=how, options=options, rows=rows or job.rows, assume={**assumed, **job.assume})


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _count(text: str | None, what: str) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) < 1:
        raise UsageError(f"{what}: {text} is no number above 0")
    return int(text)


def write_questions(path: Path | None, source: str, found: Answering, given: Given | None) -> None:
    """The file of questions, where one is asked for, with the answers that were given already."""
    import shlex

    from rftconf.answers_file import questions_text
    from rftconf.cli import output as out
    from rftconf.schemas.registry import framework

    if path is None:
        return
    ledger = found.done.ledger
    names = ((ledger.source_framework, ledger.source_release), (ledger.target_framework, ledger.target_release))
    title = " to ".join(f"{framework(name).title} {release}" for name, release in names)
    command = shlex.join(["rftconf", "convert", source, "--to", found.job.target, "--answers", str(path)])
    values = given.values if given is not None else {}
    out.product(questions_text(tuple(found.questions.values()), title, command, values), path)
