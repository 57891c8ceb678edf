"""`read`, `mapfile`, `getopts` and `printf -v`: commands of the shell that give variables a value."""

from __future__ import annotations

import re
from itertools import zip_longest

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
    if kind == "read" and not array and (outcome := _read_line(machine, node, words, names)) is not None:
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
    """`read -r a b <<< "x y"`: the first line of a known text, parted at blanks; None where what it sets is not known.

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
    plain = not node.assigns and "IFS" not in shell.variables and not any(item.condition for item in words)
    if not plain or options not in ([], ["-r"]) or ("\\" in line and not options):
        return None
    bare = line.strip(BLANKS)
    fields = re.split(r"[ \t]+", bare, maxsplit=len(names) - 1) if len(names) > 1 else [bare]
    for name, field in zip_longest(names, fields, fillvalue=""):
        shell.secrets.follow(word.value, field)
        start = word.value.find(field)
        piece = (field, word.start, word.end, (word,), start)
        shell.assign(name, Word(field, (piece,), shell.source, word.start, word.end, name))
    return "\n" in word.value


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
