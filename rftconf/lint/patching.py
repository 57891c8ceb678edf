"""Makes patches of the file of what a rule wants changed: in YAML, in shell scripts, in lines of overrides."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.diagnostics import Fix
from rftconf.base.patch import Patch
from rftconf.lint.rule import Change, Drop, Put, Rename, RuleFinding
from rftconf.lint.subject import Subject
from rftconf.mappers.words_of_keys import own_word
from rftconf.report.values import render_value
from rftconf.text.document import Document, Leaf
from rftconf.text.write import edit_yaml
from rftconf.text.write.editors import editor_of


def fix_of(subject: Subject, finding: RuleFinding) -> Fix | None:
    """The fix for a finding, None where the file does not let it be made by changing a few characters."""
    patches: list[Patch] = []
    titles: list[str] = []
    changes = [_in_own_word(subject, change) for change in finding.fix]
    for change in changes:
        all_patches = _patches(subject, change, finding)
        if not all_patches:
            return None
        patches += all_patches
        titles.append(_title(subject, change))
    new = [change.new for change in finding.fix if isinstance(change, Rename)]
    keys = map(subject.key, [*(change.key for change in finding.fix), *finding.keys])
    return Fix("; ".join(titles), tuple(patches), finding.safe, (*keys, *new))


def _in_own_word(subject: Subject, change: Change) -> Change:
    """The change with the framework's own word for a value of the plan, where it has one (`top_k` 0 for no limit in TRL)."""
    if not isinstance(change, Put) or isinstance(change.value, (list, dict)):
        return change
    word = own_word(subject.reading.table, subject.plan_path(change.key), change.value)
    return change if word is None else replace(change, value=word)


def _title(subject: Subject, change: Change) -> str:
    key = subject.key(change.key)
    match change:
        case Put(_, value):
            return f"set {key} to {render_value(value)}"  # type: ignore[arg-type]
        case Drop():
            return f"delete {key}"
        case Rename(_, new):
            return f"rename {key} to {new}"


def _patches(subject: Subject, change: Change, finding: RuleFinding) -> list[Patch] | None:
    document = subject.document
    leaf = subject.leaf(change.key)
    if leaf is None:
        return _added(subject, change, finding) if isinstance(change, Put) else None
    if leaf.place.file != document.name or leaf.key_place.file != document.name:
        return None
    if not isinstance(change, Put) and subject.referred_to(leaf.key):
        return None
    return _in_place(document, leaf, change)


def _in_place(document: Document, leaf: Leaf, change: Change) -> list[Patch] | None:
    edit = editor_of(document, leaf)
    patches: list[Patch] | None
    match change:
        case Put(_, value):
            patches = edit.put(document, leaf, value)
        case Drop():
            patches = edit.drop(document, leaf)
        case Rename(_, new):
            patches = edit.rename(document, leaf, new)
    return patches


def _added(subject: Subject, change: Put, finding: RuleFinding) -> list[Patch] | None:
    key = subject.key(change.key)
    if subject.document.form == "yaml":
        return edit_yaml.add(subject.document, key, change.value)  # type: ignore[arg-type]
    near = _neighbour(subject, key, finding)
    if near is None:
        return None
    patches: list[Patch] | None = editor_of(subject.document, near).add(subject.document, near, key, change.value)
    return patches


def _neighbour(subject: Subject, key: str, finding: RuleFinding) -> Leaf | None:
    """The override that a new one goes in front of: one that the finding speaks of, else the likest."""
    leaves = [leaf for leaf in subject.leaves.values() if leaf.place.file == subject.document.name]
    named = [leaf for name in finding.keys if (leaf := subject.leaf(name)) is not None and leaf in leaves]
    alike = sorted(leaves, key=lambda leaf: -_common(leaf.key, key))
    return next(iter([*named, *alike]), None)


def _common(key: str, key_b: str) -> int:
    return next((i for i, (a, b) in enumerate(zip(key, key_b, strict=False)) if a != b), min(len(key), len(key_b)))
