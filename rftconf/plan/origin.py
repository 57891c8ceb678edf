"""An origin tells why a plan value is there."""

from __future__ import annotations

from rftconf.base.older_python import StrEnum
from rftconf.base.record import record


class Kind(StrEnum):
    """The four ways a value gets into a plan."""

    WRITTEN = "written"
    DEFAULT = "default"
    DERIVED = "derived"
    CHOSEN = "chosen"


TRACKED = "a folder of iterations, as Megatron's own training saves it"
"""How a path to weights was told where a loader goes through the folder's own record of iterations."""


@record
class Origin:
    """`keys` are the native keys it came from; `how` the rule in words (`256 x rollout.n 8`, `default of 0.9.1`)."""

    kind: Kind
    keys: tuple[str, ...] = ()
    how: str = ""
