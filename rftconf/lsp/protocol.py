"""What the language server answers: findings, pages, proposals and fixes in the protocol's own types."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls import uris

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.secrets import masked
from rftconf.base.span import Place
from rftconf.lsp import actions as fixes
from rftconf.lsp import cursor, keys
from rftconf.lsp import hover as pages
from rftconf.schemas import catalogue, registry

if TYPE_CHECKING:
    from rftconf.lsp.session import Open, Session

MOST = 500
"""Findings that are shown of one file."""
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
}
_TAGS = {"KEY005": lsp.DiagnosticTag.Unnecessary, "SYN601": lsp.DiagnosticTag.Unnecessary}
_KINDS = {
    "key": lsp.CompletionItemKind.Property,
    "section": lsp.CompletionItemKind.Module,
    "value": lsp.CompletionItemKind.EnumMember,
}


def diagnostics(held: Open) -> list[lsp.Diagnostic]:
    """The findings of the last check."""
    return [_diagnostic(held, d) for d in held.found[:MOST]]


def _diagnostic(held: Open, d: Diagnostic) -> lsp.Diagnostic:
    elsewhere = d.place is not None and d.place.file != held.name
    message = f"{d.message}\n{d.help}" if d.help else d.message
    related = [
        lsp.DiagnosticRelatedInformation(_location(held, label.place), masked(label.note)) for label in d.related
    ]
    if elsewhere and d.place is not None:
        message = f"{d.place}: {message}"
        related.insert(0, lsp.DiagnosticRelatedInformation(_location(held, d.place), masked(d.message)))
    return lsp.Diagnostic(
        range=_range(held, 0, 0) if d.place is None or elsewhere else _of_place(held, d.place),
        message=masked(message),
        severity=_SEVERITIES[d.severity],
        code=d.code,
        source="rftconf",
        tags=[_TAGS[d.code]] if d.code in _TAGS else None,
        related_information=related or None,
    )


def hover(held: Open, at: lsp.Position) -> lsp.Hover | None:
    """The page of the key under the cursor."""
    if held.known is None:
        return None
    offset, document = held.lines.offset(at.line, at.character), held.document
    leaves = document.leaves if document is not None and document.text == held.text else ()
    here = next((x for x in leaves if _under(x.key_place, held, offset)), None)
    here = here or next((x for x in leaves if _under(x.place, held, offset)), None)
    key = here.key if here is not None else cursor.key_at(held.text, offset, _form(held))
    page = pages.page(held.known, key)
    if not page:
        return None
    where = _of_place(held, here.key_place) if here is not None and _under(here.key_place, held, offset) else None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, page), where)


def completions(held: Open, at: lsp.Position) -> list[lsp.CompletionItem]:
    """What may be written at the cursor."""
    if held.known is None:
        return []
    offset, yaml = held.lines.offset(at.line, at.character), _form(held) == "yaml"
    here = cursor.in_yaml(held.text, offset) if yaml else cursor.in_overrides(held.text, offset)
    if here is None:
        return []
    written = frozenset(leaf.key for leaf in held.document.leaves) if held.document is not None else frozenset()
    found = keys.proposals(held.known, here, overrides=not yaml, written=written)
    where = _range(held, here.start, offset)
    about = [held.known.framework, held.known.release, held.known.trainer]
    return [
        lsp.CompletionItem(
            label=proposal.label,
            kind=_KINDS[proposal.kind],
            detail=proposal.detail or None,
            filter_text=proposal.label,
            sort_text=f"{number:04}",
            text_edit=lsp.TextEdit(where, proposal.insert),
            data=[*about, proposal.key],
        )
        for number, proposal in enumerate(found)
    ]


def resolved(item: lsp.CompletionItem) -> lsp.CompletionItem:
    """A proposal with the page of its key."""
    data: Any = item.data
    if isinstance(data, Sequence) and len(data) == 4 and data[0] in {v.name for v in registry.variants()}:
        framework, release, trainer, key = map(str, data)
        page = pages.page(catalogue.load(framework, release, trainer), key)
        item.documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, page) if page else None
    return item


def code_actions(session: Session, held: Open, asked: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Fixes of what is found in the asked range, and all safe fixes at once."""
    document = held.document
    if document is None or document.text != held.text:
        session.check(held, thorough=False)
        document = held.document
    if document is None:
        return []

    def again(text: str) -> tuple[Any, list[Diagnostic]]:
        return session.read_and_check(held, text)

    only = [str(getattr(kind, "value", kind)) for kind in asked.context.only or ()]
    start = held.lines.offset(asked.range.start.line, asked.range.start.character)
    end = held.lines.offset(asked.range.end.line, asked.range.end.character)
    made: list[lsp.CodeAction] = []
    if not only or any("quickfix".startswith(kind) for kind in only):
        made = [_action(held, one) for one in fixes.actions(document, held.found, start, end, again)]
    if any("source.fixAll.rftconf".startswith(kind) for kind in only):
        text = fixes.fix_all(document, held.found, again)
        if text is not None:
            edit = lsp.TextEdit(_range(held, 0, len(held.text)), text)
            title = "make all fixes that leave the run the same"
            made.append(lsp.CodeAction(title, lsp.CodeActionKind.SourceFixAll, edit=_edit(held, [edit])))
    return made


def _action(held: Open, one: fixes.Action) -> lsp.CodeAction:
    edits = [lsp.TextEdit(_range(held, p.span.start, p.span.end), p.text) for p in one.patches]
    return lsp.CodeAction(
        one.title,
        lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(held, one.finding)],
        is_preferred=(one.safe and one.finding.fix is not None and one.title == one.finding.fix.title) or None,
        edit=_edit(held, edits),
    )


def _edit(held: Open, edits: list[lsp.TextEdit]) -> lsp.WorkspaceEdit:
    # bound to the version that they were made for, so that an editor refuses them after further typing
    document = lsp.OptionalVersionedTextDocumentIdentifier(held.uri, held.version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, list(edits))])


def warm_up() -> None:
    """Load what the first hover needs while the editor is idle."""
    from rftconf.lint import key_help as editor

    for name in registry.FRAMEWORKS:
        editor.facts(name, "")


def _form(held: Open) -> str:
    from rftconf.text.read.read import form_of
    from rftconf.text.source import Source

    return held.document.form if held.document is not None else form_of(Source(held.name, held.text))


def _under(place: Place, held: Open, offset: int) -> bool:
    return place.file == held.name and place.span.start <= offset <= place.span.end


def _of_place(held: Open, place: Place) -> lsp.Range:
    return _range(held, place.span.start, place.span.end)


def _range(held: Open, start: int, end: int) -> lsp.Range:
    return lsp.Range(lsp.Position(*held.lines.position(start)), lsp.Position(*held.lines.position(end)))


def _location(held: Open, place: Place) -> lsp.Location:
    if place.file == held.name:
        return lsp.Location(held.uri, _of_place(held, place))
    at = lsp.Position(place.span.line - 1, place.span.col - 1)
    return lsp.Location(uris.from_fs_path(str(Path(place.file).resolve())) or held.uri, lsp.Range(at, at))
