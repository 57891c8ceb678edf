"""Compound commands: `if`, loops, `case`, groups, functions, tests."""

from __future__ import annotations

import re

from rftconf.text.shell.parse.commands import CommandReader
from rftconf.text.shell.parse.modes import Unclosed
from rftconf.text.shell.parse.nodes import (
    ArithCommand,
    Case,
    Command,
    For,
    ForArith,
    Function,
    Group,
    If,
    Lit,
    Problem,
    Test,
    While,
    WordNode,
)
from rftconf.text.shell.parse.test_expressions import read_test

_FUNCTION_NAME = re.compile(r"function[ \t]+([^\s\"'$`&|;<>()]+)[ \t]*(?:\([ \t]*\))?").match

_FOR = re.compile(r"(?:for|select)[ \t]+([A-Za-z_]\w*)").match

_NO_STOPS: frozenset[str] = frozenset()


class CompoundReader(CommandReader):
    """Reads compound commands."""

    def commands(self, stops: frozenset[str], into: list[Command] | None = None) -> list[Command]:
        """Commands up to a reserved word in `stops`, a closing word, `)`, `;;` or the end."""
        raise NotImplementedError

    def _command(self) -> Command:
        raise NotImplementedError

    def _problem(self, code: str, message: str, offset: int, end: int = 0) -> None:
        self.problems.append(Problem(code, message, offset, end or min(offset + 1, self.size)))

    def _expect(self, word: str, opened: int, what: str) -> bool:
        """Move past `word`, or report that what was opened is not closed."""
        self.gap()
        if self.text.startswith(word, self.pos):
            self.pos += len(word)
            return True
        if self.pos >= self.size:
            self._problem("SYN101", f"this `{what}` has no `{word}`", opened, opened + len(what))
        else:
            self._problem("SYN102", f"`{word}` of the `{what}` is missing here", self.pos)
        return False

    def _if(self) -> If:
        node = If([], [], self.pos)
        self.pos += 2
        while True:
            condition = self.commands(_NO_STOPS)
            self._expect("then", node.start, "if")
            node.arms.append((condition, self.commands(_NO_STOPS)))
            if not self.text.startswith("elif", self.pos):
                break
            self.pos += 4
        if self.text.startswith("else", self.pos):
            self.pos += 4
            node.orelse = self.commands(_NO_STOPS)
        self._expect("fi", node.start, "if")
        return node

    def _body(self, opened: int, what: str) -> list[Command]:
        self.gap()
        if self.text[self.pos : self.pos + 1] == ";":
            self.pos += 1
            self.gap()
        if self.text.startswith("{", self.pos):
            return self._group().body
        self._expect("do", opened, what)
        body = self.commands(_NO_STOPS)
        self._expect("done", opened, what)
        return body

    def _for(self) -> Command:
        start = self.pos
        named = _FOR(self.text, start)
        if named is None:
            self.pos += 3
            self.blanks()
            if self.text.startswith("((", self.pos):
                return self._for_arith(start)
            self._problem("SYN102", "`for` names no variable", start, start + 3)
            return For("_", [], self.commands(_NO_STOPS), start)
        self.pos = named.end()
        self.gap()
        words: list[WordNode] | None = None
        if re.match(r"in[\s;]", self.text[self.pos : self.pos + 3]):
            self.pos += 2
            listed = self.simple(listed=True)
            words = [w for w in listed.words if isinstance(w, WordNode)]
        return For(named[1], words, self._body(start, "for"), start)

    def _for_arith(self, start: int) -> Command:
        self.pos += 2
        body = self.arithmetic(start)
        if body is None:
            raise Unclosed(start, "for ((")
        heads: list[list[WordNode]] = [[]]
        node = ForArith(_at_semicolons(body), [], start)
        del heads
        node.body = self._body(start, "for")
        return node

    def _while(self) -> While:
        start, until = self.pos, self.text[self.pos] == "u"
        self.pos += 5
        condition = self.commands(_NO_STOPS)
        return While(condition, self._body(start, "until" if until else "while"), until, start)

    def _case(self) -> Case:
        start = self.pos
        self.pos += 4
        self.blanks()
        node = Case(self.word(), [], start)
        self._expect("in", start, "case")
        while True:
            self.gap()
            if self.pos >= self.size or re.match(r"esac(?![^\s;&|)])", self.text[self.pos : self.pos + 5]):
                break
            if self.text[self.pos] == "(":
                self.pos += 1
            before = self.pos
            patterns = self._patterns()
            body = self.commands(_NO_STOPS)
            match = re.match(r";;&|;;|;&", self.text[self.pos : self.pos + 3])
            self.pos += match.end() if match is not None else 0
            node.arms.append((patterns, body, match[0] if match is not None else ";;"))
            if self.pos == before:
                break
        self._expect("esac", start, "case")
        return node

    def _patterns(self) -> list[WordNode]:
        patterns: list[WordNode] = []
        while True:
            self.blanks()
            patterns.append(self.word())
            self.blanks()
            c = self.text[self.pos : self.pos + 1]
            if c == "|":
                self.pos += 1
            elif c == ")":
                self.pos += 1
                return patterns
            else:
                self._problem("SYN102", "a pattern of `case` must end in `)`", self.pos)
                return patterns

    def _group(self) -> Group:
        node = Group([], False, self.pos)
        self.pos += 1
        node.body = self.commands(_NO_STOPS)
        self._expect("}", node.start, "{")
        return node

    def _subshell(self) -> Group:
        node = Group([], True, self.pos)
        self.pos += 1
        node.body = self.commands(_NO_STOPS)
        self._expect(")", node.start, "(")
        return node

    def _double_parenthesis(self) -> Command:
        start = self.pos
        self.pos += 2
        body = self.arithmetic(start)
        if body is not None:
            return ArithCommand(body, start)
        self.pos = start
        return self._subshell()

    def _named_function(self) -> Command:
        start = self.pos
        named = _FUNCTION_NAME(self.text, start)
        if named is None:
            self._problem("SYN102", "`function` names nothing", start, start + 8)
            self.pos += 8
            return Group([], False, start)
        self.pos = named.end()
        return self._function_body(named[1], start)

    def _function_body(self, name: str, start: int) -> Function:
        self.gap()
        return Function(name, self._command(), start, self.pos)

    def _test(self) -> Test:
        return read_test(self)


def _at_semicolons(body: WordNode) -> list[WordNode]:
    """The three expressions of `for ((...))`."""
    heads = [WordNode([], body.start, body.end) for _ in range(3)]
    k = 0
    for part in body.parts:
        if not isinstance(part, Lit):
            heads[k].parts.append(part)
            continue
        offset = part.start
        for n, text in enumerate(part.text.split(";")):
            k = min(k + (n > 0), 2)
            heads[k].parts.append(Lit(text, offset, offset + len(text)))
            offset += len(text) + 1
    return heads
