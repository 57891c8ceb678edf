"""A conversion judges what it wrote: the errors that `rftconf check` finds in it, for the release it was written for."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.ledger import Ledger, State
from rftconf.lint.engine import Options, Selection, check
from rftconf.lint.subject import Cluster
from rftconf.text.read.read import read
from rftconf.text.source import Source

ERRORS = Selection(threshold=Severity.ERROR)


def errors_in(name: str, text: str, ledger: Ledger, gpu: str = "") -> tuple[Diagnostic, ...]:
    """List the errors for which the target would refuse `text`, or stop on it. `name` is its file's name, whose suffix
    tells the format.

    With `gpu`, a run that does not fit that GPU is an error too.
    """
    options = Options(ledger.target_framework, ledger.target_release, ERRORS, Cluster(gpu=gpu), fixes=False)
    own = frozenset(_kept_unknown(ledger))
    return tuple(
        diagnostic for diagnostic in check(read(Source(name, text)), options) if diagnostic.key.lstrip("+") not in own
    )


def _kept_unknown(ledger: Ledger) -> Iterator[str]:
    """A fork's own keys, which stay where the framework stays: the ledger says that upstream does not know them."""
    if ledger.source_framework == ledger.target_framework:
        yield from (line.key.lstrip("+") for line in ledger.sources if line.state is State.UNKNOWN)
