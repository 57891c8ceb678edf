"""Every way to forge one entry of a certificate: entries changed, added, removed, doubled and moved, the digest put right."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rftconf.verbs.certify import digest_file

GIVEN = frozenset({"source", "outputs", "request", "rftconf", "certificate_version"})
"""Parts that say what is to be computed; all others are only compared with what comes out."""


class Forgery(NamedTuple):
    """A certificate's data with one entry forged; `what` says which and how."""

    what: str
    data: dict[str, Any]


def forgeries(data: dict[str, Any], parts: frozenset[str]) -> Iterator[Forgery]:
    """All of them in the given parts of a certificate."""
    for route, node in _nodes({name: part for name, part in data.items() if name in parts}):
        for how, forged in _changes(node):
            yield Forgery(f"{'.'.join(map(str, route))}: {how}", _with(data, route, forged))


def _nodes(node: Any, route: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if route:
        yield route, node
    listed = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, value in listed:
        yield from _nodes(value, (*route, name))


def _changes(node: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(node, dict):
        yield "one more", {**node, "invented": "x"}
        yield "one more, null", {**node, "invented": None}
        for name in node:
            yield f"{name} removed", {second: value for second, value in node.items() if second != name}
    elif isinstance(node, list):
        yield "one more, text", [*node, "invented"]
        if node:
            yield "the first twice", [node[0], *node]
            yield "the first removed", node[1:]
            yield "empty", []
        if node[:1] != node[-1:]:
            yield "turned round", node[::-1]
    else:
        yield "null", None if node is not None else "x"
        yield "another", _other(node)


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 1
    return f"{value}x" if isinstance(value, str) else 1


def _with(node: Any, route: tuple[str | int, ...], value: Any) -> Any:
    """`node` with another value at the end of a route; what does not lie on it is shared."""
    if not route:
        return value
    result = copy.copy(node)
    result[route[0]] = _with(node[route[0]], route[1:], value)
    return result


def file_of(folder: Path, name: str) -> dict[str, Any]:
    """A file that is there, with its true digest."""
    return {"file": name, "sha256": digest_file(folder / name), "name": ""}


def _binding(name: str) -> Callable[[dict[str, Any], Path], Any]:
    return lambda data, _: data["request"]["bindings"].update({name: "1"})


def _answer(to: str, name: str) -> Callable[[dict[str, Any], Path], Any]:
    return lambda data, _: data["request"]["answers"].update(q={"to": to, "name": name, "value": "1"})


INVENTED: dict[str, Callable[[dict[str, Any], Path], Any]] = {
    "outputs": lambda data, path: data["outputs"].append(file_of(path, "other.sh")),
    "outputs, named": lambda data, path: data["outputs"].append({**file_of(path, "other.sh"), "name": "reward.py"}),
    "outputs, twice": lambda data, path: data["outputs"].append(data["outputs"][0]),
    "sources": lambda data, path: data["request"]["sources"].append(file_of(path, "other.sh")),
    "also_read": lambda data, path: data["request"]["also_read"].append(file_of(path, "other.sh")),
    "base": lambda data, path: data["request"].update(base=file_of(path, "other.sh")),
    "bindings": lambda data, path: data["request"]["bindings"].update(INVENTED="1"),
    "bindings, many": lambda data, path: data["request"]["bindings"].update({f"X{n}": "1" for n in range(300)}),
    **{f"bindings named {name!r}": _binding(name) for name in ("", "..", "verl ", "a\0b", "x.y")},
    **{f"answers to {to} {name!r}": _answer(to, name) for to in ("key", "keep", "set") for name in ("", "..", "x y")},
    "withheld": lambda data, path: data["request"]["withheld"].append("INVENTED"),
    "from_environment": lambda data, path: data["request"]["from_environment"].append("PATH"),
    "arguments": lambda data, path: data["request"]["arguments"].append(""),
    "assume": lambda data, path: data["request"]["assume"].update(mini_batch="prompts"),
    "form": lambda data, path: data["request"].update(form="A"),
    "layout": lambda data, path: data["request"].update(layout="separated"),
    "style": lambda data, key_of_leaf: data["request"].update(style="yaml"),
    "launch": lambda data, path: data["request"].update(launch=1),
    "several": lambda data, path: data["request"].update(several=True),
    "adapters": lambda data, path: data["request"].update(adapters="."),
    "framework": lambda data, path: data["request"].update(framework="veRL"),
    "to": lambda data, path: data["request"].update(to="Trinity-RFT"),
    "rftconf": lambda data, path: data.update(rftconf="9.9.9"),
    "the source, otherwise named": lambda data, path: data["source"].update(file=f"./{data['source']['file']}"),
}
"""Changes that somebody would make to a certificate by hand, by name; `other.sh` in the folder has nothing to do with the run."""
