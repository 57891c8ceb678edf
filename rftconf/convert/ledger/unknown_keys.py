"""This module says of a key that the release does not have whose it is: a name to take from, another config's, a fork's, or unknown."""

from __future__ import annotations

from rftconf.base.ledger import SourceLine, State
from rftconf.load.loaded import Loaded
from rftconf.mappers.writing import Writing
from rftconf.schemas import base_files, catalogue, registry
from rftconf.text.document import Leaf


def unknown_line(loaded: Loaded, writing: Writing, key: str, leaf: Leaf) -> SourceLine:
    """Return the line of a key that the release does not have. One that other values refer to acts through them alone."""
    source = registry.framework(loaded.framework)
    targets = (key,) if writing.same_framework else ()
    users = [name for name in loaded.takers_of(leaf.key) if name != leaf.key] if source.drops_unknown else []
    if users:
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        why = f"only a name for what {users[0]}{more} takes from it"
        return SourceLine(leaf.key, leaf.value, leaf.place, State.DERIVED, targets, reason=why)
    if source.drops_unknown and leaf.place.file != loaded.document.name and _for_other_configs(loaded, leaf):
        why = f"comes with {leaf.place.file} for other configs: no key of {source.title}'s, and nothing here takes it (H57)"
        return SourceLine(leaf.key, leaf.value, leaf.place, State.DEAD_IN_SOURCE, targets, reason=why)
    declared = loaded.of_the_fork.get(leaf.key)
    if declared is not None:
        why = f"a key of the fork's own: its {declared} has it, no release of {source.title} does; kept in the plan as it is"
        return SourceLine(leaf.key, leaf.value, leaf.place, State.EXTENSION, targets, reason=why)
    why = f"{source.title} {loaded.release} has no such key"
    if loaded.fork:
        why += f"; {loaded.fork} may read it"
    elif source.drops_unknown:
        why += ": its loader leaves it out without a word (H57)"
    return SourceLine(leaf.key, leaf.value, leaf.place, State.UNKNOWN, targets, reason=why)


def _for_other_configs(loaded: Loaded, leaf: Leaf) -> bool:
    """True below a section of names to take from: the framework ships such a section, or some of this one is taken.

    What an inherited file says in the framework's own sections, or by itself, a fork may read.
    """
    section = leaf.key.partition(".")[0]
    if catalogue.load(loaded.framework, loaded.release, loaded.guess.trainer).is_node(section):
        return False
    if section in base_files.sections_of(registry.framework(loaded.framework).family):
        return True
    beside = (leaf.key for leaf in loaded.document.leaves if leaf.key.partition(".")[0] == section)
    return any(map(loaded.takers_of, beside))
