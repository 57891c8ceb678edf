"""Text of `$(...)`, where its programs only make text of text (text_programs.py), and of `cd FOLDER && pwd`. No program is run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from posixpath import normpath

from rftconf.base.symbols import formula
from rftconf.text.shell.expand.substitutions import without_ends
from rftconf.text.shell.expand.text_programs import OF_ARGUMENTS, OF_INPUT, OF_PATHS
from rftconf.text.shell.parse.nodes import AndOr, ArithPart, Command, CommandPart, Param, Pipeline, Simple, WordNode
from rftconf.text.shell.state.machine import WordExpander
from rftconf.text.shell.state.written_files import input_of
from rftconf.text.shell.values import Known, Piece, Word

Printed = tuple[Known, tuple[Word, ...]]
"""The text, and the variables that it came from."""
MAX_WORDS, MAX_CHARACTERS = 64, 4000
"""The most words that a command is given here, and characters of a text: a replacement can multiply."""
_GLOB = re.compile(r"[*?\[]")
_QUIET = ("/dev/null", "1")


def piece_of(expander: WordExpander, part: CommandPart) -> Piece | None:
    """Return the text of a substitution where it is known: `$(cat <<EOF ...)`, which stands in the script, or what programs
    make of text."""
    if part.given and "cat" not in expander.shell.functions:
        word = input_of(expander.shell, expander, part.given, None)
        return None if word is None else (without_ends(word.value), part.start, part.end, (word,), 0)
    output = printed(expander, part.inside) if part.inside else None
    if output is None:
        return None
    for origin in output[1]:
        expander.shell.secrets.follow(origin.value, output[0])
    return output[0], part.start, part.end, output[1][:8], -1


def printed(expander: WordExpander, inside: Sequence[Command]) -> Printed | None:
    """Return the output of a substitution's commands, without line ends; None where only running them would tell."""
    only = inside[0] if len(inside) == 1 else None
    if isinstance(only, Simple) or (isinstance(only, Pipeline) and not only.negated):
        output, origins = None, tuple[Word, ...]()
        for command in only.commands if isinstance(only, Pipeline) else (only,):
            output = (
                _of_program(expander, command, output[0] if output else None) if isinstance(command, Simple) else None
            )
            if output is None:
                return None
            origins += output[1]
        return None if output is None else (without_ends(output[0]), origins)
    if isinstance(only, AndOr) and only.ops == ["&&"] and not only.background:
        return _of_folder(expander, *only.items)
    return None


def _of_program(expander: WordExpander, command: Simple, input_text: Known | None) -> Printed | None:
    arguments = _arguments(expander, command)
    if not arguments or not isinstance(name := arguments[0].value, str) or name in expander.shell.functions:
        return None
    values = [word.value for word in arguments[1:]]
    origins = tuple(origin for word in arguments[1:] for piece in word.pieces for origin in piece[3])
    if name in OF_PATHS and input_text is None and values and all(isinstance(value, str) for value in values[1:]):
        path: Known | None = OF_PATHS[name](values[0], [str(value) for value in values[1:]])
        return None if path is None else (f"{path}\n" if isinstance(path, str) else path, origins)
    known = [value for value in values if isinstance(value, str)]
    if len(known) < len(values):
        return None
    if input_text is not None:
        result = OF_INPUT[name](known, input_text) if name in OF_INPUT and isinstance(input_text, str) else None
    else:
        result = OF_ARGUMENTS[name](known) if name in OF_ARGUMENTS else None
    return None if result is None or _is_long(result) else (result, origins)


def _is_long(value: Known) -> bool:
    return isinstance(value, str) and len(value) > MAX_CHARACTERS


def _arguments(expander: WordExpander, command: Simple, *, prints: bool = True) -> list[Word]:
    """Return the words of a command that sets no variable and reads no file; `prints`: its output is not sent away. Empty for
    any other command, and where a word may stand for names of files."""
    redirects = [redirect for redirect in command.redirects if redirect.descriptor != "2"] if prints else []
    if command.assigns or redirects or any(redirect.target.plain not in _QUIET for redirect in command.redirects):
        return []
    arguments: list[Word] = []
    for node in command.words:
        if not isinstance(node, WordNode) or not all(_only_reads(part) for part in node.parts):
            return []
        words = expander.words(node)
        if not all(part.quoted for part in node.parts) and any(_GLOB.search(formula(word.value)) for word in words):
            return []
        arguments += words
    if len(arguments) > MAX_WORDS or any(_is_long(word.value) for word in arguments):
        return []
    if any(word.condition is not None or word.splits or word.lacks for word in arguments):
        return []
    return arguments


def _only_reads(part: object) -> bool:
    """Tell whether a part of a word sets no variable and does not end the script."""
    if isinstance(part, Param):
        return "=" not in part.op and "?" not in part.op
    return not isinstance(part, ArithPart)


def _of_folder(expander: WordExpander, first: Command, second: Command) -> Printed | None:
    """Return the folder of `cd FOLDER && pwd` as a path from the root; None where it is not known from there."""
    if not isinstance(first, Simple) or not isinstance(second, Simple):
        return None
    to, then = _arguments(expander, first, prints=False), _arguments(expander, second)
    if [word.value for word in then] not in (["pwd"], ["pwd", "-P"]) or len(to) < 2 or to[0].value != "cd":
        return None
    if [word.value for word in to[1:-1]] not in ([], ["--"], ["-P"]):
        return None
    folder = to[-1].value
    if not isinstance(folder, str) or not folder.startswith("/"):
        return None
    return normpath(folder), tuple(origin for piece in to[-1].pieces for origin in piece[3])


def printed_by_printf(words: Sequence[Known]) -> str | None:
    """Return what `printf` makes of its format and arguments; None where one is unknown, or for a format that is not read here."""
    known = [word for word in words if isinstance(word, str)]
    text_printed = OF_ARGUMENTS["printf"](known) if len(known) == len(words) else None
    return None if text_printed is None or _is_long(text_printed) else text_printed
