"""`${...}`: what each operator makes of a value, known or not."""

from __future__ import annotations

import re
from collections.abc import Callable

from rftconf.base.symbols import Arith, Branch, Expr, ShellOnly, Text, Var, names_in, text
from rftconf.text.shell.parse.nodes import Param, WordNode
from rftconf.text.shell.parse.quoting import double_quoted
from rftconf.text.shell.pattern import Pattern, compiled
from rftconf.text.shell.state.machine import WordExpander
from rftconf.text.shell.state.state import ALWAYS_SET, USUALLY_SET, Shell
from rftconf.text.shell.values import Known, Unset, Word

MAX_SOURCE = 2000


def source_of(shell: Shell, part: Param, value: Known) -> Expr:
    """`part`'s operator applied to an unknown `value`, as shell source that stands on its own."""
    raw = shell.source.part(part.start, part.end)
    names = tuple(sorted(names_in(value)))
    if isinstance(value, Var) and value.name == part.name and part.index is None:
        return ShellOnly(raw, names)
    if isinstance(value, Var) and part.index is None and part.prefix != "!":
        return ShellOnly(raw.replace(part.name, value.name, 1), names)
    inner = double_quoted(value)
    if len(inner) > MAX_SOURCE or part.index is not None:
        return ShellOnly(raw, names)
    return ShellOnly(f'$({part.name}="{inner}"; printf %s "{raw}")', names)


def over_branches(value: Known, change: Callable[[Known], Known]) -> Known:
    """`change` applied to each arm of a value that depends on a condition."""
    if isinstance(value, Branch) and isinstance(value.then, (str, Expr)) and isinstance(value.otherwise, (str, Expr)):
        then, otherwise = over_branches(value.then, change), over_branches(value.otherwise, change)
        return then if then == otherwise and isinstance(then, str) else Branch(value.condition, then, otherwise)
    return change(value)


def emptiness(value: Known, name: str) -> bool | None:
    """True when `value` is empty, False when it is not, None when nobody knows."""
    match value:
        case str():
            return not value
        case Text(parts):
            return False if any(isinstance(p, str) for p in parts) else None
        case Arith():
            return False
        case Var(variable):
            if variable in ALWAYS_SET or variable == "HOME":
                return False
            return True if variable == name and name not in USUALLY_SET else None
    return None


def with_default(shell: Shell, part: Param, word: Word | None, otherwise: Callable[[], Known]) -> Known:
    """`${x:-d}`, `${x-d}`, `${x:+d}`, `${x+d}`, `${x:=d}`, `${x=d}`, `${x:?m}`, `${x?m}`."""
    name, operator = part.name, part.op[-1]
    value: Known = word.value if word is not None else Var(name)

    def choose(value: Known) -> Known:
        # Without the colon only an unset name counts; what the script assigned is set, empty or not.
        empty = emptiness(value, name)
        if (
            part.op[0] != ":"
            and word is not None
            and not isinstance(word, Unset)
            and not (isinstance(value, Var) and value.name == name)
        ):
            empty = False
        if name in shell.required and word is None:
            empty = False
        if operator == "?":
            if not empty or not (isinstance(value, Var) or value == ""):
                return value
            advice = f"--set {name}=..."
            shell.say("SYN151", f"the script stops here unless {name} is given", part.start, part.end, advice)
            shell.asks.setdefault(name, shell.source.place(part.start, part.end))
            return Var(name) if value == "" else value  # a run that goes on has been given one
        if empty is None:
            yes, no = (otherwise(), "") if operator == "+" else (value, otherwise())
            if part.op[0] != ":" and isinstance(value, Var):
                return Branch(f'[ -n "${{{value.name}+set}}" ]', yes, no)
            return Branch(f'[ -n "{double_quoted(value)}" ]', yes, no)
        if operator == "+":
            return "" if empty else otherwise()
        return otherwise() if empty else value

    return over_branches(value, choose)


def operate_on(shell: Shell, expander: WordExpander, part: Param, value: Known, *, is_set: bool) -> Known:
    """Apply `part`'s operator to one value, and follow what it makes of a secret.

    Where the name is not set, bash does not expand what stands behind the operator.
    """
    outside = shell.passed_over
    shell.passed_over = outside or not is_set
    try:
        result = operate(shell, expander, part, value)
    finally:
        shell.passed_over = outside
    if part.op and is_set:
        shell.secrets.follow(value, result, lambda secret: operate(shell, expander, part, secret))
    return result


def operate(shell: Shell, expander: WordExpander, part: Param, value: Known) -> Known:
    """Any other operator, applied to one value."""
    op = part.op
    if part.prefix == "#":
        return over_branches(value, lambda v: str(len(v)) if isinstance(v, str) else source_of(shell, part, v))
    if not op:
        return value
    if op == ":":
        return over_branches(value, lambda v: _slice(shell, expander, part, v))
    if op[0] in "#%":
        if value == "":  # bash does not look at the pattern
            return ""
        pattern = expander.pattern(part.arg)
        return over_branches(value, lambda v: _strip(shell, part, pattern, v))
    if op[0] == "/":
        pattern, new = expander.pattern(part.arg), expander.text_of(part.arg2)
        return over_branches(value, lambda v: _replace(shell, part, pattern, new, v))
    if op[0] in "^,":
        return over_branches(value, lambda v: _case(shell, expander, part, v))
    return source_of(shell, part, value)


def _slice(shell: Shell, expander: WordExpander, part: Param, value: Known) -> Known:
    bounds = slice_bounds(expander, part)
    if not isinstance(value, str) or bounds is None:
        return source_of(shell, part, value)
    offset, length = bounds
    size = len(value)
    start = offset if offset >= 0 else size + offset
    if start < 0 or start > size:
        return ""
    stop = size if length is None else start + length if length >= 0 else size + length
    return value[start:stop] if stop >= start else ""


def slice_bounds(expander: WordExpander, part: Param) -> tuple[int, int | None] | None:
    """Offset and length of `${x:offset:length}`; None when they are not known."""
    numbers: list[int | None] = []
    for arg in (part.arg, part.arg2):
        if arg is None:
            numbers.append(None)
            continue
        number = expander.number(arg)
        if not isinstance(number, int):
            return None
        numbers.append(number)
    return numbers[0] or 0, numbers[1]


def _strip(shell: Shell, part: Param, pattern: Pattern | None, value: Known) -> Known:
    if pattern is not None and isinstance(value, str) and pattern.affordable(value):
        return pattern.strip(value, part.op)
    if isinstance(value, Text) and (arg := _plain(part.arg)) is not None:
        cut = _strip_text(value, part.op, arg)
        if cut is not None:
            return cut
    return source_of(shell, part, value)


def _plain(node: WordNode | None) -> str | None:
    if node is None or len(node.parts) != 1 or not hasattr(node.parts[0], "text") or node.parts[0].quoted:
        return None
    return str(node.parts[0].text)


def _strip_text(value: Text, op: str, pattern: str) -> Known | None:
    """`$HOME/a/b` with `##*/` is `b` whatever HOME is: the last `/` is in the part that is known."""
    tail = value.parts[-1]
    if not isinstance(tail, str):
        return None
    match = re.fullmatch(r"\*([^*?\[\]\\()]+)|([^*?\[\]\\()]+)\*|([^*?\[\]\\()]+)", pattern)
    if match is None:
        return None
    before, after, plain = match.groups()
    if op == "##" and before is not None and (position := tail.rfind(before)) >= 0:
        return tail[position + len(before) :]
    if op == "%" and after is not None and (position := tail.rfind(after)) >= 0:
        return text(*value.parts[:-1], tail[:position])
    if op in ("%", "%%") and plain is not None and len(plain) <= len(tail):
        return text(*value.parts[:-1], tail.removesuffix(plain))
    return None


def _replace(shell: Shell, part: Param, pattern: Pattern | None, new: Known, value: Known) -> Known:
    if isinstance(value, str) and isinstance(new, str) and pattern is not None and pattern.affordable(value):
        return pattern.replace(value, new, part.op)
    return source_of(shell, part, value)


def _case(shell: Shell, expander: WordExpander, part: Param, value: Known) -> Known:
    pattern = expander.pattern(part.arg) if part.arg is not None and part.arg.parts else compiled((("?", False),))
    if not isinstance(value, str) or pattern is None:
        return source_of(shell, part, value)
    change = str.upper if part.op[0] == "^" else str.lower
    if len(part.op) == 1:
        return change(value[0]) + value[1:] if value and pattern.matches(value[0]) else value
    return "".join(change(c) if pattern.matches(c) else c for c in value)
