"""Word splitting: the arguments that one word becomes, while it is being expanded."""

from __future__ import annotations

import re

from rftconf.base.symbols import Arith, Branch, Expr, ShellOnly, Text
from rftconf.text.shell.parse.nodes import WordNode
from rftconf.text.shell.parse.quoting import negated
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Piece, Unset, Word, joined, lacks, rooted, units

BLANKS = " \t\n"


class Fields:
    """Arguments that are done, and the one that is being put together."""

    __slots__ = ("done", "guard", "node", "parted", "pieces", "shell", "started")

    def __init__(self, shell: Shell, node: WordNode) -> None:
        self.shell, self.node = shell, node
        self.done: list[Word] = []
        self.pieces: list[Piece] = []
        self.started = False
        self.guard: str | None = None
        self.parted = False
        """True once blanks have split the word."""

    def close(self) -> None:
        """End the current argument."""
        if self.started or self.pieces:
            shell, node = self.shell, self.node
            pieces = [p for p in self.pieces if p[0] != "" or lacks(p)] or self.pieces[:1]
            start, end = node.start, node.end
            if self.parted and pieces:
                start, end = pieces[0][1], pieces[-1][2]
            word = shell.make(pieces, start, end, joined(pieces) if pieces else "")
            word.splits = not self.started and bool(pieces) and not any(isinstance(p[0], (str, Text)) for p in pieces)
            word.condition = self.guard
            self.done.append(rooted(word) if self.parted else word)
            shell.step()
        self.pieces, self.started, self.guard = [], False, None

    def quoted(self, piece: Piece) -> None:
        """Add what is never split."""
        self.pieces.append(piece)
        self.started = True

    def element(self, piece: Piece, word: Word, *, quoted: bool) -> None:
        """Add an element of a list, with the condition under which it is there."""
        if quoted:
            self.quoted(piece)
        else:
            self.unquoted(piece)
            self.parted = True  # its arguments stand where the list is written
        self.guard = word.condition

    def unquoted(self, piece: Piece, *, last: bool = False) -> None:
        """Add what is subject to splitting; `last` when nothing of the word follows it."""
        value, start, end, origins, inner = piece
        if isinstance(value, Text):
            offset = 0
            for n, part in enumerate(value.parts):
                ends = n + 1 == len(value.parts)
                following = value.parts[n + 1] if not ends else ""
                free = last if ends else isinstance(following, str) and following[0] in BLANKS
                self.unquoted((part, start, end, origins, inner + offset if inner >= 0 else -1), last=free)
                offset += units(part)
        elif isinstance(value, Branch) and last and not self.pieces and not self.started:
            self._branch(piece, value)
        elif not isinstance(value, str):
            self.pieces.append(piece)
        else:
            self._known(piece, value)

    def _branch(self, piece: Piece, value: Branch) -> None:
        """An argument, or several, or none, as a condition says."""
        arms = [arm for arm in (value.then, value.otherwise) if isinstance(arm, (str, Expr))]
        if len(arms) < 2 or all(_is_one_word(arm) for arm in arms):
            self.pieces.append(piece)
            return
        for arm, condition in zip(reversed(arms), (negated(value.condition), value.condition), strict=True):
            inside = Fields(self.shell, self.node)
            inside.parted = True
            inside.unquoted((arm, piece[1], piece[2], piece[3], -1), last=True)
            inside.close()
            for word in inside.done:
                word.condition = condition if word.condition is None else f"{condition} && {word.condition}"
                self.done.append(word)
        self.parted = True

    def _known(self, piece: Piece, value: str) -> None:
        ifs = self.shell.variables.get("IFS")
        known = isinstance(ifs, Word) and not isinstance(ifs, Unset) and isinstance(ifs.value, str)
        separators = str(ifs.value) if known and isinstance(ifs, Word) else BLANKS
        if not value:
            if self.pieces and lacks(piece):
                self.pieces.append(piece)
            return
        if not separators or not any(c in separators for c in value):
            self.pieces.append(piece)
            return
        self.parted = True
        blank = "".join(c for c in separators if c in BLANKS)
        offset = 0
        for match in re.finditer(_gaps(separators, blank), value):
            hard = match[0].strip(blank) if blank else match[0]
            if match.start() == 0 and not self.pieces and not self.started and not hard:
                offset = match.end()
                continue
            self._run(piece, value, offset, match.start())
            self.started |= bool(hard)
            self.close()
            offset = match.end()
        self._run(piece, value, offset, len(value))

    def _run(self, piece: Piece, value: str, offset: int, stop: int) -> None:
        _, start, end, origins, inner = piece
        if stop > offset:
            exact = not origins and end - start == len(value)
            low, high = (start + offset, start + stop) if exact else (start, end)
            self.shell.secrets.follow(value, value[offset:stop])
            self.pieces.append((value[offset:stop], low, high, origins, inner + offset if inner >= 0 else -1))


def _is_one_word(arm: object) -> bool:
    """True for what is one argument whatever it holds: a text without blanks, a number that bash computes, or either of them."""
    if isinstance(arm, Branch):
        return _is_one_word(arm.then) and _is_one_word(arm.otherwise)
    if isinstance(arm, ShellOnly):
        return arm.source.startswith("$((") and arm.source.endswith("))")
    return isinstance(arm, Arith) or (isinstance(arm, str) and bool(arm) and not set(arm) & set(BLANKS))


def _gaps(separators: str, blank: str) -> str:
    hard = "".join(c for c in separators if c not in blank)
    b, h = re.escape(blank), re.escape(hard)
    if not hard:
        return f"[{b}]+"
    return f"[{b}]*[{h}][{b}]*|[{b}]+" if blank else f"[{h}]"
