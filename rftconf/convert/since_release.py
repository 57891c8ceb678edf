"""Kinds of runs that a framework's older releases do not start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.base.errors import RefusedError
from rftconf.plan.kinds import NAMES
from rftconf.schemas import registry

if TYPE_CHECKING:
    from rftconf.schemas.framework import Framework


def refuse_earlier_releases(family: Framework, kind: str | None, number: str) -> None:
    """Raises RefusedError where the release starts no run of this kind and a later one does."""
    since = family.kinds_since.get(str(kind))
    if since is not None and not registry.at_least(family.name, number, since):
        raise RefusedError(
            f"this is {NAMES[str(kind)]}; {family.title} {number} starts none: they came with {since}",
            choices=(f"--to-release {since} or newer",),
        )
