"""A config that the script writes itself: read as YAML, every place in it one of the script."""

from __future__ import annotations

import re
from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.span import Place
from rftconf.base.symbols import Expr, Text, Value, names_in, text
from rftconf.text.document import Leaf
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.read.read_yaml import read_yaml_document
from rftconf.text.shell.state.written_file import Written
from rftconf.text.shell.values import Known, Piece, Word
from rftconf.text.source import Source

_FIRST = 0xF0000
"""Characters of a private plane: each stands for one unknown value while the text is YAML."""
_LAST = 0xFFFFD


def read_written(written: Written, options: ReadOptions) -> tuple[tuple[Leaf, ...], tuple[Diagnostic, ...]]:
    """The leaves of a config that a here-document writes. Unknown variables stay expressions."""
    assert written.text is not None
    filled = _Filled(written.text)
    document = read_yaml_document(
        Source(filled.name, filled.word_text), options.rules, options.sources, options.shipped
    )
    leaves = tuple(filled.leaf(leaf) for leaf in document.leaves)
    diagnostics = [filled.diagnostic(diagnostic) for diagnostic in document.diagnostics]
    return leaves, (*filled.unreadable(document.leaves), *diagnostics)


class _Filled:
    """A here-document with a character in the place of everything that is not known."""

    def __init__(self, word: Word) -> None:
        self.name = word.source.name
        self.values: dict[str, Expr] = {}
        taken = set(word.source.text)
        free = (chr(code) for code in range(_FIRST, _LAST) if chr(code) not in taken)
        pieces: list[Piece] = []
        for value, start, end, origins, inner in word.pieces:
            written_text = ""
            for part in value.parts if isinstance(value, Text) else (value,):
                if isinstance(part, str):
                    written_text += part
                else:
                    mark = next(free)
                    self.values[mark] = part
                    written_text += mark
            pieces.append((written_text, start, end, origins, inner))
        self.word_text = "".join(str(piece[0]) for piece in pieces)
        self.word = Word(self.word_text, tuple(pieces), word.source, word.start, word.end)
        self._marks = re.compile(f"([{''.join(self.values)}])") if self.values else None

    def leaf(self, leaf: Leaf) -> Leaf:
        """A leaf with its unknown values and the places of the script."""
        if leaf.place.file != self.name:  # of a config that this one names
            return leaf
        start, end = leaf.place.span.start, leaf.place.span.end
        via = Word(self.word_text, self._between(start, end), self.word.source, 0, 0).via
        return replace(
            leaf,
            key=str(self._shown(leaf.key)),
            value=self.value(leaf.value),
            place=self._place(leaf.place),
            key_place=self._place(leaf.key_place),
            via=via,
        )

    def value(self, value: Value) -> Value:
        """A value with the expressions that its characters stand for."""
        if self._marks is None:
            return value
        if isinstance(value, str):
            return text(*(self.values.get(part, part) for part in self._marks.split(value)))
        if isinstance(value, list):
            return [self.value(item) for item in value]
        return {k: self.value(v) for k, v in value.items()} if isinstance(value, dict) else value

    def unreadable(self, leaves: tuple[Leaf, ...]) -> list[Diagnostic]:
        """Unknown values where keys or whole lines stand: what they make of the config cannot be told."""
        diagnostics: list[Diagnostic] = []
        for mark, value in self.values.items():
            position = self.word_text.index(mark)
            line = self.word_text[self.word_text.rfind("\n", 0, position) + 1 :].partition("\n")[0]
            if line.strip() != mark and not any(mark in leaf.key for leaf in leaves):
                continue
            names = ", ".join(sorted(names_in(value))) or "a command's output"
            message = f"the keys of the config that the script writes depend on {names}, which is not known"
            name = min(names_in(value), default="")
            binds = "give it with --args" if name.isdigit() else f"give it with --set {name}=VALUE"
            help_ = binds if name else "give it with --base FILE"
            diagnostics.append(
                Diagnostic("SYN508", Severity.ERROR, message, self.word.span_at(position, position + 1), help=help_)
            )
        return diagnostics

    def diagnostic(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic of the YAML reader with its places moved into the script."""
        place = self._place(diagnostic.place) if diagnostic.place is not None else None
        labels = tuple(Label(self._place(label.place), label.note) for label in diagnostic.related)
        return replace(diagnostic, message=str(self._shown(diagnostic.message)), place=place, related=labels)

    def _place(self, place: Place) -> Place:
        return self.word.span_at(place.span.start, place.span.end) if place.file == self.name else place

    def _shown(self, message: str) -> Known:
        """Text for people, with the names of what is unknown."""
        if self._marks is None or not self._marks.search(message):
            return message
        return self._marks.sub(lambda mark: f"${{{min(names_in(self.values[mark[0]]), default='...')}}}", message)

    def _between(self, start: int, end: int) -> tuple[Piece, ...]:
        offset, pieces = 0, list[Piece]()
        for piece in self.word.pieces:
            size = len(str(piece[0]))
            if offset < end and start < offset + size:
                pieces.append(piece)
            offset += size
        return tuple(pieces)
