"""Changes of plan values as changes of the user's text: the literal that a value came from is replaced, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from rftconf.text.patch import Patch, apply

if TYPE_CHECKING:
    from rftconf.budget.answers import Change
    from rftconf.load import Loaded
    from rftconf.text.document import Leaf


_BOOLS = {True: {"false": "true", "False": "True"}, False: {"true": "false", "True": "False"}}


def patched(loaded: Loaded, changes: Iterable[Change], again: Callable[[str], Loaded]) -> tuple[str, list[str]]:
    """The text with all changes that its own literals can express, and a line for each that they cannot.

    A change counts as made only if the new text, read `again`, has the new value there.
    """
    from rftconf.load import main_stage

    text, left = loaded.document.text, []
    for change in changes:
        origin = main_stage(loaded).origins.get(change.path)
        keys = origin.keys if origin else ()
        leaves = loaded.document.last()
        for key in keys:
            patch = _patch(leaves.get(key), change, text)
            if patch is None:
                continue
            read = again(apply(text, [patch]))
            if main_stage(read).values.get(change.path) == change.new:
                text, loaded = read.document.text, read
                break
        else:
            left.append(f"{keys[0] if keys else change.path} ({change.path} = {change.new})")
    return text, left


def _patch(leaf: Leaf | None, change: Change, text: str) -> Patch | None:
    """The new literal in the place of the old one, in the unit that the file counts in; None where there is none."""
    if leaf is None or change.old is None or change.old == 0:
        return None
    place = leaf.via[-1].place if leaf.via else leaf.place
    written = text[place.span.start : place.span.end]
    new = _scaled(written.strip("'\""), change)
    if new is None or isinstance(leaf.value, bool) != isinstance(change.new, bool):
        return None
    return Patch(place.span, written.replace(written.strip("'\""), new, 1))


def _scaled(written: str, change: Change) -> str | None:
    if isinstance(change.new, bool):
        return _BOOLS[change.new].get(written)
    try:
        old = Fraction(written)
    except (ValueError, ZeroDivisionError):
        return None
    exact = old * Fraction(str(change.new)) / Fraction(str(change.old))
    if "." not in written:
        return str(exact.numerator) if exact.denominator == 1 else None
    return f"{float(exact):g}"
