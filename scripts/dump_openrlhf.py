"""Print the keys of one OpenRLHF release as JSON. Run by extract_keys.py; reads its sources and imports none of them.

Every key of a PPO run is an option of openrlhf/cli/train_ppo_ray.py. Some are declared in a loop over `prefix`, once for
the actor and once for the critic.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]
PROGRAM = "openrlhf/cli/train_ppo_ray.py"
MOMENT = "computed from the day"


def options_of(body: list[ast.stmt], names: Mapping[str, str]) -> Iterator[tuple[str, Row]]:
    """Every option that statements declare, in order; `names` are the variables of the loops around."""
    for node in body:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Tuple):
            for item in node.iter.elts:
                yield from options_of(node.body, {**names, node.target.id: ast.literal_eval(item)})
        elif isinstance(node, ast.If):
            yield from options_of(node.body, names)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Attribute) and call.func.attr == "add_argument":
                yield _option(call, names)


def _option(call: ast.Call, names: Mapping[str, str]) -> tuple[str, Row]:
    arguments = {word.arg: word.value for word in call.keywords if word.arg}
    key = str(_value(call.args[0], names)).removeprefix("--").replace("-", "_")
    default = _value(arguments["default"], names) if "default" in arguments else None
    action = _value(arguments["action"], names) if "action" in arguments else None
    if action in ("store_true", "store_false"):
        # a switch that turns another one off has no value of its own until it is given
        return key, {"type": "bool", "optional": False, "default": False if "dest" in arguments else bool(default)}
    kind = _kind_of(arguments["type"]) if "type" in arguments else "str"
    several = "nargs" in arguments
    row: Row = {
        "type": (f"list[{kind}]|{kind}" if isinstance(default, str) else f"list[{kind}]") if several else kind,
        "optional": default is None,
        "default": list(default) if isinstance(default, tuple) else default,
    }
    if "choices" in arguments:
        row["choices"] = _value(arguments["choices"], names)
    if default == MOMENT:
        row |= {"default": None, "optional": True}
    return key, row


def _kind_of(node: ast.expr) -> str:
    """The type of an option's words; a function of the program's own takes text."""
    name = ast.unparse(node)
    return name if name in ("int", "float", "str", "bool") else "str"


def _value(node: ast.expr, names: Mapping[str, str]) -> Any:
    """Return the value of an expression in a declaration: a literal, a text with a loop's variable, `int(1e8)` or a choice."""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.FormattedValue) else part for part in node.values)
        return "".join(str(_value(part, names)) for part in parts)
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.IfExp) and isinstance(node.test, ast.Compare):
        same = _value(node.test.left, names) == _value(node.test.comparators[0], names)
        return _value(node.body if same else node.orelse, names)
    if isinstance(node, ast.BinOp) and "datetime" in ast.unparse(node):
        return MOMENT
    if isinstance(node, ast.Call) and ast.unparse(node.func) in ("int", "float"):
        number = _value(node.args[0], names)
        # JSON has no infinity: the word that float() takes stands for it
        return number if number == "inf" else int(number) if ast.unparse(node.func) == "int" else float(number)
    return ast.literal_eval(node)


def main() -> None:
    """`dump_openrlhf.py OPENRLHF_FOLDER`"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    tree = ast.parse((parser.parse_args().folder / PROGRAM).read_text(encoding="utf-8"))
    print(json.dumps({"keys": dict(options_of(tree.body, {})), "names": {}}))


if __name__ == "__main__":
    main()
