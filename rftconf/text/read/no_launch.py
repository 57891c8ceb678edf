"""A script without a run gets an error that names where the reading stopped, and what to give so that it goes on."""

from __future__ import annotations

from rftconf.base.diagnostics import Diagnostic, Label, Severity
from rftconf.base.span import Place, Span
from rftconf.text.shell import Lead, Script

_NOTHING = "no command that is read here starts a framework that is known (veRL, Trinity-RFT, ROLL, ChatLearn, TRL, OpenRLHF, NeMo-RL)"
_MOST = 4


def nothing_started(script: Script) -> Diagnostic:
    """The finding for a script without a launch."""
    leads = script.leads
    labels = tuple(Label(lead.place, lead.what) for lead in leads[1:_MOST])
    if script.ended is not None:
        line = script.ended.span.line
        message = f"{_NOTHING}: the script ends at line {line}, whatever it is given"
        help_ = _help(leads[0]) if leads else "take out the exit, or name the script that holds the launch"
        return Diagnostic("SYN505", Severity.ERROR, message, script.ended, labels, help_)
    if leads:
        first = leads[0]
        message = f"{_NOTHING}: line {first.place.span.line} {first.what}"
        return Diagnostic("SYN505", Severity.ERROR, message, first.place, labels, _help(first))
    if script.commands:
        others = {command.name: command for command in script.commands}
        names = ", ".join(name[:60] for name in list(others)[:_MOST])
        message = f"{_NOTHING}: it starts {names}"
        return Diagnostic(
            "SYN505", Severity.ERROR, message, script.commands[0].place, (), "name the script that holds the launch"
        )
    place = Place(script.name, Span(0, 0, 1, 1))
    return Diagnostic("SYN505", Severity.ERROR, _NOTHING, place, (), "name the script that holds the launch")


def _help(lead: Lead) -> str:
    """Return advice: the options to give so that the reading goes on behind `lead`."""
    if any(name.isdigit() for name in lead.names):
        return 'give the script its arguments: --args "..."'
    if lead.names:
        return " ".join(f"--set {name}=..." for name in lead.names[:3])
    return lead.advice or "name the script that holds the launch"
