"""Conditions under which a key of the form acts: the tables' own, and switches of whole sections beside them.

The conditions of keys that the plan knows stand in the mappers' tables, those of keys that it does not know in their gates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from rftconf.base.ledger import State
from rftconf.base.symbols import is_symbolic
from rftconf.mappers.paths import without_indices
from rftconf.mappers.reading import Reading
from rftconf.mappers.rows import natives_of
from rftconf.mappers.tables import gates_of, reason_for, table_of
from rftconf.schemas import registry
from rftconf.schemas.catalogue import Catalogue


def inactive(reading: Reading, known: Catalogue, newest: Mapping[str, str]) -> dict[str, str]:
    """Key of the form to why it does nothing beside the others. `newest` maps it to its name in the newest release."""
    reasons = {key: why for key, name in newest.items() if (why := reading.inactive.get(name))}
    for key, why in _switched(reading, known, newest):
        reasons.setdefault(key, why)
    return reasons


def _switched(reading: Reading, known: Catalogue, newest: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    gates = gates_of(known.family)
    yield from gates.idle_arguments(reading, newest)
    if known.release != registry.framework(known.framework).newest:
        return  # the code that was looked at is the newest release's
    for key, switch in _below(known.framework, tuple(newest.items())):
        value = reading.native(switch)
        if not is_symbolic(value) and not value:
            yield key, f"no effect while {switch} is {'0' if value == 0 and value is not False else 'off'}"
    for gate in gates.gates:
        if not gate.acts(reading):
            yield from ((key, gate.why) for key, name in newest.items() if any(fnmatchcase(name, p) for p in gate.keys))
    used = {key for origin in reading.origins.values() for key in origin.keys}
    yield from ((key, why) for key, why in dead(known.framework, tuple(newest.items())) if newest[key] not in used)


@lru_cache(maxsize=16)
def _below(framework: str, keys: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Keys below a section with a switch, and that switch."""
    family, names = registry.framework(framework).family, {name for _, name in keys}
    pairs = []
    for key, name in keys:
        for block in gates_of(family).sections:
            section_node = next((node for node in _nodes(name) if fnmatchcase(node, block.section)), None)
            if (
                section_node is None
                or name == f"{section_node}.{block.switch}"
                or f"{section_node}.{block.switch}" not in names
            ):
                continue
            if not block.only or name.removeprefix(f"{section_node}.") in block.only:
                pairs.append((key, f"{section_node}.{block.switch}"))
    return tuple(pairs)


def _nodes(name: str) -> Iterator[str]:
    position = name.find(".")
    while position > 0:
        yield name[:position]
        position = name.find(".", position + 1)


@lru_cache(maxsize=16)
def dead(framework: str, keys: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Keys of the newest release that nothing reads, or that the framework writes over, with the tables' sentence.

    A key that a row speaks for is none of them: reasons are patterns, and catch what stands below other sections.
    """
    table = table_of(framework)
    spoken = {native for row in table.rows for native in natives_of(row)}
    reasons = ((key, reason_for(table, name, None)) for key, name in keys if without_indices(name) not in spoken)
    return tuple((key, reason.why) for key, reason in reasons if reason and reason.state is State.DEAD_IN_SOURCE)
