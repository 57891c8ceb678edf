"""The shell's grammar: lists, pipelines, compound commands, functions."""

from __future__ import annotations

import re
from collections.abc import Callable

from rftconf.text.shell.parse.compounds import CompoundReader
from rftconf.text.shell.parse.modes import MAX_COMMANDS, MAX_DEPTH, TooDeep, Unclosed
from rftconf.text.shell.parse.nodes import (
    AndOr,
    Assign,
    Command,
    Lit,
    Param,
    Pipeline,
    Redirect,
    Redirected,
    Simple,
    Tree,
    WordNode,
)

_NO_STOPS: frozenset[str] = frozenset()
_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|function|select|time|coproc|\{|\}|!|\[\[)"
    r"(?=[\s;()&|]|\Z)|\(\(?"
).match
_QUICK = re.compile(
    r"([A-Za-z_]\w*)=(?:\$\{([A-Za-z_]\w*):-([^\s\\'\"$`&|;<>(){}~]*)\}|([^\s\\'\"$`&|;<>(){}~]*))(?=\n)"
).match
_CLOSING = frozenset({"then", "elif", "else", "fi", "do", "done", "esac", "}"})
_FUNCTION = re.compile(r"([^\s\"'$`&|;<>()={}]+)[ \t]*\([ \t]*\)").match


class Parser(CompoundReader):
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
            offset = error.at if isinstance(error, TooDeep) else self.pos
            self._problem("SYN199", f"nested deeper than {MAX_DEPTH} levels", offset)
        return tree

    def _stray(self) -> None:
        """Report what cannot begin a command and move past it."""
        match = _RESERVED(self.text, self.pos)
        end = match.end() if match is not None else self.pos + 1
        while match is None and self.text[end : end + 1] == self.text[self.pos]:
            end += 1
        self._problem("SYN102", f"`{self.text[self.pos : min(end, self.pos + 20)]}` has no beginning", self.pos, end)
        self.pos = end

    def commands(self, stops: frozenset[str], into: list[Command] | None = None) -> list[Command]:
        """Commands up to a reserved word in `stops`, a closing word, `)`, `;;` or the end."""
        body: list[Command] = [] if into is None else into
        text = self.text
        while True:
            self.gap()
            start = self.pos
            self._stop_behind(body)
            if (
                self.pos >= self.size
                or (c := text[start]) == ")"
                or text.startswith(";;", start)
                or text.startswith(";&", start)
            ):
                return body
            if c == ";":
                self.pos += 1
                continue
            match = _RESERVED(text, start)
            if match is not None and (match[0] in stops or match[0] in _CLOSING):
                return body
            quick = _QUICK(text, start)
            if quick is not None:
                body.append(self._quick(quick, start))
                continue
            command = self._and_or()
            body.append(command)
            if self.pos == start:
                self._stray()

    def _stop_behind(self, row: list[Command]) -> None:
        """Read no further where more commands stand in a row than anybody writes."""
        if len(row) >= MAX_COMMANDS and self.pos < self.size:
            problem = f"more than {MAX_COMMANDS:,} commands in a row: the others are not read"
            self._problem("SYN199", problem, self.pos, self.pos + 1)
            self.pos = self.size

    def _quick(self, match: re.Match[str], start: int) -> Simple:
        """`name=text` or `name=${other:-text}` alone on a line: half of most launch scripts."""
        name, operator, default, plain = match.groups()
        end = self.pos = match.end()
        first = start + len(name) + 1
        if operator is None:
            value = WordNode([Lit(plain, first, end)] if plain else [], first, end, plain)
        else:
            inner = WordNode([Lit(default, end - 1 - len(default), end - 1)], end - 1 - len(default), end - 1, default)
            if not default:
                inner.parts = []
            value = WordNode([Param(operator, first, end, False, ":-", inner)], first, end)
        return Simple([Assign(name, value, start, end)], [], start, end)

    def _and_or(self) -> Command:
        start = self.pos
        first = self._pipeline()
        items, ops = [first], list[str]()
        while True:
            self.blanks()
            self._stop_behind(items)
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
        while (match := _RESERVED(self.text, self.pos)) is not None and match[0] in ("!", "time", "coproc"):
            negated ^= match[0] == "!"
            self.pos = match.end()
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
        text, start = self.text, self.pos
        match = _RESERVED(text, start)
        if match is not None and (read := self._compounds.get(match[0])) is not None:
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise TooDeep(start)
            node = read()
            self.depth -= 1
            node.end = self.pos
            written = self._redirections()
            return Redirected(node, written, node.start, node.end) if written else node
        named = _FUNCTION(text, start)
        if named is not None:
            self.pos = named.end()
            return self._function_body(named[1], start)
        return self.simple()

    def _redirections(self) -> tuple[Redirect, ...]:
        """The redirections behind a compound command that write to a file."""
        holder = Simple([], [], self.pos)
        while True:
            self.blanks()
            before = self.pos
            c = self.text[before : before + 1]
            if not c or c not in "<>&0123456789{" or not self._redirect(holder):
                self.pos = before
                return tuple(redirect for redirect in holder.redirects if redirect.writes)

    def skip_commands(self, start: int) -> None:
        """Move past the commands of `$(` to behind its `)`."""
        problems = len(self.problems)
        waiting, self._heredocs = self._heredocs, []
        inside: list[Command] = []
        while True:
            inside += self.commands(_NO_STOPS)
            if self.pos >= self.size:
                raise Unclosed(start, "$(")
            if self.text[self.pos] == ")":
                break
            self.pos += 1
        self.pos += 1
        self._heredocs, self.inside = waiting, inside
        # What a substitution says is not run, so what is odd in it is not reported either.
        del self.problems[problems:]
