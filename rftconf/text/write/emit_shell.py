"""Writes a launch script for bash (or bare Hydra overrides) in which every value survives both grammars."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import TargetLine
from rftconf.base.symbols import (
    MISSING,
    Arith,
    Branch,
    Expr,
    Now,
    OpenKey,
    ShellOnly,
    Text,
    Value,
    Var,
    formula,
    names_in,
    open_keys,
    text,
    to_shell,
)
from rftconf.base.unseen_signs import UNSEEN
from rftconf.text.hydra.quote_value import Pieces, hydra_value
from rftconf.text.write.align_comments import Line, aligned, header_lines
from rftconf.text.write.emit_yaml import as_written, describe

_SAFE_WORD = re.compile(r"[\w@%+=:,./\-]+", re.ASCII)
_NAME = re.compile(r"[A-Za-z_]\w*|\d+", re.ASCII)
_LINE_WIDTH = 100
_INTEGER_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**", "<", "<=", ">", ">=", "==", "!="})
_PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2, "**": 3}


def emit(
    lines: Sequence[TargetLine],
    *,
    program: Sequence[str | Expr],
    options: Sequence[str | Expr] = (),
    env: Mapping[str, Value] | None = None,
    header: Sequence[str] = (),
    prelude: Sequence[str] = (),
    quote: Callable[[Value], Pieces] = hydra_value,
    spell: Callable[[TargetLine], Sequence[Pieces]] | None = None,
    sections: Container[str] = (),
) -> str:
    """A bash script that runs `program options overrides "$@"`, each override with its provenance comment.

    Arguments that the overrides take by their place (`$1`) are not passed on as overrides of their own. A name that
    stays unknown is read from the environment when the script runs, which stops if it is not set.
    `prelude` are lines of shell that run before that is demanded, such as sourcing a framework's own settings.
    `quote` writes a value as the program's own reader of overrides takes it; `spell` makes a line's words where it is
    no override. `sections` of the config below make room for a list.
    Raises RefusedError for a value that Hydra's grammar has no words for.
    """
    lines = [_without_open_keys(line) for line in lines]
    out = ["#!/usr/bin/env bash", *header_lines(header), *prelude, "set -euo pipefail", ""]
    exports = [f"export {name}={_word(_plain_pieces(value))}" for name, value in (env or {}).items()]
    values = [*(line.value for line in lines), *program]
    guards = list(dict.fromkeys(guard for value in values for guard in _guards(value)))
    for part in (exports, guards):
        out.extend([*part, ""] if part else [])
    words = [_word((part,)) for part in (*program, *options)]
    if lines:
        out.extend(["ARGS=(", *_array(lines, spell or partial(_override, quote, sections)), ")", ""])
        words.append('"${ARGS[@]}"')
    taken = _arguments_taken([*values, *options, *(env or {}).values()])
    out.extend(_command([*words, f'"${{@:{taken + 1}}}"' if taken else '"$@"']))
    return "\n".join(out) + "\n"


def _arguments_taken(values: Sequence[Value]) -> int:
    """The highest place of an argument that a value is made of."""
    names = {name for value in values for name in names_in(value)}
    return max((int(name) for name in names if name.isdecimal()), default=0)


def _without_open_keys(line: TargetLine) -> TargetLine:
    """A line whose value nobody but a person can give, as `???` with the formula beside it.

    Such is one of an environment's variable whose name bash cannot spell, such as one with a dot in it.
    """
    if not open_keys(line.value) and all(map(_NAME.fullmatch, names_in(line.value))):
        return line
    value = describe(line.value)
    comment = line.comment if value in line.comment else "; ".join(filter(None, (line.comment, f"= {value}")))
    return replace(line, value=MISSING, comment=comment)


def emit_overrides(lines: Sequence[TargetLine], sections: Container[str] = ()) -> str:
    """One `key=value` per line, as Hydra reads it; symbols as `${oc.env:NAME}`, or `???` where that does not do.

    `sections` of the config below make room for a list.

    Raises RefusedError for a value of several lines.
    """
    done = []
    for line in lines:
        for pieces in _override(hydra_value, sections, replace(line, value=as_written(line.value)[0])):
            done.append("".join(map(str, pieces)))
            if len(done[-1].splitlines()) > 1:
                why = f"{line.key} has several lines, and an override has one"
                raise RefusedError(why, choices=("--as sh", "--as yaml"))
    return "".join(f"{word}\n" for word in done)


def _override(quote: Callable[[Value], Pieces], sections: Container[str], line: TargetLine) -> Sequence[Pieces]:
    """The words of one override. Hydra merges no list over a section: that is taken out first."""
    key = line.key.lstrip("+")
    if isinstance(line.value, list) and key in sections:
        return ((f"~{key}",), (f"+{key}=", *quote(line.value)))
    return ((f"{line.key}=", *quote(line.value)),)


def _array(lines: Sequence[TargetLine], spell: Callable[[TargetLine], Sequence[Pieces]]) -> Iterator[str]:
    """One element per line, a blank line between sections where keys have any."""
    sectioned = any("." in line.key for line in lines)
    sections: dict[str, list[Line]] = {}
    for line in lines:
        word = " ".join(map(_word, spell(line)))
        entry = Line(f"  {word}", line.comment, word.count("\n"))
        name = line.key.lstrip("+~").partition(".")[0] if sectioned else ""
        sections.setdefault(name, []).append(entry)
    for index, section in enumerate(sections.values()):
        if index and (len(section) > 1 or len(lines) > 12):
            yield ""
        yield from aligned(section)


def _command(words: Sequence[str]) -> list[str]:
    one_line = " ".join(words)
    if len(one_line) <= _LINE_WIDTH:
        return [one_line]
    return [f"{words[0]} \\", *(f"  {word} \\" for word in words[1:-1]), f"  {words[-1]}"]


def word(value: Value) -> str:
    """A value as one word of a script."""
    return _word(_plain_pieces(value))


def _word(pieces: Pieces) -> str:
    """One bash word: bare where nothing in it means anything to bash, else in the quotes that need least escaping."""
    joined = text(*pieces)
    if isinstance(joined, str):
        if _SAFE_WORD.fullmatch(joined):
            return joined
        if "'" not in joined and not UNSEEN.search(joined):
            return f"'{joined}'"
    return f'"{_in_double_quotes(joined)}"'


def _in_double_quotes(value: str | Expr) -> str:
    match value:
        case str():
            # `"a"$'\x1b'"b"`: a sign that nobody sees is spelled
            return UNSEEN.sub(_spelled, re.sub(r'[\\`$"]', lambda m: "\\" + m[0], value))
        case Var(name):
            return f"${{{name}}}"
        case OpenKey():
            return MISSING
        case Text(parts):
            return "".join(_in_double_quotes(part) for part in parts)
        case Arith():
            return _arithmetic(value)
        case Branch(condition, then, otherwise):
            arms = [f'printf %s "{_in_double_quotes(text(*hydra_value(arm)))}"' for arm in (then, otherwise)]
            return f"$(if {condition}; then {arms[0]}; else {arms[1]}; fi)"
        case ShellOnly() | Now():
            return to_shell(value)
    raise TypeError(f"not an expression: {value!r}")


def _spelled(sign: re.Match[str]) -> str:
    """Return bytes as `$'…'` has them, between the ends of two double-quoted texts: whatever the locale, bash writes these."""
    return "".join(("\"$'", *(f"\\x{byte:02x}" for byte in sign[0].encode("utf-8", "surrogateescape")), "'\""))


def _arithmetic(value: Arith) -> str:
    if _is_integral(value):
        return f"$(({_terms(value)}))"
    # bash has no fractions; awk's power operator is `^`.
    body = _terms(value, awk=True).replace("**", "^")
    return '$(awk "BEGIN { printf \\"%.15g\\", ' + body + ' }")'


def _terms(value: Value, outer: int = 0, *, awk: bool = False) -> str:
    """Arithmetic as bash reads it inside `$(( ))`, or as an awk program whose names the shell has filled in."""
    if isinstance(value, Arith):
        level = _PRECEDENCE.get(value.op, 0)
        left = _terms(value.left, level + (value.op == "**"), awk=awk)
        right = _terms(value.right, level + 1, awk=awk)
        if value.op == "//" and awk:
            return f"int({left} / {right})"
        body = f"{left} {'/' if value.op == '//' else value.op} {right}"
        return f"({body})" if level < outer else body
    if isinstance(value, Var) and not awk:
        return value.name
    return _in_double_quotes(value if isinstance(value, (str, Expr)) else str(value))


def _is_integral(value: Value) -> bool:
    if isinstance(value, Arith):
        return value.op in _INTEGER_OPERATORS and _is_integral(value.left) and _is_integral(value.right)
    return not isinstance(value, float)


def _guards(value: Value) -> Iterator[str]:
    """A check per division, because bash would cut the rest off in silence."""
    match value:
        case Arith(op, left, right):
            yield from _guards(left)
            yield from _guards(right)
            if op == "/" and _is_integral(value):
                whole = f"{_terms(left, 2)} % {_terms(right, 3)} == 0"
                message = re.sub(r'[\\`$"]', "", f"{formula(left)} must be a multiple of {formula(right)}")
                yield f'(( {whole} )) || {{ echo "{message}" >&2; exit 2; }}'
        case Text(parts):
            for part in parts:
                yield from _guards(part)
        case list():
            for item in value:
                yield from _guards(item)
        case dict():
            for item in value.values():
                yield from _guards(item)


def _plain_pieces(value: Value) -> Pieces:
    return (value if isinstance(value, (str, Expr)) else "".join(map(str, hydra_value(value))),)
