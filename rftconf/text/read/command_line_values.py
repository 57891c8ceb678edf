"""Values of keys that a person gives on the command line, in place of what the file says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rftconf.base.span import LineIndex
from rftconf.text.document import Document, Mode
from rftconf.text.hydra.override_parser import TextArgument
from rftconf.text.hydra.overrides import read_overrides
from rftconf.text.layering import on_top

ORIGIN = "--set"
"""The name of the "file" that a value given by hand is placed in."""


def with_given_values(document: Document, values: Mapping[str, str]) -> Document:
    """Return `document` with the values of `values`, read as Hydra reads an override; its other leaves stay.

    A key that the file lacks is added by force (`++key`). What cannot be read becomes a diagnostic.
    """
    words = [f"{key}={value}" for key, value in values.items()]
    overrides = read_overrides(TextArgument(word, ORIGIN, LineIndex(word), 0) for word in words)
    modes = {leaf.key: leaf.mode for leaf in document.leaves}
    leaves = tuple(replace(leaf, mode=modes.get(leaf.key, Mode.FORCE)) for leaf in overrides.leaves)
    replaced = {leaf.key for leaf in leaves}
    remaining = tuple(leaf for leaf in document.leaves if leaf.key not in replaced)
    return replace(
        document, leaves=on_top(remaining, leaves), diagnostics=(*document.diagnostics, *overrides.diagnostics)
    )
