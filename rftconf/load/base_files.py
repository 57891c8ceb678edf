"""Base files: where a config starts from a file that is not beside it, the framework's own file of that name."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from rftconf.base.symbols import Value
from rftconf.load.fork import dialect_of
from rftconf.load.recognise import recognise
from rftconf.schemas import catalogue, registry
from rftconf.schemas.base_files import BaseFile, base_file, file_of, folders_of
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf
from rftconf.text.layering import on_top
from rftconf.text.source import Source

_NAMES = re.compile(r"\$\{\s*\.*([\w-]+)")
"""The section that an interpolation looks into."""


@dataclass
class BaseFiles:
    """The files that one release ships, and of those that were taken what changes anything."""

    framework: str
    release: str
    trainer: str
    _taken: dict[str, BaseFile] = field(default_factory=dict)

    def find(self, name: str, within: str) -> Source | None:
        """The file that the text called `within` means by `name`, or None."""
        above = self._taken.get(within)
        # a recipe's config names the framework's own by a search path
        paths = [*([_inside(above, name)] if above is not None else ()), *_possible(self.framework, name)]
        for path in paths:
            file = base_file(self.framework, above.release if above is not None else self.release, path)
            if file is not None:
                self._taken[file.title] = file
                return Source(file.title, file.text)
        return None

    def whose(self, names: Iterable[str]) -> str:
        """Whose files these are, of those that `find` gave: `ROLL 0.2.1's own (examples/config)`."""
        files = (self._taken[name] for name in names)
        return ", ".join(dict.fromkeys(f"{_title(file)}'s own ({file.folder})" for file in files))

    def acting(self, leaves: tuple[Leaf, ...]) -> tuple[Leaf, ...]:
        """A composed config without what comes from these files and is the release's default or a name that nothing takes."""
        if not self._taken:
            return leaves
        known = catalogue.load(self.framework, self.release, self.trainer)
        usual = known.written_defaults
        drops = registry.framework(self.framework).drops_unknown
        asking, offered = list[Leaf](), list[Leaf]()
        for leaf in leaves:
            if leaf.place.file not in self._taken:
                asking.append(leaf)
            elif leaf.key in known:
                asking += [] if usual.get(leaf.key) == leaf.value else [leaf]
            elif drops or known.is_node(leaf.key):
                offered.append(leaf)
            else:
                asking.append(leaf)
        taken = set(map(id, (*asking, *_asked_for(offered, asking))))
        return tuple(leaf for leaf in leaves if id(leaf) in taken)


def base_files_of(document: Document, framework: str | None = None, release: str | None = None) -> BaseFiles | None:
    """The files that the framework of `document` ships, in the release that it is for; None where it ships none."""
    best = recognise(document, framework, release)
    family = registry.framework(best.framework).family
    return BaseFiles(family, best.release, best.trainer) if file_of(family).exists() else None


def without_usual(document: Document, guess: Guess) -> Document:
    """The document without inherited leaves that say what the framework does anyway: nobody wrote them for this run.

    A fork's base files may be those of a day between two releases: a key that the release lacks is held against the others.
    Of the config that a program names itself only another default of a key that the release has is kept.
    """
    if not document.stock and not any(leaf.inherited for leaf in document.leaves):
        return document
    fork = dialect_of(guess)
    known = catalogue.load(guess.framework, guess.release, guess.trainer)
    usual = known.written_defaults
    lists = _usual_lists(document.leaves, usual)

    def says_something(leaf: Leaf) -> bool:
        if not leaf.inherited or (fork is not None and fork.speaks_of(leaf.key)):
            return True
        if leaf.key.partition("[")[0] in lists:
            return False
        if leaf.key in known:
            return leaf.key not in usual or not _alike(leaf, usual[leaf.key])
        return not came_along(leaf, guess.framework)

    at_first = {**usual, **(fork.defaults if fork is not None else {})}
    stock = tuple(leaf for leaf in document.stock if leaf.key in usual and not _alike(leaf, at_first[leaf.key]))
    return replace(document, leaves=on_top(stock, tuple(filter(says_something, document.leaves))))


def _usual_lists(leaves: Iterable[Leaf], usual: Mapping[str, Value]) -> frozenset[str]:
    """Lists of mappings whose items, leaf by leaf, are those of the release's own config."""
    written: dict[str, dict[str, Value]] = {}
    for leaf in leaves:
        name, bracket, _ = leaf.key.partition("[")
        if bracket and isinstance(usual.get(name), list):
            written.setdefault(name, {})[leaf.key] = leaf.value
    return frozenset(name for name, items in written.items() if items == dict(_items(name, usual[name])))


def _items(key: str, value: Value) -> Iterator[tuple[str, Value]]:
    """The leaves of a list of mappings, by their keys."""
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        for index, item in enumerate(value):
            yield from _items(f"{key}[{index}]", item)
    elif isinstance(value, dict) and value:
        for name, item in value.items():
            yield from _items(f"{key}.{name}", item)
    else:
        yield key, value


def has_other_defaults(document: Document, guess: Guess) -> bool:
    """True where the config that the program names itself says otherwise than the release does."""
    return bool(document.stock) and without_usual(document, guess).leaves != document.leaves


_CHOSEN = re.compile(r"\$\{oc\.select:\s*([\w.]+)\s*(?:,[^{}]*)?\}")
_NEAR = re.compile(r"\$\{\.(?=\w)")


def _alike(leaf: Leaf, usual: Value) -> bool:
    """True for the same value, however an interpolation is written: `${.b}` in `a` is `${a.b}`, which may have a default."""
    return leaf.value == usual or (isinstance(usual, str) and _plain(leaf.key, leaf.value) == _plain(leaf.key, usual))


def _plain(key: str, value: Value) -> Value:
    if not isinstance(value, str) or "${" not in value:
        return value
    section = key.rpartition(".")[0]
    return _NEAR.sub(f"${{{section}.", _CHOSEN.sub(r"${\1}", value))


def came_along(leaf: Leaf, framework: str) -> bool:
    """True for an inherited leaf that some release of the framework has with this value: a fork's base file still has it."""
    releases = _all_defaults(framework) if leaf.inherited else ()
    return any(leaf.key in usual and usual[leaf.key] == leaf.value for usual in releases)


def copied_from(document: Document, guess: Guess) -> frozenset[str]:
    """Keys of a whole config at values that the framework's own releases have: whoever wrote it down chose none of them.

    A config with most of a release's keys is a copy of the framework's own, or what Hydra composed from it, and no list of choices.
    """
    known = catalogue.load(guess.framework, guess.release, guess.trainer)
    values = {leaf.key: leaf.value for leaf in document.leaves}
    if document.launch is not None or 2 * len(known.written_defaults.keys() & values.keys()) < len(
        known.written_defaults
    ):
        return frozenset()
    return frozenset(
        key
        for usual in _all_defaults(guess.framework)
        for key in usual.keys() & values.keys()
        if _resolved(key, usual[key], values) == values[key]
    )


def _resolved(key: str, usual: Value, values: Mapping[str, Value]) -> Value:
    """A default as it stands in a config with these values: an interpolation of one key has that key's value."""
    plain = _plain(key, usual)
    named = _WHOLE.fullmatch(plain) if isinstance(plain, str) else None
    return usual if named is None else values.get(named[1], usual)


_WHOLE = re.compile(r"\$\{([\w.]+)\}")


def _all_defaults(framework: str) -> Iterator[Mapping[str, Value]]:
    """Yield the defaults of each release and trainer, the newest first."""
    known = registry.framework(framework)
    for release in reversed(known.releases):
        for trainer in known.trainers_of(release):
            yield catalogue.load(framework, release, trainer).written_defaults


def _title(file: BaseFile) -> str:
    return f"{registry.framework(file.framework).title} {file.release}"


def _inside(above: BaseFile, path: str) -> str:
    """A path that a file of the framework's own names: as seen from that file."""
    return os.path.normpath(PurePosixPath(above.path).parent / path)


def _possible(framework: str, path: str) -> list[str]:
    """The paths that `path` may be below the framework's folder: as it stands, or without that folder's own name."""
    parts = [part for part in PurePosixPath(path).parts if part not in ("..", ".", "/")]
    below = ["/".join(parts)]
    for folder in (PurePosixPath(folder).parts for folder in folders_of(framework)):
        for start in range(len(folder)):
            ending = folder[start:]
            if tuple(parts[: len(ending)]) == ending and len(parts) > len(ending):
                below.append("/".join(parts[len(ending) :]))
    return below


def _asked_for(offered: list[Leaf], leaves: list[Leaf]) -> list[Leaf]:
    """Return those of `offered` into whose section an interpolation leads, of what is told or of what that takes."""
    acting = list[Leaf]()
    asking: list[Leaf] = leaves
    while asking:
        names = {name for leaf in asking for name in _names_in(leaf.value)}
        asking = [leaf for leaf in offered if re.split(r"[.\[]", leaf.key)[0] in names]
        offered = [leaf for leaf in offered if leaf not in asking]
        acting += asking
    return acting


def _names_in(value: Value) -> Iterator[str]:
    if isinstance(value, str):
        yield from _NAMES.findall(value)
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _names_in(item)
