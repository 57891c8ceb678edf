"""Changes to single keys of a YAML text as patches. Comments, quotes and order of all the rest stay."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rftconf.base.patch import Patch
from rftconf.base.span import LineIndex
from rftconf.base.symbols import Value
from rftconf.text import keys
from rftconf.text.document import Document, Leaf
from rftconf.text.yaml.leaves import Node, YamlReader
from rftconf.text.yaml.quote_scalar import scalar


def put(document: Document, leaf: Leaf, value: Value) -> list[Patch] | None:
    """Another value for a key that is there."""
    span = leaf.place.span
    old = document.text[span.start : span.end]
    text = _spelled(value)
    if text is None or "\n" in old or old[:1] in ("&", "*", "!", "|", ">"):
        return None
    if isinstance(value, str) and len(old) > 1 and old[0] == old[-1] and old[0] in "\"'" and old[0] not in value:
        text = f"{old[0]}{value}{old[0]}"
    return [Patch(span, text if span.end > span.start else f" {text}")]


def add(document: Document, key: str, value: Value) -> list[Patch] | None:
    """A new key, in the deepest mapping on its way that is there."""
    text = _spelled(value)
    return None if text is None else _insert(document, key, text)


def drop(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Take a key out; a mapping that would be empty then goes with it."""
    return _cut(document, leaf.key)


def rename(document: Document, leaf: Leaf, key: str) -> list[Patch] | None:
    """Another name for a key, in place where the mapping stays the same; else its line moves, comment and all."""
    old, new = keys.segments(leaf.key), keys.segments(key)
    if old[:-1] == new[:-1]:
        span = leaf.key_place.span
        return [Patch(span, str(new[-1]))] if document.text[span.start : span.end] == str(old[-1]) else None
    start, end = leaf.place.span.start, leaf.place.span.end
    stop = document.text.find("\n", end)
    raw = document.text[start : len(document.text) if stop < 0 else stop].rstrip()
    if "\n" in raw:
        return None
    out, into = _cut(document, leaf.key), _insert(document, key, raw)
    return None if out is None or into is None else [*out, *into]


def _spelled(value: Value) -> str | None:
    if isinstance(value, list):
        plain = [item for item in value if item is None or isinstance(item, (bool, int, float, str))]
        return f"[{', '.join(scalar(item, flow=True) for item in plain)}]" if len(plain) == len(value) else None
    if not (value is None or isinstance(value, (bool, int, float, str))):
        return None
    return scalar(value)


@dataclass(slots=True)
class _Way:
    """The mappings from the root to the deepest one on the way to a key, and the entries taken."""

    mappings: list[Node]
    entries: list[tuple[Node, Node]]
    rest: list[str]


@lru_cache(maxsize=1)
def _lines(text: str) -> LineIndex:
    """Return the index of the text's line starts; it is kept, since a file's fixes come one after the other."""
    return LineIndex(text)


def _way(document: Document, key: str) -> _Way | None:
    root = YamlReader(document.name, document.text).root
    if root is None or root.id != "mapping":
        return None
    way = _Way([root], [], [])
    node: Node = root
    steps = list(keys.segments(key))
    for index, step in enumerate(steps):
        if isinstance(step, int):
            if node.id != "sequence" or step >= len(node.value):
                return None
            node = node.value[step]
        else:
            pair = next((p for p in node.value if p[0].value == step), None) if node.id == "mapping" else None
            if pair is None:
                way.rest = [str(s) for s in steps[index:]]
                return way if node.id == "mapping" and all(isinstance(s, str) for s in steps[index:]) else None
            way.entries.append(pair)
            node = pair[1]
        if node.id == "mapping":
            way.mappings.append(node)
    return way


def _cut(document: Document, key: str) -> list[Patch] | None:
    way = _way(document, key)
    if way is None or way.rest:
        return None
    depth = len(way.entries) - 1
    while depth > 0 and len(_holder(way, depth).value) == 1:
        depth -= 1
    name, value = way.entries[depth]
    holder = _holder(way, depth)
    text = document.text
    start = text.rfind("\n", 0, name.start_mark.index) + 1
    if holder.flow_style or text[start : name.start_mark.index].strip() or len(holder.value) == 1:  # type: ignore[attr-defined]
        return None
    after = [k.start_mark.index for k, _ in holder.value if k.start_mark.index > name.start_mark.index]
    last = value.end_mark.index
    if value.id != "scalar" and after and not value.flow_style:  # type: ignore[attr-defined]
        last = max(len(text[: min(after)].rstrip()), name.end_mark.index)
    elif value.id != "scalar" and not value.flow_style:  # type: ignore[attr-defined]
        last = len(text[:last].rstrip())
    stop = text.find("\n", last)
    stop = len(text) if stop < 0 else stop + 1
    return [Patch(_lines(text).span(start, stop), "")]


def _holder(way: _Way, depth: int) -> Node:
    """The mapping that holds the entry at `depth`."""
    name, _ = way.entries[depth]
    return next(m for m in way.mappings if any(k is name for k, _ in m.value))


def _insert(document: Document, key: str, raw: str) -> list[Patch] | None:
    way = _way(document, key)
    if way is None or not way.rest:
        return None
    holder = way.mappings[-1]
    if holder.flow_style or not holder.value or (way.entries and way.entries[-1][1] is not holder and _in_list(way)):  # type: ignore[attr-defined]
        return None
    text = document.text
    indent = holder.value[0][0].start_mark.column
    lines = [
        f"{' ' * (indent + 2 * index)}{name}:{f' {raw}' if index == len(way.rest) - 1 else ''}"
        for index, name in enumerate(way.rest)
    ]
    block = "\n".join(lines)
    simple = [v for _, v in holder.value if v.id == "scalar" and v.start_mark.line == v.end_mark.line]
    if simple:
        stop = text.find("\n", simple[-1].end_mark.index)
        stop = len(text) if stop < 0 else stop
        return [Patch(_lines(text).span(stop, stop), f"\n{block}")]
    first = holder.value[-1][0].start_mark.index
    start = text.rfind("\n", 0, first) + 1
    if text[start:first].strip():
        return None
    return [Patch(_lines(text).span(start, start), f"{block}\n")]


def _in_list(way: _Way) -> bool:
    """True where the last entry taken leads through a list to something that is no mapping of it."""
    return way.entries[-1][1].id == "sequence" and not any(n is way.mappings[-1] for n in way.entries[-1][1].value)
