"""Print the keys of GRPO in one NeMo-RL source checkout as JSON. Run by extract_keys.py; reads sources, imports none of them.

Types come from the TypedDicts below `MasterConfig`; values, and the keys that no class declares, from the config that
`examples/run_grpo.py` starts from when it is given none.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from annotation_types import of_default  # noqa: E402

from rftconf.schemas.registry import NEMO_RL  # noqa: E402
from rftconf.text.keys import child  # noqa: E402
from rftconf.text.omegaconf.functions import functions_of  # noqa: E402
from rftconf.text.omegaconf.interpolation import Resolver, may_interpolate  # noqa: E402
from rftconf.text.yaml.leaves import YamlReader  # noqa: E402

Row = dict[str, Any]
PROGRAM = "nemo_rl/algorithms/grpo.py"
STARTS_FROM = "examples/configs/grpo_math_1B.yaml"
BESIDE = "examples/configs/grpo_math_*.yaml"
"""Configs of the same program: no class declares some of the keys that they set for Megatron, and code reads them."""
MASTER = "MasterConfig"
PLAIN = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "dict": "dict",
    "list": "list",
    "PathLike": "str",
}
CHOSEN: dict[str, tuple[str, ...]] = {
    "policy.generation": ("GenerationConfig", "VllmConfig", "MCoreGenerationConfig", "SGLangConfig"),
    "env.math": ("MathEnvConfig",),
}  # fmt: skip
"""Fields whose class is chosen by another key, or by the code that reads them (grpo.py: setup; environments/utils.py)."""
LISTED = {"policy.scheduler": ("name", "kwargs", "milestones")}
"""Lists of mappings that no class declares item by item (dtensor_policy_worker.py: SequentialLR)."""
FREE = (
    "env",
    "policy.hf_config_overrides",
    "policy.optimizer.kwargs",
    "policy.generation.vllm_kwargs",
    "policy.tokenizer.chat_template_kwargs",
)
"""Mappings that are handed on as they are: below them anything may stand."""


@dataclass(frozen=True)
class Sources:
    """The classes of the config by name."""

    nodes: dict[str, ast.ClassDef]

    def fields(self, name: str) -> dict[str, ast.AnnAssign]:
        """The fields of a class and of its bases, those of the bases first."""
        node = self.nodes[name]
        fields: dict[str, ast.AnnAssign] = {}
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in self.nodes:
                fields |= self.fields(base.id)
        for item in node.body:
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not _inner(item):
                fields[item.target.id] = item
        return fields


def _inner(item: ast.AnnAssign) -> bool:
    """True for what the program fills in itself, and nobody writes."""
    assert isinstance(item.target, ast.Name)
    return item.target.id.startswith("_") and item.target.id != "_v2"


def read(checkout: Path) -> Sources:
    """Every class of the package; the config's own root is that of GRPO."""
    nodes: dict[str, ast.ClassDef] = {}
    for file in sorted((checkout / "nemo_rl").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for item in ast.walk(tree):
            if isinstance(item, ast.ClassDef) and item.name != MASTER:
                nodes.setdefault(item.name, item)
    program = ast.parse((checkout / PROGRAM).read_text(encoding="utf-8"))
    nodes |= {item.name: item for item in program.body if isinstance(item, ast.ClassDef)}
    return Sources(nodes)


def parts_of(node: ast.expr) -> Iterator[ast.expr]:
    """The alternatives of an annotation, without what says that it may be left out."""
    if isinstance(node, ast.BinOp):
        yield from parts_of(node.left)
        yield from parts_of(node.right)
    elif isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("NotRequired", "Optional", "Union"):
        yield from (ast.Constant(None),) if ast.unparse(node.value) == "Optional" else ()
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from parts_of(part)
    else:
        yield node


def of_annotation(node: ast.expr) -> tuple[str, bool, list[Any]]:
    """The type text of an annotation, whether null is a value, and the values allowed."""
    parts = list(parts_of(node))
    known = [part for part in parts if not (isinstance(part, ast.Constant) and part.value is None)]
    names, choices = list[str](), list[Any]()
    for part in known:
        kind = "any"
        if isinstance(part, ast.Name):
            kind = PLAIN.get(part.id, "any")
        elif isinstance(part, ast.Subscript):
            outer = ast.unparse(part.value)
            if outer == "Literal":
                choices = [
                    ast.literal_eval(item)
                    for item in (part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice])
                ]
                kind = PLAIN[type(choices[0]).__name__]
            elif outer in ("list", "List"):
                inner = of_annotation(part.slice)[0]
                kind = "list" if inner == "any" else f"list[{inner}]"
            elif outer in ("dict", "Dict"):
                kind = "dict"
        names.append(kind)
    names = list(dict.fromkeys(names)) or ["any"]
    text = "any" if "any" in names else "float" if set(names) == {"int", "float"} else "|".join(names)
    return text, len(known) < len(parts) or text == "any", choices if len(known) == 1 else []


def classes_in(node: ast.expr, of: Sources) -> Iterator[tuple[str, str]]:
    """Every class of an annotation and how it is held: "" itself, "[]" in a list."""
    for part in parts_of(node):
        if isinstance(part, ast.Name) and part.id in of.nodes and of.fields(part.id):
            yield part.id, ""
        elif isinstance(part, ast.Subscript) and ast.unparse(part.value) in ("list", "List"):
            yield from ((name, "[]") for name, _ in classes_in(part.slice, of))


def walk(name: str, prefix: str, of: Sources, inside: tuple[str, ...] = ()) -> Iterator[tuple[str, Row]]:
    """Every leaf below the class `name`, as its classes declare it."""
    for field, item in of.fields(name).items():
        key = prefix + field
        chosen = [(inner, "") for inner in CHOSEN.get(key, ()) if inner in of.nodes]
        below = chosen or list(classes_in(item.annotation, of))
        kind, optional, choices = of_annotation(item.annotation)
        row: Row = {"type": kind, "optional": optional, "default": _default(item), "choices": choices}
        if not below or any(mark for _, mark in below):
            yield key, row | ({"open": True} if key in FREE or (not below and kind == "dict") else {})
        for inner, mark in below:
            if inner not in inside:
                yield from walk(inner, f"{key}{mark}.", of, (*inside, inner))


def _default(item: ast.AnnAssign) -> Any:
    """The default that a class gives, which only models of pydantic have."""
    try:
        return None if item.value is None else ast.literal_eval(item.value)
    except ValueError:
        return None


def shipped(checkout: Path, name: str = STARTS_FROM) -> dict[str, Any]:
    """Keys as a config writes them; a list of mappings is one value."""
    reader = YamlReader(name, (checkout / name).read_text(encoding="utf-8"))
    root = reader.root
    assert root is not None
    return dict(_paths(reader.value(root), ""))


def _paths(tree: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in tree.items():
        key = child(prefix, name)
        if isinstance(value, dict) and value:
            yield from _paths(value, key)
        else:
            yield key, value


def dump(checkout: Path) -> dict[str, Row]:
    """Key to row of GRPO's config: in the order of the shipped config, then what only classes declare."""
    of, written = read(checkout), shipped(checkout)
    nodes = _nodes(written)
    declared = dict[str, Row]()
    for key, row in walk(MASTER, "", of):
        before = declared.get(key)
        declared[key] = row if before is None else _either(before, row)
    resolver = Resolver(written, functions=functions_of(NEMO_RL.resolvers))
    rows: dict[str, Row] = {}
    for key, value in written.items():
        row = declared.get(key) or _inferred(value)
        done = resolver.resolve(key)
        assert not done.problem, (key, done.problem)
        rows[key] = {**row, "default": done.value} | ({"interpolation": value} if may_interpolate(value) else {})
        if key in FREE or value == {} or (value is None and key not in declared):
            rows[key]["open"] = True
    for key, row in declared.items():
        rows.setdefault(key, row if "[]" in key or key in nodes else row | {"plus_only": True})
    for path in sorted(checkout.glob(BESIDE)):
        for key, value in shipped(checkout, str(path.relative_to(checkout))).items():
            if key.startswith("policy.") and not any(node in rows and rows[node].get("open") for node in _above(key)):
                rows.setdefault(key, _inferred(value) | {"default": None, "plus_only": True})
    for key in FREE:
        rows.setdefault(
            key, {"type": "dict", "optional": True, "default": None, "open": True, "plus_only": key not in nodes}
        )
    for key, names in LISTED.items():
        for name in names:
            kind = {"kwargs": "dict", "milestones": "list[int]"}.get(name, "str")
            item: Row = {"type": kind, "optional": True, "default": None}
            rows[f"{key}[].{name}"] = item | ({"open": True} if kind == "dict" else {})
    _let_choices_be(rows)
    return rows


def _above(key: str) -> list[str]:
    """Every section above a key."""
    return [key[:end] for end, sign in enumerate(key) if sign == "."]


def _nodes(written: dict[str, Any]) -> set[str]:
    """Every section that the shipped config has keys below."""
    return {key[:end] for key in written for end, sign in enumerate(key) if sign == "."}


def _inferred(value: Any) -> Row:
    kind, optional, _ = of_default(value if not may_interpolate(value) else None)
    return {"type": kind, "optional": optional, "inferred": True}


def _either(row: Row, other: Row) -> Row:
    """A key of two classes of which another key chooses one: `enabled: Literal[True]` and `enabled: Literal[False]`."""
    same = row["type"] == other["type"]
    choices = [*row["choices"], *other["choices"]] if row["choices"] and other["choices"] else []
    return {**row, **other, "type": row["type"] if same else "any", "choices": choices}


def _let_choices_be(rows: dict[str, Row]) -> None:
    """Leave out choices of switches, which are those of the type; a default beside them is taken all the same."""
    for row in rows.values():
        if row["type"] == "bool" or not row.get("choices"):
            row.pop("choices", None)


def main() -> None:
    """`dump_nemo_rl.py CHECKOUT [TRAINER]`"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("trainer", nargs="?", default="")
    print(json.dumps({"keys": dump(parser.parse_args().checkout), "names": {}}))


if __name__ == "__main__":
    main()
