"""Words to arguments: parameters, arithmetic, splitting. Command substitutions stay as they are written."""

from __future__ import annotations

import re

from rftconf.base.symbols import Expr, ShellOnly, Var
from rftconf.text.shell.expand.arithmetic import Arithmetic
from rftconf.text.shell.expand.arrays import Elements, elements
from rftconf.text.shell.expand.fields import BLANKS, Fields
from rftconf.text.shell.expand.operations import as_text
from rftconf.text.shell.expand.parameters import operate_on, with_default
from rftconf.text.shell.expand.printed_text import piece_of
from rftconf.text.shell.expand.substitutions import substitution
from rftconf.text.shell.holes import filled
from rftconf.text.shell.parse.nodes import ArithPart, Lit, Param, Part, WordNode
from rftconf.text.shell.pattern import Pattern, compiled
from rftconf.text.shell.state.merge_branches import narrowed
from rftconf.text.shell.state.missing_arguments import awaited
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Array, Known, Piece, Unset, Word, joined

_SOLID = re.compile(r"[^ \t\n]+").fullmatch
_DEFAULTS = frozenset({":-", "-", ":+", "+", ":=", "="})


def _number_of(name: str) -> int:
    """The number of a positional parameter; from 100,000 on they are one, which no script is given."""
    return int(name) if len(name) < 6 else 99_999


class Expander:
    """Expands words against the state of a shell."""

    def __init__(self, shell: Shell) -> None:
        self.shell = shell
        self.arithmetic = Arithmetic(shell, self)

    def words(self, node: WordNode) -> list[Word]:
        """The arguments that a word becomes."""
        shell = self.shell
        if node.plain is not None:
            shell.step()
            start, end, value = node.start, node.end, filled(node.plain, shell.source.holes)
            return [Word(value, ((value, start, end, (), -1),), shell.source, start, end)]
        parts = node.parts
        if len(parts) == 1 and isinstance(only := parts[0], Param) and only.quoted:
            many = elements(shell, self, only)
            if many is not None and not many.join:
                shell.work(10 * len(many.words))
                return many.words
        if len(parts) == 2 and not shell.source.holes and (quick := self._quick(node, parts[0], parts[1])) is not None:
            return quick
        fields = Fields(shell, node)
        final = len(parts) - 1
        for n, part in enumerate(parts):
            self._part(fields, part, last=n == final)
        fields.close()
        return fields.done

    def _quick(self, node: WordNode, first: Part, second: Part) -> list[Word] | None:
        """`key=$name` with a known value that does not split; None for anything else."""
        shell = self.shell
        if type(first) is not Lit or type(second) is not Param or second.op or second.index or second.prefix:
            return None
        word = shell.variables.get(second.name)
        if type(word) is not Word or type(word.value) is not str or "IFS" in shell.variables:
            return None
        value = word.value
        if not second.quoted and _SOLID(value) is None:
            return None
        shell.read.add(second.name)
        shell.step()
        combined: Known = first.text + value
        shell.spend(combined)
        pieces: tuple[Piece, ...] = (
            (first.text, first.start, first.end, (), -1), (value, second.start, second.end, (word,), 0),
        )  # fmt: skip
        return [Word(combined, pieces, shell.source, node.start, node.end)]

    def _part(self, fields: Fields, part: Part, *, split_text: bool = False, last: bool = False) -> None:
        if isinstance(part, Lit):
            piece = self.piece(part)
            if part.quoted or not split_text:
                fields.quoted(piece)
            else:
                fields.unquoted(piece)
            return
        if isinstance(part, Param):
            many = elements(self.shell, self, part)
            if many is not None:
                self._many(fields, part, many)
                return
            if not part.quoted and part.op in _DEFAULTS and self._operand(fields, part):
                return
        piece = self.piece(part)
        if part.quoted:
            fields.quoted(piece)
        else:
            fields.unquoted(piece, last=last)

    def _operand(self, fields: Fields, part: Param) -> bool:
        """Expand the default of an unquoted `${x:-a b}` in place, where its blanks split; False: not chosen."""
        if (
            part.arg is None
            or part.index is not None
            or part.prefix
            or all(isinstance(p, Lit) and not p.quoted and not any(c in BLANKS for c in p.text) for p in part.arg.parts)
        ):
            return False
        chosen = with_default(self.shell, part, self._base(part), lambda: Var("\0"))
        if chosen != Var("\0"):
            return False
        if part.op[-1] == "=":
            self.piece(part)
            return False
        for inner in part.arg.parts:
            self._part(fields, inner, split_text=True)
        return True

    def _many(self, fields: Fields, part: Param, many: Elements) -> None:
        if many.join:
            value, origins = many.joined(self.shell)
            fields.quoted((value, part.start, part.end, origins, -1))
            return
        for n, word in enumerate(many.words):
            if n:
                fields.close()
            fields.element((word.value, part.start, part.end, (word,), 0), word, quoted=part.quoted)

    def pieces(self, node: WordNode) -> list[Piece]:
        """The pieces of a word that is not split: the right side of an assignment, an operand of `[[`."""
        if node.plain is not None:
            value = filled(node.plain, self.shell.source.holes)
            return [(value, node.start, node.end, (), -1)] if value else []
        return [self.piece(part) for part in node.parts]

    def word(self, node: WordNode, name: str = "") -> Word:
        """The word that `node` is when it is not split."""
        pieces = self.pieces(node)
        self.shell.step()
        return self.shell.make(pieces, node.start, node.end, joined(pieces) if pieces else "", name)

    def text_of(self, node: WordNode | None) -> Known:
        """The value of `node` when it is not split; empty for None."""
        if node is None:
            return ""
        pieces = self.pieces(node)
        return joined(pieces) if pieces else ""

    def pattern(self, node: WordNode | None) -> Pattern | None:
        """`node` as a pattern; None when parts of it are unknown or it is not understood."""
        if node is None:
            return compiled(())
        chunks: list[tuple[str, bool]] = []
        for part in node.parts:
            value = self.piece(part)[0]
            if not isinstance(value, str):
                return None
            if chunks and not part.quoted and not chunks[-1][1]:
                chunks[-1] = (chunks[-1][0] + value, False)
            else:
                chunks.append((value, part.quoted))
        return compiled(tuple(chunks))

    def number(self, node: WordNode) -> int | Expr:
        """`node` as an arithmetic expression."""
        return self.arithmetic.evaluate(node)

    def piece(self, part: Part) -> Piece:
        """One piece for `part`, whatever it is; arrays are joined."""
        if isinstance(part, Lit):
            return (filled(part.text, self.shell.source.holes), part.start, part.end, (), -1)
        if isinstance(part, Param):
            return self._parameter(part)
        if isinstance(part, ArithPart):
            number = self.arithmetic.evaluate(part.body)
            return (as_text(number), part.start, part.end, tuple(self.arithmetic.used[:8]), -1)
        return piece_of(self, part) or (substitution(self.shell, part), part.start, part.end, (), -1)

    def _base(self, part: Param) -> Word | None:
        """The variable that `part` names, element and positional parameters included."""
        shell, name = self.shell, part.name
        if name[0].isdigit():
            number = _number_of(name)
            if number == 0:
                return shell.zero
            return shell.positional[number - 1] if number <= len(shell.positional) else awaited(shell, part, number)
        if part.index is None:
            word = shell.scalar(name)
            if shell.conditions and word is not None and not isinstance(word.value, str):
                value_here = narrowed(word.value, shell.conditions)
                if value_here is not word.value:
                    piece = (value_here, part.start, part.end, (word,), -1)
                    return Word(value_here, (piece,), shell.source, part.start, part.end)
            return word
        return self._element(part, name, part.index)

    def _element(self, part: Param, name: str, index: WordNode) -> Word | None:
        shell = self.shell
        value = shell.variables.get(name)
        shell.read.add(name)
        if isinstance(value, Array) and value.associative:
            key = self.text_of(index)
            if not isinstance(key, str):
                return shell.unknown(name, part.start, part.end)
            word = value.items.get(key)
        else:
            number = self.number(index)
            if not isinstance(number, int):
                return shell.unknown(name, part.start, part.end)
            if not isinstance(value, Array):
                return value if number in (0, -1) else None
            if value.guarded or value.open:
                return self._guarded(part, value, number)
            word = value.items.get(number if number >= 0 else max(map(int, value.items), default=-1) + 1 + number)
        if word is None and value is not None:
            return Word("", (), shell.source, part.start, part.end) if part.op[:1] not in ("-", "+") else None
        return self._guarded(part, value, 0) if word is not None and word.condition and value else word

    def _guarded(self, part: Param, array: Array, number: int) -> Word | None:
        """An element of an array whose positions are not all known."""
        if 0 <= number < len(array.items) and not array.associative:
            front = list(array.items.values())[: number + 1]
            if all(w.condition is None and not w.splits for w in front):
                return front[number]
        value = ShellOnly(self.shell.source.part(part.start, part.end), (part.name,))
        return Word(value, ((value, part.start, part.end, (), -1),), self.shell.source, part.start, part.end)

    def _parameter(self, part: Param) -> Piece:
        shell, name, start, end = self.shell, part.name, part.start, part.end
        if not part.op and part.index is None and not part.prefix:
            word = shell.variables.get(name)
            if isinstance(word, Word):
                shell.read.add(name)
                if shell.conditions and not isinstance(word.value, str):
                    value_here = narrowed(word.value, shell.conditions)
                    return (value_here, start, end, (word,), 0 if value_here is word.value else -1)
                return (word.value, start, end, (word,), 0)
        many = elements(shell, self, part)
        if many is not None:
            value, origins = many.joined(shell)
            return (value, start, end, origins, -1)
        if name in "?$!-#" or part.prefix == "!":
            return self._special(part)
        word = self._base(part)
        return self._operated(part, word)

    def _operated(self, part: Param, word: Word | None) -> Piece:
        shell, name, start, end = self.shell, part.name, part.start, part.end
        if part.op and part.op[-1] in "-=?+":
            used: list[Word] = []

            def other() -> Known:
                word = self.word(part.arg) if part.arg is not None else None
                used.extend(word.passed() if word is not None else ())
                return word.value if word is not None else ""

            value = with_default(shell, part, word, other)
            if part.op[-1] == "=" and value != (word.value if word is not None else None):
                arg = part.arg or WordNode([], start, end)
                shell.assign(name, shell.make([(value, start, end, tuple(used), -1)], arg.start, arg.end, value, name))
            if word is not None and value is word.value:
                return (value, start, end, (word,), 0)
            words = () if word is None or (word.value == "" and word.lacking()) else (word,)
            shell.spend(value)
            return (value, start, end, (*words, *used), -1)
        positional = name[0].isdigit()
        base: Known = word.value if word is not None else "" if positional else Var(name)
        value = operate_on(shell, self, part, base, is_set=word is not None and not isinstance(word, Unset))
        shell.spend(value)
        exact = word is not None and value is base
        if positional and word is None and not any(frame.kind == "function" for frame in shell.frames):
            word = Word("", (), shell.source, start, end, lacks=str(_number_of(name) + shell.shifted))
        return (value, start, end, (word,) if word is not None else (), 0 if exact else -1)

    def _special(self, part: Param) -> Piece:
        shell, start, end = self.shell, part.start, part.end
        value: Known = ShellOnly(shell.source.part(start, end))
        if part.prefix == "!":
            value = self._indirect(part)
        elif part.name == "#" and not part.op:
            count = len(shell.positional)
            value = str(count) if not any(w.splits or w.condition for w in shell.positional) else value
        elif part.name == "?" and isinstance(shell.status, bool) and shell.status:
            value = "0"
        return (value, start, end, (), -1)

    def _indirect(self, part: Param) -> Known:
        word = self._base(part)
        target = word.value if word is not None else None
        match = re.fullmatch(r"([A-Za-z_]\w*)(?:\[(\w+)\])?", target) if isinstance(target, str) else None
        if match is None:
            return ShellOnly(self.shell.source.part(part.start, part.end), (part.name,))
        index = None if match[2] is None else WordNode([Lit(match[2], 0, 0)], 0, 0, match[2])
        inner = Param(match[1], part.start, part.end, part.quoted, part.op, part.arg, part.arg2, index)
        return self.piece(inner)[0]
