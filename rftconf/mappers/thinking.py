"""A framework's switch tells a chat template to let the model think; it becomes the plan's word, and back."""

from __future__ import annotations

from typing import Any, ClassVar

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import OfKeys, leave_open
from rftconf.plan.chat_templates import SWITCH, THINKING, UNTOLD, thinks_by_default, without_switch
from rftconf.plan.origin import Kind

SWITCHLESS = "the model's chat template has no such switch"


def set_thinking(r: ReadContext, switch: Any, *keys: str) -> None:
    """Store what the template is told: true, false, or nothing."""
    words = {True: "on", False: "off", None: UNTOLD}
    known = switch is None or isinstance(switch, bool)
    r.set(THINKING, words[switch] if known else switch, *keys)


@record
class TemplateSwitch:
    """Keys of which one tells every chat template whether the model thinks: the first that is set, as they are read.

    Since the release `optional_since` the last key may tell nothing, and is the one that is written; before it, and where
    there is no such release, the first one always tells something.
    """

    keys: tuple[str, ...]
    optional_since: str = ""
    plans: tuple[str, ...] = (THINKING,)

    @property
    def natives(self) -> tuple[str, ...]:
        """Its keys, those that are written today first."""
        return self.keys[::-1]

    def read(self, r: ReadContext) -> None:
        """Store what the first key says that is set."""
        values = (r.native(key) for key in self.keys)
        set_thinking(r, next((value for value in values if value is not None), None), *self.natives)

    def write(self, w: WriteContext) -> None:
        """Write the key that the release has."""
        optional = bool(self.optional_since) and w.since(self.optional_since)
        write_switch(w, self.keys[-1 if optional else 0], optional=optional)


@record
class TemplateArgument(OfKeys):
    """The switch among the arguments of the chat template, which the framework hands on `since` that release.

    `before` is the sentence for earlier releases.
    """

    KEYS: ClassVar[tuple[str, ...]] = ("mapping",)
    mapping: str
    since: str
    before: str
    plans: tuple[str, ...] = (THINKING,)

    def read(self, r: ReadContext) -> None:
        """Store what the arguments say; others of them stay where they are."""
        set_thinking(r, r.source.branch(self.mapping).get(SWITCH), f"{self.mapping}.{SWITCH}")

    def write(self, w: WriteContext) -> None:
        """Write the argument where the release hands arguments to the template."""
        if w.since(self.since) or w.plan(THINKING) == UNTOLD:
            write_switch(w, f"{self.mapping}.{SWITCH}", optional=True)
        elif w.plan(THINKING) is not None:
            w.lose(THINKING, State.NO_COUNTERPART, self.before)


def write_switch(w: WriteContext, key: str, *, optional: bool) -> None:
    """Write the switch to `key`; one that is not `optional` tells the template something in every run."""
    word, origin = w.plan(THINKING), w.origins.get(THINKING)
    written = origin is not None and origin.kind is Kind.WRITTEN
    if word in ("on", "off") and without_switch(_of_model(w)) and not written:
        w.lose(THINKING, State.DEFAULT, SWITCHLESS)
    elif word in ("on", "off"):
        w.put(key, word == "on", THINKING, always=True)
    elif isinstance(word, Expr):
        leave_open(
            w, key, "whether the template is told to let the model think hangs on what the source leaves open", THINKING
        )
    elif word == UNTOLD:
        _write_own_default(w, key, optional=optional)


def _write_own_default(w: WriteContext, key: str, *, optional: bool) -> None:
    if optional:
        w.lose(THINKING, State.DEFAULT, "the template is told nothing")
    elif without_switch(_of_model(w)):
        w.lose(THINKING, State.DEFAULT, SWITCHLESS)
    elif thinks_by_default(_of_model(w)):
        w.put(key, True, THINKING, state=State.DERIVED, how="untold, as in the source, the model's template lets it think", always=True)  # fmt: skip
    else:
        note = "the source leaves it to the model's chat template whether it thinks; here the template is always told"
        w.lose(THINKING, State.NARROWED, f"{note}, and false stays")
        w.decide(key, note, "keep: false stays", "a value for " + key)


def _of_model(w: WriteContext) -> dict[str, Any]:
    return {path: w.plan(path) for path in ("stage.model.path", "stage.model.chat_template")}
