"""`[[ ]]`, `[ ]` and patterns of `case`, in three values: holds, fails, or the condition that tells."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable

from rftconf.base.symbols import Branch, Expr
from rftconf.text.shell.expand.parameters import emptiness
from rftconf.text.shell.parse.nodes import TestNode, WordNode
from rftconf.text.shell.parse.quoting import as_word, double_quoted, negated
from rftconf.text.shell.parse.test_expressions import UNARY
from rftconf.text.shell.state.machine import WordExpander
from rftconf.text.shell.state.state import Outcome, Shell
from rftconf.text.shell.values import Known, Word

_NUMERIC: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt,
    "-ge": operator.ge,
}  # fmt: skip
_EQUAL = frozenset({"=", "==", "!="})
_BINARY = frozenset({*_NUMERIC, *_EQUAL, "<", ">", "-nt", "-ot", "-ef"})
_LOWER = re.compile(r"[a-z0-9]*").fullmatch
_JOINING = frozenset({"-a", "-o", "!", "(", ")"})
_INTEGER = re.compile(r"\s*[+-]?\d{1,18}\s*").fullmatch
_REGEX = re.compile(r"[\w\s^$.*+?|()\[\]{},:/=@%-]*").fullmatch


def opposite(outcome: Outcome) -> Outcome:
    """The negation."""
    if isinstance(outcome, str):
        return negated(outcome) if outcome else ""
    return not outcome


def both(left: Outcome, right: Outcome) -> Outcome:
    """`left && right`."""
    if left is False or right is False:
        return False
    if left is True:
        return right
    if right is True:
        return left
    return f"{_grouped(left)} && {_grouped(right)}" if left and right else ""


def either(left: Outcome, right: Outcome) -> Outcome:
    """`left || right`."""
    if left is True or right is True:
        return True
    if left is False:
        return right
    if right is False:
        return left
    return f"{_grouped(left)} || {_grouped(right)}" if left and right else ""


def _grouped(condition: Outcome) -> str:
    text = str(condition)
    return f"{{ {text}; }}" if "&&" in text or "||" in text else text


def over(value: Known, decide: Callable[[Known], Outcome]) -> Outcome | None:
    """`decide` for each arm of a conditional value; None when that decides nothing."""
    if not isinstance(value, Branch):
        return None
    arms = [value.then, value.otherwise]
    if not all(isinstance(arm, (str, Expr)) for arm in arms):
        return None
    then, otherwise = (decide(arm) for arm in arms if isinstance(arm, (str, Expr)))
    if isinstance(then, str) or isinstance(otherwise, str):
        return None
    if then is otherwise:
        return then
    return value.condition if then else negated(value.condition)


class Conditions:
    """Decides tests against a shell's state."""

    def __init__(self, shell: Shell, expander: WordExpander) -> None:
        self.shell, self.expander = shell, expander

    def double(self, node: TestNode) -> Outcome:
        """`[[ ... ]]`."""
        op = node.op
        if isinstance(node.left, TestNode):
            left = self.double(node.left)
            if op == "!":
                return opposite(left)
            if left is (op == "||"):
                return left
            assert isinstance(node.right, TestNode)
            right = self.double(node.right)
            return both(left, right) if op == "&&" else either(left, right)
        left_value = self.expander.text_of(node.left)
        if not isinstance(node.right, WordNode):
            return self.unary(op, left_value, "[[", "]]")
        if op in _EQUAL:
            return self._matches(left_value, node.right, op)
        if op == "=~":
            return self._regex(left_value, node.right)
        right_value = self.expander.text_of(node.right)
        return self.binary(op, left_value, right_value, "[[", "]]", arithmetic=True)

    def _matches(self, left: Known, right: WordNode, op: str) -> Outcome:
        pattern = self.expander.pattern(right)

        def decide(value: Known) -> Outcome:
            if pattern is not None and pattern.matches_all:
                return op != "!="
            if pattern is None or not isinstance(value, str) or not pattern.affordable(value):
                source = self.source_of(right)
                return f"[[ {as_word(value)} {op} {source} ]]"
            return pattern.matches(value) is (op != "!=")

        answer = over(left, decide)
        return decide(left) if answer is None else answer

    def source_of(self, node: WordNode) -> str:
        """A pattern as source that stands on its own."""
        raw = self.shell.source.part(node.start, node.end)
        return raw if "$" not in raw and "`" not in raw else f'"{double_quoted(self.expander.text_of(node))}"'

    def _regex(self, left: Known, right: WordNode) -> Outcome:
        pattern = self.expander.text_of(right)
        if isinstance(left, str) and isinstance(pattern, str) and len(left) < 200 and len(pattern) < 60:
            quantifiers = len(re.findall(r"[*+{]", pattern))
            if _REGEX(pattern) and quantifiers <= 2 and "(" not in pattern and "[:" not in pattern:
                try:
                    match = re.search(pattern.replace("$", r"\Z") if pattern.endswith("$") else pattern, left)
                except re.error:
                    return f"[[ {as_word(left)} =~ {as_word(pattern)} ]]"
                return match is not None
        return f"[[ {as_word(left)} =~ {self.source_of(right)} ]]"

    def unary(self, op: str, value: Known, opening: str, closing: str) -> Outcome:
        """`-z x`, `-n x`, `-v name`, and questions about files, which nobody here can answer."""
        if op in ("-z", "-n"):

            def decide(value: Known) -> Outcome:
                empty = emptiness(value, "")
                return f'[ {op} "{double_quoted(value)}" ]' if empty is None else empty is (op == "-z")

            answer = over(value, decide)
            return decide(value) if answer is None else answer
        if op == "-v" and isinstance(value, str) and value in self.shell.variables:
            return True
        return f"{opening} {op} {as_word(value)} {closing}"

    def binary(
        self, op: str, left: Known, right: Known, opening: str, closing: str, *, arithmetic: bool = False
    ) -> Outcome:
        """Comparisons of texts and of numbers."""
        for value, swap in ((left, False), (right, True)):
            answer = over(
                value,
                lambda v, swap=swap: self.binary(  # type: ignore[misc]
                    op, left if swap else v, v if swap else right, opening, closing, arithmetic=arithmetic
                ),
            )
            if answer is not None:
                return answer
        if isinstance(left, str) and isinstance(right, str):
            if op in _EQUAL:
                return (left == right) is (op != "!=")
            if op in _NUMERIC:
                numbers = [self._number(v, arithmetic) for v in (left, right)]
                if isinstance(numbers[0], int) and isinstance(numbers[1], int):
                    return _NUMERIC[op](numbers[0], numbers[1])
                if None in numbers:
                    return False
            # Collation differs between locales only beyond plain letters of one case.
            if op in ("<", ">") and _LOWER(left) and _LOWER(right):
                return left < right if op == "<" else left > right
        return f"{opening} {as_word(left)} {op} {as_word(right)} {closing}"

    def _number(self, value: str, arithmetic: bool) -> int | Expr | None:
        if _INTEGER(value) and not (arithmetic and value.strip().lstrip("+-").startswith("0")):
            return int(value)
        if not arithmetic:
            return None
        return self.expander.arithmetic.quietly(value)

    def single(self, words: list[Word]) -> Outcome:
        """`[ ... ]` and `test`: `words` are the arguments, without the brackets."""
        if any(w.splits or w.condition is not None for w in words):
            whole = [w for w in words if w.splits]
            if len(words) not in (2, 3) or not all(isinstance(w.value, Expr) for w in whole):
                return f"[ {' '.join(as_word(w.value) for w in words)} ]"
        return self._single([w.value for w in words])

    def _single(self, values: list[Known]) -> Outcome:
        count = len(values)
        if count == 0:
            return False
        if count == 1:
            return self.unary("-n", values[0], "[", "]")
        if count == 3 and isinstance(values[1], str) and values[1] in _BINARY:
            op = "<" if values[1] == "\\<" else ">" if values[1] == "\\>" else values[1]
            return self.binary(op, values[0], values[2], "[", "]")
        if values[0] == "!":
            return opposite(self._single(values[1:]))
        if count == 2:
            if isinstance(values[0], str) and values[0] in UNARY:
                return self.unary(values[0], values[1], "[", "]")
            return f"[ {' '.join(map(as_word, values))} ]"
        for joint, combine in (("-o", either), ("-a", both)):
            if joint in values[1:-1]:
                position = values.index(joint, 1)
                return combine(self._single(values[:position]), self._single(values[position + 1 :]))
        if values[0] == "(" and values[-1] == ")":
            return self._single(values[1:-1])
        if all(isinstance(v, str) and v not in _JOINING for v in values):
            # "too many arguments", which counts as failure.
            return False
        return f"[ {' '.join(map(as_word, values))} ]"

    def case(self, value: Known, pattern: WordNode) -> Outcome:
        """Tell whether `value` matches one pattern of a `case`: True, False, or the condition that decides it."""
        return self._matches(value, pattern, "==")
