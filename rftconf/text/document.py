"""A config as read: leaves with values and places. Nothing mutates it; nothing in here knows a framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.record import record
from rftconf.base.secrets.config_secrets import NO_SECRETS, Secrets
from rftconf.base.span import Place
from rftconf.base.symbols import Value

MISSING, UNREAD = "SYN520", "SYN507"
"""The codes of findings about a config that is not here: a defaults list names it, or the command does."""
WRAPPED = "SYN523"
"""The code of what is said of the section that a config was found below."""


class Mode(Enum):
    """The way in which a leaf is put into the config: as a plain value, or with one of Hydra's prefixes."""

    SET = ""
    ADD = "+"
    FORCE = "++"
    DELETE = "~"


@record
class Via:
    """A variable that a value went through, and where it got that value."""

    name: str
    place: Place


@record
class Leaf:
    """One leaf of a config.

    `key` is dotted, list items of mappings are indexed (`tasksets[0].path`); lists of plain values are one leaf.
    `place` is the value's place (`key_place` the key's), `raw` its text as written.
    """

    key: str
    value: Value
    place: Place
    key_place: Place
    raw: str = ""
    via: tuple[Via, ...] = ()
    mode: Mode = Mode.SET
    inherited: bool = False
    """It stands in a file that a defaults list names, and not in the config itself."""


ERRORS_OF_ONE_PLACE = frozenset(
    {"SYN205", "SYN206", "SYN207", "SYN208", "SYN302", "SYN303", "SYN304", "SYN307", "SYN508"}
)
"""Codes of errors in one key, value or argument: no loader takes it, and the rest can be read all the same."""


@record
class Launch:
    """One command of a script that starts a framework.

    `program` is the module or file that runs (`verl.trainer.main_ppo`); `options` are arguments that are not
    overrides (`--config-name=x`); `env` what the command's environment gets from the script.
    """

    program: str
    place: Place
    options: dict[str, Value] = field(default_factory=dict)
    env: dict[str, Value] = field(default_factory=dict)
    wrapper: tuple[str, ...] = ()
    starter: dict[str, Value] = field(default_factory=dict)
    """Options of the starter before the program (`torchrun --nproc_per_node=8`), with underscores."""
    server: dict[str, Value] | None = None
    """Options of the server of engines that the same script starts (`trl vllm-serve`); None where it starts none."""
    shipped: str = ""
    """The config file of the framework's own that the command names, where nobody gave its text."""
    unread: str = ""
    """The config file of the run's own that the command names, where nobody gave its text: half of the config."""

    @property
    def config_name(self) -> str:
        """The name of the config that the command gives Hydra, without its suffix; empty where it gives none or an unknown one."""
        name = self.options.get("config-name", "")
        return name.removesuffix(".yaml") if isinstance(name, str) else ""


@record
class Unread:
    """An argument of the command that may set keys, nobody knows which."""

    value: Value
    place: Place
    why: str


@dataclass(frozen=True, slots=True)
class Document:
    """One config: its leaves in the order written, later ones winning, and what was wrong with it."""

    name: str
    text: str
    form: str
    """`yaml`, `shell`, `python`, `overrides` or `plan`."""
    leaves: tuple[Leaf, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    launch: Launch | None = None
    launches: tuple[Launch, ...] = ()
    conditional: tuple[tuple[str, Leaf], ...] = ()
    """Leaves that a script sets only if a condition holds that nobody can decide here; they are not among `leaves`."""
    unread: tuple[Unread, ...] = ()
    """Arguments of the command whose keys are not known; nothing of them is among `leaves`."""
    starts_from: tuple[str, ...] = ()
    """Configs that a YAML's defaults list names as a whole: `ppo_megatron_trainer`."""
    stock: tuple[Leaf, ...] = ()
    """What the config that the launched program names itself says, where it lies in the same checkout: below `leaves`."""
    also_read: tuple[str, ...] = ()
    """Other scripts that the script runs or sources, read from where they lie."""
    asks: Mapping[str, Place] = field(default_factory=dict)
    """Variables, and arguments by number, without which the script ends before it starts anything."""
    environment: Mapping[str, Value] = field(default_factory=dict)
    """Variables that are known when the run starts, by `--set` or by the script: what `${oc.env:NAME}` gives."""
    secrets: Secrets = NO_SECRETS
    """What its texts, keys and given values call secrets: it may stand under other keys too."""

    @property
    def readable(self) -> bool:
        """False when an error makes the leaves unusable."""
        return not self.unreadable_whole

    @property
    def unreadable_whole(self) -> tuple[Diagnostic, ...]:
        """The errors that cost the whole file, not one key or argument of it."""
        return tuple(d for d in self.diagnostics if d.severity is Severity.ERROR and d.code not in ERRORS_OF_ONE_PLACE)

    @property
    def missing(self) -> tuple[Diagnostic, ...]:
        """Return diagnostics of absent configs that this one starts from: their values are not known."""
        unread = UNREAD if self.launch is not None and self.launch.unread else MISSING
        return tuple(d for d in self.diagnostics if d.code in (MISSING, unread))

    @property
    def is_plan(self) -> bool:
        """True for a plan that was written as a document: it has a framework's words for nothing."""
        return self.form == "plan"

    @property
    def size(self) -> int:
        """Count the values that the leaves hold; each entry of a list or mapping counts."""
        return sum(map(_size, (leaf.value for leaf in self.leaves)))

    def last(self) -> dict[str, Leaf]:
        """Key to the leaf that wins."""
        return {leaf.key: leaf for leaf in self.leaves}


def _size(value: Value) -> int:
    if isinstance(value, (list, dict)):
        return 1 + sum(map(_size, value.values() if isinstance(value, dict) else value))
    return 1
