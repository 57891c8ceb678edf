"""The shell's grammar: lists, pipelines, compound commands, functions."""

from __future__ import annotations

import re
from collections.abc import Callable

from rftconf.text.shell.commands import CommandReader
from rftconf.text.shell.nodes import (
    AndOr,
    ArithCommand,
    Assign,
    Case,
    Command,
    For,
    ForArith,
    Function,
    Group,
    If,
    Lit,
    Param,
    Pipeline,
    Problem,
    Simple,
    Test,
    Tree,
    While,
    WordNode,
)
from rftconf.text.shell.testing import read_test
from rftconf.text.shell.words import MAX_DEPTH, TooDeep, Unclosed

_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select|time|coproc|\{|\}|!|\[\[)"
    r"(?=[\s;()&|]|\Z)|\(\(?"
).match
_QUICK = re.compile(
    r"([A-Za-z_]\w*)=(?:\$\{([A-Za-z_]\w*):-([^\s\\'\"$`&|;<>(){}~]*)\}|([^\s\\'\"$`&|;<>(){}~]*))(?=\n)"
).match
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_FUNCTION = re.compile(r"([^\s\"'$`&|;<>()={}]+)[ \t]*\([ \t]*\)").match
_FUNCTION_NAME = re.compile(r"function[ \t]+([^\s\"'$`&|;<>()]+)[ \t]*(?:\([ \t]*\))?").match
_FOR = re.compile(r"(?:for|select)[ \t]+([A-Za-z_]\w*)").match
_NO_STOPS: frozenset[str] = frozenset()


class Parser(CommandReader):
    """Reads a whole script. Never raises: what it cannot read becomes a problem."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._compounds: dict[str, Callable[[], Command]] = {
            "if": self._if,
            "for": self._for,
            "select": self._for,
            "while": self._while,
            "until": self._while,
            "case": self._case,
            "function": self._named_function,
            "{": self._group,
            "(": self._subshell,
            "((": self._double_parenthesis,
            "[[": self._test,
        }

    def script(self) -> Tree:
        """Everything up to the end of the text."""
        tree = Tree(problems=self.problems)
        try:
            while True:
                self.commands(_NO_STOPS, tree.body)
                if self.pos >= self.size:
                    break
                self._stray()
        except Unclosed as error:
            self._problem("SYN101", f"this {error.what} is never closed", error.start)
        except (TooDeep, RecursionError) as error:
            at = error.at if isinstance(error, TooDeep) else self.pos
            self._problem("SYN199", f"nested deeper than {MAX_DEPTH} levels", at)
        return tree

    def _problem(self, code: str, message: str, at: int, end: int = 0) -> None:
        self.problems.append(Problem(code, message, at, end or min(at + 1, self.size)))

    def _stray(self) -> None:
        """Report what cannot begin a command and move past it."""
        found = _RESERVED(self.text, self.pos)
        end = found.end() if found is not None else self.pos + 1
        self._problem("SYN102", f"`{self.text[self.pos : end]}` has no beginning", self.pos, end)
        self.pos = end

    def commands(self, stops: frozenset[str], into: list[Command] | None = None) -> list[Command]:
        """Commands up to a reserved word in `stops`, a closing word, `)`, `;;` or the end."""
        body: list[Command] = [] if into is None else into
        text = self.text
        while True:
            self.gap()
            at = self.pos
            if at >= self.size or (c := text[at]) == ")" or text.startswith(";;", at) or text.startswith(";&", at):
                return body
            if c == ";":
                self.pos += 1
                continue
            found = _RESERVED(text, at)
            if found is not None and (found[0] in stops or found[0] in _CLOSING):
                return body
            quick = _QUICK(text, at)
            if quick is not None:
                body.append(self._quick(quick, at))
                continue
            command = self._and_or()
            body.append(command)
            if self.pos == at:
                self._stray()

    def _quick(self, found: re.Match[str], start: int) -> Simple:
        """`name=text` or `name=${other:-text}` alone on a line: half of most launch scripts."""
        name, other, default, plain = found.groups()
        end = self.pos = found.end()
        first = start + len(name) + 1
        if other is None:
            value = WordNode([Lit(plain, first, end)] if plain else [], first, end, plain)
        else:
            inner = WordNode([Lit(default, end - 1 - len(default), end - 1)], end - 1 - len(default), end - 1, default)
            if not default:
                inner.parts = []
            value = WordNode([Param(other, first, end, False, ":-", inner)], first, end)
        return Simple([Assign(name, value, start, end)], [], start, end)

    def _and_or(self) -> Command:
        start = self.pos
        first = self._pipeline()
        items, ops = [first], list[str]()
        while True:
            self.blanks()
            op = self.text[self.pos : self.pos + 2]
            if op not in ("&&", "||"):
                break
            self.pos += 2
            self.gap()
            ops.append(op)
            items.append(self._pipeline())
        background = op[:1] == "&"
        if op[:1] in (";", "&") and op not in (";;", ";&"):
            self.pos += 1
        if len(items) == 1 and not background:
            return first
        return AndOr(items, ops, start, items[-1].end, background)

    def _pipeline(self) -> Command:
        start, negated, commands = self.pos, False, list[Command]()
        while (found := _RESERVED(self.text, self.pos)) is not None and found[0] in ("!", "time", "coproc"):
            negated ^= found[0] == "!"
            self.pos = found.end()
            self.blanks()
            if self.text.startswith("-p ", self.pos):
                self.pos += 3
        while True:
            commands.append(self._command())
            self.blanks()
            if self.text[self.pos : self.pos + 1] != "|" or self.text.startswith("||", self.pos):
                break
            self.pos += 2 if self.text.startswith("|&", self.pos) else 1
            self.gap()
        if len(commands) == 1 and not negated:
            return commands[0]
        return Pipeline(commands, start, commands[-1].end, negated)

    def _command(self) -> Command:
        text, at = self.text, self.pos
        found = _RESERVED(text, at)
        if found is not None and (read := self._compounds.get(found[0])) is not None:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise TooDeep(at)
            node = read()
            self.depth -= 1
            node.end = self.pos
            self._redirections()
            return node
        named = _FUNCTION(text, at)
        if named is not None:
            self.pos = named.end()
            return self._function_body(named[1], at)
        return self.simple()

    def _redirections(self) -> None:
        """Skip the redirections behind a compound command."""
        while True:
            self.blanks()
            before = self.pos
            c = self.text[before : before + 1]
            if not c or c not in "<>&0123456789{" or not self._redirect(Simple([], [], before)):
                self.pos = before
                return

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
            found = re.match(r";;&|;;|;&", self.text[self.pos : self.pos + 3])
            self.pos += found.end() if found is not None else 0
            node.arms.append((patterns, body, found[0] if found is not None else ";;"))
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

    def skip_commands(self, start: int) -> None:
        """Move past the commands of `$(` to behind its `)`."""
        problems = len(self.problems)
        waiting, self._heredocs = self._heredocs, []
        while True:
            self.commands(_NO_STOPS)
            if self.pos >= self.size:
                raise Unclosed(start, "$(")
            if self.text[self.pos] == ")":
                break
            self.pos += 1
        self.pos += 1
        self._heredocs = waiting
        # What a substitution says is not run, so what is odd in it is not reported either.
        del self.problems[problems:]


def _at_semicolons(body: WordNode) -> list[WordNode]:
    """The three expressions of `for ((...))`."""
    heads = [WordNode([], body.start, body.end) for _ in range(3)]
    k = 0
    for part in body.parts:
        if not isinstance(part, Lit):
            heads[k].parts.append(part)
            continue
        at = part.start
        for n, text in enumerate(part.text.split(";")):
            k = min(k + (n > 0), 2)
            heads[k].parts.append(Lit(text, at, at + len(text)))
            at += len(text) + 1
    return heads
