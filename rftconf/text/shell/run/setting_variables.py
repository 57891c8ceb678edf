"""`read`, `mapfile`, `getopts` and `printf -v`: commands of the shell that give variables a value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from rftconf.base.secrets import is_credential
from rftconf.base.secrets.detection import is_named
from rftconf.base.symbols import Expr
from rftconf.text.shell.expand.fields import BLANKS
from rftconf.text.shell.expand.printed_text import printed_by_printf
from rftconf.text.shell.parse.nodes import Simple, WordNode
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome
from rftconf.text.shell.state.written_files import input_of
from rftconf.text.shell.values import Array, Piece, Word


def read(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`read`, `mapfile`, `getopts`: what they set is unknown."""
    shell = machine.shell
    if _read_all(machine, node, words):
        return False  # no NUL ends what it reads
    kind, names, array = words[0].value, list[str](), False
    skip = False
    for word in words[1:]:
        text = word.value
        if skip or not isinstance(text, str):
            skip = False
        elif text.startswith("-") and text != "-":
            array |= "a" in text and kind == "read"
            skip = text[-1] in "dnNptuiCcsO" and len(text) == 2
            if array and text[-1] == "a":
                skip = False
        elif text.isidentifier():
            names.append(text)
    reader = _read_fields if array else _read_line
    if kind == "read" and (outcome := reader(machine, node, words, names)) is not None:
        return outcome
    if kind == "getopts":
        if not shell.positional:
            return False
        names = [*names[-1:], "OPTARG", "OPTIND"]
    names = names or (["MAPFILE"] if kind in ("mapfile", "readarray") else ["REPLY"])
    for name in names:
        unknown = shell.unknown(name, node.start, node.end)
        if array or kind in ("mapfile", "readarray"):
            unknown.splits = True
            shell.assign(name, Array({0: unknown}, False, True, True))
        else:
            shell.assign(name, unknown)
    return ""


def _read_line(machine: Machine, node: Simple, words: list[Word], names: list[str]) -> Outcome | None:
    """`read -r a b <<< "x y"`: the first line of a known text, parted at blanks or IFS; None where what it sets is not known."""
    shell = machine.shell
    line = _known_line(machine, node, words, names, ([], ["-r"]))
    if line is None:
        return None
    fields = _first_fields(*line[1:], len(names))
    for name, field in zip_longest(names, fields, fillvalue=""):
        shell.assign(name, _part(machine, line[0], field, name))
    return "\n" in line[0].text


def _read_fields(machine: Machine, node: Simple, words: list[Word], names: list[str]) -> Outcome | None:
    """`IFS=, read -ra a <<< "x,y"`: the fields of the first line of a known text; None where they are not known."""
    line = _known_line(machine, node, words, names, (["-a"], ["-ra"], ["-r", "-a"]))
    if line is None or len(names) != 1:
        return None
    whole, text, mark = line
    fields = text.split(mark) if mark else [field for field in re.split(r"[ \t]+", text) if field]
    if mark and not fields[-1]:
        fields.pop()  # the end of a line closes a field, and a separator at its end has closed it already
    items: dict[int | str, Word] = {i: _part(machine, whole, field, names[0]) for i, field in enumerate(fields)}
    machine.shell.assign(names[0], Array(items))
    return "\n" in whole.text


class _Whole(NamedTuple):
    """A text that stands in the script, and the word that holds it."""

    text: str
    word: Word


def _known_line(
    machine: Machine, node: Simple, words: list[Word], names: list[str], forms: Sequence[list[str]]
) -> tuple[_Whole, str, str] | None:
    """Return a known text, its first line and the sign that parts it, "" for blanks; None where `read` is not followed.

    Nothing else of the text is more secret than what a credential's variable gets of it, whatever parts it.
    """
    shell = machine.shell
    word = input_of(shell, machine.expander, node.redirects, None) if node.redirects else None
    if word is None or not isinstance(word.value, str) or not names:
        return None
    line = word.value.partition("\n")[0]
    if any(map(is_credential, names)):
        shell.secrets.add(part for part in re.split(r"[\s:,;|]+", line) if is_named("password", part))
    options = [item.value for item in words[1 : len(words) - len(names)]]
    mark = _separator(node)
    plain = mark is not None and "IFS" not in shell.variables and not any(item.condition for item in words)
    if not plain or options not in forms or ("\\" in line and not any("r" in str(option) for option in options)):
        return None
    return _Whole(word.value, word), line, mark or ""


def _separator(node: Simple) -> str | None:
    """Return the one sign that `IFS=, read` parts at, "" for blanks; None for another IFS or another assignment."""
    if not node.assigns:
        return ""
    only = node.assigns[0]
    mark = only.value.plain_text() if isinstance(only.value, WordNode) and only.name == "IFS" else ""
    if len(node.assigns) > 1 or only.append or only.index:
        return None
    return "" if mark == " " else mark if len(mark) == 1 and mark not in "\t\n\\" else None


def _first_fields(line: str, mark: str, count: int) -> list[str]:
    """Return the first `count` fields of a line; the last of them has all that is left."""
    if not mark:
        bare = line.strip(BLANKS)
        return re.split(r"[ \t]+", bare, maxsplit=count - 1) if count > 1 else [bare]
    fields = line.split(mark, maxsplit=count - 1)
    if fields[-1].count(mark) == 1 and fields[-1].endswith(mark):
        fields[-1] = fields[-1][:-1]
    return fields


def _part(machine: Machine, whole: _Whole, field: str, name: str) -> Word:
    """Return a part of a text that stands in the script as the value of a variable."""
    text, word = whole
    machine.shell.secrets.follow(text, field)
    piece = (field, word.start, word.end, (word,), text.find(field))
    return Word(field, (piece,), machine.shell.source, word.start, word.end, name)


def _read_all(machine: Machine, node: Simple, words: list[Word]) -> bool:
    """`read -r -d '' name <<EOF`: the whole here-document, without the blanks around it unless IFS is empty."""
    name, shell = _wants_all([word.value for word in words]), machine.shell
    empty = [isinstance(a.value, WordNode) and not a.value.parts and a.name == "IFS" for a in node.assigns]
    if not name or not all(empty) or "IFS" in shell.variables or any(w.condition for w in words):
        return False
    word = input_of(shell, machine.expander, node.redirects, None)
    if word is None or not isinstance(word.value, str):
        return False
    value = word.value if empty else word.value.strip(" \t\n")
    skipped = 0 if empty else len(word.value) - len(word.value.lstrip(" \t\n"))
    piece = (value, word.start, word.end, (word,), skipped)
    shell.assign(name, Word(value, (piece,), shell.source, word.start, word.end, name))
    return True


def _wants_all(words: list[str | Expr]) -> str:
    """The one name of `read -r -d '' name` in any spelling; "" for other options."""
    raw = ends = False
    remaining = list(words[1:])
    while remaining and isinstance(option := remaining[0], str) and option.startswith("-"):
        remaining.pop(0)
        raw |= option in ("-r", "-rd")
        if option in ("-d", "-rd") and remaining and remaining[0] == "":
            remaining.pop(0)
            ends = True
        elif option != "-r":
            return ""
    only = remaining[0] if len(remaining) == 1 else ""
    return only if raw and ends and words[0] == "read" and isinstance(only, str) and only.isidentifier() else ""


def printf(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """`printf -v name`."""
    if len(words) > 2 and words[1].value == "-v" and isinstance(name := words[2].value, str):
        form = words[3].value if len(words) > 3 else ""
        if form == "%s" and len(words) == 5:
            word = words[4]
            machine.shell.assign(name, Word(word.value, word.pieces, word.source, word.start, word.end, name))
            return True
        value = printed_by_printf([word.value for word in words[3:]])
        if value is None:
            machine.shell.assign(name, machine.shell.unknown(name, node.start, node.end))
            return True
        for word in words[4:]:
            machine.shell.secrets.follow(word.value, value)
        pieces: list[Piece] = [(value, node.start, node.end, tuple(words[4:12]), -1)]
        machine.shell.assign(name, machine.shell.make(pieces, node.start, node.end, value, name))
    return True
