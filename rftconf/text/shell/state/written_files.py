"""Files that a script writes by a here-document, and what else it does to them. Nothing is written here."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from rftconf.base.symbols import ShellOnly, Text, Var, text
from rftconf.text.shell.parse.expandable import can_expand
from rftconf.text.shell.parse.heredocs import untabbed
from rftconf.text.shell.parse.modes import HERE_DOCUMENT, TooDeep, Unclosed
from rftconf.text.shell.parse.nodes import (
    Command,
    CommandPart,
    HereDoc,
    Lit,
    Part,
    Redirect,
    Redirected,
    Simple,
    WordNode,
)
from rftconf.text.shell.parse.parser import Parser
from rftconf.text.shell.parse.quoting import negated
from rftconf.text.shell.state.machine import Machine, WordExpander
from rftconf.text.shell.state.state import Outcome, Shell
from rftconf.text.shell.state.written_file import Written as Written
from rftconf.text.shell.values import Known, Piece, Word, joined
from rftconf.text.shell.wrapper_programs import rows_of

_READING = frozenset({"cat", "echo", "printf", "ls", "head", "tail", "grep", "wc", "chmod", "mkdir", "test", "[", "diff",
                      "stat", "du", "less", "more", "md5sum", "sha256sum", "realpath", "dirname", "basename"})  # fmt: skip
_COPYING = frozenset({"cp", "scp", "rsync"})
_PREPARING = re.compile(r"mkdir [^;&|]*").fullmatch
"""A condition that only fails where the script cannot go on in earnest."""
_ROOTED = re.compile(r"\$\((?:mktemp|pwd|realpath|readlink -f)\b").match


ANYWHERE, _START = object(), object()


def note(machine: Machine, node: Simple | Redirected, words: list[Word]) -> None:
    """Take down what a command that was just read writes, and what it may change of files written before."""
    shell = machine.shell
    for redirect in node.redirects:
        _say_unexpanded_target(shell, redirect)
    if words and words[0].value == "sudo":
        words = words[1:]
    name = words[0].value if words else ""
    word, shell.piped_in = shell.piped_in, None
    out: Word | None = None
    if name in ("cat", "tee"):
        word = input_of(machine.shell, machine.expander, node.redirects, word)
        operands = [w for w in words[1:] if not (isinstance(w.value, str) and w.value[:1] == "-")]
        plain = len(operands) + 1 == len(words) or name == "tee"
        out = word if plain and (name == "tee" or not operands) else None
        for operand in operands if name == "tee" else ():
            _put(shell, operand, word, node, append=any(w.value in ("-a", "--append") for w in words[1:]))
    elif not words and isinstance(node, Simple):
        out = Word("", (), shell.source, node.start, node.start)
    shell.piped_out = out
    _redirected(machine, node, out)
    if name not in ("cat", "tee"):
        _touched(shell, node, words)


def _say_unexpanded_target(shell: Shell, redirect: Redirect) -> None:
    for part in redirect.target.parts:
        if isinstance(part, CommandPart) and not can_expand(shell.source.text, part.start):
            shell.say_unexpanded(part.start, part.end)


def redirected(machine: Machine, node: Redirected) -> Outcome:
    """A compound command that writes to files: what, is not followed."""
    outcome = machine.command(node.command)
    note(machine, node, [])
    return outcome


def passed_on_input(shell: Shell, node: Command) -> Word | None:
    """Return the text that the next command of a pipe gets, where `node` passes its input on."""
    first = node.words[0] if isinstance(node, Simple) and node.words else None
    name = first.plain or "" if isinstance(first, WordNode) else ""
    passes = name in ("cat", "tee", "sudo") or any(row.types for row in rows_of(name))
    return shell.piped_out if passes else None


def _redirected(machine: Machine, node: Simple | Redirected, out: Word | None) -> None:
    shell = machine.shell
    for redirect in node.redirects:
        if not redirect.writes or not (out is not None or shell.files):
            continue
        targets = machine.expander.words(redirect.target)
        if len(targets) == 1:
            whole = out if redirect.descriptor in ("", "1") and redirect.operator[0] == ">" else None
            _put(shell, targets[0], whole, node, append=redirect.operator.endswith(">>"))


def _put(shell: Shell, path: Word, content: Word | None, node: Simple | Redirected, *, append: bool) -> None:
    """One more state of a file."""
    name = normal(path.value)
    if append and content is not None:
        before = current(shell.files.get(name, []), shell.conditions, _folder(shell, path.value))
        content = _joined(before.text, content) if isinstance(before, Written) and before.text is not None else None
    if (isinstance(name, str) and name.startswith("/dev/")) or (
        content is None and not append and name not in shell.files
    ):
        return
    shell.files.setdefault(name, []).append(_written_file(shell, path, content, node))


def _written_file(shell: Shell, path: Word, content: Word | None, node: Simple | Redirected) -> Written:
    place = shell.source.place(node.start, node.end)
    why = shell.source.part(node.start, node.end).partition("\n")[0].strip()[:80]
    return Written(path, content, why, place, tuple(shell.conditions), _folder(shell, path.value))


def _joined(first: Word, second: Word) -> Word | None:
    if first.source is not second.source:
        return None
    value = text(first.value, second.value)
    return Word(value, first.pieces + second.pieces, first.source, first.start, second.end)


def input_of(shell: Shell, expander: WordExpander, redirects: Sequence[Redirect], piped: Word | None) -> Word | None:
    """Return the text that a command reads from its standard input, where the script writes it out."""
    for redirect in reversed(redirects):
        if redirect.operator[0] != "<" or redirect.descriptor not in ("", "0"):
            continue
        if redirect.body is not None:
            return body_of(shell, expander, redirect.body)
        if redirect.operator != "<<<":
            return None
        word = expander.word(redirect.target)
        end: Piece = ("\n", word.end, word.end, (), -1)
        return Word(text(word.value, "\n"), (*word.pieces, end), word.source, word.start, word.end)
    return piped


def body_of(shell: Shell, expander: WordExpander, body: HereDoc) -> Word | None:
    """A here-document's text as bash gives it to the command; None where bash fails on it."""
    parts = _parts(shell.source.text, body)
    if parts is None:
        return None
    for part in parts:
        if isinstance(part, CommandPart) and not can_expand(shell.source.text, part.start):
            raw = shell.source.part(part.start, part.end)
            message = f"bash cannot expand `{raw[:60]}` and writes nothing: the command fails"
            shell.say("SYN152", message, part.start, part.end, "write \\$ for the $, or quote the here-document's word")
            return None
    pieces = expander.pieces(WordNode(parts, body.start, body.end))
    value: Known = joined(pieces) if pieces else ""
    shell.spend(value)
    return Word(value, tuple(pieces), shell.source, body.start, body.end)


def _parts(source: str, body: HereDoc) -> list[Part] | None:
    if body.quoted:
        return untabbed(source, body, [Lit(source[body.start : body.end], body.start, body.end, True)])
    reader = Parser(source[: body.end])
    reader.pos = body.start
    try:
        return untabbed(source, body, reader.parts(HERE_DOCUMENT, True))
    except (Unclosed, TooDeep):
        return None


def _touched(shell: Shell, node: Simple | Redirected, words: list[Word]) -> None:
    """A file that another program is given may be another one afterwards."""
    if not shell.files or not words:
        return
    name = words[0].value
    known = name.rpartition("/")[2] if isinstance(name, str) else ""
    if known in _READING or name in shell.functions or _starts_framework(shell, node):
        return
    operands = words[-1:] if known in _COPYING else words[1:]
    for path, states in shell.files.items():
        if any(_names(word.value, path) for word in operands):
            states.append(_written_file(shell, states[-1].path, None, node))


def _starts_framework(shell: Shell, node: Simple | Redirected) -> bool:
    last = shell.commands[-1] if shell.commands else None
    return last is not None and last.start == node.start and last.launch is not None


def _names(value: Known, path: Known) -> bool:
    if value == path:
        return True
    tail = path.parts[-1] if isinstance(path, Text) else path
    base = tail.rpartition("/")[2] if isinstance(tail, str) else ""
    parts = value.parts if isinstance(value, Text) else (value,)
    return bool(base) and any(isinstance(part, str) and base in part for part in parts)


def normal(path: Known) -> Known:
    """A path without `./`, `//` and `..`, as far as it is known."""
    if isinstance(path, str):
        return posixpath.normpath(path) if path else path
    parts = path.parts if isinstance(path, Text) else (path,)
    return text(*(re.sub(r"/(?:\.?/)+", "/", part) if isinstance(part, str) else part for part in parts))


def _folder(shell: Shell, path: Known) -> object:
    """Return the folder that a path is relative to, which changes with every `cd`; ANYWHERE for an absolute path."""
    first = path.parts[0] if isinstance(path, Text) else path
    rooted = (
        first.startswith("/")
        if isinstance(first, str)
        else getattr(first, "name", "") == "HOME" or (isinstance(first, ShellOnly) and bool(_ROOTED(first.source)))
    )
    return ANYWHERE if rooted else working_directory(shell)


def working_directory(shell: Shell) -> object:
    """Stands for the working directory."""
    return shell.variables.get("PWD") if "cd" in shell.options else _START


def at_launch(shell: Shell) -> dict[Known, Written | str]:
    """Map each file to its content for a program that is started now, or to the condition on which that depends."""
    files = {path: current(states, shell.conditions, working_directory(shell)) for path, states in shell.files.items()}
    return {path: state for path, state in files.items() if state is not None}


def current(states: list[Written], conditions: list[str] | tuple[str, ...], folder: object) -> Written | str | None:
    """Return a file's content under `conditions`; else the condition, not known to hold, that decides it."""
    for written in reversed(states):
        if written.folder is not ANYWHERE and written.folder is not folder:
            continue
        lasting = [c for c in written.conditions if not _PREPARING(c)]
        if any(negated(c) in conditions or c in map(negated, conditions) for c in lasting):
            continue
        missing = [c for c in lasting if c not in conditions]
        return missing[0] if missing else written
    return None


def roots(word: Word) -> Iterator[Word]:
    """The words in which what only the running shell can tell of this one is written: `$(mktemp)`, not `$HOME`."""
    for value, _, _, origins, _ in word.pieces:
        parts = value.parts if isinstance(value, Text) else (value,)
        if all(isinstance(part, (str, Var)) for part in parts):
            continue
        if not origins:
            yield word
        for origin in origins:
            yield from roots(origin)
