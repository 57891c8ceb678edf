"""A launch script on top of the config file that the framework ships as a starting point."""

from __future__ import annotations

from collections.abc import Sequence

from rftconf.ledger import Basis, TargetLine
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Each, Fixed, Fold, Row, Table, natives_of, plans_of
from rftconf.plan.index import PERFORMANCE, role_of
from rftconf.schemas.catalogue import Catalogue
from rftconf.text import emit_shell
from rftconf.text.interpolation import Resolver

PRELUDE = (
    "# Run it in a checkout of ChatLearn.",
    "export CHATLEARN=$(pwd)",
    'export PYTHONPATH="${CHATLEARN}:${PYTHONPATH:-}"',
    "source scripts/base_env.sh",
    "",
)
"""As ChatLearn's own scripts begin."""


def script(known: Catalogue, lines: Sequence[TargetLine], table: Table, header: Sequence[str]) -> str:
    """The launcher with the trainer's template and, as overrides, what differs from it. Raises RefusedError."""
    options = ["--config-file", f"template/grpo_{known.trainer}.yaml"]
    program = ["python", "chatlearn/entrypoint.py", "grpo"]
    stated = [*lines, *undone(known, lines, table)]
    return emit_shell.emit(stated, program=program, options=options, header=header, prelude=PRELUDE)


def _tunes(row: Row | Fold | Each | Fixed) -> bool:
    """True for what changes speed and memory alone: there the template's tuning holds."""
    return all(role_of(without_indices(plan)) == PERFORMANCE for plan in plans_of(row))


def undone(known: Catalogue, lines: Sequence[TargetLine], table: Table) -> list[TargetLine]:
    """What the template sets and the config leaves at the default: stated, or the template's value would hold."""
    given = {line.key: line.value for line in lines}
    resolver = Resolver({**{key.name: key.default for key in known.keys.values()}, **known.template, **given})
    spoken = {native for row in table.rows if not _tunes(row) for native in natives_of(row)}
    found = []
    for key, raw in known.template.items():
        if key in given or key not in spoken:
            continue
        value, default = resolver.resolve(key).value, known.default(key)
        if value != default and default != "???":
            found.append(TargetLine(key, default, Basis.FIXED, f"ChatLearn's own default; the template says {raw}"))
    return found
