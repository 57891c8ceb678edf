"""Interpolations of a config, as its loader resolves them."""

from __future__ import annotations

from dataclasses import replace

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.resolvers import functions_for
from rftconf.text.document import Document, Mode
from rftconf.text.key_tree import Tree
from rftconf.text.omegaconf.interpolation import may_interpolate, resolve_leaves


def unresolved(document: Document, known: Catalogue) -> tuple[Diagnostic, ...]:
    """Interpolations that lead nowhere or in a circle."""
    live = [leaf for leaf in document.leaves if leaf.mode is not Mode.DELETE]
    if not any(may_interpolate(leaf.value) for leaf in live):
        return ()
    diagnostics = resolve_leaves(live, Tree(known.written_defaults), functions=functions_for(known.framework))[1]
    return diagnostics if document.launch is not None else tuple(map(_given_at_start, diagnostics))


def _given_at_start(diagnostic: Diagnostic) -> Diagnostic:
    """A config is no run yet: the command that starts one may give what is `???` here, and what refers to it."""
    if diagnostic.code != "SYN405":
        return diagnostic
    return replace(
        diagnostic, severity=Severity.WARNING, help="give it when the run starts, or here with --set KEY=VALUE"
    )
