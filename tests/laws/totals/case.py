"""What a case of the law of totals is, and who chooses its numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Pick(Protocol):
    """Chooses one of several; a seeded generator in long runs, hypothesis in the suite."""

    def __call__(self, options: Sequence[Any], /) -> Any:
        """One of the options."""


@dataclass(frozen=True)
class Case:
    """A config to convert. `flat` are its own keys, newest names; `base` those of the base that it changes."""

    framework: str
    release: str
    trainer: str
    flat: Mapping[str, Any]
    base: Mapping[str, Any]
    rows: int

    @property
    def whole(self) -> dict[str, Any]:
        """All written keys."""
        return {**self.base, **self.flat}


@dataclass(frozen=True)
class Keys:
    """A config as its framework sees it: written keys, the release, veRL's or ChatLearn's trainer, rows of the data."""

    flat: Mapping[str, Any]
    release: tuple[int, ...]
    trainer: str
    rows: int

    def get(self, *keys: str, otherwise: Any = None) -> Any:
        """The first of the keys that is written with a value."""
        return next((self.flat[key] for key in keys if self.flat.get(key) is not None), otherwise)
