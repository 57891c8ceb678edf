"""Asks about a fork's keys that do nothing in the release it is read as, and act in another one that takes its config as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from rftconf.base.ledger import Decision, SourceLine, State
from rftconf.base.symbols import formula
from rftconf.mappers.rows import natives_of, plans_of
from rftconf.mappers.supposing import looked_at
from rftconf.schemas import catalogue, registry

if TYPE_CHECKING:
    from rftconf.load.loaded import Loaded
    from rftconf.load.stage import StageRead

LEARNING = "stage.algorithm."


class _Doubt(NamedTuple):
    """A line of the ledger, what switches its key on in the release that is read, and a release that has no such switch."""

    line: SourceLine
    switch: str
    release: str


def keys_that_may_act(loaded: Loaded, stage: StageRead, sources: Iterable[SourceLine]) -> list[Decision]:
    """Return a question where a fork may stand on a release in which a key of the loss acts that is read as doing nothing.

    The key's switch came with a later release: where it is not written, the earlier one acts upon the key all the same.
    """
    groups: dict[tuple[str, str], list[SourceLine]] = {}
    for line, switch, release in _doubts(loaded, stage, sources):
        groups.setdefault((switch, release), []).append(line)
    return [_question(loaded, lines, *group) for group, lines in groups.items()]


def _question(loaded: Loaded, lines: list[SourceLine], switch: str, release: str) -> Decision:
    named = f"{registry.framework(loaded.framework).title} {release}"
    has = ", ".join(f"{line.key}={formula(line.value)}" for line in lines)
    why = f"{lines[0].reason}: {named} takes this config as well, has no {switch}, and acts upon the key"
    choices = (
        f"keep: the fork has {switch}, and the run learns without it",
        f"or convert with --from-release {release}, in which it acts",
    )
    return Decision(lines[0].key, why, choices, has=has, leads=True)


def _doubts(loaded: Loaded, stage: StageRead, sources: Iterable[SourceLine]) -> Iterator[_Doubt]:
    """Yield the keys of the loss in doubt; a fork whose code was read, or whose release was named, leaves none."""
    if not loaded.fork or loaded.dialect is not None or not loaded.guess.also:
        return
    rows = (row for row in stage.reading.table.rows if any(path.startswith(LEARNING) for path in plans_of(row)))
    of_the_loss = {key for row in rows for key in natives_of(row)}
    names = {leaf.key: name for name, leaf in stage.reading.source.leaves()}
    for line in sources:
        name = names.get(line.key, line.key)
        if line.state is State.UNKNOWN and name in of_the_loss and line.value not in (None, False, 0, ""):
            yield from _first_without_switch(loaded, stage, line, name)


def _first_without_switch(loaded: Loaded, stage: StageRead, line: SourceLine, name: str) -> Iterator[_Doubt]:
    when = stage.reading.waits_for.get(name)
    switches = [] if when is None else [key for key in looked_at(when, stage.reading) if key != name]
    for release in loaded.guess.also:
        known = catalogue.load(loaded.framework, release, stage.reading.source.trainer)
        lacking = [key for key in switches if known.get(key) is None]
        if lacking and known.get(line.key) is not None:
            yield _Doubt(line, lacking[0], release)
            return
