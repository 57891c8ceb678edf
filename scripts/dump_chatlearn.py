"""Print the keys of one ChatLearn source checkout as JSON. Run by extract_keys.py; reads sources, imports none of them.

ChatLearn's config is a tree of dataclasses. Two of them, `models.policy_trainer` and `models.ref_policy`, are chosen by
`runtime_args.train_backend`, so each backend has a catalogue. Keys come in the order of that backend's template.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Row = dict[str, Any]
SOURCES = ("chatlearn/configs", "chatlearn/algorithm/grpo.py", "chatlearn/utils/constant.py")
ROOT = "GrpoConfig"
CHOSEN = {
    "models.policy_trainer": "{}PolicyTrainerConfig",
    "models.ref_policy": "{}RefPolicyConfig",
}
"""Fields declared as Any that the trainer's backend gives a class (GrpoConfig.__post_init__)."""
PREFIX = {"fsdp": "FSDP", "megatron": "Megatron"}
PLAIN = {"int": "int", "float": "float", "bool": "bool", "str": "str", "dict": "dict", "list": "list"}


@dataclass(frozen=True)
class Sources:
    """Classes by name, and stand-ins with the same bases: Python itself linearises them."""

    nodes: dict[str, ast.ClassDef]
    types: dict[str, type]

    def fields(self, name: str) -> dict[str, ast.AnnAssign]:
        """The fields of a dataclass in its own order: those of the last base first, overridden ones in place."""
        fields: dict[str, ast.AnnAssign] = {}
        for base in reversed(self.types[name].__mro__[:-1]):
            for item in self.nodes[base.__name__].body:
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
                    fields[item.target.id] = item
        return fields


def read(checkout: Path) -> Sources:
    """Every class of the config's modules."""
    nodes: dict[str, ast.ClassDef] = {}
    for place in SOURCES:
        path = checkout / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            nodes |= {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}
    types: dict[str, type] = {}
    for name in nodes:
        _stand_in(name, nodes, types)
    return Sources(nodes, types)


def _stand_in(name: str, nodes: dict[str, ast.ClassDef], types: dict[str, type]) -> type:
    if name not in types:
        names = [base.id for base in nodes[name].bases if isinstance(base, ast.Name) and base.id in nodes]
        bases = tuple(_stand_in(base, nodes, types) for base in names)
        types[name] = type(name, bases, {})
    return types[name]


def of_annotation(node: ast.expr, of: Sources) -> tuple[str, bool]:
    """The type text of an annotation, and whether null is a value."""
    if isinstance(node, ast.Name):
        return PLAIN.get(node.id, "any"), node.id == "Any"
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        inner, optional = of_annotation(node.slice, of)
        if node.value.id == "Optional":
            return inner, True
        if node.value.id in ("List", "list"):
            return "list" if inner == "any" else f"list[{inner}]", False
        if node.value.id in ("Dict", "dict"):
            return "dict", False
        del optional
    return "any", True


def default(item: ast.AnnAssign, of: Sources) -> Any:
    """The default as plain data; `???` where there is none, {} for a dataclass."""
    value = item.value
    if isinstance(value, ast.Call):
        keywords = {word.arg: word.value for word in value.keywords}
        value = keywords.get("default", keywords.get("default_factory"))
    if isinstance(value, ast.Lambda):
        value = value.body
    if value is None or (isinstance(value, ast.Name) and value.id == "MISSING"):
        return "???"
    if isinstance(value, ast.Name):
        return [] if value.id == "list" else {}
    return _constant(value, of)


def _constant(value: ast.expr, of: Sources) -> Any:
    """A literal, or the value of an enum's member (its name, where the enum is another package's)."""
    if isinstance(value, ast.Attribute) and value.attr == "value":
        value = value.value
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name):
        if value.value.id not in of.nodes:
            return value.attr
        for item in of.nodes[value.value.id].body:
            named = isinstance(item, ast.Assign) and isinstance(item.targets[0], ast.Name) and item.targets[0].id
            if isinstance(item, ast.Assign) and named == value.attr:
                return ast.literal_eval(item.value)
    return ast.literal_eval(value)


def walk(name: str, prefix: str, of: Sources, trainer: str) -> Iterator[tuple[str, Row]]:
    """Every leaf below the class `name`."""
    for field, item in of.fields(name).items():
        key = prefix + field
        inner = item.annotation.id if isinstance(item.annotation, ast.Name) else ""
        if key in CHOSEN:
            inner = CHOSEN[key].format(PREFIX[trainer])
        if inner in of.nodes:
            yield from walk(inner, f"{key}.", of, trainer)
            continue
        kind, optional = of_annotation(item.annotation, of)
        yield key, {"type": kind, "optional": optional, "default": default(item, of)}


def template(checkout: Path, trainer: str) -> dict[str, Any]:
    """Keys, and nodes above them, as the backend's template writes them, with the values of leaves."""
    text = (checkout / "template" / f"grpo_{trainer}.yaml").read_text(encoding="utf-8")
    return dict(_paths(yaml.safe_load(text), ""))


def _paths(tree: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        inner = isinstance(value, dict)
        # OmegaConf reads 2e-6 as a number, which PyYAML does not
        number = isinstance(value, str) and re.fullmatch(r"\d+(\.\d*)?[eE][-+]?\d+", value)
        yield prefix + name, None if inner else float(value) if number else value
        if inner:
            yield from _paths(value, f"{prefix}{name}.")


def ordered(rows: dict[str, Row], order: list[str]) -> dict[str, Row]:
    """Rows sorted level by level: what the template names first and in its order, then the rest as declared."""
    declared: dict[str, int] = {}
    for key in rows:
        parts = key.split(".")
        for end in range(1, len(parts) + 1):
            declared.setdefault(".".join(parts[:end]), len(declared))

    def rank(key: str) -> list[tuple[int, int]]:
        parts = key.split(".")
        nodes = [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
        return [(0, order.index(node)) if node in order else (1, declared[node]) for node in nodes]

    return {key: rows[key] for key in sorted(rows, key=rank)}


def main() -> None:
    """`dump_chatlearn.py CHECKOUT TRAINER`"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("trainer", choices=sorted(PREFIX))
    args = parser.parse_args()
    rows = dict(walk(ROOT, "", read(args.checkout), args.trainer))
    shipped = template(args.checkout, args.trainer)
    written = {key: value for key, value in shipped.items() if key in rows}
    print(json.dumps({"keys": ordered(rows, list(shipped)), "names": {}, "template": written}))


if __name__ == "__main__":
    main()
