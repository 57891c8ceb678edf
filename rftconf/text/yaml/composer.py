"""PyYAML's composer behind a function: text to nodes with marks, with nesting bounded before it recurses."""

from __future__ import annotations

import importlib
import re
from functools import cache, lru_cache
from operator import is_
from typing import Any

PLAIN = ""
"""The tag of a node that carries none: an unquoted scalar, or an untagged collection."""
QUOTED = "!"
MAX_DEPTH = 100
"""Levels of nesting; real configs have fewer than ten."""
MAX_NODES = 200_000
"""Nodes once aliases are expanded; beyond it lies a bomb, not a config."""
MAX_LINES = 20_000
"""A text has no more lines and commas, those of comments and empty lines not counted: each may begin a value, and a
config of over 5,000 values is refused. The longest of 306 public configs has 246."""
_COMMENT_LINES = re.compile(r"^[ \t]*(?:#[^\n]*)?\n", re.MULTILINE)
_INDICATORS = re.compile(rf"^[ \-?:]{{{2 * MAX_DEPTH},}}", re.MULTILINE)


class ComposeError(Exception):
    """The text is not YAML. `start` is a character offset; `line` and `col` count from 1."""

    def __init__(self, message: str, start: int, line: int, col: int, help_: str = "") -> None:
        super().__init__(message)
        self.message, self.start, self.line, self.col, self.help = message, start, line, col, help_


@lru_cache(maxsize=1)
def compose(text: str) -> tuple[Any, Any]:
    """The root node (None for an empty text) and the mark of a second document, if there is one.

    The last tree is kept, since fixes of a text ask for it again; nobody changes it.
    Scalars carry the tag PLAIN or QUOTED unless the text gives one. Raises ComposeError.
    """
    import yaml

    if _lines(text) > MAX_LINES and _lines(_COMMENT_LINES.sub("", text)) > MAX_LINES:
        raise ComposeError(f"more than {MAX_LINES:,} lines and list items: this is data, not a config", 0, 1, 1)
    try:
        if _may_be_deep(text):
            _check_depth(text)
        loader = _loader()(text)
        try:
            if not loader.check_node():
                return None, None
            root = loader.get_node()
            if "*" in text:
                _measure(root, {})
            return root, loader.peek_event().start_mark if loader.check_node() else None
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        raise _explained(error, text) from error
    except (RecursionError, UnicodeError) as error:
        raise ComposeError(f"not readable as YAML: {type(error).__name__}", 0, 1, 1) from error


def _lines(text: str) -> int:
    return text.count("\n") + text.count(",")


@cache
def _loader() -> Any:
    import yaml

    try:
        bases: tuple[Any, ...] = (importlib.import_module("yaml._yaml").CParser,)
    except ImportError:
        bases = (_pure_base(yaml),)

    class Loader(*bases):  # type: ignore[misc]
        """Composes only; the tag tells apart plain from quoted, which PyYAML's own resolver loses."""

        def resolve(self, _kind: Any, value: Any, implicit: Any) -> str:
            return PLAIN if value is None or implicit[0] else QUOTED

        # PyYAML calls these around every node; functions of C that do nothing halve the time of a tree
        descend_resolver = is_
        ascend_resolver = object

    return Loader


def _pure_base(yaml: Any) -> Any:
    class PureBase(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser, yaml.composer.Composer):  # type: ignore[misc]
        def __init__(self, stream: str) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)
            yaml.composer.Composer.__init__(self)

    return PureBase


def _may_be_deep(text: str) -> bool:
    return text.count("[") + text.count("{") > MAX_DEPTH or bool(_INDICATORS.search(text))


def _check_depth(text: str) -> None:
    """Walk the events, which need no recursion, and stop at the first node that is too deep."""
    import yaml

    loader = _loader()(text)
    depth = 0
    try:
        while loader.check_event():
            event: Any = loader.get_event()
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    raise _error_at(event.start_mark, f"nested deeper than {MAX_DEPTH} levels")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    finally:
        loader.dispose()


def _measure(node: Any, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """Return the count and depth of nodes in `node`, aliases expanded. Raises ComposeError beyond the limits."""
    if node.id == "scalar":
        return 1, 0
    if id(node) in known:
        size, depth = known[id(node)]
        if not size:
            raise _error_at(node.start_mark, "this node contains itself through an alias")
        return size, depth
    known[id(node)] = (0, 0)
    size, depth = 1, 0
    for entry in node.value:
        for part in entry if isinstance(entry, tuple) else (entry,):
            inner_size, inner_depth = _measure(part, known)
            size, depth = size + inner_size, max(depth, inner_depth + 1)
    if size > MAX_NODES or depth > MAX_DEPTH:
        limit = f"{MAX_NODES} values" if size > MAX_NODES else f"{MAX_DEPTH} levels"
        raise _error_at(node.start_mark, f"aliases expand this to more than {limit}")
    known[id(node)] = (size, depth)
    return size, depth


def _error_at(mark: Any, message: str, help_: str = "") -> ComposeError:
    return ComposeError(message, mark.index, mark.line + 1, mark.column + 1, help_)


def _explained(error: Any, text: str) -> ComposeError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        offset = min(int(getattr(error, "position", 0) or 0), len(text))
        line = text.count("\n", 0, offset) + 1
        return ComposeError(str(getattr(error, "reason", error)), offset, line, offset - text.rfind("\n", 0, offset))
    context_mark = getattr(error, "context_mark", None)
    if mark.index >= len(text.rstrip()) and context_mark is not None:
        # What is never closed shows at the end of the text; where it was opened says more.
        mark = context_mark
    offset = min(int(mark.index), len(text))
    problem = getattr(error, "problem", None) or "not valid YAML"
    context = getattr(error, "context", None)
    message, help_ = f"{problem}, {context}" if context else str(problem), ""
    if "'\\t'" in message or text[offset : offset + 1] == "\t":
        message, help_ = "a tab is used for indentation; YAML allows spaces only", "replace the tab with spaces"
    return ComposeError(message, offset, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), help_)
