"""A plan that was written as a document, JSON or YAML: its values as they are, each with its place.

Only what JSON has is read: objects, lists, texts, numbers, true, false and null. Which fields there are, and what a value
means, is not known here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.expressions import EXPRESSION, PLAIN, ExpressionError, load_value
from rftconf.base.numbers import BEYOND
from rftconf.base.span import Place, Span
from rftconf.text.document import Document, Leaf
from rftconf.text.source import Source
from rftconf.text.yaml.composer import PLAIN as PLAIN_SCALAR
from rftconf.text.yaml.composer import QUOTED, ComposeError, compose

MARK = "plan_version"
"""The key at the top that makes a text a plan."""
FORM = "plan"
Path: TypeAlias = tuple[str | int, ...]

_MARKED = re.compile(rf"""(?:^|[{{,])[ \t]*["']?{MARK}["']?[ \t]*:""", re.MULTILINE)
_INTEGER = re.compile(r"-?(?:0|[1-9]\d*)")
_DECIMAL = re.compile(r"-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_WORDS = {"null": None, "~": None, "": None, "true": True, "false": False}
_SPECIAL = {".inf": "inf", "-.inf": "-inf", ".nan": "nan"}
_LONGEST_NUMBER = 400
_ODD = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_HALVES = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_BOOKKEEPING = frozenset({MARK, "source", "beyond", "idle", "origins"})
"""Parts of the document that are no values of the run."""


@dataclass
class Tree:
    """The document as data, where each part stands (its key's place, for an item of a mapping), and what is wrong."""

    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    keys: dict[Path, Place] = field(default_factory=dict)
    problems: list[tuple[str, Place]] = field(default_factory=list)

    def place(self, path: Path) -> Place:
        """Return the place of the part at `path`, or of the nearest part that holds it."""
        while path and path not in self.places:
            path = path[:-1]
        return self.places[path]


def is_plan(text: str) -> bool:
    """True where a text is a plan: it has the mark at its top, or anywhere if it is too broken to be parsed."""
    if not _MARKED.search(text):
        return False
    try:
        root, _ = compose(_as_yaml(text))
    except ComposeError:
        return True
    return root is not None and root.id == "mapping" and any(key.value == MARK for key, _ in root.value)


def read_plan(source: Source) -> Document:
    """The document with a leaf for each value of the run. Never raises on bad input."""
    tree = tree_of(source.name, source.text)
    problems = [Diagnostic("SYN701", Severity.ERROR, message, place) for message, place in tree.problems]
    leaves = () if problems else tuple(_leaves(tree, tree.data, ()))
    return Document(source.name, source.text, FORM, leaves, tuple(problems))


@lru_cache(maxsize=2)
def tree_of(name: str, text: str, what: str = "plan") -> Tree:
    """The data of a text that is a plan, or `what`, with places and problems. The last ones are kept, since loading asks
    again."""
    try:
        root, second = compose(_as_yaml(text))
    except ComposeError as error:
        place = Place(name, Span(error.start, error.start, error.line, error.col))
        return Tree(problems=[(f"the {what} cannot be read: {error.message}", place)])
    if root is None:
        return Tree(problems=[(f"the {what} is empty", Place(name, Span(0, 0, 1, 1)))])
    builder = _Builder(name, text, what)
    builder.tree.data = builder.value(root, ())
    if second is not None:
        place = Place(name, Span(second.index, second.index, second.line + 1, second.column + 1))
        builder.tree.problems.append((f"a {what} is one document; a second one begins here", place))
    return builder.tree


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _as_yaml(text: str) -> str:
    """JSON as YAML reads it too: blanks for tabs between its parts, escapes for signs that YAML takes for ends of lines, and
    one escape for a character that is written as two halves. Lines stay what they are."""
    if not _is_json(text):
        return text
    plain = _ODD.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text.replace("\t", " "))
    return _HALVES.sub(lambda two: f"\\U{ord(_paired(chr(int(two[1], 16)) + chr(int(two[2], 16)))):08x}", plain)


class _Builder:
    def __init__(self, name: str, text: str, what: str) -> None:
        self.name, self.what, self.tree = name, what, Tree()
        # of the text itself: what YAML is given may be longer
        breaks = "\r\n|[\n\r]" if _is_json(text) else "\r\n|[\n\r\x85\u2028\u2029]"
        self.lines = [0, *(match.end() for match in re.finditer(breaks, text)), len(text)]

    def value(self, node: Any, path: Path) -> Any:
        self.tree.places[path] = self._place(node)
        if node.id == "mapping":
            return self._mapping(node, path)
        if node.id == "sequence":
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node)

    def _mapping(self, node: Any, path: Path) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        for key, item in node.value:
            if key.id != "scalar":
                self._problem("a key is text", key)
                continue
            name = _paired(key.value)
            if name in mapping:
                self._problem(f"{name} is given twice", key)
            below: Path = (*path, name)
            self.tree.keys[below] = self._place(key)
            mapping[name] = self.value(item, below)
        return mapping

    def _scalar(self, node: Any) -> Any:
        text: str = node.value
        if node.tag not in (PLAIN_SCALAR, QUOTED):
            self._problem(f"a {self.what} has no tags, and this is {node.tag}", node)
        if node.tag == QUOTED or node.style:
            return _paired(text)
        if text in _WORDS:
            return _WORDS[text]
        if text in _SPECIAL:
            return float(_SPECIAL[text])
        if not _DECIMAL.fullmatch(text):
            return _paired(text)
        if len(text) > _LONGEST_NUMBER:
            self._problem(f"a number of {len(text)} digits", node)
            return 0
        number = int(text) if _INTEGER.fullmatch(text) else float(text)
        if isinstance(number, int) and abs(number) >= BEYOND:
            self._problem(f"a number of {len(text)} digits, and no setting of a run is as large", node)
            return 0
        if number in (float("inf"), float("-inf")):
            self._problem(f'{text} is more than a number can hold; infinity is {{"$float": "inf"}}', node)
        return number

    def _problem(self, message: str, node: Any) -> None:
        self.tree.problems.append((message, self._place(node)))

    def _place(self, node: Any) -> Place:
        start, end = node.start_mark, node.end_mark
        first, last = (self.lines[mark.line] + mark.column for mark in (start, end))
        return Place(self.name, Span(first, last, start.line + 1, start.column + 1))


def _paired(text: str) -> str:
    """JSON writes a character beyond the first plane as two halves, which YAML takes for two characters."""
    if not any("\ud800" <= sign <= "\udbff" for sign in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def _leaves(tree: Tree, data: Any, path: Path) -> list[Leaf]:
    """A leaf for each value, in the order written."""
    if isinstance(data, dict) and data and EXPRESSION not in data and PLAIN not in data:
        items = data.items() if path else ((name, item) for name, item in data.items() if name not in _BOOKKEEPING)
        return [leaf for name, item in items for leaf in _leaves(tree, item, (*path, name))]
    if isinstance(data, list) and data and all(isinstance(item, dict) and EXPRESSION not in item for item in data):
        return [leaf for index, item in enumerate(data) for leaf in _leaves(tree, item, (*path, index))]
    if data is None or not path:
        return []
    try:
        value = load_value(data)
    except ExpressionError:
        value = None  # said with its place when the plan is made
    return [Leaf(dotted(path), value, tree.places[path], tree.keys.get(path, tree.places[path]))]


def dotted(path: Path) -> str:
    """The key of a leaf: `stages[0].batch.passes`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
