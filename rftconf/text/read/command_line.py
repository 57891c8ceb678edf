"""Options, leaves and findings of a program's arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.symbols import Value
from rftconf.text.document import Leaf, Unread


@dataclass(slots=True)
class CommandLine:
    """Read the arguments: options by long name without dashes, leaves in order, findings."""

    options: dict[str, Value] = field(default_factory=dict)
    leaves: tuple[Leaf, ...] = ()
    conditional: tuple[tuple[str, Leaf], ...] = ()
    unread: tuple[Unread, ...] = ()
    diagnostics: list[Diagnostic] = field(default_factory=list)
