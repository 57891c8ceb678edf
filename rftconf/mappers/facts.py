"""Facts about a run beside its keys and plan values come from outside the config, or one row learns them for others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rftconf.mappers.outcomes import UNSET

if TYPE_CHECKING:
    from rftconf.mappers.native import Native


@dataclass(slots=True)
class Facts:
    """Facts of one reading or writing; each field says who knows it."""

    program: str = ""
    """The program that the launch line starts."""
    starter: Mapping[str, Any] = field(default_factory=dict)
    """Options of the program that starts it, such as torchrun's."""
    server: Mapping[str, Any] | None = None
    """Options of the server of engines that the same script starts; None where it starts none."""
    assumed: Mapping[str, str] = field(default_factory=dict)
    """What a fork's declaration or a person says of how its counters count."""
    shipped: str = ""
    """The file of the framework's own that the launch line starts from."""
    environment: Mapping[str, Any] = field(default_factory=dict)
    """Environment variables that the document sets."""
    partial: bool = False
    """True where files that the config is made of are missing."""
    rows: int | None = None
    """Rows of the training set."""
    rows_asked: bool = False
    """True where `rows` was told or counted for, so that None means that nobody knows."""
    layers: Callable[[], int | None] = lambda: None
    """Layers of the model, where its path names one whose sizes are known; looked up by who needs them."""
    removed: Mapping[str, Any] = field(default_factory=dict)
    """Written keys of the source's release that the newest one has no more, with their values."""
    unsettled: str | None = None
    """Why the source of a plan document counts in a way that nobody settled."""
    is_plan: bool = False
    """True where the document is a plan, of which nobody asks for a dialect."""

    form: str = "auto"
    """The form of a period that a person asks for, of a writing."""
    open: bool = False
    """True where the source has values that could not be read."""
    source: Native | None = None
    """The source's config where it is the same framework's."""

    trainer_mode: str = ""
    """The trainer that runs, learned with the layout."""
    parameter_sync_step: Any = 1
    """Local updates between two weight syncs, learned with the layout."""
    single_ticks: bool = False
    """True where a local update is one mini-batch, learned with the layout."""
    explore_step: Any = UNSET
    """Sequences of one batch that an explorer draws, learned with the batch."""
    domains: list[Any] = field(default_factory=list)
    """Names of the domains that were written."""
    sections: list[str] = field(default_factory=list)
    """Sections that further models were written to."""
    folders: dict[tuple[str, str], int] = field(default_factory=dict)
    """Folders and splits that data sets were written to, and how many were."""
    first_free: int | None = None
    """The first GPU behind those of the policy's roles."""
    has_teacher: bool = False
    """True once a teacher was written."""
    covered: dict[str, str] = field(default_factory=dict)
    """Keys left out because single keys of their section are written, with the reason."""
