"""Written keys that no plan field holds: what the plan keeps as it is, and which of it changes the mathematics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rftconf.base.ledger import State
from rftconf.load.fork import translation_of
from rftconf.mappers.native import nodes_above
from rftconf.mappers.tables import reason_for
from rftconf.plan.origin import Kind
from rftconf.schemas import catalogue, registry, versions

if TYPE_CHECKING:
    from rftconf.load.stage import StageRead
    from rftconf.schemas.guess import Guess


def kept_keys(stages: list[StageRead]) -> dict[str, Any]:
    """Live keys without a row, verbatim, for a target of the same framework; and those that say more than fields hold."""
    extra_keys: dict[str, Any] = {}
    for stage in stages:
        read = [origin for origin in stage.origins.values() if origin.kind is not Kind.DEFAULT]
        used = {key for origin in read for key in origin.keys} | stage.reading.inactive.keys()
        used |= {key for origin in stage.origins.values() for key in origin.keys} & _written_nulls(stage)
        # a word of a config group (`optim=megatron`) holds nothing of what is written below its name
        holding = used - registry.framework(stage.reading.source.framework).groups
        for key, _ in stage.reading.source.leaves():
            if key in used or not holding.isdisjoint(nodes_above(key)):
                continue
            reason = reason_for(stage.reading.table, key, stage.reading.release)
            if reason is None or reason.state in (State.EXTENSION, State.NO_COUNTERPART):
                extra_keys[key] = stage.reading.source.cells[key].value
        extra_keys |= stage.reading.beyond
    return extra_keys


def _written_nulls(stage: StageRead) -> set[str]:
    """Keys that are written and say nothing, so that a field with its default is what they mean."""
    return {key for key, _ in stage.reading.source.leaves() if stage.reading.source.cells[key].value is None}


def removed_keys(stages: list[StageRead]) -> dict[str, Any]:
    """Return written keys that act in the source's release and that the newest, in whose names the plan is read, has no more.

    They are no keys for a target: whoever executes the plan has to know them, or to refuse them.
    """
    return {
        change.key: change.cell.value
        for stage in stages
        for change in stage.changes
        if change.lossy
        and not change.became
        and not change.overruled
        and getattr(change.cell, "leaf", None) is not None
    }


def extensions_that_change_mathematics(
    guess: Guess, stages: list[StageRead], extensions: Mapping[str, Any]
) -> Iterator[str]:
    """Names of extensions that change the mathematics: what says more than a field holds, and live ones whose reason says so,
    with values that are not the default."""
    known = catalogue.load(guess.framework, guess.release, guess.trainer)
    for stage in stages:
        cells = stage.reading.source.cells
        translated = translation_of(guess, {leaf.key: leaf for _, leaf in stage.reading.source.leaves()})
        facts = {} if translated is None else translated.facts
        yield from stage.reading.beyond
        for key, value in extensions.items():
            leaf = cells[key].leaf if key in cells else None
            if leaf is not None and leaf.key in facts:
                if facts[leaf.key].changes_the_run:
                    yield key
                continue
            reason = reason_for(stage.reading.table, known.canonical(key), guess.release) if key in cells else None
            if reason is None or reason.state is not State.NO_COUNTERPART:
                continue
            own = known.get(key)
            if not versions.dead(guess.framework, guess.release, key, guess.trainer) and (
                own is None or value != own.default
            ):
                yield key


def idle(guess: Guess, stages: list[StageRead], extensions: Mapping[str, Any]) -> Iterator[str]:
    """Names of extensions without which the run is the same: written with the default, or read by nothing in that release."""
    known = catalogue.load(guess.framework, guess.release, guess.trainer)
    extra_keys = {key for stage in stages for key in stage.reading.beyond}
    for key, value in extensions.items():
        own = known.keys.get(known.canonical(key))
        if key not in extra_keys and (
            versions.dead(guess.framework, guess.release, key, guess.trainer)
            or (own is not None and value == own.default)
        ):
            yield key
