"""A plan says about itself where it comes from, and why its values are there."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rftconf.plan.field_roles import BOOKKEEPING
from rftconf.plan.fields import Part

Book = Field(default=None, json_schema_extra={"role": BOOKKEEPING})


class Why(Part):
    """The reason for a value: the keys of the source that it came from, and the rule by which it did."""

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
