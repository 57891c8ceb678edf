"""Some lines of a ledger speak of a difference between the two plans of a conversion; they are looked up here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from rftconf.base.ledger import LOSSES, Basis, Ledger

if TYPE_CHECKING:
    from rftconf.diff.compare import Difference
    from rftconf.diff.halves import SideValue

SETTLED = (Basis.CHOSEN, Basis.FIXED)
"""Why a target key has a value that the source did not ask for."""
_ITEM = re.compile(r"(stage\.[\w.]+\[\d+\])\.")
_FILE = re.compile(r"^\S+: ")
"""A target's file before its key, where a run became several."""


def ledger_lines_on(differences: Iterable[Difference], ledger: Ledger) -> dict[str, tuple[str, ...]]:
    """Path to what the ledger says of the difference, as sentences; empty where it says nothing.

    Fields of a list item that one side does not have share what is said of any of them.
    """
    listed = list(differences)
    keys_by_path = {difference.path: tuple(dict.fromkeys(_lines_on(difference, ledger))) for difference in listed}
    for difference in listed:
        item = _ITEM.match(difference.path)
        if item and not keys_by_path[difference.path] and _is_missing(difference, f"{item[1]}.", listed):
            shared = (keys for path, keys in keys_by_path.items() if keys and path.startswith(f"{item[1]}."))
            keys_by_path[difference.path] = next(shared, ())
    return keys_by_path


def _is_missing(difference: Difference, item: str, listed: Iterable[Difference]) -> bool:
    """True where the source lacks the field, or the output the whole item, as it does where a person must name its file."""
    if difference.a.value is None:
        return True
    return all(second.b.value is None for second in listed if second.path.startswith(item))


def _lines_on(difference: Difference, ledger: Ledger) -> Iterator[str]:
    ours, theirs = _keys(difference.a), _keys(difference.b)
    for line in ledger.sources:
        if line.state in LOSSES and (line.key in ours or difference.path in line.plan):
            yield f"{line.key}: {line.state}, {line.reason}"
    name = difference.path.removeprefix("stage.")
    for note in ledger.notes:
        if f"{name}:" in note or any(_names(note, key) for key in ours):
            yield note
    for decision in ledger.decisions:
        decision_key = _FILE.sub("", decision.key)
        if any(_is_about(decision_key, key) for key in theirs):
            yield f"{decision.key}: {decision.why}"
    for target in ledger.targets:
        if target.basis in SETTLED and _FILE.sub("", target.key) in theirs:
            yield f"{target.key}: {target.basis}, {target.comment}"


def _keys(values: SideValue) -> frozenset[str]:
    if values.said is None:
        return frozenset()
    return frozenset((*(key for key, _ in values.said.keys), *values.said.asked))


def _names(note: str, key: str) -> bool:
    """True where a note has the key as a word of its own."""
    return key in note and re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.]\w)", note) is not None


def _is_about(decision_key: str, key: str) -> bool:
    """True where a question about `tasksets[].format` is one about `tasksets[0].format.prompt_key`."""
    plain = re.sub(r"\[\d+\]", "[]", key)
    return decision_key in (key, plain) or plain.startswith(f"{decision_key}.")
