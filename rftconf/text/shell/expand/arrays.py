"""`"$@"`, `"${A[@]}"` and their relatives: what stands for several arguments."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rftconf.base.symbols import ShellOnly, Var, text
from rftconf.text.shell.expand.parameters import operate_on, slice_bounds
from rftconf.text.shell.parse.nodes import Param
from rftconf.text.shell.state.machine import WordExpander
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Array, Known, Unset, Word


@dataclass(slots=True)
class Elements:
    """Several words; `join` is set when they become one argument (`"${A[*]}"`, `"$*"`)."""

    words: list[Word]
    join: bool = False
    known: bool = True

    def joined(self, shell: Shell) -> tuple[Known, tuple[Word, ...]]:
        """One value, and the words it was made of."""
        ifs = shell.variables.get("IFS")
        between = " "
        if self.join and isinstance(ifs, Word) and isinstance(ifs.value, str) and not isinstance(ifs, Unset):
            between = ifs.value[:1]
        if not self.known or any(w.condition is not None or w.splits for w in self.words):
            return ShellOnly('$(printf "%s " ...)'), tuple(self.words)
        parts: list[Known] = []
        for n, word in enumerate(self.words):
            if n:
                parts.append(between)
            parts.append(word.value)
        value = text(*parts)
        shell.spend(value)
        return value, tuple(self.words[:8])


def elements(shell: Shell, expander: WordExpander, part: Param) -> Elements | None:
    """The words that `part` stands for when it is a list, else None."""
    name, subscript = part.name, part.index.plain_text() if part.index is not None else ""
    if part.prefix == "!" and (subscript in ("@", "*") or part.op in ("*", "@")):
        return _names(shell, part, subscript)
    if part.prefix == "#" or (subscript not in ("@", "*") and name not in ("@", "*")):
        return _count(shell, part, subscript)
    whole = subscript or name
    words, known = _words(shell, part)
    join = whole == "*" and part.quoted
    if part.op == ":":
        words = _sliced(shell, expander, part, words)
    elif part.op[-1:] in ("-", "+", "=", "?") and part.op:
        words = _defaulted(expander, part, words)
    elif part.op:
        words = [_changed(shell, expander, part, word) for word in words]
    return Elements(words, join, known)


def _words(shell: Shell, part: Param) -> tuple[list[Word], bool]:
    if part.name in ("@", "*"):
        return shell.positional, True
    shell.read.add(part.name)
    variable = shell.variables.get(part.name)
    if isinstance(variable, Array):
        return variable.ordered(), not variable.open
    if isinstance(variable, Word):
        return [variable], True
    if part.op and part.op[-1] in "-+":
        return [], True
    value = Var(part.name)
    word = Word(value, ((value, part.start, part.end, (), -1),), shell.source, part.start, part.end)
    word.splits = True
    return [word], True


def _count(shell: Shell, part: Param, subscript: str) -> Elements | None:
    """`${#A[@]}` and `${#@}`; None for anything that is one value."""
    if part.prefix != "#" or (subscript not in ("@", "*") and part.name not in ("@", "*")):
        return None
    words, known = _words(shell, part)
    value: Known = str(len(words))
    if not known or any(w.condition is not None or w.splits for w in words):
        value = ShellOnly(shell.source.part(part.start, part.end), (part.name,))
    counted = Word(value, ((value, part.start, part.end, (), -1),), shell.source, part.start, part.end)
    return Elements([counted], True)


def _names(shell: Shell, part: Param, subscript: str) -> Elements:
    """`${!A[@]}` and `${!prefix@}`."""
    keys: list[str] = []
    known = True
    if subscript:
        variable = shell.variables.get(part.name)
        shell.read.add(part.name)
        if isinstance(variable, Array):
            keys, known = [str(k) for k in variable.keys()], not (variable.guarded or variable.open)  # noqa: SIM118
        elif isinstance(variable, Word):
            keys = ["0"]
    else:
        known = False
    if not known:
        value = ShellOnly(shell.source.part(part.start, part.end), (part.name,))
        word = Word(value, ((value, part.start, part.end, (), -1),), shell.source, part.start, part.end)
        word.splits = True
        return Elements([word], False, False)
    words = [Word(k, ((k, part.start, part.end, (), -1),), shell.source, part.start, part.end) for k in keys]
    return Elements(words, subscript == "*" and part.quoted)


def _sliced(shell: Shell, expander: WordExpander, part: Param, words: list[Word]) -> list[Word]:
    bounds = slice_bounds(expander, part)
    positional = part.name in ("@", "*")
    uncertain = any(w.condition is not None or w.splits for w in words)
    if bounds is None or (uncertain and bounds != (1, None)) or (bounds[1] or 0) < 0:
        value = ShellOnly(shell.source.part(part.start, part.end), (part.name,))
        unknown = Word(value, ((value, part.start, part.end, (), -1),), shell.source, part.start, part.end)
        unknown.splits = True
        return [unknown]
    offset, length = bounds
    listed = [shell.zero, *words] if positional else words
    variable = shell.variables.get(part.name)
    if isinstance(variable, Array) and not variable.associative and offset >= 0:
        listed = [w for k, w in variable.items.items() if int(k) >= offset]
        return listed if length is None else listed[:length]
    start = offset if offset >= 0 else len(listed) + offset
    if start < 0:
        return []
    return listed[start:] if length is None else listed[start : start + length]


def _defaulted(expander: WordExpander, part: Param, words: list[Word]) -> list[Word]:
    empty = not words or (part.op[0] == ":" and len(words) == 1 and words[0].value == "")
    if any(w.condition is not None or w.splits for w in words):
        empty = False
    wants_other = empty if part.op[-1] in "-=?" else not empty
    if not wants_other:
        return words if part.op[-1] in "-=?" else []
    return expander.words(part.arg) if part.arg is not None and part.arg.parts else []


def _changed(shell: Shell, expander: WordExpander, part: Param, word: Word) -> Word:
    plain = replace(part, index=None, prefix="")
    value = operate_on(
        shell, expander, plain, word.value, is_set=part.name in ("@", "*") or part.name in shell.variables
    )
    shell.spend(value)
    if value == word.value:
        return word
    changed_word = Word(value, ((value, word.start, word.end, (word,), -1),), word.source, word.start, word.end)
    changed_word.condition, changed_word.splits = word.condition, word.splits
    return changed_word
