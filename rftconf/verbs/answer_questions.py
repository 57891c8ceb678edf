"""`rftconf convert` with a file of answers: each is given to the option or the key that its question names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from rftconf.base.errors import UsageError
from rftconf.base.record import record

if TYPE_CHECKING:
    from rftconf.convert.convert import Conversion
    from rftconf.convert.questions.answers_file import FileAnswers
    from rftconf.convert.questions.questions import Answer, Question
    from rftconf.convert.stage_series import Series
    from rftconf.text.source import Source
    from rftconf.verbs.convert_many import Job

MOST_BYTES = 1024 * 1024
"""The largest file of answers that is read; one for a conversion with every question has some 20 kB."""
_ROUNDS = 5
"""An answer may bring up another question (a layout, then its split); no chain of them is longer."""


Made = TypeVar("Made", bound="Conversion | Series")


@record
class Answering(Generic[Made]):
    """The result of one source: the job with the answers in it, the conversion, and every question that was asked."""

    job: Job
    done: Made
    questions: dict[str, Question]


def given_by(path: Path | None) -> FileAnswers | None:
    """Read the answers of a file. Raises UsageError where it is no such file, UnreadableError where it cannot be read."""
    from rftconf.convert.questions.answers_file import read_answers
    from rftconf.text.source import open_source

    if path is None:
        return None
    source = open_source(path, MOST_BYTES)
    return read_answers(source.name, source.text)


def convert_with_answers(
    opened: Source, path: str, job: Job, done: Made, answers: FileAnswers | None
) -> Answering[Made]:
    """Convert again as the answers say; `done` is what came of `opened` without them, as one run or as several.

    Raises UsageError for an answer that no question asks for, or that its question does not take.
    """
    from rftconf.convert.questions.answers_file import refuse_strangers

    answering = _answered(opened, path, job, done, answers)
    if answers is not None:
        refuse_strangers(answers, answering.questions)
    return answering


def _answered(opened: Source, path: str, job: Job, done: Made, answers: FileAnswers | None) -> Answering[Made]:
    from rftconf.convert.questions.answers_file import answers_taken_from_file

    known = {question.name: question for question in _questions(done)}
    if answers is None:
        return Answering(job, done, known)
    settled: dict[str, Answer] = {}
    mine = job
    for _ in range(_ROUNDS):
        taken = answers_taken_from_file(
            answers, {name: question for name, question in known.items() if name not in settled}
        )
        if not taken:
            break
        settled.update(taken)
        mine = _with(job, settled, several=_is_series(done))
        done = _convert(opened, path, mine, type(done))
        known.update((question.name, question) for question in _questions(done) if question.name not in known)
    return Answering(mine, done, known)


def _is_series(done: Conversion | Series) -> bool:
    from rftconf.convert.stage_series import Series

    return isinstance(done, Series)


def _questions(done: Conversion | Series) -> Sequence[Question]:
    from rftconf.convert.questions.questions import questions_of
    from rftconf.convert.stage_series import Series

    return done.questions if isinstance(done, Series) else questions_of(done.ledger)


def _convert(opened: Source, path: str, job: Job, kind: type[Made]) -> Made:
    from rftconf.convert.convert import convert_loaded
    from rftconf.convert.stage_series import Series, convert_series
    from rftconf.load.load import load
    from rftconf.verbs.open_input import read_source

    document = read_source(opened, path, job.how)
    loaded = load(document, framework=job.how.framework, release=job.how.release, rows=job.rows, assume=job.assume)
    convert = convert_series if kind is Series else convert_loaded
    return cast("Made", convert(loaded, job.target, job.options))


class Folder(NamedTuple):
    """The questions about the files of a folder: the job of each file with its answers, and all questions by name."""

    jobs: dict[str, Job]
    questions: dict[str, Question]


def answered_below(folder: Path, job: Job, answers: FileAnswers | None) -> Folder:
    """The questions of all configs below a folder, named by their files, and the jobs that have their answers.

    A file that does not convert asks nothing. Raises UsageError for an answer that no question asks for, or that its
    question does not take.
    """
    from rftconf.base.errors import RftconfError
    from rftconf.convert.questions.answers_file import refuse_strangers
    from rftconf.verbs.find_files import candidates

    jobs: dict[str, Job] = {}
    questions: dict[str, Question] = {}
    for path in (Path(candidate.path) for candidate in candidates([str(folder)])):
        name = f"{path.relative_to(folder).as_posix()}: "
        own = None if answers is None else answers.below(name)
        try:
            opened, done = _first(path, job)
        except RftconfError:
            continue  # said when it is converted
        answered = _answered(opened, str(path), job, done, own)
        jobs[str(path)] = answered.job
        questions |= {
            f"{name}{question.name}": replace(question, name=f"{name}{question.name}")
            for question in answered.questions.values()
        }
    if answers is not None:
        refuse_strangers(answers, questions)
    return Folder(jobs, questions)


def _first(path: Path, job: Job) -> tuple[Source, Conversion | Series]:
    from rftconf.convert.convert import Conversion
    from rftconf.convert.stage_series import Series, is_series
    from rftconf.lint import recognise_config as config_of
    from rftconf.load.load import load
    from rftconf.text.source import open_source
    from rftconf.verbs.open_input import read_source

    opened = open_source(str(path))
    document = read_source(opened, str(path), job.how)
    if document.readable and not config_of.is_config(document):
        raise UsageError(f"{path} is no config of a known framework")
    loaded = load(document, framework=job.how.framework, release=job.how.release, rows=job.rows, assume=job.assume)
    kind: type[Conversion | Series] = Series if is_series(loaded, job.target) else Conversion
    return opened, _convert(opened, str(path), job, kind)


def _with(job: Job, answers: Mapping[str, Answer], *, several: bool) -> Job:
    """The same job with the options that the answers stand for. Raises UsageError where two of them disagree.

    Of `several` runs each has a layout of its own.
    """
    from rftconf.verbs.read_arguments import assumptions, with_arguments

    keys_by_name: dict[tuple[str, str], str] = {}
    for question, answer in answers.items():
        text = _text(answer.value)
        if several and answer.to in ("rollout-gpus", "layout"):
            continue
        if answer.to not in ("key", "keep") and keys_by_name.setdefault((answer.to, answer.name), text) != text:
            raise UsageError(
                f"{question}: {text}, and another answer says {keys_by_name[(answer.to, answer.name)]} for the same"
            )
    bound = {name: text for (to, name), text in keys_by_name.items() if to == "set"}
    assumed = assumptions([f"{name}={text}" for (to, name), text in keys_by_name.items() if to == "assume"])
    how = replace(job.how, bindings={**bound, **job.how.bindings})
    args = keys_by_name.get(("args", ""))
    how = with_arguments(how, args) if args is not None else how
    rows, gpus = (_count(keys_by_name.get((to, "")), to) for to in ("rows", "rollout-gpus"))
    options = replace(
        job.options,
        rollout_gpus=gpus or job.options.rollout_gpus,
        layout=keys_by_name.get(("layout", ""), job.options.layout),
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


def write_questions(path: Path | None, source: str, answering: Answering[Any], answers: FileAnswers | None) -> None:
    """The file of questions, where one is asked for, with the answers that were given already."""
    from rftconf.schemas.registry import framework

    ledger = answering.done.ledger
    names = ((ledger.source_framework, ledger.source_release), (ledger.target_framework, ledger.target_release))
    title = " to ".join(f"{framework(name).title} {release}" for name, release in names)
    _write(path, source, answering.job.target, title, answering.questions, answers)


def write_questions_below(
    path: Path | None, folder: Path, target: str, folder_answers: Folder, answers: FileAnswers | None
) -> None:
    """The file of the questions of all configs below a folder, likewise."""
    from rftconf.schemas.registry import framework

    _write(path, str(folder), target, f"{folder} to {framework(target).title}", folder_answers.questions, answers)


def _write(
    path: Path | None,
    source: str,
    target: str,
    title: str,
    questions: Mapping[str, Question],
    answers: FileAnswers | None,
) -> None:
    import shlex

    from rftconf.convert.questions.answers_file import questions_text
    from rftconf.verbs import output as out

    if path is None:
        return
    command = shlex.join(["rftconf", "convert", source, "--to", target, "--answers", str(path)])
    values = answers.values if answers is not None else {}
    out.product(questions_text(tuple(questions.values()), title, command, values), path)
