"""Cuts characters into words: quotes, escapes, `$` in all its forms. It knows nothing of commands."""

# ruff: noqa: ARG002 (every reader of a special character is called the same way)
from __future__ import annotations

import re
from collections.abc import Callable

from rftconf.text.placeholders import placeholder_end
from rftconf.text.shell.parse.continuations import cut_by_backslash
from rftconf.text.shell.parse.home import tilde, tildes
from rftconf.text.shell.parse.modes import (
    ARITHMETIC,
    DOUBLE,
    MAX_DEPTH,
    PARAM,
    PARAM_QUOTED,
    PATTERN,
    PATTERN_WORD,
    SLICE,
    SUBSCRIPT,
    WORD,
    Mode,
    TooDeep,
    Unclosed,
)
from rftconf.text.shell.parse.nodes import CommandPart, Lit, Param, Part, Problem, WordNode
from rftconf.text.shell.parse.quoting import ansi_c

_SIMPLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*)|\{(\d+|[@*#?$!-])\}|([0-9@*#?$!-]))").match
_HEAD = re.compile(r"([!#]?)([A-Za-z_]\w*|\d+|[@*#?$!-])").match
_OPERATOR = re.compile(r":[-=?+]|[-=?+]|##?|%%?|//|/[#%]|/|\^\^?|,,?|:|@[A-Za-z]|[*@](?=\})").match
_PLAIN = re.compile(r"[^\s\\'\"$`&|;<>(){}~]+(?=[\s;)]|\Z)").match
_PAIR = re.compile(r"([^\s\\'\"$`&|;<>(){}~]*)(\"|)\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))\2(?=[\s;)]|\Z)").match
_NAMED = re.compile(r"[A-Za-z_]\w*\+?=").match


class WordReader:
    """Reads words of one text from `pos` on."""

    def __init__(self, text: str) -> None:
        self.text, self.size, self.pos, self.depth = text, len(text), 0, 0
        self.problems: list[Problem] = []
        self._no_arithmetic: set[int] = set()
        self._special: dict[str, Callable[[list[Part], Mode, bool], None]] = {
            "$": self._dollar,
            '"': self._double,
            "'": self._single,
            "\\": self._backslash,
            "`": self._backtick,
        }

    def skip_commands(self, start: int) -> None:
        """Move past the commands of `$(` to behind its `)`."""
        raise NotImplementedError

    def arithmetic(self, start: int) -> WordNode | None:
        """Read `...))` at `pos`; None, with `pos` put back, when it is no arithmetic."""
        raise NotImplementedError

    def dollar_parenthesis(self, parts: list[Part], start: int, quoted: bool) -> None:
        """Read `$(...)` or `$((...))` at `start`."""
        raise NotImplementedError

    def word(self, mode: Mode = WORD) -> WordNode:
        """The word at `pos`; it has no parts when there is none."""
        start = self.pos
        plain = _PLAIN(self.text, start)
        if plain is not None:
            self.pos = end = plain.end()
            text = plain.group()
            return WordNode([Lit(text, start, end)], start, end, text)
        pair = _PAIR(self.text, start)
        if pair is not None:
            return self._pair(pair, start)
        parts = self.parts(mode)
        if parts and isinstance(first := parts[0], Lit) and not first.quoted and "~" in first.text:
            if first.text[0] == "~":
                parts[:1] = tilde(first)
            elif (named := _NAMED(first.text)) is not None:
                middle = first.start + named.end()
                more_parts: list[Part] = [Lit(first.text[named.end() :], middle, first.end), *parts[1:]]
                parts = [Lit(named[0], first.start, middle), *tildes(more_parts)]
        return WordNode(parts, start, self.pos)

    def _pair(self, match: re.Match[str], start: int) -> WordNode:
        """`key=$name` and `key="${name}"`, most of what launch scripts are made of."""
        key, quote, braced, bare = match.groups()
        middle, inner = start + len(key), len(quote)
        end = self.pos = match.end()
        parts: list[Part] = [Param(braced or bare, middle + inner, end - inner, bool(quote))]
        if key:
            parts.insert(0, Lit(key, start, middle))
        return WordNode(parts, start, end)

    def until(self, mode: Mode, opened: int, what: str, quoted: bool = False) -> WordNode:
        """The text up to one of the mode's stops, which must come."""
        start = self.pos
        parts = self.parts(mode, quoted)
        if self.pos >= self.size:
            raise Unclosed(opened, what)
        return WordNode(parts, start, self.pos)

    def parts(self, mode: Mode, quoted: bool = False) -> list[Part]:
        """Parts from `pos` up to a stop of `mode` or the end."""
        text, size, run, stops, special = self.text, self.size, mode.run, mode.stops, self._special
        parts: list[Part] = []
        while (start := self.pos) < size:
            match = run(text, start)
            if match is not None:
                self.pos = match.end()
                parts.append(Lit(match.group(), start, self.pos, quoted))
                continue
            c = text[start]
            if c in stops:
                if c == "<" and mode is WORD and self.placeholder(parts):
                    continue
                break
            handler = special.get(c)
            if handler is None or c in mode.literal:
                if mode is PATTERN_WORD and not self._extended(parts):
                    break
                self.pos = start + 1
                parts.append(Lit(c, start, start + 1, quoted))
            else:
                handler(parts, mode, quoted)
        return parts

    def placeholder(self, parts: list[Part]) -> bool:
        """Read a bare `<name>` at `pos`, which bash would take for redirections, as the text that it stands for."""
        end = placeholder_end(self.text, self.pos)
        if end is None:
            return False
        start, self.pos = self.pos, end
        name = self.text[start:end]
        parts.append(Lit(name, start, end, True))
        message = f"{name} is a placeholder, and bash would take its < and > for redirections"
        self.problems.append(Problem("SYN161", message, start, end, "write the value in its place"))
        return True

    def _extended(self, parts: list[Part]) -> bool:
        """True when `(`, `|` or `)` at `pos` belongs to an extended pattern such as `@(a|b)`."""
        so_far = "".join(p.text for p in parts if isinstance(p, Lit) and not p.quoted)
        if self.text[self.pos] == "(":
            return so_far[-1:] in set("?*+@!")
        return so_far.count("(") > so_far.count(")")

    def _backslash(self, parts: list[Part], mode: Mode, quoted: bool) -> None:
        start = self.pos
        following = self.text[start + 1 : start + 2]
        self.pos = min(start + 2, self.size)
        if following == "\n":
            return
        if (
            not quoted
            and mode is WORD
            and following in " \t"
            and (problem := cut_by_backslash(self.text, start)) is not None
        ):
            self.problems.append(problem)
        if following == "" and not quoted:
            return
        if following == "" or (mode.escapes is not None and following not in mode.escapes):
            self.pos = start + 1
            parts.append(Lit("\\", start, start + 1, True))
            return
        parts.append(Lit(following, start, self.pos, True))

    def _single(self, parts: list[Part], mode: Mode, quoted: bool) -> None:
        start = self.pos
        if mode is PARAM_QUOTED or mode is ARITHMETIC or mode is DOUBLE:
            self.pos = start + 1
            parts.append(Lit("'", start, start + 1, quoted))
            return
        end = self.text.find("'", start + 1)
        if end < 0:
            raise Unclosed(start, "single quote")
        self.pos = end + 1
        # Offsets of what is inside, so that characters of the value map one to one.
        parts.append(Lit(self.text[start + 1 : end], start + 1, end, True))

    def _double(self, parts: list[Part], mode: Mode, quoted: bool) -> None:
        start = self.pos
        self.pos = start + 1
        inside = self.parts(DOUBLE, True)
        if self.pos >= self.size:
            raise Unclosed(start, "double quote")
        self.pos += 1
        if inside:
            parts.extend(inside)
        else:
            parts.append(Lit("", start + 1, start + 1, True))

    def _backtick(self, parts: list[Part], mode: Mode, quoted: bool) -> None:
        start = end = self.pos
        while True:
            end = self.text.find("`", end + 1)
            if end < 0:
                raise Unclosed(start, "backtick")
            slashes = end
            while self.text[slashes - 1] == "\\":
                slashes -= 1
            if (end - slashes) % 2 == 0:
                break
        self.pos = end + 1
        parts.append(CommandPart(start, self.pos, quoted))

    def _dollar(self, parts: list[Part], mode: Mode, quoted: bool) -> None:
        start, text = self.pos, self.text
        simple = _SIMPLE(text, start)
        if simple is not None:
            self.pos = simple.end()
            parts.append(Param(simple[1] or simple[2] or simple[3] or simple[4], start, self.pos, quoted))
            return
        following = text[start + 1 : start + 2]
        if following == "{":
            self._enter(start)
            parts.append(self._braced(start, quoted))
            self.depth -= 1
        elif following == "(":
            self._enter(start)
            self.dollar_parenthesis(parts, start, quoted)
            self.depth -= 1
        elif following == "'" and not quoted:
            value, self.pos = ansi_c(text, start + 2)
            if self.pos < 0:
                raise Unclosed(start, "$' quote")
            parts.append(Lit(value, start, self.pos, True))
        elif following == '"' and not quoted:
            self.pos = start + 1
        else:
            self.pos = start + 1
            parts.append(Lit("$", start, start + 1, quoted))

    def _enter(self, start: int) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise TooDeep(start)

    def _braced(self, start: int, quoted: bool) -> Part:
        """`${...}` at `start`, when it is more than a name."""
        text = self.text
        self.pos = start + 2
        head = _HEAD(text, self.pos)
        if head is None:
            self.until(PARAM, start, "${")
            self.pos += 1
            return CommandPart(start, self.pos, quoted)
        node = Param(head[2], start, start, quoted, prefix=head[1])
        self.pos = head.end()
        if text[self.pos : self.pos + 1] == "[":
            self.pos += 1
            node.index = self.until(SUBSCRIPT, start, "${")
            self.pos += 1
        operator = _OPERATOR(text, self.pos)
        if operator is not None:
            node.op = operator.group()
            self.pos = operator.end()
            self._operands(node, start, quoted)
        if self.pos >= self.size:
            raise Unclosed(start, "${")
        if text[self.pos] != "}" or (node.prefix == "#" and node.op):  # a length takes no operator: a bad substitution
            self.until(PARAM, start, "${")
            self.pos += 1
            return CommandPart(start, self.pos, quoted)
        self.pos += 1
        node.end = self.pos
        return node

    def _operands(self, node: Param, start: int, quoted: bool) -> None:
        op = node.op
        if op[0] == "/":
            node.arg = self.until(PATTERN, start, "${")
            if self.text[self.pos] == "/":
                self.pos += 1
                node.arg2 = self.until(PARAM, start, "${")
        elif op == ":":
            node.arg = self.until(SLICE, start, "${")
            if self.text[self.pos] == ":":
                self.pos += 1
                node.arg2 = self.until(PARAM, start, "${")
        elif op[0] in "#%^,":
            node.arg = self.until(PARAM, start, "${")
        elif op[0] != "@" and op != "*":
            node.arg = self.until(PARAM_QUOTED if quoted else PARAM, start, "${", quoted)
            first = node.arg.parts[0] if node.arg.parts and not quoted else None
            if isinstance(first, Lit) and not first.quoted and first.text[:1] == "~":
                node.arg.parts[:1] = tilde(first)
