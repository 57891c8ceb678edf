"""`$((...))`: the integer arithmetic of the shell, over known and unknown names."""

from __future__ import annotations

import re

from rftconf.base.symbols import Branch, Expr, ShellOnly, Text, Var, formula, names_in
from rftconf.text.shell.expand.integers import PRECEDENCE, wrapped
from rftconf.text.shell.expand.operations import (
    Integer,
    Invalid,
    as_text,
    branch_arm,
    combine,
    decided,
    literal,
    opaque,
    tokens,
)
from rftconf.text.shell.parse.nodes import Lit, WordNode
from rftconf.text.shell.state.machine import WordExpander
from rftconf.text.shell.state.state import Shell
from rftconf.text.shell.values import Array, Known, Word

_ASSIGNING = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "^=", "|="})
_DECIMAL = re.compile(r"\s*([+-]?)(0|[1-9]\d{0,17})\s*").fullmatch
MAX_LEVEL = 20


class Arithmetic:
    """Evaluates expressions against a shell; `used` are the variables that the last one read."""

    def __init__(self, shell: Shell, expander: WordExpander) -> None:
        self.shell, self.expander = shell, expander
        self.used: list[Word] = []
        self.level = 0

    def evaluate(self, node: WordNode) -> Integer:
        """The value of `node`; what bash would reject is reported and stays as written."""
        self.used = []
        unknown: list[Expr] = []
        used: list[Word] = []
        written: list[str] = []
        for part in node.parts:
            value, _, _, origins, _ = self.expander.piece(part)
            used.extend(origins)
            known_text = isinstance(part, Lit) and isinstance(value, Text)
            for item in value.parts if known_text and isinstance(value, Text) else (value,):
                if isinstance(item, str):
                    written.append(item)
                elif len(unknown) < 1000:
                    written.append(chr(0xE000 + len(unknown)))
                    unknown.append(item)
        self.used = used
        text = "".join(written)
        self.shell.step()
        try:
            return self.run(text, unknown)
        except Invalid as error:
            raw = self.shell.source.part(node.start, node.end)
            if not unknown:
                self.shell.say("SYN150", f"bash rejects `{raw.strip()[:60]}`: {error}", node.start, node.end)
            return ShellOnly(f"$(({raw}))", tuple(sorted(frozenset().union(*map(names_in, unknown)))))

    def quietly(self, value: Known) -> Integer | None:
        """The number that a value holds; None for what bash would reject."""
        try:
            return self.number(value)
        except Invalid:
            return None

    def run(self, text: str, unknown: list[Expr]) -> Integer:
        """The value of an expression given as text, with unknown operands as private characters."""
        if (plain := _DECIMAL(text)) is not None:
            return int(plain[1] + plain[2])
        self.level += 1
        try:
            if self.level > MAX_LEVEL:
                raise Invalid("it refers to itself too deeply")
            reader = Expression(self, tokens(text), unknown)
            if not reader.tokens:
                return 0
            value = reader.sequence()
            if reader.at < len(reader.tokens):
                raise Invalid(f"`{reader.tokens[reader.at][1]}` is not expected")
            return value
        finally:
            self.level -= 1

    def variable(self, name: str, key: str | int | None = None) -> Integer:
        """The number that a variable holds; a name that nothing assigns stays a name."""
        shell = self.shell
        shell.read.add(name)
        value = shell.variables.get(name)
        if value is None:
            return Var(name)
        if isinstance(value, Array):
            if value.guarded or value.open:
                return ShellOnly(f"${{{name}}}", (name,))
            word = value.items.get(0 if key is None else str(key) if value.associative else key)
        else:
            word = value if key in (None, 0) else None
        if word is None:
            return 0
        if len(self.used) < 32:
            self.used.append(word)
        return self.number(word.value)

    def number(self, value: Known | int) -> Integer:
        """A variable's value as an operand."""
        if isinstance(value, int):
            return value
        if isinstance(value, str):
            return self.run(value, [])
        if isinstance(value, Branch):
            then, otherwise = self.number(branch_arm(value.then)), self.number(branch_arm(value.otherwise))
            return Branch(value.condition, then, otherwise)
        return value

    def store(self, name: str, key: str | int | None, value: Integer) -> None:
        """Assign what an expression assigns."""
        shell = self.shell
        written = as_text(value)
        word = shell.make([(written, 0, 0, tuple(self.used[:8]), -1)], 0, 0, written, name)
        variable = shell.variables.get(name)
        if isinstance(variable, Array) or key is not None:
            items = dict(variable.items) if isinstance(variable, Array) else {}
            items[0 if key is None else key] = word
            associative = isinstance(variable, Array) and variable.associative
            if not associative:
                items = dict(sorted(items.items(), key=lambda item: int(item[0])))
            shell.assign(name, Array(items, associative, isinstance(variable, Array) and variable.guarded))
        else:
            shell.assign(name, word)


class Expression:
    """One expression being read and computed at once; `off` is above zero where nothing may happen."""

    def __init__(self, machine: Arithmetic, token_list: list[tuple[str, str]], unknown: list[Expr]) -> None:
        self.machine, self.tokens, self.unknown = machine, token_list, unknown
        self.at = self.off = self.depth = 0

    def _op(self, *operators: str) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "op" and self.tokens[self.at][1] in operators:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return ""

    def sequence(self) -> Integer:
        """`a, b`: the last one's value."""
        value = self.choice()
        while self._op(","):
            value = self.choice()
        return value

    def choice(self) -> Integer:
        """`c ? a : b`."""
        self.depth += 1
        if self.depth > MAX_LEVEL * 2:
            raise Invalid("it is nested too deeply")
        condition = self.binary(0)
        if self._op("?"):
            truth = decided(condition)
            self.off += truth is False
            then = self.choice()
            self.off -= truth is False
            if not self._op(":"):
                raise Invalid("`:` is missing")
            self.off += truth is True
            otherwise = self.choice()
            self.off -= truth is True
            condition = (
                Branch(f"(( {formula(condition)} ))", then, otherwise)
                if truth is None
                else then
                if truth
                else otherwise
            )
        self.depth -= 1
        return condition

    def binary(self, lowest: int) -> Integer:
        """Operators that bind at least as tightly as `lowest`."""
        left = self.unary()
        while self.at < len(self.tokens):
            op = self.tokens[self.at][1]
            level = PRECEDENCE.get(op)
            if self.tokens[self.at][0] != "op" or level is None or level < lowest:
                break
            self.at += 1
            truth = decided(left) if op in ("&&", "||") else None
            idle = truth is (op == "||") if truth is not None else False
            self.off += idle
            right = self.binary(level if op == "**" else level + 1)
            self.off -= idle
            left = self._combine(op, left, right, truth)
        return left

    def _combine(self, op: str, left: Integer, right: Integer, truth: bool | None) -> Integer:
        if op in ("&&", "||"):
            if truth is (op == "||"):
                return int(op == "||")
            second = decided(right)
            if truth is not None and second is not None:
                return int(second)
            return opaque(op, left, right)
        if self.off:
            return 0
        return combine(op, left, right)

    def unary(self) -> Integer:
        """Signs, `!`, `~`, `++x`."""
        op = self._op("+", "-", "!", "~", "++", "--")
        self.depth += 1
        if self.depth > MAX_LEVEL * 4:
            raise Invalid("it is nested too deeply")
        try:
            if not op:
                return self.primary()
            if op in ("++", "--"):
                if self.at < len(self.tokens) and self.tokens[self.at][0] == "name":
                    return self._stepped(op, before=True)
                return self.unary()
            value = self.unary()
        finally:
            self.depth -= 1
        if op == "!":
            truth = decided(value)
            return opaque("==", value, 0) if truth is None else int(not truth)
        if isinstance(value, Expr):
            return value if op == "+" else combine("-", 0, value) if op == "-" else opaque("-", -1, value)
        return {"+": value, "-": wrapped(-value), "~": ~value}[op]

    def primary(self) -> Integer:
        """Numbers, names (with assignments), parentheses."""
        if self._op("("):
            value = self.sequence()
            if not self._op(")"):
                raise Invalid("`)` is missing")
            return value
        if self.at >= len(self.tokens) or self.tokens[self.at][0] == "op":
            raise Invalid("an operand is missing")
        kind, token = self.tokens[self.at]
        if kind == "name":
            return self._named()
        self.at += 1
        if kind == "unknown":
            value = self.unknown[ord(token) - 0xE000]
            return self.machine.number(value)
        return literal(token)

    def _target(self) -> tuple[str, str | int | None]:
        name = self.tokens[self.at][1]
        self.at += 1
        if not self._op("["):
            return name, None
        value = self.machine.shell.variables.get(name)
        if isinstance(value, Array) and value.associative and self.at < len(self.tokens):
            key: str | int = self.tokens[self.at][1]
            self.at += 1
        else:
            index = self.sequence()
            if isinstance(index, Expr):
                raise Invalid("a subscript is not known")
            key = index
        if not self._op("]"):
            raise Invalid("`]` is missing")
        return name, key

    def _named(self) -> Integer:
        name, key = self._target()
        op = self._op(*_ASSIGNING)
        if op:
            value = self.choice()
            if self.off:
                return 0
            if op != "=":
                value = combine(op[:-1], self.machine.variable(name, key), value)
            self.machine.store(name, key, value)
            return value
        if self.at < len(self.tokens) and self.tokens[self.at] in (("op", "++"), ("op", "--")):
            step = self._op("++", "--")
            before = self.machine.variable(name, key)
            if not self.off:
                self.machine.store(name, key, combine(step[0], before, 1))
            return before
        return 0 if self.off else self.machine.variable(name, key)

    def _stepped(self, op: str, *, before: bool) -> Integer:
        name, key = self._target()
        value = combine(op[0], self.machine.variable(name, key), 1)
        if not self.off and before:
            self.machine.store(name, key, value)
        return value
