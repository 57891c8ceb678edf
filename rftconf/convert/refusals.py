"""Runs that are not converted: for a fork's own counting, for a program that stays what it is, for a kind the target lacks."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from rftconf.base.errors import RefusedError
from rftconf.convert.since_release import refuse_earlier_releases
from rftconf.mappers.tables import all_tables, table_of
from rftconf.plan.kinds import NAMES
from rftconf.schemas import registry

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rftconf.mappers.reading import Reading
    from rftconf.mappers.rows import Table
    from rftconf.schemas.framework import Framework


def refuse_dialects(reading: Reading) -> None:
    """Raises RefusedError where the source counts in a way that nobody should convert as it stands."""
    if reading.facts.unsettled is not None:
        again = "make the plan again from its source, with --assume"
        raise RefusedError(reading.facts.unsettled, choices=(again,))
    ask = reading.table.dialect if not reading.facts.is_plan else None
    dialect = ask(reading) if ask is not None else None
    if dialect is not None:
        raise RefusedError(dialect.why, choices=dialect.choices)


def refuse_what_stays(framework: str, table: Table, target: Framework) -> None:
    """Raises RefusedError for a program that no other framework has."""
    source = registry.framework(framework)
    if table.stays and target.family != source.family:
        raise RefusedError(
            f"{source.title} has no counterpart in {target.title}: {table.stays}",
            choices=(registry.framework(source.family).instead_of_offline,),
        )


def refuse_other_kinds(target: Framework, kind: str | None, number: str | None = None) -> None:
    """Raises RefusedError, with the reason and who has such runs, where the target starts none of this kind."""
    family = registry.framework(target.family)
    if kind is None or (kind in table_of(target.name, kind).kinds and not table_of(target.name, kind).stays):
        refuse_earlier_releases(family, kind, number or target.newest)
        return
    why = family.lacks.get(kind, f"rftconf writes {', '.join(_kinds_written(family))} runs for {family.title}")
    able = [known.title for known in registry.FRAMEWORKS.values() if kind in _kinds_written(known)]
    others = [f"convert it for {' or '.join(able)}"] if able else []
    by_hand = [] if kind in family.lacks else [f"prepare the run for {family.title} by hand"]
    nowhere = "keep the framework it was written for: rftconf writes such runs for no other"
    raise RefusedError(f"this is {NAMES[kind]}; {why}", choices=(*others, *by_hand) or (nowhere,))


def refuse_environments(target: Framework, values: Mapping[str, Any]) -> None:
    """Raises RefusedError where an agent's environments would be lost without anything to put in their place."""
    family = registry.framework(target.family)
    worlds = [str(value) for path, value in values.items() if fnmatchcase(path, "stage.data.environments[[]*].name")]
    if worlds and family.stepless:
        able = [known.title for known in registry.FRAMEWORKS.values() if not known.stepless]
        raise RefusedError(
            f"the agent acts in {', '.join(worlds)}, turn by turn; {family.stepless}",
            choices=(f"convert it for {' or '.join(able)}",),
        )


def _kinds_written(family: Framework) -> dict[str, None]:
    """The kinds of runs that are written for a framework and its programs."""
    tables = [table_of(*names) for names in all_tables() if registry.framework(names[0]).family == family.name]
    return dict.fromkeys(kind for table in tables if not table.stays for kind in table.kinds)
