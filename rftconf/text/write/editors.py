"""Chooses the editor for one leaf: a YAML file, a Python launcher, an option of a command, or an override."""

from __future__ import annotations

from types import ModuleType

from rftconf.text.document import Document, Leaf
from rftconf.text.write import edit_options, edit_overrides, edit_python, edit_yaml


def editor_of(document: Document, leaf: Leaf) -> ModuleType:
    """Return the module whose `put`, `add`, `drop` and `rename` change text of the form that the leaf is written in."""
    if document.form in ("yaml", "python"):
        return edit_yaml if document.form == "yaml" else edit_python
    return edit_options if edit_options.is_option(document, leaf) else edit_overrides
