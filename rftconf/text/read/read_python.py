"""A launcher written in Python as a Document: the keys that its GRPOConfig and its trainer are given. Nothing of it is run."""

from __future__ import annotations

from collections.abc import Sequence

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.span import Place, Span
from rftconf.base.symbols import Expr
from rftconf.text.document import Document, Launch
from rftconf.text.launch.trainers import CONFIG, PROGRAM, TRAINER, WORDS
from rftconf.text.python.follow import Follower
from rftconf.text.python.keys_of_run import RunKeys
from rftconf.text.python.parse import PythonError, parse
from rftconf.text.python.positions import Positions
from rftconf.text.python.state import MAX_STEPS, Budget
from rftconf.text.python.values import Instance
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

FORM = "python"
BROKEN, BEYOND_BOUNDS, OPEN = "SYN801", "SYN802", "SYN803"
_NOTHING = "no statement that is followed makes a GRPOConfig or a GRPOTrainer of TRL's"
_PARSED = "the trainer's arguments are made elsewhere, by a parser or in another file"


def read_python(source: Source, options: ReadOptions, arguments: Sequence[str | Expr] | None = None) -> Document:
    """Read a Python launcher without running or importing any of it. Never raises on bad input.

    `arguments` are those that a script starts it with, else the ones that `options` gives.
    """
    if not any(word in source.text for word in WORDS):
        return _empty(source, _error("SYN505", _NOTHING, Place(source.name, Span(0, 0, 1, 1)), _NAME))
    positions = Positions(source.name, source.text)
    follower = Follower(positions, options.bindings, options.environment)
    follower.arguments = options.args if arguments is None else tuple(arguments)
    try:
        follower.follow(parse(source.text))
        return _document(source, follower, options)
    except PythonError as error:
        code, help_ = (BROKEN, "") if error.broken else (BEYOND_BOUNDS, "give its values in a YAML")
        return _empty(source, _error(code, error.message, positions.point(error.line, error.col), help_))
    except (Budget, RecursionError) as error:
        what = f"it takes more than {MAX_STEPS:,} steps" if isinstance(error, Budget) else "it is nested too deeply"
        return _empty(
            source, _error(BEYOND_BOUNDS, f"this launcher is not followed: {what}", positions.point(1, 1), "")
        )


_NAME = "name the file that makes the trainer, or the script that starts it"


def _error(code: str, message: str, place: Place, help_: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, place, help=help_)


def _empty(source: Source, *diagnostics: Diagnostic) -> Document:
    return Document(source.name, source.text, FORM, (), diagnostics)


def _document(source: Source, follower: Follower, options: ReadOptions) -> Document:
    candidates = _candidates(follower)
    if not candidates:
        return _empty(source, _error("SYN505", _NOTHING, Place(source.name, Span(0, 0, 1, 1)), _NAME))
    number, notes = _choose(candidates, options)
    if number is None:
        return _empty(source, *notes)
    chosen = candidates[number]
    config = _config(follower, chosen)
    if chosen.kind == TRAINER and config is None and "args" in chosen.fields:
        place = chosen.fields["args"].place
        return _empty(source, *notes, _error("SYN505", f"{_NOTHING} for this trainer: {_PARSED}", place, _NAME))
    keys = RunKeys(follower)
    keys.add_run(chosen, config)
    return Document(
        source.name,
        source.text,
        FORM,
        tuple(keys.leaves),
        (*notes, *keys.diagnostics, *_changed_rows(follower)),
        Launch(PROGRAM, chosen.place),
        tuple(Launch(PROGRAM, candidate.place) for candidate in candidates),
        unread=tuple(keys.unread),
    )


def _candidates(follower: Follower) -> list[Instance]:
    """The trainers that the text makes, each once; where it makes none, its configs."""
    instances = [follower.state.objects[ref.number] for ref in follower.made]
    trainers = [instance for instance in instances if instance.kind == TRAINER]
    return list({instance.place: instance for instance in trainers or instances}.values())


def _config(follower: Follower, chosen: Instance) -> Instance | None:
    """The config that a trainer is given, or that stands alone."""
    if chosen.kind == CONFIG:
        return chosen
    datum = chosen.fields.get("args")
    config = follower.state.instance(datum.value) if datum is not None else None
    return config if config is not None and config.kind == CONFIG else None


def _choose(candidates: Sequence[Instance], options: ReadOptions) -> tuple[int | None, tuple[Diagnostic, ...]]:
    """The run to read, by its number, and what the reader should know about the others."""
    launch_number = options.launch
    listing = "; ".join(f"{number}: line {c.place.span.line}" for number, c in enumerate(candidates[:_LISTED], 1))
    labels = tuple(Label(c.place, f"launch {number}") for number, c in enumerate(candidates[:_LISTED], 1))
    if launch_number is not None and not 1 <= launch_number <= len(candidates):
        message = f"there is no launch {launch_number}; the file has {listing}"
        return None, (Diagnostic("SYN506", Severity.ERROR, message, candidates[0].place, labels),)
    if launch_number is not None or len(candidates) == 1:
        return (launch_number or 1) - 1, ()
    message = f"the file makes several trainers; launch 1 is read ({listing})"
    help_ = "choose another with --launch N"
    return 0, (Diagnostic("SYN506", Severity.WARNING, message, candidates[0].place, labels, help_),)


_LISTED = 8


def _changed_rows(follower: Follower) -> list[Diagnostic]:
    """Notes on calls after which a data set has other rows."""
    notes = {}
    for name, node in follower.rows:
        place = follower.positions.place(node)
        message = f".{name}() gives the data set other rows: how many there are is not read"
        notes[place] = Diagnostic(OPEN, Severity.INFO, message, place, help="--rows N says it")
    return list(notes.values())
