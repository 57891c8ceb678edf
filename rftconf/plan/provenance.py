"""Where a plan comes from, and why its values are there: what a plan says about itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rftconf.plan.field_roles import BOOKKEEPING
from rftconf.plan.fields import Part

Book = Field(default=None, json_schema_extra={"role": BOOKKEEPING})


class Why(Part):
    """Why a value is there: the keys of the source that it came from, and by which rule."""

    kind: Literal["written", "default", "derived", "chosen"]
    keys: list[str] = Field(default_factory=list)
    how: str = ""


class Source(Part):
    """Whose config the plan was made from, and with which of its trainers: what `extensions` are keys of. `fork` is the
    declared fork whose config it was, by name; `unsettled` says what a person must say of that config before it can be converted."""

    framework: str | None = Book
    release: str | None = Book
    trainer: str | None = Book
    fork: str | None = Book
    unsettled: str | None = Book
