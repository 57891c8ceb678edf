"""Python 3.10 gets here what it lacks and every module may use: enums of text, and marks for type checkers."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object) -> Any:
        """Mark a function that makes dataclasses, for type checkers alone."""
        return lambda function: function


__all__ = ["StrEnum", "dataclass_transform"]


class StrEnum(str, Enum):
    """An enum whose members are text, and print as their value."""

    __str__ = str.__str__
    __format__ = str.__format__  # type: ignore[assignment]
