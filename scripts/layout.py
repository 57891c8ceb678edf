"""Measure how the package is laid out: floors, circles of imports, loose modules; today's, or as a table of moves has it.

python scripts/layout.py [docs/adr/0014-moves.toml]

A room is what `ls rftconf` shows: a folder, or a module that lies loose. A room stands one floor above the highest room that
it imports; rooms in a circle share a floor. Every import counts, also one inside a function or for an annotation alone.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from moves import Moves, read_moves

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "rftconf"
OUTSIDE_ROOMS = {"__init__", "__main__", "_version"}
"""Modules that Python or the build wants at the top; no layout can put them elsewhere."""

NO_MOVES = Moves()
Graph = dict[str, set[str]]


@dataclass(frozen=True)
class Layout:
    """What was measured of a package."""

    modules: Graph
    """Every module's imports within the package."""
    rooms: Graph
    """Every room's imports of other rooms."""

    def floors(self) -> list[list[str]]:
        """Rooms from the ground up; a floor imports floors below it only."""
        return floors(self.rooms)

    def circles(self) -> list[list[str]]:
        """Modules that import each other in a loop."""
        return circles(self.modules)

    def loose(self) -> list[str]:
        """Modules beside the folders."""
        packages = {name.rpartition(".")[0] for name in self.modules}
        return sorted(
            name for name in self.modules.keys() - packages if name.count(".") == 1 and _last(name) not in OUTSIDE_ROOMS
        )

    def folder_circles(self) -> list[list[str]]:
        """Circles among what lies in one folder, modules and folders alike, for every folder."""
        packages = {name.rpartition(".")[0] for name in self.modules} - {""}
        return [part for package in sorted(packages) for part in circles(self._inside(package))]

    def _inside(self, package: str) -> Graph:
        depth = package.count(".") + 2
        graph: Graph = {}
        for name, targets in self.modules.items():
            if name.startswith(f"{package}."):
                prefix = ".".join(name.split(".")[:depth])
                prefixes = {
                    ".".join(target.split(".")[:depth]) for target in targets if target.startswith(f"{package}.")
                }
                graph[prefix] = graph.get(prefix, set()) | prefixes - {prefix}
        return graph


def measure(root: Path = ROOT, moves: Moves = NO_MOVES) -> Layout:
    """The layout of the package below `root`, its modules named as `moves` would name them."""
    names = {_module(path, root): path for path in sorted((root / PACKAGE).rglob("*.py"))}
    renamed = {name: moves.new_name(name) for name in names}
    modules: Graph = {}
    for name, path in names.items():
        if path.name == "__init__.py" and not any(
            target.startswith(f"{renamed[name]}.") for target in renamed.values()
        ):
            continue  # a package that the moves leave empty
        imported_modules = {renamed[target] for target in _imports(path, names) if target != name}
        modules[renamed[name]] = modules.get(renamed[name], set()) | imported_modules - {renamed[name]}
    rooms: Graph = {}
    for name, imported in modules.items():
        own_room = _room(name)
        rooms.setdefault(own_room, set()).update({_room(target) for target in imported} - {own_room})
    return Layout(modules, {room: targets - {PACKAGE} for room, targets in rooms.items() if room != PACKAGE})


def circles(graph: Graph) -> list[list[str]]:
    """Strongly connected parts of more than one node, largest first (Tarjan's algorithm)."""
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    parts: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in number:
                visit(target)
            if target in stack:
                low[node] = min(low[node], low[target])
        if low[node] == number[node]:
            part = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(part) > 1:
                parts.append(sorted(part))

    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(max(usual, 10 * len(graph) + 1000))
    for node in sorted(graph):
        if node not in number:
            visit(node)
    sys.setrecursionlimit(usual)  # other code of this process counts on it
    return sorted(parts, key=lambda part: (-len(part), part))


def floors(graph: Graph) -> list[list[str]]:
    """Nodes by the longest way down; what lies in one circle stands on one floor."""
    together = {node: "+".join(part) for part in circles(graph) for node in part}
    group = {node: together.get(node, node) for node in graph}
    below: Graph = {}
    for node, targets in graph.items():
        below.setdefault(group[node], set()).update(group[t] for t in targets if t in group and group[t] != group[node])
    height: dict[str, int] = {}

    def floor(node: str) -> int:
        if node not in height:
            height[node] = 1 + max((floor(target) for target in below[node]), default=0)
        return height[node]

    result: list[list[str]] = [[] for _ in range(max(map(floor, below), default=0))]
    for node in sorted(graph):
        result[height[group[node]] - 1].append(node)
    return result


def _imports(path: Path, known: Mapping[str, Path]) -> Iterable[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                whole = f"{node.module}.{name.name}"
                if whole in known:
                    yield whole
                elif node.module in known:
                    yield node.module


def _module(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(name: str) -> str:
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 1 else name


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def main() -> None:
    """Print the floors from the top down, then circles and loose modules."""
    moves = read_moves(Path(sys.argv[1])) if len(sys.argv) > 1 else NO_MOVES
    layout = measure(ROOT, moves)
    floors = layout.floors()
    for number in range(len(floors), 0, -1):
        print(f"{number:3}  {', '.join(_last(room) for room in floors[number - 1])}")
    print(f"{len(layout.modules)} modules, {len(layout.rooms)} rooms, {len(floors)} floors")
    for what, parts in (("what lies in one folder", layout.folder_circles()), ("modules", layout.circles())):
        print(f"{len(parts)} circles of {what}")
        for part in parts:
            print(f"  {len(part)}: {', '.join(part)}")
    print(f"{len(layout.loose())} loose modules: {', '.join(map(_last, layout.loose()))}")


if __name__ == "__main__":
    main()
