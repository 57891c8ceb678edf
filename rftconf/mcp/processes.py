"""This module makes a process ready to answer agents; it is light, because the server imports it too."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rftconf.mcp.roots import Roots, guard

if TYPE_CHECKING:
    from rftconf.service.workers import Loading, Reply


def loading(roots: Roots) -> Loading:
    """Return the function that makes a process ready to answer about what lies below `roots`, and nothing else."""
    return partial(load_answers, roots)


def load_answers(roots: Roots) -> Reply:
    """Load what answers, then refuse every file outside the roots: in a process of its own, never in the server's."""
    from rftconf.mcp import answers

    answers.warm_up()
    guard(roots)
    return partial(answers.answer, roots)
