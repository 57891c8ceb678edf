"""Some keys are taken by other values as `${...}`: whatever they do themselves, nobody can leave them out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rftconf.text.document import Leaf

_NAME = re.compile(r"\$\{(?:oc\.select:)?\s*([\w.\[\]-]*\w)\s*[},]")


def names_in(leaves: Iterable[Leaf]) -> frozenset[str]:
    """Names within interpolations; of relative ones the last part alone, behind a dot."""
    texts = (str(leaf.value) for leaf in leaves if not isinstance(leaf.value, (int, float, type(None))))
    names = {name for text in texts if "${" in text for name in _NAME.findall(text)}
    return frozenset(f".{name.rpartition('.')[2]}" if name[0] == "." else name for name in names)


def is_among(key: str, names: frozenset[str]) -> bool:
    """True where one of `names` may be `key` or a section that it stands in."""
    nodes = [key, *(key[:index] for index, sign in enumerate(key) if sign in ".[")]
    return not names.isdisjoint(nodes) or any(key.endswith(name) for name in names if name[0] == ".")


def sections_of(names: frozenset[str]) -> frozenset[str]:
    """The first part of each name that is not relative: a section of the author's own may hold what other keys take."""
    return frozenset(name.partition(".")[0] for name in names if name[0] != ".")
