"""Print the keys of one TRL release as JSON. Run by extract_keys.py; reads sources, imports none of them.

`trl grpo` parses four dataclasses with one parser, so that their fields are one flat list of keys. GRPOConfig stands on
transformers.TrainingArguments. What the parser does not know goes to `accelerate launch`, whose options close the list.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rftconf.text.launch.accelerate import OPTIONS

Row = dict[str, Any]
Classes = dict[str, ast.ClassDef]
PARSED = ("GRPOScriptArguments", "GRPOConfig", "ModelConfig", "DatasetMixtureConfig")
"""trl/scripts/grpo.py: make_parser."""
FILES = (
    "trl/scripts/grpo.py",
    "trl/scripts/utils.py",
    "trl/trainer/grpo_config.py",
    "trl/trainer/base_config.py",
    "trl/trainer/model_config.py",
    "transformers/training_args.py",
)
PLAIN = {"int": "int", "float": "float", "bool": "bool", "str": "str", "dict": "dict", "list": "list"}
ENUMS = {"SchedulerType", "OptimizerNames", "IntervalStrategy", "SaveStrategy", "HubStrategy"}
"""Classes of transformers whose members are words."""
RELEASES = {"0.26.2": "4.57.3", "1.0.0": "5.4.0"}
"""Up to this release of TRL its arguments stand on that one of transformers; later ones on LATEST."""
LATEST = "5.20.2"


def transformers_of(release: str, releases: tuple[str, ...]) -> str:
    """The release of transformers that a catalogue's defaults come from; `releases` are those of TRL, oldest first."""
    ends = (number for last, number in RELEASES.items() if releases.index(release) <= releases.index(last))
    return next(ends, LATEST)


def classes_of(folders: list[Path]) -> Classes:
    """Every class of the modules that declare arguments."""
    nodes: Classes = {}
    for path in (folder / file for file in FILES for folder in folders):
        if path.is_file():
            tree = ast.parse(path.read_text(encoding="utf-8"))
            nodes |= {item.name: item for item in tree.body if isinstance(item, ast.ClassDef)}
    return nodes


def fields_of(name: str, nodes: Classes) -> dict[str, ast.AnnAssign]:
    """The fields of a dataclass that a constructor takes, those of its bases first, overridden ones in place."""
    fields: dict[str, ast.AnnAssign] = {}
    for base in nodes[name].bases:
        if isinstance(base, ast.Name) and base.id in nodes:
            fields |= fields_of(base.id, nodes)
    for item in nodes[name].body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not _hidden(item):
            fields[item.target.id] = item
    return fields


def _hidden(item: ast.AnnAssign) -> bool:
    words = item.value.keywords if isinstance(item.value, ast.Call) else []
    return any(word.arg == "init" for word in words) or "ClassVar" in ast.unparse(item.annotation)


def of_annotation(node: ast.expr) -> tuple[list[str], bool]:
    """The type texts of an annotation, and whether null is a value."""
    if isinstance(node, ast.BinOp):
        return _of_union([node.left, node.right])
    if isinstance(node, ast.Constant):
        return ([], True) if node.value is None else of_annotation(ast.parse(str(node.value), mode="eval").body)
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        match node.value.id:
            case "Optional":
                return of_annotation(parts[0])[0], True
            case "Union":
                return _of_union(parts)
            case "list" | "List":
                inner = of_annotation(parts[0])[0]
                return ["list" if inner == ["any"] else f"list[{inner[0]}]"], False
            case "dict" | "Dict":
                return ["dict"], False
            case "Literal":
                return [], False
    name = node.id if isinstance(node, ast.Name) else ""
    return ["str" if name in ENUMS else PLAIN.get(name, "any")], False


def _of_union(parts: list[ast.expr]) -> tuple[list[str], bool]:
    all_of = [of_annotation(part) for part in parts]
    return list(dict.fromkeys(kind for kinds, _ in all_of for kind in kinds)), any(optional for _, optional in all_of)


def default_of(item: ast.AnnAssign, owner: ast.ClassDef) -> Any:
    """The default as plain data; `???` where there is none."""
    value = item.value
    if isinstance(value, ast.Call):
        words = {word.arg: word.value for word in value.keywords}
        value = words.get("default", words.get("default_factory"))
    if value is None:
        return "???"
    if isinstance(value, ast.Lambda):
        value = value.body
    if isinstance(value, ast.Name):
        named = [a.value for a in owner.body if isinstance(a, ast.Assign) and ast.unparse(a.targets[0]) == value.id]
        return ast.literal_eval(named[0]) if named else [] if value.id == "list" else None
    return ast.literal_eval(value)


def rows_of(name: str, nodes: Classes, prefix: str = "") -> Iterator[tuple[str, Row]]:
    """The keys of a dataclass; one whose items are a dataclass has keys below `[]`."""
    for field, item in fields_of(name, nodes).items():
        inner = ast.unparse(item.annotation).removeprefix("list[").removesuffix("]")
        if inner in nodes:
            yield from rows_of(inner, nodes, f"{prefix}{field}[].")
            continue
        kinds, optional = of_annotation(item.annotation)
        kind = "any" if "any" in kinds else "|".join(kinds)
        owner = next(node for node in nodes.values() if item in node.body)
        default = default_of(item, owner)
        row = {"type": kind, "optional": optional or default is None, "default": default}
        yield prefix + field, row | ({"open": True} if "dict" in kinds else {})


def main() -> None:
    """`dump_trl.py TRL_FOLDER TRANSFORMERS_FOLDER`"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs=2, type=Path)
    nodes = classes_of(parser.parse_args().folders)
    keys: dict[str, Row] = {}
    for name in PARSED:
        keys |= dict(rows_of(name, nodes)) if name in nodes else {}
    for option, kind in OPTIONS.items():
        keys[option] = {"type": kind, "optional": True, "default": None}
    print(json.dumps({"keys": keys, "names": {}}))


if __name__ == "__main__":
    main()
