"""One argument of an OmegaConf dotlist as leaves: the value is YAML, and no prefix means anything."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.base.symbols import to_shell
from rftconf.text import keys
from rftconf.text.document import Leaf
from rftconf.text.hydra.grammar import fill, split_holes
from rftconf.text.hydra.nodes import SymbolicStructureError
from rftconf.text.hydra.override_parser import Argument, shortened
from rftconf.text.hydra.tokens import HOLE, OverrideSyntaxError
from rftconf.text.yaml.leaves import Node, YamlReader


def parse_dotlist(word: Argument) -> Iterator[Leaf]:
    """The leaves of `key=value`; a mapping gives one leaf per entry. Raises OverrideSyntaxError and SymbolicStructureError.

    What holds an expression is text: how YAML would read it depends on what nobody told.
    """
    source, holes = split_holes(word.value)
    name, equal, written_value = source.partition("=")
    if HOLE in name and not equal:
        raise SymbolicStructureError
    if not name.strip() or HOLE in name:
        raise OverrideSyntaxError(f"{shortened(name)!r} is not a key", 0, "write key=value", "SYN304")
    key_place, place = word.span_at(0, len(name)), word.span_at(len(name) + len(equal))
    if HOLE in written_value:
        value = fill(written_value, iter(holes))
        yield Leaf(name, value, place, key_place, to_shell(value), word.via)
        return
    reader = YamlReader("", written_value)
    errors = [d.message for d in reader.diagnostics]
    if errors:
        raise OverrideSyntaxError(f"the value of {shortened(name)} is not YAML: {errors[0]}", len(name) + 1)
    if reader.root is None:
        yield Leaf(name, None, place, key_place, written_value, word.via)
        return
    for key, node in _walk(reader, reader.root, name):
        yield Leaf(key, reader.value(node), place, key_place, written_value, word.via)


def _walk(reader: YamlReader, node: Node, key: str) -> Iterator[tuple[str, Node]]:
    if node.id == "mapping" and node.value:
        for name, (_, child) in reader.pairs(node).items():
            yield from _walk(reader, child, keys.child(key, name))
    else:
        yield key, node
