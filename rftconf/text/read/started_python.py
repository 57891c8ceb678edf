"""A launcher in Python that a script starts and that lies beside it: it is followed with the arguments the script gives it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rftconf.base.symbols import Expr
from rftconf.text.document import Document
from rftconf.text.files_beside import text_beside
from rftconf.text.hydra.override_parser import Argument
from rftconf.text.launch.trainers import WORDS
from rftconf.text.read.argparse_options import name_in
from rftconf.text.read.launcher_options import with_launcher
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.shell import Command


def python_beside(command: Command, arguments: Sequence[Argument], options: ReadOptions) -> Document | None:
    """The run that the launcher makes of `arguments`; None where it is not here or is no launcher whose values can be followed."""
    name = command.name
    file = text_beside(command.place.file, name, options.sources) if name.endswith(".py") else None
    if file is None or not any(word in file.text for word in WORDS):
        return None
    from rftconf.text.read.read_python import read_python

    document = read_python(file, replace(options, args=()), tuple(_parts(arguments)))
    if not document.readable or not document.leaves:
        return None
    return replace(document, leaves=with_launcher(document.leaves, command, options))


def _parts(arguments: Sequence[Argument]) -> Iterator[str | Expr]:
    """The options, each in front of its value."""
    for word in arguments:
        name, value = name_in(word.value)
        yield f"--{name}" if name else word.value
        if value is not None:
            yield value
