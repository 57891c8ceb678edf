"""This module shows answers as plain text, in colours by rich, and as HTML in notebooks. Secrets are masked in all three."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from rftconf.base.secrets import masked
from rftconf.report.screen import Screen

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDTH = 100
"""Columns of a report where no terminal says how wide it is."""


class Report(ABC):
    """Base of what is shown to people: a subclass writes its report for a screen, and this class makes the other forms of it."""

    @abstractmethod
    def _report(self, screen: Screen) -> str:
        """Return the report as the command line prints it."""

    def __str__(self) -> str:
        """Return the report in plain text, at most 100 columns wide."""
        return masked(self._report(Screen(WIDTH))).rstrip("\n")

    def __rich__(self) -> RenderableType:
        """Return the report with colours, for `rich.print`."""
        from rich.text import Text

        return Text.from_ansi(masked(self._report(Screen(WIDTH, colour=True))).rstrip("\n"))

    def _repr_html_(self) -> str:
        """Return the report as a block of HTML, for notebooks."""
        from html import escape

        return f"<pre>{escape(str(self))}</pre>"
