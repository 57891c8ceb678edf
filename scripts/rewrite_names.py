"""Rewrite the names of modules in code and texts, as a table of moves has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from moves import Moves

_DOTTED = re.compile(r"(?<![\w./])rftconf(?:\.[A-Za-z_]\w*)+")
_PATH = re.compile(r"(?<![\w./-])(?:rftconf/)?(?:\w+/)*\w+\.py\b|(?<![\w./-])rftconf/\w+(?:/\w+)*(?![\w.])")


class Names:
    """Old names and new ones of every module."""

    def __init__(self, moves: Moves, modules: Iterable[str]) -> None:
        self.new = {name: moves.new_name(name) for name in modules}
        self.packages = tuple(moves.folders)
        self.data = moves.data
        self._moves = moves

    def file_name(self, name: str) -> str:
        """A module's bare file name, where no other module had it."""
        homes = [module for module in self.new if module.rpartition(".")[2] == name.removesuffix(".py")]
        return f"{self.new[homes[0]].rpartition('.')[2]}.py" if len(homes) == 1 else name

    def moved_modules(self) -> Iterator[tuple[str, str]]:
        """Modules that move by themselves, not with their folder."""
        yield from self._moves.modules.items()

    def dotted(self, name: str) -> str:
        """A dotted name with its longest part that is a module put anew; the rest is what lies in the module."""
        parts = name.split(".")
        for end in range(len(parts), 1, -1):
            head = ".".join(parts[:end])
            if head in self.new:
                return ".".join([self.new[head], *parts[end:]])
        return name

    def path(self, path: str) -> str:
        """A module's file, from the repository's root or from the package; anything else as it is."""
        bare = path.removeprefix("rftconf/")
        module = f"rftconf.{bare.removesuffix('.py').replace('/', '.')}"
        known = module in self.new if path.endswith(".py") else module.startswith(self.packages)
        if not known or (bare == path and "/" not in path):
            return path
        new = self._moves.new_name(module).replace(".", "/") + (".py" if path.endswith(".py") else "")
        return new if bare != path else new.removeprefix("rftconf/")


def rewrite_text(text: str, names: Names) -> str:
    """Dotted names and paths of modules, wherever they stand."""
    for old, new in names.data.items():
        text = text.replace(old, new)
    text = _DOTTED.sub(lambda match: names.dotted(match[0]), text)
    return _PATH.sub(lambda match: names.path(match[0]), text)


def rewrite_file_names(text: str, names: Names) -> str:
    """Bare names of modules' files in backticks, as texts about our own code have them."""
    return re.sub(r"(?<=`)\w+\.py(?=`)", lambda match: names.file_name(match[0]), text)


def rewrite_python(source: str, names: Names) -> str:
    """The same for code, where `from package import module` names a module in two parts."""
    lines = source.splitlines(keepends=True)
    pieces: list[tuple[int, int, str]] = []
    start_of = _line_starts(lines)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            new = _import_from(node, names)
            if new is not None:
                start, end = start_of[node.lineno - 1] + node.col_offset, start_of[(node.end_lineno or 0) - 1]
                pieces.append(
                    (start, end + (node.end_col_offset or 0), new.replace("\n", "\n" + " " * node.col_offset))
                )
    result, offset = [], 0
    data = source.encode()
    for start, end, new in sorted(pieces):
        result += [rewrite_text(data[offset:start].decode(), names), new]
        offset = end
    return "".join([*result, rewrite_text(data[offset:].decode(), names)])


def _import_from(node: ast.ImportFrom, names: Names) -> str | None:
    """The statement anew, where one of its names is a module; else None: then the text's own rules do."""
    if not any(f"{node.module}.{alias.name}" in names.new for alias in node.names):
        return None
    statements: dict[str, list[str]] = {}
    for alias in node.names:
        whole = f"{node.module}.{alias.name}"
        if whole in names.new:
            package, _, name = names.new[whole].rpartition(".")
            # the code below goes on to use the name that it had
            bound = alias.asname or alias.name
        else:
            package, name, bound = names.dotted(node.module or ""), alias.name, alias.asname or alias.name
        statements.setdefault(package, []).append(name if name == bound else f"{name} as {bound}")
    return "\n".join(f"from {package} import {', '.join(listed)}" for package, listed in statements.items())


def _line_starts(lines: Iterable[str]) -> list[int]:
    starts, offset = [], 0
    for line in lines:
        starts.append(offset)
        offset += len(line.encode())
    return [*starts, offset]
