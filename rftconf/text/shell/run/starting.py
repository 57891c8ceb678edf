"""Follows what a wrapper starts: through the words of a command, into the text that another shell would read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from rftconf.base.symbols import Expr, ShellOnly, Text, text
from rftconf.text.shell.parse.nodes import Simple
from rftconf.text.shell.run import other_scripts as scripts
from rftconf.text.shell.run import program_starts as launches
from rftconf.text.shell.run.program_starts import is_program
from rftconf.text.shell.state.machine import Machine
from rftconf.text.shell.state.state import Outcome
from rftconf.text.shell.values import Known, Piece, Word, cut, joined, known_start, units, window
from rftconf.text.shell.wrapper_programs import KEY_NAMES, OTHER_KEYS, Takes, Wrapper, rows_of

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=").match
_ENDS_A_LINE = ("\\n", "\\r", "^M", "\r", "\n")


@dataclass(slots=True)
class Inner:
    """The command in a wrapper: `at` is the index of its first word, or `text` the one word that a shell reads."""

    takes: Takes
    at: int
    text: Word | None = None
    variables: dict[str, Word] = field(default_factory=dict)
    target: str = ""
    """The terminal that keys are typed into."""


def follow(machine: Machine, node: Simple, words: list[Word]) -> Outcome:
    """Read what `words` start: a text or a script that another shell reads, or a program."""
    index, variables, inherits = 0, dict[str, Word](), True
    for _ in range(len(words)):
        name = program_name(words[index].value)
        inner = None
        for row in rows_of(name):
            inner = _entered(machine, row, words, index) if row.entry else _walk(row, words, index)
            if inner is not None:
                break
        if inner is None:
            if name.endswith((".sh", ".bash")):
                return scripts.run_script(
                    machine, node, words[index], words[index + 1 :], scripts.Sees(variables, True)
                )
            break
        variables |= inner.variables
        inherits &= row.inherits
        if row.feeds:
            words = _fed(machine, node, words, index, row)
            inner = _walk(row, words, index) or inner
        if inner.takes is Takes.COMMAND and inner.text is None and inner.at < len(words):
            index = _known_program(words, inner.at)
            continue
        if inner.takes is Takes.COMMAND and inner.text is None:
            break
        return _read(machine, node, words, inner, scripts.Sees(variables, inherits))
    launches.consider(machine, node, words)
    return ""


def program_name(value: Known) -> str:
    """The name of a program without its folders, as far as it is known."""
    last = value.parts[-1] if isinstance(value, Text) else value
    return last.rpartition("/")[2] if isinstance(last, str) else ""


def _known_program(words: list[Word], index: int) -> int:
    """The word that starts something: the one at `index`, else the next that is known to (options may be unknown here)."""
    for k in range(index, len(words)):
        name = program_name(words[k].value)
        if rows_of(name) or name.endswith((".sh", ".bash")):
            return k
        if is_program(name):
            break
    return index


def _walk(row: Wrapper, words: list[Word], index: int) -> Inner | None:
    """Past the wrapper's own words; None when it is called to do something else."""
    inner = Inner(row.takes, index + 1)
    if row.verbs and not _past_verbs(row, words, inner):
        return None
    guard = words[index].condition
    while inner.at < len(words):
        word = words[inner.at]
        value = word.value if isinstance(word.value, str) else known_start(word.value)
        if word.condition is not None and word.condition != guard:
            inner.at += 1
        elif value == "--":
            inner.at += 1
            break
        elif value[:1] in ("-", "+") and len(value) > 1:
            if _option(row, words, inner, value):
                return inner
        elif row.assigns and (named := _ASSIGNMENT(value)) is not None:
            inner.variables[named[1]] = _tail(word, named.end())
            inner.at += 1
        else:
            break
    inner.at += row.operands
    for k in range(inner.at, len(words) - 1) if row.texts and row.operands else ():
        if words[k].value in row.texts:  # `su - user -c text`
            inner.text, inner.at = words[k + 1], k + 2
            return inner
    return inner if inner.at < len(words) or row.types else None


def _entered(machine: Machine, row: Wrapper, words: list[Word], index: int) -> Inner | None:
    """Return the command that a scheduler starts: one option names the program, another one holds its arguments."""
    inner = Inner(row.takes, index + 1)
    if not _past_verbs(row, words, inner):
        return None
    named = [*_values_of(row.entry, words), *(value for name in row.texts for value in _values_of(name, words))]
    if not named:
        return None
    inner.text, inner.at = sentence(machine, [_computed("python", named[0]), *named]), len(words)
    return inner


def _values_of(option: str, words: list[Word]) -> list[Word]:
    """The value of `--option=value`, whatever it hangs on; none where it hangs on what the value is."""
    tails = [_tail(word, len(option) + 1) for word in words if known_start(word.value).startswith(f"{option}=")]
    return [replace(tails[0], condition=None)] if tails and all(word.value == tails[0].value for word in tails) else []


def _past_verbs(row: Wrapper, words: list[Word], inner: Inner) -> bool:
    index = inner.at
    while index < len(words) and isinstance(option := words[index].value, str) and option.startswith("-"):
        index += 2 if option in row.valued else 1
    for verb in row.verbs:
        verb_words = verb.split()
        if [word.value for word in words[index : index + len(verb_words)]] == verb_words:
            inner.at = index + len(verb_words)
            return True
    return False


def _option(row: Wrapper, words: list[Word], inner: Inner, value: str) -> bool:
    """Move past an option; True when its value is the text that a shell reads."""
    word, (name, equal, _) = words[inner.at], value.partition("=")
    own = _tail(word, len(name) + 1) if equal else words[inner.at + 1] if inner.at + 1 < len(words) else None
    bundled = "-c" in row.texts and re.fullmatch(r"-[a-zA-Z]*c", value) is not None
    if (name in row.texts or bundled) and own is not None:
        inner.text = own
        inner.at += 1 if equal else 2
        return True
    if name in row.sets and own is not None:
        if isinstance(start := known_start(own.value), str) and (named := _ASSIGNMENT(start)) is not None:
            inner.variables[named[1]] = _tail(own, named.end())
        inner.at += 1 if equal else 2
        return False
    if name == "-t" and own is not None:
        inner.target = str(own.value)
    inner.at += 2 if not equal and name in row.valued else 1
    return False


def _tail(word: Word, start: int) -> Word:
    """`word` without what stands before `start`."""
    end = units(word.value)
    pieces = tuple(window(word, start, end))
    return Word(cut(word.value, start, end), pieces, word.source, word.start, word.end, "", word.condition, word.splits)


def _read(machine: Machine, node: Simple, words: list[Word], inner: Inner, sees: scripts.Sees) -> Outcome:
    arguments = [word for word in words[inner.at :] if word.condition is None]
    if inner.text is not None:
        return scripts.run_text(
            machine, node, inner.text, arguments[1:], sees, zero=arguments[0] if arguments else None
        )
    if inner.takes is Takes.KEYS:
        return _typed(machine, node, arguments, inner, sees)
    if not arguments:
        return scripts.from_input(machine, node, sees)
    if inner.takes is Takes.TEXT:
        return scripts.run_text(machine, node, sentence(machine, arguments), [], sees)
    return scripts.run_script(machine, node, arguments[0], arguments[1:], sees)


def sentence(machine: Machine, words: list[Word], between: str = " ") -> Word:
    """Several words as one text, as `eval` and `ssh` join them."""
    pieces: list[Piece] = []
    for word in words:
        if pieces:
            pieces.append((between, word.start, word.start, (), -1))
        pieces.append((word.value, word.start, word.end, (word,), 0))
    return machine.shell.make(pieces, words[0].start, words[-1].end, joined(pieces))


def _typed(machine: Machine, node: Simple, words: list[Word], inner: Inner, sees: scripts.Sees) -> Outcome:
    """Keys that are typed into a terminal; what was typed there before still holds."""
    lines: list[Word] = []
    ends = False
    for word in words:
        if word.value in KEY_NAMES:
            ends = True
        elif word.value not in OTHER_KEYS:
            value = word.value
            ending = next((e for e in _ENDS_A_LINE if isinstance(value, str) and value.endswith(e)), "")
            ends |= bool(ending)
            lines.append(word if not ending else _head(word, units(value) - len(ending)))
    if not lines or not (ends or inner.target):
        return ""
    return scripts.run_text(machine, node, sentence(machine, lines, ""), [], sees, session=inner.target or "keys")


def _head(word: Word, end: int) -> Word:
    return Word(cut(word.value, 0, end), tuple(window(word, 0, end)), word.source, word.start, word.end)


def _fed(machine: Machine, node: Simple, words: list[Word], index: int, row: Wrapper) -> list[Word]:
    """The words of a command that gets arguments from elsewhere: what comes in is not known."""
    own = words[index + 1 :]
    values = [word.value if isinstance(word.value, str) else "" for word in own]
    mark = next((values[k][2:] or values[k + 1] for k in range(len(own) - 1) if values[k].startswith("-I")), "{}")
    fed_words, changed = words[: index + 1], False
    for word, value in zip(own, values, strict=True):
        if value in row.until:
            break
        parts = word.value.parts if isinstance(word.value, Text) else (word.value,)
        open_parts = [piece for part in parts for piece in _marked(part, mark)]
        if len(open_parts) == len(parts) or value == f"-I{mark}" or fed_words[-1].value == "-I":
            fed_words.append(word)
            continue
        fed_words.append(_computed(text(*open_parts), word))
        changed = True
    if not changed:
        each = machine.shell.unknown("_", node.start, node.end)
        each.splits = True
        fed_words.append(each)
    return fed_words


def _computed(value: Known, word: Word) -> Word:
    return Word(value, ((value, word.start, word.end, (), -1),), word.source, word.start, word.end)


def _marked(part: str | Expr, mark: str) -> Iterator[str | Expr]:
    if not isinstance(part, str):
        yield part
        return
    first, *others = part.split(mark)
    yield first
    for file in others:
        yield ShellOnly(mark)
        yield file
