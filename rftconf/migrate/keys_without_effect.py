"""Keys that do nothing in one of two releases: what wakes up is taken out, and so is what falls asleep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from rftconf.load.load import main_stage
from rftconf.load.loaded import Loaded
from rftconf.migrate.differences_left import Unlike, lost
from rftconf.migrate.key_changes import KeyEdit, Kind, Route
from rftconf.migrate.patching import Editor, make
from rftconf.schemas import versions
from rftconf.text.document import Document, Leaf


def woken(before: Loaded, after: Loaded) -> Iterator[tuple[str, str]]:
    """Written keys, by their newest names, that did nothing before and act now; with the reason why they did not."""
    idle, used = main_stage(before).reading.inactive, _used(before)
    still = main_stage(after).reading.inactive
    for key in _written_keys(after):
        if key in idle and key not in still and key not in used:
            yield key, idle[key]


def asleep(leftovers: Iterable[Unlike], after: Loaded) -> dict[str, str]:
    """Written keys, by their newest names, that said what is lost and are read by nothing now; with the reason."""
    written, used = _written_keys(after), _used(after)
    return {
        key: leftover.why
        for leftover in lost(leftovers)
        for key in leftover.asleep
        if key in written and key not in used
    }


def asked_by_release(edits: Iterable[KeyEdit]) -> set[str]:
    """Keys that were written because the asked release stops without them, whatever they do."""
    return {beside.key.lstrip("+") for edit in edits for beside in edit.beside}


def without(
    document: Document, keys: Mapping[str, str], before: Loaded, route: Route, *, lossy: bool
) -> tuple[str, list[KeyEdit]]:
    """The text without the keys, and the change of each as the source's own line; those that cannot go stay."""
    editor, done = Editor(document), list[KeyEdit]()
    sources = {_newest(before, leaf): leaf for leaf in before.document.leaves}
    for leaf in reversed(document.leaves):
        name = versions.name_in_newest(route.found.framework, leaf.key, route.to, route.found.trainer)
        if name in keys and make(editor, KeyEdit(leaf, Kind.REMOVED, None)):
            done.append(KeyEdit(sources.get(name, leaf), Kind.REMOVED, None, why=keys[name], lossy=lossy))
    return editor.text, done


def _newest(loaded: Loaded, leaf: Leaf) -> str:
    return versions.name_in_newest(loaded.framework, leaf.key, loaded.release, loaded.guess.trainer)


def _written_keys(loaded: Loaded) -> frozenset[str]:
    return frozenset(_newest(loaded, leaf) for leaf in loaded.document.leaves)


def _used(loaded: Loaded) -> frozenset[str]:
    """The keys that the plan was read from."""
    return frozenset(key for origin in main_stage(loaded).reading.origins.values() for key in origin.keys)
