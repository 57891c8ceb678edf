"""These programs make text of text: `basename`, `dirname`, `echo`, `printf`, `expr`, `tr`, `cut`, `wc`, `sed` with a plain word,
`awk` that prints a field. None is run: the rules that POSIX gives them are applied to known arguments, and None is the answer to
any others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rftconf.base.symbols import Text, text
from rftconf.text.shell.values import Known

_DIRECTIVE = re.compile(r"%(?:(0\d{1,2})?d|s|%)")
_NUMBER = re.compile(r"-?\d{1,15}")


def _last_part(path: Known, more: Sequence[str]) -> Known | None:
    suffix = more[0] if more else ""
    name = _tail(path)
    if len(more) > 1 or name is None or name.startswith("-"):
        return None
    return name.removesuffix(suffix) if name != suffix else name


def _tail(path: Known) -> str | None:
    """Return the last part of a path, of which the rest need not be known."""
    last = path.parts[-1] if isinstance(path, Text) else path
    if not isinstance(last, str):
        return None
    bare = last.rstrip("/")
    if isinstance(path, Text):
        return bare.rpartition("/")[2] if "/" in bare else None
    return bare.rpartition("/")[2] if bare else last[:1]


def _folder_of(path: Known, more: Sequence[str]) -> Known | None:
    last = path.parts[-1] if isinstance(path, Text) else path
    if more or not isinstance(last, str) or last.startswith("-"):
        return None
    bare = last.rstrip("/")
    if isinstance(path, Text):
        return text(*path.parts[:-1], bare.rpartition("/")[0].rstrip("/")) if "/" in bare else None
    folder, slash, _ = bare.rpartition("/")
    if not slash:
        return "/" if last[:1] == "/" else "."
    return folder.rstrip("/") or "/"


def _echo(words: Sequence[str]) -> str | None:
    end = "" if words[:1] == ["-n"] else "\n"
    words = words if end else words[1:]
    plain = not any("\\" in word for word in words) and not (words and re.fullmatch(r"-[neE]+", words[0]))
    return f"{' '.join(words)}{end}" if plain else None


def _printf(words: Sequence[str]) -> str | None:
    if not words or "\\" in words[0] or words[0].startswith("-"):
        return None
    matches, arguments = [match for match in _DIRECTIVE.finditer(words[0]) if match[0] != "%%"], list(words[1:])
    if words[0].count("%") != sum(match[0].count("%") for match in _DIRECTIVE.finditer(words[0])) or len(
        matches
    ) != len(arguments):
        return None
    if any(match[0] != "%s" and not _NUMBER.fullmatch(word) for match, word in zip(matches, arguments, strict=True)):
        return None

    def made(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        word = arguments.pop(0)
        return word if match[0] == "%s" else f"{int(word):{match[1] or ''}d}"

    return _DIRECTIVE.sub(made, words[0])


_KEYWORDS = ("+", "(", "length", "substr", "index", "match")
"""Words that `expr` takes for its own where a text could stand."""


def _expr_of_text(words: Sequence[str]) -> str | None:
    """Return what GNU's `expr` prints of a text: its length, or a part of it. Characters outside ASCII count by the locale."""
    name, word, *numbers = words
    if word in _KEYWORDS or not word.isascii() or len(numbers) != {"length": 0, "substr": 2}[name]:
        return None
    if name == "length":
        return f"{len(word)}\n"
    if not all(_NUMBER.fullmatch(number) for number in numbers):
        return None
    first, count = map(int, numbers)
    return (word[first - 1 :][:count] if first > 0 and count > 0 else "") + "\n"


def _expr(words: Sequence[str]) -> str | None:
    if len(words) > 1 and words[0] in ("length", "substr"):
        return _expr_of_text(words)
    numbers, operators = words[::2], words[1::2]
    if len(words) < 3 or len(numbers) == len(operators) or not all(_NUMBER.fullmatch(number) for number in numbers):
        return None
    terms: list[int | None] = [int(numbers[0])]
    signs = [1]
    for operator, number in zip(operators, numbers[1:], strict=True):  # a product is one term of the sum
        if operator in ("+", "-"):
            signs.append(1 if operator == "+" else -1)
            terms.append(int(number))
        elif (last := terms[-1]) is not None:
            terms[-1] = _product(last, operator, int(number))
    known = [term for term in terms if term is not None]
    if len(known) < len(terms):
        return None
    return f"{sum(sign * term for sign, term in zip(signs, known, strict=True))}\n"


def _product(a: int, operator: str, b: int) -> int | None:
    """Return a product, a quotient or its rest, as C has them; None for another sign, or a division by nothing."""
    if operator in ("/", "%") and b == 0:
        return None
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
    return {"*": a * b, "/": quotient, "%": a - quotient * b}.get(operator)


_CLASSES = {"[:upper:]": "A-Z", "[:lower:]": "a-z"}
_ESCAPES = {"\\n": "\n", "\\t": "\t", "\\\\": "\\"}


def _characters(words: str) -> str | None:
    """Return the characters that an argument of `tr` stands for; None for a form that is not read here."""
    for name, spelled in (_CLASSES | _ESCAPES).items():
        words = words.replace(name, spelled)
    if "[" in words or ("\\" in words and words != "\\"):
        return None
    return re.sub(
        r"([A-Za-z0-9])-([A-Za-z0-9])", lambda match: "".join(map(chr, range(ord(match[1]), ord(match[2]) + 1))), words
    )


def _tr(words: Sequence[str], input_text: str) -> str | None:
    sets = [_characters(word) for word in words if word != "-d"]
    if len(words) != 2 or None in sets or words[1] == "-d" or words[0].startswith("-") != (words[0] == "-d"):
        return None
    if words[0] == "-d":
        return "".join(c for c in input_text if c not in str(sets[0]))
    first, second = str(sets[0]), str(sets[1])
    if not first or not second:
        return None
    table = dict(zip(first, second.ljust(len(first), second[-1])[: len(first)], strict=True))  # of two, the later acts
    return "".join(table.get(c, c) for c in input_text)


def _line(input_text: str) -> str | None:
    """Return the only line of a text; None where there are several, or its end is missing."""
    return input_text[:-1] if input_text.count("\n") == 1 and input_text.endswith("\n") else None


def _cut(words: Sequence[str], input_text: str) -> str | None:
    flat = re.fullmatch(r"-d\0?(.)\0-f\0?([1-9]\d?)|-f\0?([1-9]\d?)\0-d\0?(.)", "\0".join(words), re.DOTALL)
    line = _line(input_text)
    if flat is None or line is None:
        return None
    mark, field = flat[1] or flat[4], int(flat[2] or flat[3])
    parts = line.split(mark)
    return (line if len(parts) == 1 else parts[field - 1] if field <= len(parts) else "") + "\n"


_PLAIN = re.compile(r"(?:[\w/ :,@%=-]|\\[./-])+")
"""A pattern of `sed` that stands for itself."""


def _sed(words: Sequence[str], input_text: str) -> str | None:
    if len(words) != 1 or len(words[0]) < 4 or words[0][0] != "s" or (mark := words[0][1]) not in "/#|,:@":
        return None
    parts = re.split(rf"(?<!\\){re.escape(mark)}", words[0][2:])
    line = _line(input_text)
    if len(parts) != 3 or parts[2] not in ("", "g") or line is None:
        return None
    pattern, replacement = (part.replace(f"\\{mark}", mark) for part in parts[:2])
    if _PLAIN.fullmatch(pattern) is None or "\\" in replacement or "&" in replacement:
        return None
    return line.replace(re.sub(r"\\(.)", r"\1", pattern), replacement, -1 if parts[2] else 1) + "\n"


def _wc(words: Sequence[str], input_text: str) -> str | None:
    counts = {"-l": input_text.count("\n"), "-w": len(input_text.split())}
    return f"{counts[words[0]]}\n" if len(words) == 1 and words[0] in counts and input_text.isascii() else None


_FIELD = re.compile(r"\s*\{\s*print\s+(NF|\$NF|\$\d{1,2})\s*;?\s*\}\s*")
"""A program of `awk` that prints a field of each line, or how many there are."""


def _awk(words: Sequence[str], input_text: str) -> str | None:
    flat = re.fullmatch(r"(?:-F\0?([^\\\0])\0)?([^\0]*)", "\0".join(words))
    field = _FIELD.fullmatch(flat[2]) if flat else None
    if flat is None or field is None or not input_text.endswith("\n"):
        return None
    mark = None if flat[1] in (None, " ") else flat[1]
    lines = [(line, line.split(mark) if line else []) for line in input_text[:-1].split("\n")]
    return "".join(f"{_of_fields(field[1], line, fields)}\n" for line, fields in lines)


def _of_fields(name: str, line: str, fields: Sequence[str]) -> str | int:
    """Return what `awk` prints for `NF`, `$NF` or the field of a number; the whole line is field 0."""
    if name == "NF":
        return len(fields)
    number = len(fields) if name == "$NF" else int(name[1:])
    return line if number == 0 else fields[number - 1] if number <= len(fields) else ""


OF_PATHS: dict[str, Callable[[Known, Sequence[str]], Known | None]] = {"basename": _last_part, "dirname": _folder_of}
OF_ARGUMENTS: dict[str, Callable[[Sequence[str]], str | None]] = {"echo": _echo, "printf": _printf, "expr": _expr}
OF_INPUT: dict[str, Callable[[Sequence[str], str], str | None]] = {
    "tr": _tr,
    "cut": _cut,
    "sed": _sed,
    "wc": _wc,
    "awk": _awk,
}
