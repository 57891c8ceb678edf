"""Hydra's defaults lists: the configs that a YAML names, composed as Hydra composes them.

Each entry is read from a file beside the config, below it in priority; a config's own keys win unless `_self_` stands
before an entry. Places stay those of the file that a key was written in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from rftconf.diagnostics import Diagnostic, Severity
from rftconf.plan.symbols import Value
from rftconf.record import record
from rftconf.text.beside import beside
from rftconf.text.document import Leaf
from rftconf.text.layering import on_top
from rftconf.text.scalars import ScalarRules
from rftconf.text.source import Source
from rftconf.text.span import Place
from rftconf.text.yaml import YamlReader

MOST_CONFIGS = 64
"""No defaults list names more, all levels together."""
MOST_CHARACTERS = 1_000_000
"""Nor is what they name longer, each file counted as often as it is named."""
_ROOT = ("_here_", "_global_")
_SELF = "_self_"
_HYDRAS = ("defaults", "hydra")
"""Sections of a primary config that Hydra reads itself."""


@record
class Entry:
    """One item of a defaults list: the file, where its keys go, and whether it may be missing."""

    file: str
    package: str
    optional: bool = False


@dataclass(slots=True)
class _Composer:
    sources: Mapping[str, str]
    rules: ScalarRules
    diagnostics: list[Diagnostic] = field(default_factory=list)
    read: int = 0
    characters: int = 0

    def entries(
        self, source: Source, items: list[Value], place: Place, above: tuple[str, ...]
    ) -> list[tuple[Leaf, ...]]:
        """The leaves of each entry in turn; `_self_` gives an empty tuple, in whose place the config's own keys go."""
        found: list[tuple[Leaf, ...]] = []
        for item in items:
            if item == _SELF:
                found.append(())
                continue
            for entry in _entries(item):
                leaves = self._entry(source, entry, place, above)
                if leaves:
                    found.append(leaves)
        return found

    def _entry(self, source: Source, entry: Entry, place: Place, above: tuple[str, ...]) -> tuple[Leaf, ...]:
        inner = beside(source.name, entry.file, self.sources)
        if inner is None:
            if not entry.optional:
                self._say(
                    Severity.WARNING,
                    f"defaults names {entry.file}, which is not given",
                    place,
                    "give it with --source FILE",
                )
            return ()
        self.read += 1
        self.characters += len(inner.text)
        if inner.name in above or self.read > MOST_CONFIGS or self.characters > MOST_CHARACTERS:
            most = f"more than {MOST_CONFIGS} files or {MOST_CHARACTERS:,} characters"
            self._say(Severity.ERROR, f"defaults lead in a circle, or to {most}, at {entry.file}", place, "")
            return ()
        leaves = self.compose(inner, (*above, inner.name))
        prefix = f"{entry.package}." if entry.package else ""
        return tuple(replace(leaf, key=prefix + leaf.key) for leaf in leaves) if prefix else leaves

    def compose(self, source: Source, above: tuple[str, ...]) -> tuple[Leaf, ...]:
        """A file with what its own defaults list brings."""
        reader = YamlReader(source.name, source.text, self.rules)
        leaves = reader.leaves()
        self.diagnostics += reader.diagnostics
        own, items, place = split(leaves)
        return merged(self.entries(source, items, place, above), own) if place is not None else own

    def _say(self, severity: Severity, message: str, place: Place, help_: str) -> None:
        self.diagnostics.append(Diagnostic("SYN504", severity, message, place, help=help_))


def _entries(item: Value) -> Iterator[Entry]:
    """`../config/x@_here_`, or `group: name`; what overrides Hydra's own groups is not the run's business."""
    if isinstance(item, str):
        path, _, package = item.removeprefix("optional ").partition("@")
        parts = [part for part in PurePosixPath(path).parts[:-1] if part != ".."]
        where = "" if package in _ROOT else package or ".".join(parts)
        yield Entry(_file(path), where, item.startswith("optional "))
    elif isinstance(item, dict):
        for group, name in item.items():
            words = str(group).split() or [""]
            if not isinstance(name, str) or "override" in words or words[-1].startswith("hydra"):
                continue
            path, _, package = words[-1].partition("@")
            yield Entry(
                _file(f"{path}/{name}"),
                "" if package in _ROOT else package or path.replace("/", "."),
                "optional" in words,
            )


def _file(path: str) -> str:
    return path if PurePosixPath(path).suffix in (".yaml", ".yml") else f"{path}.yaml"


def split(leaves: tuple[Leaf, ...]) -> tuple[tuple[Leaf, ...], list[Value], Place | None]:
    """A config's own leaves, the items of its defaults list and where that stands."""
    own = tuple(leaf for leaf in leaves if not leaf.key.startswith(_HYDRAS) or _top(leaf.key) not in _HYDRAS)
    items: list[Value] = []
    place = None
    for leaf in leaves:
        if not leaf.key.startswith("defaults") or _top(leaf.key) != "defaults":
            continue
        place = place or leaf.key_place
        if leaf.key == "defaults":
            items += leaf.value if isinstance(leaf.value, list) else []
        elif leaf.key.count("]") == 1 and leaf.key.endswith("]"):
            items.append(leaf.value)
        else:
            items.append({leaf.key.partition("].")[2]: leaf.value})
    return own, items, place


def _top(key: str) -> str:
    return key.partition(".")[0].partition("[")[0]


def merged(parts: list[tuple[Leaf, ...]], own: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The entries in their order, the config's own keys where `_self_` stands, else last."""
    ordered = [part or own for part in parts] if () in parts else [*parts, own]
    found: tuple[Leaf, ...] = ()
    for part in ordered:
        found = on_top(found, part)
    return tuple({leaf.key: leaf for leaf in found}.values())


def with_defaults(
    source: Source, leaves: tuple[Leaf, ...], sources: Mapping[str, str], rules: ScalarRules
) -> tuple[tuple[Leaf, ...], tuple[Diagnostic, ...]]:
    """The leaves of a config with what its defaults list brings, and what was wrong with that."""
    own, items, place = split(leaves)
    if place is None:
        return own, ()
    composer = _Composer(sources, rules)
    parts = composer.entries(source, items, place, (source.name,))
    return merged(parts, own), tuple(composer.diagnostics)
