"""The classes of NeMo-RL's config as its modules define them, without the modules around them, which import torch and Ray."""

import ast
import builtins
import sys
import types
from pathlib import Path

import typing_extensions

LIGHT = ("typing", "typing_extensions", "pydantic", "enum", "os", "pathlib")
"""Modules that a class of the config takes names from beside NeMo-RL's own."""
PACKAGE = "nemo_rl"


class Classes:
    """Finds classes by module and name, and executes each definition with those that it names."""

    def __init__(self, checkout):
        self.checkout, self.trees = checkout, {}

    def find(self, module, name):
        """Return what a module calls `name`: defined there or imported from another module; None for what is neither."""
        space = self._space(module)
        if name in space:
            return space[name]
        for node in self._tree(module).body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        space[name] = self.find(node.module, alias.name)
                        return space[name]
            elif name in _names_given(node):
                return self._define(module, name, node)
        return None

    def _define(self, module, name, node):
        space = self._space(module)
        space[name] = None  # a class may name itself
        for other in _names_used(node):
            if other not in space and not hasattr(builtins, other):
                self.find(module, other)
        _execute(node, space)
        return space[name]

    def _tree(self, module):
        if module not in self.trees:
            path = self.checkout / Path(*module.split("."))
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            self.trees[module] = ast.parse(file.read_text(encoding="utf-8"))
        return self.trees[module]

    def _space(self, module):
        """The names of a module, known to Python under the module's own name: pydantic looks there for a name in quotes."""
        if module not in sys.modules:
            sys.modules[module] = types.ModuleType(module)
            space = vars(sys.modules[module])
            for node in self._tree(module).body:
                if isinstance(node, ast.ImportFrom | ast.Import) and _imported(node) in LIGHT:
                    _execute(node, space)
            if "TypedDict" in space:  # pydantic takes no other one before Python 3.12
                space["TypedDict"] = typing_extensions.TypedDict
        return vars(sys.modules[module])


def _imported(node):
    return node.module if isinstance(node, ast.ImportFrom) else node.names[0].name


def _execute(node, space):
    exec(compile(ast.Module([node], []), space["__name__"], "exec"), space)


def _names_given(node):
    if isinstance(node, ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _names_used(node):
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Load):
            yield inner.id
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value.isidentifier():
            yield inner.value
