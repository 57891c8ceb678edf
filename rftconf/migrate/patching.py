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
from rftconf.text.write import edit_options, edit_overrides, edit_python, edit_yaml
from rftconf.text.write.editors import editor_of


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
    edits = {edit_yaml: _yaml, edit_python: _python, edit_options: _options}
    done = edits.get(editor_of(editor.document, editor.leaf_in_current_text(leaf)), _overrides)(editor, want)
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


def _options(editor: Editor, want: KeyEdit) -> bool:
    """Another word or another name behind `--`, more options beside it, or the option goes with its words."""
    for beside in want.beside:
        document, near = editor.document, editor.leaf_in_current_text(want.leaf)
        patches = (
            edit_options.copy(document, near, beside.key)
            if beside.value is KEPT
            else edit_options.add(document, near, beside.key, beside.value)
        )
        if not editor.change(patches):
            return False
    if want.key is None:
        return editor.change(edit_options.drop(editor.document, editor.leaf_in_current_text(want.leaf)))
    return _change_in_place(editor, want, want.key, edit_options)


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
    return edit_overrides.insert_word(document, start, end, word.replace(name, beside.key, 1))


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
    return any(_add_beside(editor, leaf, key, value) for leaf in near)


def _add_beside(editor: Editor, leaf: Leaf, key: str, value: Any) -> bool:
    near = editor.leaf_in_current_text(leaf)
    return editor.change(editor_of(editor.document, near).add(editor.document, near, key, value))
