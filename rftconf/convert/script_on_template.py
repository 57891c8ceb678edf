"""A launch script on top of the config file that the framework ships as a starting point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rftconf.base.ledger import Basis, TargetLine
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Each, Fixed, Fold, Row, Table, natives_of, plans_of
from rftconf.plan.field_roles import PERFORMANCE
from rftconf.plan.index import role_of
from rftconf.schemas import registry
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.framework import TemplateLauncher
from rftconf.schemas.resolvers import functions_for
from rftconf.text.hydra.dotlist_value import dotlist_value
from rftconf.text.omegaconf.interpolation import Resolver
from rftconf.text.write import emit_shell


def script(
    launcher: TemplateLauncher,
    known: Catalogue,
    lines: Sequence[TargetLine],
    values: ScriptContent,
    header: Sequence[str],
) -> str:
    """The launcher with the trainer's template and, as overrides, what differs from it. Raises RefusedError."""
    return emit_shell.emit(
        [*lines, *undone(known, lines, values)],
        program=list(launcher.program),
        options=[launcher.option, launcher.template(known.trainer)],
        header=header,
        prelude=launcher.prelude,
        quote=dotlist_value,
    )


def _tunes(row: Row | Fold | Each | Fixed) -> bool:
    """True for what changes speed and memory alone: there the template's tuning holds."""
    return all(role_of(without_indices(plan)) == PERFORMANCE for plan in plans_of(row))


@dataclass(frozen=True, slots=True)
class ScriptContent:
    """A conversion's content: the target's rows, the plan's values, and plan paths that the source's own keys name."""

    table: Table
    values: Mapping[str, Any]
    paths: frozenset[str]
    keeps_template: bool = False
    """True where the source starts from the same template, whose values are the source's own then."""

    def asks_for(self, row: Row | Fold | Each | Fixed, default: Any) -> bool:
        """True where the source itself has the default that a tuning key is left at; of several keys together nobody can tell."""
        return isinstance(row, Row) and row.plan in self.paths and self.values.get(row.plan) == default


def undone(known: Catalogue, lines: Sequence[TargetLine], values: ScriptContent) -> list[TargetLine]:
    """Return lines for keys at the default that the template sets: unstated, the template's value would hold."""
    if values.keeps_template:
        return []
    settings = {line.key: line.value for line in lines}
    texts = {**{key.name: key.default for key in known.keys.values()}, **known.template, **settings}
    resolver = Resolver(texts, functions=functions_for(known.framework))
    spoken = {
        native
        for row in values.table.rows
        for native in natives_of(row)
        if not _tunes(row) or (native in known.template and values.asks_for(row, known.default(native)))
    }
    title, undone_lines = registry.framework(known.framework).title, []
    for key, raw in known.template.items():
        if key in settings or key not in spoken:
            continue
        value, default = resolver.resolve(key).value, known.default(key)
        if value != default and default != "???":
            undone_lines.append(
                TargetLine(key, default, Basis.FIXED, f"{title}'s own default; the template says {raw}")
            )
    return undone_lines


def of_template(known: Catalogue, lines: Sequence[TargetLine]) -> list[TargetLine]:
    """Return lines for what the template says beside `lines`: a YAML stands alone, where a script starts from the template."""
    stated = {line.key for line in lines}
    return [
        TargetLine(key, raw, Basis.FIXED, "from the template that the script starts from")
        for key, raw in known.template.items()
        if key not in stated and raw is not None
    ]
