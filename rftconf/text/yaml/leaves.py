"""YAML as leaves with places. Nodes are composed and read; nothing is ever constructed from a tag."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Protocol

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.span import LineIndex, Place, Span
from rftconf.base.symbols import Value
from rftconf.text import keys
from rftconf.text.document import Leaf
from rftconf.text.yaml.composer import PLAIN, QUOTED, ComposeError, compose
from rftconf.text.yaml.loader_dialects import (
    ScalarRules,
    UnconstructibleScalarError,
    resolve,
    to_bool,
    to_float,
    to_int,
)

_CORE = "tag:yaml.org,2002:"
_MERGE = "<<"
_BREAKS_OF_UNICODE = "\x85\u2028\u2029"
_LONE_RETURN = re.compile(r"\r(?!\n)")
"""What YAML takes for the end of a line and editors do not."""


class Node(Protocol):
    """The attributes of PyYAML's nodes that are used here: `value` is text, a list of nodes or a list of pairs."""

    id: str
    tag: str
    value: Any
    start_mark: Any
    end_mark: Any


@dataclass(slots=True)
class YamlReader:
    """Reads one text. `root` is None for an empty or broken text; findings collect in `diagnostics`."""

    name: str
    text: str
    rules: ScalarRules = ScalarRules.OMEGACONF
    diagnostics: list[Diagnostic] = field(default_factory=list)
    root: Node | None = None
    _lines: LineIndex | None = None

    def __post_init__(self) -> None:
        if any(mark in self.text for mark in _BREAKS_OF_UNICODE) or _LONE_RETURN.search(self.text):
            self._lines = LineIndex(self.text)
        try:
            self.root, second = compose(self.text)
        except ComposeError as error:
            place = Place(self.name, Span(error.start, error.start, error.line, error.col))
            self._report("SYN201", Severity.ERROR, error.message, place, help_=error.help)
        else:
            if second is not None:
                place = Place(self.name, Span(second.index, second.index, second.line + 1, second.column + 1))
                message = "only the first YAML document is read; another starts here"
                self._report("SYN202", Severity.WARNING, message, place)

    def leaves(self, node: Node | None = None, key: str = "", key_node: Node | None = None) -> tuple[Leaf, ...]:
        """The leaves below `node` (the root unless given), `key` prefixed; `key_node` is where that key stands."""
        start = node or self.root
        if start is None:
            return ()
        if start.id != "mapping" and not key:
            self._report("SYN203", Severity.ERROR, "a config is a mapping of keys to values", self.place(start))
            return ()
        leaves: list[Leaf] = []
        self._collect(start, key, key_node or start, leaves)
        return tuple(leaves)

    def pairs(self, node: Node) -> dict[str, tuple[Node, Node]]:
        """Name to (key node, value node) of a mapping, merge keys applied as PyYAML does, duplicates reported."""
        own: dict[str, tuple[Node, Node]] = {}
        merged: dict[str, tuple[Node, Node]] = {}
        for key_node, value_node in node.value:
            if key_node.tag == PLAIN and key_node.value == _MERGE:
                merged.update(self._merged(value_node))
                continue
            name = self._key_name(key_node)
            if name in own:
                self._duplicate(name, own[name][0], key_node)
            own[name] = (key_node, value_node)
        return {**{k: v for k, v in merged.items() if k not in own}, **own} if merged else own

    def place(self, node: Node) -> Place:
        """Return the place of `node`; a block collection reaches to the end of its last item."""
        start = node.start_mark
        index = start.index
        plain = node.id == "scalar" and self.text[index : index + 1] not in ("|", ">")
        end = node.end_mark.index if plain else self._end(node)
        if self._lines is not None:
            return Place(self.name, self._lines.span(index, end))
        return Place(self.name, Span(index, end, start.line + 1, start.column + 1))

    def value(self, node: Node) -> Value:
        """Plain data for `node`; unreadable tags are reported and give the text."""
        if node.id == "scalar":
            return self._scalar(node)
        if node.id == "sequence":
            self._check_tag(node, "seq")
            return [self.value(n) for n in node.value]
        self._check_tag(node, "map")
        return {name: self.value(v) for name, (_, v) in self.pairs(node).items()}

    def _collect(self, node: Node, key: str, key_node: Node, leaves: list[Leaf]) -> None:
        """Add the leaves below `node` to `leaves`; one list for all of them, since most of a check's reading is here."""
        kind = node.id
        if kind == "mapping" and node.value:
            self._check_tag(node, "map")
            for name, (inner_key, value_node) in self.pairs(node).items():
                self._collect(value_node, keys.child(key, name), inner_key, leaves)
        elif kind == "sequence" and _holds_mapping(node):
            self._check_tag(node, "seq")
            for index, child in enumerate(node.value):
                self._collect(child, keys.item(key, index), key_node, leaves)
        elif key or node.value:
            place = self.place(node)
            raw = self.text[place.span.start : place.span.end]
            leaves.append(Leaf(key, self.value(node), place, self.place(key_node), raw))

    def _merged(self, node: Node) -> dict[str, tuple[Node, Node]]:
        if node.id == "mapping":
            return self.pairs(node)
        if node.id == "sequence" and all(child.id == "mapping" for child in node.value):
            nodes = {}
            for child in reversed(node.value):
                nodes.update(self._merged(child))
            return nodes
        message = "`<<` takes a mapping or a list of mappings"
        self._report("SYN205", Severity.ERROR, message, self.place(node))
        return {}

    def _scalar(self, node: Node) -> Value:
        text: str = node.value
        if node.tag == QUOTED:
            return text
        try:
            match node.tag.removeprefix(_CORE):
                case "":
                    return resolve(text, self.rules)
                case "str":
                    return text
                case "int":
                    return to_int(text)
                case "float":
                    return to_float(text)
                case "bool":
                    return to_bool(text)
                case "null":
                    return None
        except UnconstructibleScalarError as error:
            self._report("SYN206", Severity.ERROR, str(error), self.place(node), help_="put it in quotes")
            return text
        except (ValueError, IndexError):
            message = f"the value is not what its tag {_short_tag(node.tag)} says"
            self._report("SYN206", Severity.ERROR, message, self.place(node))
            return text
        self._refuse_tag(node)
        return text

    def _key_name(self, node: Node) -> str:
        if node.id == "scalar":
            return str(node.value)
        self._report("SYN207", Severity.ERROR, "a key must be a single value, not a list or mapping", self.place(node))
        return self.text[node.start_mark.index : self._end(node)]

    def _check_tag(self, node: Node, expected: str) -> None:
        if node.tag not in (PLAIN, _CORE + expected):
            self._refuse_tag(node)

    def _refuse_tag(self, node: Node) -> None:
        message = f"the tag {_short_tag(node.tag)} is refused: it asks the reader to build something other than data"
        self._report("SYN208", Severity.ERROR, message, self.place(node))

    def _duplicate(self, name: str, first: Node, second: Node) -> None:
        loaders = "OmegaConf, which all but TRL load with, refuses the file; TRL takes the later one"
        then = loaders if self.rules is ScalarRules.OMEGACONF else "the later one wins"
        self.diagnostics.append(
            Diagnostic(
                "SYN209",
                Severity.WARNING,
                f"the key {name} stands twice in one mapping: {then}",
                self.place(second),
                (Label(self.place(first), "first here"),),
                "delete one of them",
            )
        )

    def _end(self, node: Node) -> int:
        start: int = node.start_mark.index
        end: int = node.end_mark.index
        first = self.text[start : start + 1]
        if node.id == "scalar":
            return start + len(self.text[start:end].rstrip()) if first in ("|", ">") else end
        if first in ("[", "{"):
            return end
        if not node.value:
            return start
        last = node.value[-1]
        last = last[1] if node.id == "mapping" else last
        # An alias as last item stands elsewhere: the mark of the collection itself is then the only one.
        inner = self._end(last) if start <= last.start_mark.index < end else 0
        return max(inner, start) if inner else start + len(self.text[start:end].rstrip())

    def _report(self, code: str, severity: Severity, message: str, place: Place, *, help_: str = "") -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, place, help=help_))


def read_yaml(
    name: str, text: str, rules: ScalarRules = ScalarRules.OMEGACONF
) -> tuple[tuple[Leaf, ...], tuple[Diagnostic, ...]]:
    """The leaves of a YAML text in the order written, and what was wrong with it. Never raises on bad input."""
    reader = YamlReader(name, text, rules)
    leaves = reader.leaves()
    return leaves, tuple(reader.diagnostics)


def _holds_mapping(node: Node) -> bool:
    return any(n.id == "mapping" or (n.id == "sequence" and _holds_mapping(n)) for n in node.value)


def _short_tag(tag: str) -> str:
    return "!!" + tag.removeprefix(_CORE) if tag.startswith(_CORE) else tag
