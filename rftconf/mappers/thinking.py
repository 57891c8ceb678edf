"""A framework's switch tells a chat template to let the model think; it becomes the plan's word, and back."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open
from rftconf.plan.chat_templates import SWITCH, THINKING, UNTOLD, thinks_untold, without_switch
from rftconf.plan.origin import Kind

SWITCHLESS = "the model's chat template has no such switch"


def set_thinking(r: ReadContext, told: Any, *keys: str) -> None:
    """Store what the template is told: true, false, or nothing."""
    words = {True: "on", False: "off", None: UNTOLD}
    known = told is None or isinstance(told, bool)
    r.set(THINKING, words[told] if known else told, *keys)


def read_argument(r: ReadContext, mapping: str) -> None:
    """Read the switch from a mapping of arguments for the template."""
    set_thinking(r, r.source.branch(mapping).get(SWITCH), f"{mapping}.{SWITCH}")


def write_switch(w: WriteContext, key: str, *, optional: bool) -> None:
    """Write the switch to `key`; one that is not `optional` tells the template something in every run."""
    word, origin = w.plan(THINKING), w.origins.get(THINKING)
    told = origin is not None and origin.kind is Kind.WRITTEN
    if word in ("on", "off") and without_switch(_of_model(w)) and not told:
        w.lose(THINKING, State.DEFAULT, SWITCHLESS)
    elif word in ("on", "off"):
        w.put(key, word == "on", THINKING, always=True)
    elif isinstance(word, Expr):
        leave_open(
            w, key, "whether the template is told to let the model think hangs on what the source leaves open", THINKING
        )
    elif word == UNTOLD:
        _write_untold(w, key, optional=optional)


def _write_untold(w: WriteContext, key: str, *, optional: bool) -> None:
    if optional:
        w.lose(THINKING, State.DEFAULT, "the template is told nothing")
    elif without_switch(_of_model(w)):
        w.lose(THINKING, State.DEFAULT, SWITCHLESS)
    elif thinks_untold(_of_model(w)):
        w.put(key, True, THINKING, state=State.DERIVED, how="untold, as in the source, the model's template lets it think", always=True)  # fmt: skip
    else:
        note = "the source leaves it to the model's chat template whether it thinks; here the template is always told"
        w.lose(THINKING, State.NARROWED, f"{note}, and false stays")
        w.decide(key, note, "keep: false stays", "a value for " + key)


def _of_model(w: WriteContext) -> dict[str, Any]:
    return {path: w.plan(path) for path in ("stage.model.path", "stage.model.chat_template")}
