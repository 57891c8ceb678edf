"""The parts of a request that its conversion depends on: a certificate states these, and none that are invented."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from rftconf.base.errors import RftconfError, UsageError

if TYPE_CHECKING:
    from rftconf.verbs.convert_many import Job
    from rftconf.verbs.read_arguments import Reading

UNUSED = "SYN160"
"""The code of the finding that a value was given in vain; such a value is what is looked for here."""
MOST_GIVEN, MOST_CHARACTERS = 1_000, 100_000
"""Things that a certificate may be asked to state, and the characters of all of them."""
_WORK = 800_000
"""Characters that are read again at most to try what a conversion depends on."""
_READING, _CONVERTING = 1_000, 20_000
"""The fixed cost of reading a file and of converting it, as the number of characters whose reading takes as long."""


class NamedInput(NamedTuple):
    """One thing that was asked: a field, and the name or the place of an item where it holds several."""

    field: str
    item: Any = None


DEFAULTS = {"rollout_gpus": None, "form": "auto", "layout": None, "style": None, "adapters": None}


def least(job: Job, source: str, steps: Callable[[Job], Iterator[object]]) -> Job:
    """`job` without what the document and its conversion do not depend on; `steps` yields what is compared, step by step.

    Raises UsageError where so much is given that to try it would take too long.
    """
    inputs = list(named_inputs(job))
    if not inputs:
        return job
    length = _count_characters(inputs, job)
    document, whole = _document(source, job.how), tuple(steps(job))
    size, left = Path(source).stat().st_size + length, _WORK

    def same(removed: frozenset[NamedInput]) -> bool:
        nonlocal left
        smaller_job = without(job, removed)
        left -= size + _READING
        if left < 0:
            raise UsageError(
                f"the conversion depends on so many of the {len(inputs)} things that are given that a certificate "
                f"cannot try them all: write some of the values into the file, or convert without --certify"
            )
        try:
            if smaller_job.how != job.how and _document(source, smaller_job.how) != document:
                return False
            left -= _CONVERTING
            return all(now == then for now, then in zip(steps(smaller_job), whole, strict=False))
        except RftconfError:
            return False

    # what is not needed alone may be once another thing has gone
    while needless := frozenset(_not_needed(list(named_inputs(job)), same, frozenset())):
        job = without(job, needless)
    return job


def _count_characters(inputs: Sequence[NamedInput], job: Job) -> int:
    """Count the characters that are given. Raises UsageError for more than a certificate states."""
    how, options = job.how, job.options
    texts: list[object] = [*how.bindings.items(), *how.args, *job.assume.items(), *options.answers.items()]
    texts += (options.form, options.style, options.layout, options.adapters)
    length = sum(len(str(text)) for text in texts)
    if len(inputs) > MOST_GIVEN or length > MOST_CHARACTERS:
        raise UsageError(
            f"{len(inputs):,} values, arguments, answers and files are given, of {length:,} characters: a certificate "
            f"states at most {MOST_GIVEN:,}, of {MOST_CHARACTERS:,}"
        )
    return length


def _not_needed(
    group: Sequence[NamedInput], same: Callable[[frozenset[NamedInput]], bool], removed: frozenset[NamedInput]
) -> frozenset[NamedInput]:
    """`removed` and those of `group` that can go too: parted where another field begins, then halved, since most of a field go
    together or not at all."""
    if not group:
        return removed
    if same(removed | frozenset(group)):
        return removed | frozenset(group)
    if len(group) == 1:
        return removed
    middle = next((place for place, item in enumerate(group) if item.field != group[0].field), len(group) // 2)
    return _not_needed(group[middle:], same, _not_needed(group[:middle], same, removed))


def named_inputs(job: Job) -> Iterator[NamedInput]:
    """Yield each input of the request beyond the source and the target."""
    how = job.how
    for field in ("bindings", "environment"):
        yield from (NamedInput(field, name) for name in sorted(getattr(how, field)))
    yield from (NamedInput("sources", path) for path in dict.fromkeys(how.sources))
    last = len(how.args) - 1
    yield from (NamedInput("args", place) for place, text in enumerate(how.args) if text or place == last)
    yield from (NamedInput(field) for field in ("launch", "base") if getattr(how, field) is not None)
    yield from (NamedInput(field) for field, usual in DEFAULTS.items() if getattr(job.options, field) != usual)
    yield from (NamedInput("answers", name) for name in sorted(job.options.answers))
    if job.rows is not None:
        yield NamedInput("rows")
    yield from (NamedInput("assume", name) for name in sorted(job.assume))


def without(job: Job, removed: Iterable[NamedInput]) -> Job:
    """`job` without some of what was asked; arguments in front of others become empty, since those are counted."""
    removed_inputs = frozenset(removed)
    how, options = job.how, job.options
    mappings: dict[str, Any] = {
        field: {
            name: value for name, value in getattr(how, field).items() if NamedInput(field, name) not in removed_inputs
        }
        for field in ("bindings", "environment")
    }
    usual: dict[str, Any] = {field: value for field, value in DEFAULTS.items() if NamedInput(field) in removed_inputs}
    usual["answers"] = {
        name: answer for name, answer in options.answers.items() if NamedInput("answers", name) not in removed_inputs
    }
    args = ["" if NamedInput("args", place) in removed_inputs else text for place, text in enumerate(how.args)]
    while args and NamedInput("args", len(args) - 1) in removed_inputs:
        args.pop()
    return replace(
        job,
        how=replace(
            how,
            **mappings,
            args=tuple(args),
            sources=tuple(
                path for path in dict.fromkeys(how.sources) if NamedInput("sources", path) not in removed_inputs
            ),
            launch=None if NamedInput("launch") in removed_inputs else how.launch,
            base=None if NamedInput("base") in removed_inputs else how.base,
        ),
        options=replace(options, **usual),
        rows=None if NamedInput("rows") in removed_inputs else job.rows,
        assume={name: value for name, value in job.assume.items() if NamedInput("assume", name) not in removed_inputs},
    )


def _document(source: str, how: Reading) -> object:
    """Return the source's document without `environment`, which holds all given variables, and notes of unused ones."""
    from rftconf.verbs.open_input import open_document

    document = open_document(source, how)
    spoken = tuple(diagnostic for diagnostic in document.diagnostics if diagnostic.code != UNUSED)
    return replace(document, environment={}, diagnostics=spoken)
