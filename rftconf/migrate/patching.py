"""Changes to a text one after another: each sees the text as the ones before left it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from rftconf.base.patch import OverlappingPatchesError, Patch, apply
from rftconf.base.span import LineIndex, Place
from rftconf.migrate.key_changes import KEPT, Beside, KeyEdit
from rftconf.migrate.words import bounds
from rftconf.text.document import Document, Leaf
from rftconf.text.write import edit_overrides, edit_python, edit_yaml


@dataclass(slots=True)
class Editor:
    """A text being changed, with what each change has moved."""

    document: Document
    moved: list[tuple[int, int, int]] = field(default_factory=list)
    """Start, end and new length of every patch made, in the text of its time."""

    @property
    def text(self) -> str:
        """The text so far."""
        return self.document.text

    def leaf_in_current_text(self, leaf: Leaf) -> Leaf:
        """The leaf with the places that it has in the text now."""
        return replace(leaf, place=self._now(leaf.place), key_place=self._now(leaf.key_place))

    def _now(self, place: Place) -> Place:
        if place.file != self.document.name:
            return place
        start, end = place.span.start, place.span.end
        for low, high, size in self.moved:
            by = size - (high - low)
            start, end = start + by * (start >= high), end + by * (end >= high if high > low else end > low)
            end = max(start, end)
        return replace(place, span=LineIndex(self.text).span(start, end))

    def change(self, patches: list[Patch] | None) -> bool:
        """Make the patches of one change, all or none; False where there are none that can be made."""
        if not patches:
            return False
        try:
            text = apply(self.text, patches)
        except (OverlappingPatchesError, ValueError):
            return False
        for patch in sorted(patches, key=lambda p: (p.span.start, p.span.end), reverse=True):
            self.moved.append((patch.span.start, patch.span.end, len(patch.text)))
        self.document = replace(self.document, text=text)
        return True


def make(editor: Editor, want: KeyEdit) -> bool:
    """Make one change in the text; False where the characters do not let it be made."""
    if not want.changes_text:
        return True
    leaf = want.leaf
    if leaf.key_place.file != editor.document.name:
        return False
    before = editor.document, list(editor.moved)
    edits = {"yaml": _yaml, "python": _python}.get(editor.document.form, _overrides)
    done = edits(editor, want)
    if not done:
        editor.document, editor.moved = before
    return done


def _change_in_place(editor: Editor, want: KeyEdit, key: str, edit: ModuleType) -> bool:
    """Give a leaf its new value, then its new name, with the `put` and `rename` of a form's editor."""
    if want.value is not KEPT and not editor.change(
        edit.put(editor.document, editor.leaf_in_current_text(want.leaf), want.value)
    ):
        return False
    if key == want.was:
        return True
    return editor.change(edit.rename(editor.document, editor.leaf_in_current_text(want.leaf), key))


def _python(editor: Editor, want: KeyEdit) -> bool:
    """Another literal or another name, more arguments beside it, or the argument goes."""
    for beside in want.beside:
        value = want.leaf.value if beside.value is KEPT else beside.value
        near = editor.leaf_in_current_text(want.leaf)
        if not editor.change(edit_python.add(editor.document, near, beside.key, value)):
            return False
    if want.key is None:
        return editor.change(edit_python.drop(editor.document, editor.leaf_in_current_text(want.leaf)))
    return _change_in_place(editor, want, want.key, edit_python)


def _overrides(editor: Editor, want: KeyEdit) -> bool:
    leaf = want.leaf
    if want.key is None:
        return editor.change(dropped(editor.document, editor.leaf_in_current_text(leaf)))
    for beside in want.beside:
        if not editor.change(_copied(editor.document, editor.leaf_in_current_text(leaf), beside)):
            return False
    if want.value is not KEPT and not editor.change(
        edit_overrides.put(editor.document, editor.leaf_in_current_text(leaf), want.value)
    ):
        return False
    bare = want.key.lstrip("+~")
    prefix = want.key[: len(want.key) - len(bare)]
    if want.key == want.was:
        return True
    return editor.change(edit_overrides.rename(editor.document, editor.leaf_in_current_text(leaf), bare, prefix))


def _copied(document: Document, leaf: Leaf, beside: Beside) -> list[Patch] | None:
    """Another override in front of one, with its value or the text of its value."""
    if beside.value is not KEPT:
        return edit_overrides.add(document, leaf, beside.key, beside.value)
    span = bounds(document, leaf)
    if span is None:
        return None
    start, end = span
    word = document.text[start:end]
    name = leaf.mode.value + leaf.key
    return inserted(document, start, end, word.replace(name, beside.key, 1))


def inserted(document: Document, start: int, end: int, word: str) -> list[Patch]:
    """`word` as an argument in front of the one from `start` to `end`, on a line of its own where that one has one."""
    text = document.text
    line_start = text.rfind("\n", 0, start) + 1
    indent = text[line_start:start]
    line_end = text.find("\n", end)
    after = text[end : len(text) if line_end < 0 else line_end].strip()
    if indent.strip():
        return [Patch(LineIndex(text).span(start, start), f"{word} ")]
    continued = after == "\\" or text[:line_start].rstrip("\n").endswith("\\")
    end_of_line = " \\\n" if continued else "\n"
    return [Patch(LineIndex(text).span(start, start), f"{word}{end_of_line}{indent}")]


def dropped(document: Document, leaf: Leaf) -> list[Patch] | None:
    """Take an override out: by the places of its value where they tell, else by the shell's words."""
    done = edit_overrides.drop(document, leaf)
    span = bounds(document, leaf)
    if done is not None or span is None:
        return done
    return edit_overrides.drop_word(document, *span)


def _yaml(editor: Editor, want: KeyEdit) -> bool:
    leaf = editor.leaf_in_current_text(want.leaf)
    if want.key is None:
        return editor.change(edit_yaml.drop(editor.document, leaf))
    for beside in want.beside:
        value = want.leaf.value if beside.value is KEPT else beside.value
        if not editor.change(edit_yaml.add(editor.document, beside.key, value)):
            return False
    return _change_in_place(editor, want, want.key, edit_yaml)


def add(editor: Editor, near: list[Leaf], key: str, value: Any) -> bool:
    """A new key: in YAML where its mapping is, else beside the first of `near` that lets it."""
    if editor.document.form == "yaml":
        return editor.change(edit_yaml.add(editor.document, key, value))
    edit: ModuleType = edit_python if editor.document.form == "python" else edit_overrides
    return any(editor.change(edit.add(editor.document, editor.leaf_in_current_text(leaf), key, value)) for leaf in near)
