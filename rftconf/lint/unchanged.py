"""A fix is checked to leave a run as it is, but for the keys that its finding named."""

from __future__ import annotations

from typing import Any

from rftconf.base.diagnostics import Diagnostic
from rftconf.lint import recognise_config as config_of
from rftconf.lint.subject import Cluster, Subject, subjects
from rftconf.plan.acting import acting
from rftconf.text.document import Document

WITHOUT_EFFECT = frozenset({"KEY005", "KEY011", "KEY012"})
"""Findings that say of a key that it does nothing."""


def keeps_the_run(
    before: Document, after: Document, finding: Diagnostic, framework: str | None, release: str | None
) -> bool:
    """True when both texts are of the same framework, release and trainer, and a safe fix changed nothing unnamed.

    What a named key decides, other fields may follow; a key that does nothing must leave every field as it was.
    """
    old, new = (config_of.recognised(document, framework, release) for document in (before, after))
    if old is None or new is None:
        return old is new
    if (old.framework, old.release, old.trainer) != (new.framework, new.release, new.trainer):
        return False
    fix = finding.fix
    if fix is None or not fix.safe:
        return True
    if not changed_keys(before, after) <= {finding.key, *fix.keys}:
        return False
    runs = [
        [plan_of(s) for s in subjects(document, best, Cluster())] for document, best in ((before, old), (after, new))
    ]
    return len(runs[0]) == len(runs[1]) and (finding.code not in WITHOUT_EFFECT or runs[0] == runs[1])


def plan_of(subject: Subject) -> dict[str, Any]:
    """The fields that act in a stage."""
    return acting(subject.reading.values)


def changed_keys(before: Document, after: Document) -> set[str]:
    """Keys that only one of the texts writes, or that have another value there."""
    old, new = before.last(), after.last()
    return {
        key
        for key in old.keys() | new.keys()
        if key not in old or key not in new or (old[key].value, old[key].mode) != (new[key].value, new[key].mode)
    }
