"""Parts of a Hydra config that the launch line takes from files of somebody's own: their keys are in no catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rftconf.schemas import registry
from rftconf.text.document import Leaf, Mode

if TYPE_CHECKING:
    from rftconf.lint.subject import Subject


def chosen_parts(leaves: Iterable[Leaf]) -> tuple[str, ...]:
    """Return the sections of the parts that `group@section=name` chooses, each with its dot."""
    chosen = (leaf.key.partition("@") for leaf in leaves if leaf.mode is not Mode.DELETE)
    return tuple(f"{section}." for _, mark, section in chosen if mark and section)


def is_chosen(parts: tuple[str, ...], key: str) -> bool:
    """True for a word that chooses a part of the config, and for the keys of such a part."""
    return "@" in key or "/" in key or key.startswith(parts)


def chooses(subject: Subject, key: str) -> bool:
    """True for a word of the launch line that chooses a part of the config, and for keys of a part of somebody's own."""
    framework = registry.framework(subject.framework)
    if key in framework.groups:
        return True
    overrides = framework.family == registry.VERL.name and subject.document.form != "yaml"
    return overrides and is_chosen(chosen_parts(subject.document.leaves), key)
