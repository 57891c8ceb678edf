"""Simple commands: assignments, words, redirections, here-documents, and comments that cut a command short."""

from __future__ import annotations

import re

from rftconf.text.placeholders import placeholder_end
from rftconf.text.shell.parse.braces import MAX_WORDS, expand_braces
from rftconf.text.shell.parse.continuations import cut_by_comment
from rftconf.text.shell.parse.heredocs import close, handed_on, opened
from rftconf.text.shell.parse.home import tildes
from rftconf.text.shell.parse.lexer import WordReader
from rftconf.text.shell.parse.modes import ARITHMETIC, SUBSCRIPT, WORD, Unclosed
from rftconf.text.shell.parse.nodes import (
    ArithPart,
    ArrayNode,
    Assign,
    Command,
    CommandPart,
    HereDoc,
    Lit,
    Part,
    Problem,
    Redirect,
    Simple,
    WordNode,
)

MAX_ALL_WORDS = 20_000
"""So many words brace expressions of one text may become together."""
MAX_IN_VAIN = 200_000
"""Characters that may be read as arithmetic and turn out to be none; what else looks like arithmetic is then read as commands."""
_BLANK = re.compile(r"(?:[ \t]|\\\n)*").match
_GAP = re.compile(r"(?:[ \t\n]+|\\\n|#[^\n]*)*").match
_COMMENT = re.compile(r"#[^\n]*").match
_ASSIGN = re.compile(r"([A-Za-z_]\w*)(?:(\+?)=|(\[))").match
_VALUE = re.compile(r"[^\s\\'\"$`&|;<>(){}~]*(?=[\s;)]|\Z)").match
_REDIRECT = re.compile(r"(?:\d+|\{[A-Za-z_]\w*\})?(&>>|&>|<<<|<<-|<<|<>|>>|>\||>&|<&|<(?!\()|>(?!\())").match
_REDIRECT_FIRST = re.compile(r"\d*[<>]|&>|\{[A-Za-z_]\w*\}[<>]").match
_DECLARING = frozenset({"export", "declare", "local", "readonly", "typeset"})
_ENDS = frozenset("\n;&|)")


class CommandReader(WordReader):
    """Reads simple commands."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._heredocs: list[HereDoc] = []
        self._expanded = self._in_vain = 0
        self.inside: list[Command] = []
        """The commands of the substitution that was read last."""

    def blanks(self) -> None:
        """Skip blanks and continued line ends."""
        match = _BLANK(self.text, self.pos)
        if match is not None:
            self.pos = match.end()

    def comment(self) -> None:
        """Skip the comment at `pos`, up to its line end."""
        match = _COMMENT(self.text, self.pos)
        if match is not None:
            self.pos = match.end()

    def line_end(self) -> None:
        """Skip the line end at `pos` and the bodies of here-documents that begin there."""
        self.pos += 1
        for waiting in self._heredocs:
            after = close(self.text, self.pos, waiting)
            if after < 0:
                message = f"no line `{waiting.delimiter}` ends this here-document"
                self.problems.append(Problem("SYN103", message, waiting.opened, waiting.opened + 2))
            self.pos = after if after >= 0 else self.size
        self._heredocs.clear()

    def gap(self) -> None:
        """Skip blanks, line ends and comments."""
        text, size = self.text, self.size
        if not self._heredocs:
            match = _GAP(text, self.pos)
            if match is not None:
                self.pos = match.end()
            return
        while True:
            self.blanks()
            if self.pos >= size:
                return
            c = text[self.pos]
            if c == "\n":
                self.line_end()
            elif c == "#":
                self.comment()
            else:
                return

    def simple(self, *, listed: bool = False) -> Simple:
        """The simple command at `pos`; its `words` are empty when there are only assignments.

        `listed` is for the words of a `for`, among which nothing is an assignment.
        """
        text, size = self.text, self.size
        node = Simple([], [], self.pos)
        declaring = False
        while True:
            before = self.pos
            self.blanks()
            start = self.pos
            if start >= size or ((c := text[start]) in _ENDS and not text.startswith("&>", start)):
                break
            if c == "#" and (start != before or start == 0):
                if node.words and (problem := cut_by_comment(text, before, start)) is not None:
                    self.problems.append(problem)
                self.comment()
                break
            redirects = c in "<>&0123456789{" and _REDIRECT_FIRST(text, start) and placeholder_end(text, start) is None
            if redirects and self._redirect(node):
                continue
            if (not node.words or declaring) and not listed:
                assign = self._assign()
                if assign is not None:
                    (node.words or node.assigns).append(assign)
                    continue
            if not self._words(node):
                break
            if len(node.words) == 1:
                first = node.words[0]
                declaring = isinstance(first, WordNode) and first.plain in _DECLARING
        node.end = before if before > node.start else self.pos
        return node

    def _words(self, node: Simple) -> bool:
        """Add the word at `pos`; False when there is none (a stray parenthesis)."""
        word = self.word()
        if not word.parts and word.end == word.start:
            return self._process_substitution(node)
        if word.plain is None and any(isinstance(p, Lit) and not p.quoted and "{" in p.text for p in word.parts):
            node.words.extend(self._braces(word))
        else:
            node.words.append(word)
        return True

    def _braces(self, word: WordNode) -> list[WordNode]:
        words = expand_braces(word, min(MAX_WORDS, MAX_ALL_WORDS - self._expanded))
        self._expanded += len(words)
        return words

    def _process_substitution(self, node: Simple) -> bool:
        start = self.pos
        if self.text[start : start + 1] not in ("<", ">") or self.text[start + 1 : start + 2] != "(":
            return False
        self.pos = start + 2
        self.skip_commands(start)
        node.words.append(WordNode([CommandPart(start, self.pos, True)], start, self.pos))
        return True

    def _assign(self) -> Assign | None:
        match = _ASSIGN(self.text, self.pos)
        if match is None:
            return None
        start, index, append = self.pos, None, match[2] == "+"
        self.pos = match.end()
        if match[3]:
            problems = len(self.problems)
            index = WordNode(self.parts(SUBSCRIPT), match.end(), self.pos)
            tail = self.text[self.pos : self.pos + 3]
            append = tail[1:2] == "+"
            if not tail.startswith(("]=", "]+=")):
                self.pos = start
                del self.problems[problems:]
                return None
            self.pos += 3 if append else 2
        value = self.value()
        return Assign(match[1], value, start, self.pos, index, append)

    def value(self) -> WordNode | ArrayNode:
        """The right side of an assignment."""
        text, start = self.text, self.pos
        plain = _VALUE(text, start)
        if plain is not None:
            self.pos = end = plain.end()
            plain_text = plain.group()
            return WordNode([Lit(plain_text, start, end)] if plain_text else [], start, end, plain_text)
        if text[start] == "(":
            return self.array()
        parts = self.parts(WORD)
        if any(isinstance(p, Lit) and not p.quoted and "~" in p.text for p in parts):
            parts = tildes(parts)
        return WordNode(parts, start, self.pos)

    def array(self) -> ArrayNode:
        """`( ... )` at `pos`."""
        opened = self.pos
        self.pos += 1
        elements: list[tuple[WordNode | None, WordNode]] = []
        while True:
            self.gap()
            if self.pos >= self.size:
                raise Unclosed(opened, "(")
            c = self.text[self.pos]
            if c == ")":
                self.pos += 1
                return ArrayNode(elements, opened, self.pos)
            index = self._element_index() if c == "[" else None
            if index is not None:
                value = self.value()
                elements.append((index, value if isinstance(value, WordNode) else WordNode([], opened, opened)))
                continue
            word = self.word()
            if not word.parts and word.end == word.start:
                message = f"`{c}` has no place in an array"
                self.problems.append(Problem("SYN102", message, self.pos, self.pos + 1))
                self.pos += 1
            elif word.plain is None:
                elements.extend((None, w) for w in self._braces(word))
            else:
                elements.append((None, word))

    def _element_index(self) -> WordNode | None:
        start = self.pos
        self.pos += 1
        index = WordNode(self.parts(SUBSCRIPT), start + 1, self.pos)
        if self.text.startswith("]=", self.pos):
            self.pos += 2
            return index
        self.pos = start
        return None

    def _redirect(self, node: Simple) -> bool:
        match = _REDIRECT(self.text, self.pos)
        if match is None:
            return False
        operator, start = match[1], self.pos
        self.pos = match.end()
        self.blanks()
        target = self.word()
        redirect = Redirect(operator, self.text[start : match.start(1)], target)
        if operator in ("<<", "<<-"):
            redirect.body = opened(target, tabs=operator == "<<-", start=start)
            self._heredocs.append(redirect.body)
        elif (
            operator != "<<<"
            and not target.parts
            and target.end == target.start
            and not self._process_substitution(Simple([], [], 0))
        ):
            self.problems.append(Problem("SYN102", f"`{operator}` names no file", start, self.pos))
        node.redirects.append(redirect)
        return True

    def dollar_parenthesis(self, parts: list[Part], start: int, quoted: bool) -> None:
        """Read `$(...)` or `$((...))` at `start`."""
        self.pos = start + 2
        if self.text[self.pos : self.pos + 1] == "(":
            self.pos += 1
            body = self.arithmetic(start)
            if body is not None:
                parts.append(ArithPart(body, start, self.pos, quoted))
                return
            self.pos = start + 2
        self.skip_commands(start)
        parts.append(CommandPart(start, self.pos, quoted, handed_on(self.inside), tuple(self.inside)))

    def arithmetic(self, start: int) -> WordNode | None:
        """Read `...))` at `pos`; None when it is no arithmetic (then `pos` means nothing)."""
        if start in self._no_arithmetic or self._in_vain > MAX_IN_VAIN:
            return None
        begin, level, parts = self.pos, 0, list[Part]()
        problems = len(self.problems)
        try:
            while True:
                parts.extend(self.parts(ARITHMETIC))
                opening = self.pos
                if opening >= self.size:
                    break
                if self.text[opening] == ")" and level == 0:
                    if self.text[opening + 1 : opening + 2] != ")":
                        break
                    self.pos = opening + 2
                    return WordNode(parts, begin, opening)
                level += 1 if self.text[opening] == "(" else -1
                parts.append(Lit(self.text[opening], opening, opening + 1))
                self.pos = opening + 1
        except Unclosed:
            self.pos = self.size  # what is open here is open for commands too, which are read next and say so
        self._no_arithmetic.add(start)
        self._in_vain += self.pos - begin
        del self.problems[problems:]
        return None
