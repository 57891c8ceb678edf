"""Changes of plan values as changes of the user's text: the literal that a value came from is replaced, or a key added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from rftconf.base.patch import Patch, apply

if TYPE_CHECKING:
    from rftconf.budget.advice.cluster_search import Change
    from rftconf.load.loaded import Loaded
    from rftconf.text.document import Leaf


_BOOLS = {True: {"false": "true", "False": "True"}, False: {"true": "false", "True": "False"}}


def patched(loaded: Loaded, changes: Iterable[Change], again: Callable[[str], Loaded]) -> tuple[str, list[str]]:
    """The text with all changes that the file can hold, and a line for each that it cannot.

    A change counts as made only if the new text, read `again`, has the new value there.
    """
    from rftconf.load.load import main_stage

    remaining = []
    for change in changes:
        for patches in _ways(loaded, change):
            read = again(apply(loaded.document.text, patches))
            if main_stage(read).values.get(change.path) == change.new:
                loaded = read
                break
        else:
            origin = main_stage(loaded).origins.get(change.path)
            key = origin.keys[0] if origin and origin.keys else change.path
            remaining.append(f"{key} ({change.path} = {change.new})")
    return loaded.document.text, remaining


def _ways(loaded: Loaded, change: Change) -> Iterator[list[Patch]]:
    """Edits that may make the change: other digits where its literal stands, else the key as the linter would put it."""
    from rftconf.lint.patching import fix_of
    from rftconf.lint.rule import Put, finding
    from rftconf.lint.subject import Cluster, subjects
    from rftconf.load.load import main_stage

    origin, leaves = main_stage(loaded).origins.get(change.path), loaded.document.last()
    for key in origin.keys if origin else ():
        patch = _patch(leaves.get(key), change, loaded.document.text)
        if patch is not None:
            yield [patch]
    for subject in subjects(loaded.document, loaded.guess, Cluster()):
        fix = fix_of(subject, finding("", change.path, fix=Put(change.path, change.new)))
        if fix is not None:
            yield list(fix.patches)


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
