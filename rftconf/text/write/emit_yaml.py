"""Writes flat keys as YAML with a provenance comment at the end of each line. Knows no framework."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import TargetLine
from rftconf.base.symbols import Expr, Value, formula, is_symbolic, to_interpolation
from rftconf.text import keys
from rftconf.text.write.align_comments import Line, aligned, header_lines
from rftconf.text.yaml.quote_scalar import literal_block, scalar, string

MISSING = "???"
"""OmegaConf's marker for a value that must be given before the config can be used."""

_FLOW_WIDTH = 88


@dataclass(slots=True)
class _Leaf:
    value: Value
    comment: str


@dataclass(slots=True)
class _Branch:
    """A mapping (string steps) or a sequence (integer steps) on the way to the leaves."""

    children: dict[str | int, _Node] = field(default_factory=dict)


_Node: TypeAlias = _Leaf | _Branch


def emit(lines: Sequence[TargetLine], *, header: Sequence[str] = (), order: Sequence[str] = ()) -> str:
    """YAML text of `lines`: the sections of `order` first, then the others, keys in the order given.

    Symbols become `${oc.env:NAME}` where that suffices, else `???` with the formula in the comment. Raises ValueError
    for a key that is given twice or is both a value and a section.
    """
    root = _tree(lines)
    rank = {name: index for index, name in enumerate(order)}
    names = sorted((str(name) for name in root.children), key=lambda name: rank.get(name, len(rank)))
    out = header_lines(header)
    previous_was_section = bool(out)
    block: list[Line] = []
    for name in names:
        node = root.children[name]
        is_section = isinstance(node, _Branch)
        if block and (is_section or previous_was_section):
            out.extend([*aligned(block), ""])
            block = []
        block.extend(_entry(f"{string(name)}:", node, 0))
        previous_was_section = is_section
    out.extend(aligned(block) if root.children else ["{}"])
    return "\n".join(out) + "\n"


def steps(key: str) -> tuple[str | int, ...]:
    """The steps of a flat key: `a.b[0].c` gives `a`, `b`, 0, `c`. Raises ValueError for a key of another form."""
    bare = key.lstrip("+")
    path = keys.segments(bare)
    spelled = reduce(
        lambda key, step: keys.item(key, step) if isinstance(step, int) else keys.child(key, step), path, ""
    )
    if not path or spelled != bare:
        raise ValueError(f"not a flat key: {key!r}")
    return path


def _steps_of_line(key: str) -> tuple[str | int, ...]:
    """Return the steps of a line's key. Raises RefusedError for one that no file has a place for, as the source may have it."""
    try:
        return steps(key)
    except ValueError:
        raise RefusedError(f"{key.lstrip('+')} is no path of names: a part of it is empty, or is no name") from None


def as_written(value: Value) -> tuple[Value, str]:
    """`value` with its symbols as YAML can hold them, and the formula of what it cannot."""
    if not is_symbolic(value):
        return value, ""
    value_text = _interpolated(value)
    return (MISSING, describe(value)) if value_text is None else (value_text, "")


def describe(value: Value) -> str:
    """The formula of a value, lists and mappings included."""
    if isinstance(value, list):
        return "[" + ", ".join(describe(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {describe(item)}" for key, item in value.items()) + "}"
    return formula(value) if isinstance(value, Expr) else scalar(value)


def _interpolated(value: Value) -> Value:
    """`value` with every symbol as an interpolation; None when one of them has none."""
    if isinstance(value, Expr):
        return to_interpolation(value)
    if isinstance(value, list):
        items = [_interpolated(item) if is_symbolic(item) else item for item in value]
        return None if any(new is None and old is not None for new, old in zip(items, value, strict=True)) else items
    if isinstance(value, dict):
        mapping = {key: _interpolated(item) if is_symbolic(item) else item for key, item in value.items()}
        return None if any(mapping[key] is None and value[key] is not None for key in value) else mapping
    return value


def _tree(lines: Sequence[TargetLine]) -> _Branch:
    root = _Branch()
    for line in lines:
        value, unknown = as_written(line.value)
        comment = line.comment
        if unknown and unknown not in comment:
            comment = f"{comment}; = {unknown}" if comment else f"= {unknown}"
        _put(root, _steps_of_line(line.key), _Leaf(value, comment), line.key)
    return root


def _put(root: _Branch, route: Sequence[str | int], leaf: _Leaf, key: str) -> None:
    branch = root
    for depth, step in enumerate(route):
        if branch.children and isinstance(step, int) != isinstance(next(iter(branch.children)), int):
            raise _clash(key, "a list and a mapping at once")
        if depth == len(route) - 1:
            if step in branch.children:
                raise _clash(key, "given twice")
            branch.children[step] = leaf
            return
        child = branch.children.setdefault(step, _Branch())
        if isinstance(child, _Leaf):
            raise _clash(key, f"{step} is a value and a section at once")
        branch = child


def _clash(key: str, why: str) -> ValueError:
    return ValueError(f"{key}: {why}")


def _entry(opening: str, node: _Node, indent: int) -> Iterator[Line]:
    """`opening` (`key:` or `-`) with what belongs to it; `indent` is that of the opening."""
    pad = " " * indent
    if isinstance(node, _Leaf):
        yield from _leaf(opening, node, indent)
    elif opening == "-":
        # The first line of an item stands beside its dash.
        first, *lines = _children(node, indent + 2)
        yield Line(pad + "- " + first.text[indent + 2 :], first.comment, first.at)
        yield from lines
    else:
        yield Line(pad + opening)
        yield from _children(node, indent + 2)


def _children(node: _Branch, indent: int) -> Iterator[Line]:
    if all(isinstance(step, int) for step in node.children):
        for index in range(max(int(step) for step in node.children) + 1):
            yield from _entry("-", node.children.get(index, _Leaf({}, "")), indent)
        return
    for name, child in node.children.items():
        yield from _entry(f"{string(str(name))}:", child, indent)


def _leaf(opening: str, leaf: _Leaf, indent: int) -> Iterator[Line]:
    pad, value = " " * indent, leaf.value
    if isinstance(value, (list, dict)) and value:
        if isinstance(value, list) and not any(isinstance(item, dict) for item in value):
            flow = _flow(value)
            if len(pad) + len(opening) + 1 + len(flow) <= _FLOW_WIDTH:
                yield Line(f"{pad}{opening} {flow}", leaf.comment)
                return
        first, *lines = _entry(opening, _branch(value), indent)
        yield Line(first.text, leaf.comment, first.at)
        yield from lines
        return
    block = literal_block(value) if isinstance(value, str) else None
    if block is None:
        yield Line(f"{pad}{opening} {_flow(value)}", leaf.comment)
        return
    inner = " " * (indent + 2)
    body = [inner + text if text else "" for text in block[1:]]
    yield Line("\n".join([f"{pad}{opening} {block[0]}", *body]), leaf.comment)


def _branch(value: list[Value] | Mapping[str, Value]) -> _Branch:
    pairs = enumerate(value) if isinstance(value, list) else value.items()
    return _Branch({step: _Leaf(item, "") for step, item in pairs})


def _flow(value: Value) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_flow_item(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{string(key, flow=True)}: {_flow_item(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Expr):
        raise TypeError(f"an unwritten symbol: {value!r}")
    return scalar(value)


def _flow_item(value: Value) -> str:
    if isinstance(value, (list, dict, Expr)):
        return _flow(value)
    return scalar(value, flow=True)
