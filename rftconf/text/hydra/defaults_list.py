"""Hydra's defaults lists: the configs that a YAML names, composed as Hydra composes them.

Each entry is read from a file beside the config, else from the framework's own file of that name, below the config in
priority; a config's own keys win unless `_self_` stands before an entry. Places stay those of the file that a key was
written in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import UnreadableError
from rftconf.base.record import record
from rftconf.base.span import Place
from rftconf.base.symbols import Value
from rftconf.text.document import MISSING, Leaf
from rftconf.text.files_beside import ShippedFiles, in_checkout, text_beside
from rftconf.text.keys import segments
from rftconf.text.layering import on_file
from rftconf.text.source import Source, open_source
from rftconf.text.yaml.leaves import YamlReader
from rftconf.text.yaml.loader_dialects import ScalarRules

MOST_CONFIGS = 64
"""No defaults list names more, all levels together."""
MOST_CHARACTERS = 1_000_000
"""Nor is what they name longer, each file counted as often as it is named."""
_ROOT = ("_here_", "_global_")
_HEADER = re.compile(r"\s*#\s*@package\s+(\S+)")
_SELF = "_self_"
_GROUP = re.compile(r"\$\{([\w/@.]+)\}")
_HYDRAS = ("defaults", "hydra")
"""Sections of a primary config that Hydra reads itself."""


SHIPPED = "SYN521"
"""The code of what is said of the framework's own files that stand for files that are not here."""


@record
class Entry:
    """One item of a defaults list: the file, the section where its keys go, and whether the file may be missing."""

    file: str
    package: str | None
    """None where the entry does not say: then the file's own `# @package` line does, else its group."""
    group: str
    optional: bool = False


@dataclass(slots=True)
class _Composer:
    sources: Mapping[str, str]
    rules: ScalarRules
    shipped: ShippedFiles | None = None
    folders: tuple[str, ...] = ()
    """Where Hydra also looks for configs, as seen from the root of the checkout."""
    diagnostics: list[Diagnostic] = field(default_factory=list)
    read: int = 0
    characters: int = 0
    overridden: dict[str, Value] = field(default_factory=dict)
    """Groups that a list above chooses otherwise, with their names there."""
    taken: set[str] = field(default_factory=set)
    """The framework's own files that were read."""
    named: dict[str, str] = field(default_factory=dict)
    """What somebody's config names and is not here, to the framework's own file that stands for it."""

    def entries(
        self, source: Source, items: list[Value], place: Place, above: tuple[str, ...]
    ) -> list[tuple[Leaf, ...]]:
        """The leaves of each entry in turn; `_self_` gives an empty tuple, in whose place the config's own keys go."""
        entries: list[tuple[Leaf, ...]] = []
        pairs = [(str(group).split(), name) for item in items if isinstance(item, dict) for group, name in item.items()]
        for words, name in pairs:
            if "override" in words:
                self.overridden.setdefault(words[-1].lstrip("/"), name)
        chosen = {words[-1].lstrip("/"): name for words, name in pairs if words and "override" not in words}
        chosen |= self.overridden
        for item in items:
            if item == _SELF:
                entries.append(())
                continue
            for entry in _entries(item, chosen):
                leaves = self._entry(source, entry, place, above)
                if leaves:
                    entries.append(leaves)
        return entries

    def _entry(self, source: Source, entry: Entry, place: Place, above: tuple[str, ...]) -> tuple[Leaf, ...]:
        inner = text_beside(source.name, entry.file, self.sources) or self._in_folders(source.name, entry.file)
        if inner is None and self.shipped is not None and not entry.optional:
            inner = self.shipped.find(entry.file, source.name)
            if inner is not None:
                self.named |= {entry.file: inner.name} if source.name not in self.taken else {}
                self.taken.add(inner.name)
        if inner is None:
            if not entry.optional:
                message = f"defaults names {entry.file}, which is not here: what it sets is not known"
                self._say(MISSING, Severity.WARNING, message, place, "give it with --source FILE")
            return ()
        self.read += 1
        self.characters += len(inner.text)
        if inner.name in above or self.read > MOST_CONFIGS or self.characters > MOST_CHARACTERS:
            most = f"more than {MOST_CONFIGS} files or {MOST_CHARACTERS:,} characters"
            self._say("SYN504", Severity.ERROR, f"defaults lead in a circle, or to {most}, at {entry.file}", place, "")
            return ()
        leaves = self.compose(inner, (*above, inner.name))
        package = _package(inner.text) if entry.package is None else entry.package
        package = entry.group if package is None else package
        prefix = f"{package}." if package else ""
        return tuple(replace(leaf, key=prefix + leaf.key) for leaf in leaves) if prefix else leaves

    def _in_folders(self, name: str, file: str) -> Source | None:
        places = (in_checkout(name, f"{folder}/{file}") for folder in self.folders)
        place = next((place for place in places if place is not None), None)
        try:
            return None if place is None else open_source(place)
        except UnreadableError:
            return None

    def compose(self, source: Source, above: tuple[str, ...]) -> tuple[Leaf, ...]:
        """A file with what its own defaults list brings."""
        reader = YamlReader(source.name, source.text, self.rules)
        leaves = reader.leaves()
        self.diagnostics += reader.diagnostics
        own, items, place = split(leaves)
        return merged(self.entries(source, items, place, above), own) if place is not None else own

    def _say(self, code: str, severity: Severity, message: str, place: Place, help_: str) -> None:
        self.diagnostics.append(Diagnostic(code, severity, message, place, help=help_))

    def say_named(self, place: Place) -> None:
        """One line for all files of the framework's own that stand for files that are not here."""
        if not self.named or self.shipped is None:
            return
        several = len(self.named) > 1
        named = ", ".join(PurePosixPath(file).name for file in self.named)
        whose = self.shipped.whose(self.named.values())
        message = f"{named} {'are' if several else 'is'} not beside the config: rftconf uses {whose}"
        self._say(SHIPPED, Severity.INFO, message, place, f"--source FILE gives {'others' if several else 'another'}")


def _entries(item: Value, chosen: Mapping[str, Value]) -> Iterator[Entry]:
    """`../config/x@_here_`, or `group: name`; what overrides Hydra's own groups is not the run's business.

    `chosen` are groups with their names, as this list or one above it chooses: `${model_engine}_actor` takes one of them.
    """
    if isinstance(item, str):
        path, _, package = item.removeprefix("optional ").partition("@")
        parts = [part for part in PurePosixPath(path).parts[:-1] if part != ".."]
        yield Entry(_file(path), _section(package), ".".join(parts), item.startswith("optional "))
    elif isinstance(item, dict):
        for group, name in item.items():
            words = str(group).split() or [""]
            if not isinstance(name, str) or "override" in words or words[-1].startswith("hydra"):
                continue
            path, _, package = words[-1].lstrip("/").partition("@")
            name = str(chosen.get(words[-1].lstrip("/"), name))
            name = _GROUP.sub(lambda match: str(chosen.get(match[1], match[0])), name)
            yield Entry(_file(f"{path}/{name}"), _section(package), path.replace("/", "."), "optional" in words)


def _section(package: str) -> str | None:
    return "" if package in _ROOT else package or None


def _package(text: str) -> str | None:
    """Return the section where a file's keys go, as its first line declares it; None where the line declares none."""
    header = _HEADER.match(text)
    return _section(header[1]) if header else None


def _file(path: str) -> str:
    return path if PurePosixPath(path).suffix in (".yaml", ".yml") else f"{path}.yaml"


def split(leaves: tuple[Leaf, ...]) -> tuple[tuple[Leaf, ...], list[Value], Place | None]:
    """A config's own leaves, the items of its defaults list and where that stands.

    Hydra's list is a list; NeMo-RL's may be the path of one file, whose keys go to the top.
    """
    own = tuple(leaf for leaf in leaves if not leaf.key.startswith(_HYDRAS) or _top(leaf.key) not in _HYDRAS)
    items: list[Value] = []
    place = None
    for leaf in leaves:
        if not leaf.key.startswith("defaults") or _top(leaf.key) != "defaults":
            continue
        place = place or leaf.key_place
        if leaf.key == "defaults":
            file = [f"{leaf.value}@{_ROOT[1]}"] if isinstance(leaf.value, str) else []
            items += leaf.value if isinstance(leaf.value, list) else file
        elif leaf.key.count("]") == 1 and leaf.key.endswith("]"):
            items.append(leaf.value)
        else:
            items.append({str(segments(leaf.key)[-1]): leaf.value})
    return own, items, place


def search_folders(leaves: tuple[Leaf, ...]) -> Iterator[str]:
    """The folders of `hydra.searchpath`: `file://config`, and `pkg://verl.trainer.config` as a folder of a checkout."""
    for leaf in leaves:
        if leaf.key.partition("[")[0] != "hydra.searchpath":
            continue
        for path in leaf.value if isinstance(leaf.value, list) else [leaf.value]:
            scheme, mark, folder = path.partition("://") if isinstance(path, str) else ("", "", "")
            if mark and scheme in ("file", "pkg"):
                yield folder.replace(".", "/") if scheme == "pkg" else folder


def _top(key: str) -> str:
    return key.partition(".")[0].partition("[")[0]


def merged(parts: list[tuple[Leaf, ...]], own: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
    """The entries in their order, the config's own keys where `_self_` stands, else last."""
    ordered = [part or own for part in parts] if () in parts else [*parts, own]
    leaves: tuple[Leaf, ...] = ()
    for part in ordered:
        leaves = on_file(leaves, part)
    return tuple({leaf.key: leaf for leaf in leaves}.values())


def with_defaults(
    source: Source,
    leaves: tuple[Leaf, ...],
    sources: Mapping[str, str],
    rules: ScalarRules,
    shipped: ShippedFiles | None = None,
) -> tuple[tuple[Leaf, ...], tuple[Diagnostic, ...]]:
    """The leaves of a config with what its defaults list brings, and what was wrong with that."""
    own, items, place = split(leaves)
    if place is None:
        return own, ()
    composer = _Composer(sources, rules, shipped, tuple(search_folders(leaves)))
    named = composer.entries(source, items, place, (source.name,))
    parts = [tuple(replace(leaf, inherited=True) for leaf in part) for part in named]
    composer.say_named(place)
    whole = merged(parts, own)
    return shipped.acting(whole) if shipped is not None else whole, tuple(composer.diagnostics)
