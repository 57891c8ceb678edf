"""The fix for a wrong name: another name in its place."""

from __future__ import annotations

from rftconf.base.diagnostics import Fix
from rftconf.base.patch import Patch
from rftconf.schemas import registry
from rftconf.schemas.catalogue import Catalogue
from rftconf.text.document import Document, Leaf, Mode


def corrected(document: Document, leaf: Leaf, key: str, known: Catalogue) -> Fix | None:
    """The known key in the place of a misspelt one."""
    entry = known.get(key)
    overrides = document.form != "yaml" and registry.framework(known.framework).adds_with_plus
    return renamed(document, leaf, key, plus=overrides and entry is not None and entry.plus_only)


def renamed(document: Document, leaf: Leaf, key: str, *, plus: bool, safe: bool = False) -> Fix | None:
    """Another name, with Hydra's prefix where it is needed; None where the name is put together from several places."""
    from rftconf.text.write import edit_overrides
    from rftconf.text.write.editors import editor_of

    if leaf.key_place.file != document.name or leaf.place.file != document.name:
        return None
    if key != leaf.key and any(leaf.key == key for leaf in document.leaves):
        return None  # it is given already; which of the two is meant, nobody can tell
    patches: list[Patch] | None
    edit = editor_of(document, leaf)
    if edit is edit_overrides:
        patches = edit_overrides.rename(document, leaf, key, "+" if plus else "" if leaf.mode is Mode.ADD else None)
    else:
        patches = edit.rename(document, leaf, key)
    return Fix(f"write {'+' if plus else ''}{key}", tuple(patches), safe, (leaf.key, key)) if patches else None
