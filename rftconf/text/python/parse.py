"""Python text to a syntax tree: size, nesting and chains are bounded before Python's parser, which recurses, sees the text."""

from __future__ import annotations

import ast
import re
import warnings
from functools import lru_cache

MAX_CHARACTERS = 400_000
"""Characters of one launcher; the longest public one that was looked at has some 80,000."""
MAX_DEPTH = 60
"""Brackets, and blocks, inside each other."""
MAX_LINKS = 150
"""Operators, attributes, calls and branches that stand inside each other in one statement."""
_MAX_IN_BRACES = 2_000
"""Characters within the braces of one formatted text."""
_PREFIX = r"(?<![\w])(?P<prefix>[rRbBuUfFtT]{0,2})"
TOKEN = re.compile(
    r"(?P<comment>#[^\n]*)"
    rf"|{_PREFIX}(?P<string>'''(?:[^\\']|\\.|'(?!''))*'''|\"\"\"(?:[^\\\"]|\\.|\"(?!\"\"))*\"\"\""
    r"|'(?:[^\\'\n]|\\.)*'|\"(?:[^\\\"\n]|\\.)*\")"
    r"|(?P<open>[([{])|(?P<close>[)\]}])|(?P<comma>[,;])|(?P<newline>\n[ \t]*)"
    r"|(?P<link>\b(?:not|lambda|if|await|and|or|in|is|yield)\b|[-+~*/%@&|^.<>=:]+)|(?P<elif>\belif\b)",
    re.DOTALL,
)
_BRACES = re.compile(r"[{}]")


class PythonError(Exception):
    """The text is no Python that is read. `line` and `col` count from 1; `broken` where it is no Python of this day at all."""

    def __init__(self, message: str, line: int, col: int, *, broken: bool = False) -> None:
        super().__init__(message)
        self.message, self.line, self.col, self.broken = message, line, col, broken


@lru_cache(maxsize=2)
def parse(text: str) -> ast.Module:
    """The syntax tree of a text; nobody changes it. Raises PythonError."""
    if len(text) > MAX_CHARACTERS:
        raise PythonError(f"more than {MAX_CHARACTERS:,} characters: this is no launcher", 1, 1)
    _check_depth(text)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes that Python does not know
            return ast.parse(text)
    except SyntaxError as error:
        message = f"Python's grammar is broken here: {error.msg}"
        raise PythonError(message, error.lineno or 1, max(1, error.offset or 1), broken=True) from error
    except (RecursionError, MemoryError, ValueError) as error:
        raise PythonError(f"not readable as Python: {type(error).__name__}", 1, 1) from error


def _check_depth(text: str) -> None:
    """Raise PythonError where brackets, blocks or chains stand inside each other beyond what is followed."""
    links, branches = [0], 0
    for token in TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "open":
            links[-1] += 1
            links.append(0)
        elif kind == "close":
            links = links[:-1] or [0]
        elif kind == "comma":
            links[-1] = 0
        elif kind == "link":
            links[-1] += len(token[0]) if token[0][0] in "-+~" else 1
        elif kind == "elif":
            branches += 1
        elif kind == "newline" and len(links) == 1:
            links[0] = 0
            branches = 0 if len(token[0]) == 1 and text[token.end() : token.end() + 2] not in ("el", "\n") else branches
            _measure_indent(text, token)
        elif kind == "string" and set("fFtT") & set(token["prefix"]) and _in_braces(token["string"]) > _MAX_IN_BRACES:
            raise _too_deep(text, token.start(), f"a formatted text with over {_MAX_IN_BRACES:,} characters in braces")
        if len(links) > MAX_DEPTH:
            raise _too_deep(text, token.start(), f"more than {MAX_DEPTH} brackets inside each other")
        if (
            links[-1] > MAX_LINKS
            or (kind in ("open", "link") and sum(links) > 2 * MAX_LINKS)
            or branches > 2 * MAX_LINKS
        ):
            raise _too_deep(text, token.start(), f"more than {MAX_LINKS} operators or branches inside each other")


def _measure_indent(text: str, token: re.Match[str]) -> None:
    """Raise PythonError for a line that is indented as deep blocks are."""
    if len(token[0]) > 8 * MAX_DEPTH and text[token.end() : token.end() + 1].strip():
        raise _too_deep(text, token.end(), f"a line that is indented by more than {8 * MAX_DEPTH} blanks")


def _in_braces(text: str) -> int:
    """Count the characters of a formatted text that stand in braces."""
    depth, start, count = 0, 0, 0
    for brace in _BRACES.finditer(text):
        if brace[0] == "{":
            start = brace.start() if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            count += brace.end() - start if depth == 0 else 0
    return count


def _too_deep(text: str, offset: int, what: str) -> PythonError:
    line = text.count("\n", 0, offset) + 1
    return PythonError(f"{what}: this is not followed", line, offset - text.rfind("\n", 0, offset))
