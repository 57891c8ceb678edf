"""Answers of the language server: diagnostics, pages, proposals and fixes in the protocol's own types."""

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


def diagnostics(buffer: Open) -> list[lsp.Diagnostic]:
    """The findings of the last check."""
    return [_diagnostic(buffer, d) for d in buffer.found[:MOST]]


def _diagnostic(buffer: Open, d: Diagnostic) -> lsp.Diagnostic:
    in_other_file = d.place is not None and d.place.file != buffer.name
    message = f"{d.message}\n{d.help}" if d.help else d.message
    related = [
        lsp.DiagnosticRelatedInformation(_location(buffer, label.place), masked(label.note)) for label in d.related
    ]
    if in_other_file and d.place is not None:
        message = f"{d.place}: {message}"
        related.insert(0, lsp.DiagnosticRelatedInformation(_location(buffer, d.place), masked(d.message)))
    return lsp.Diagnostic(
        range=_range(buffer, 0, 0) if d.place is None or in_other_file else _of_place(buffer, d.place),
        message=masked(message),
        severity=_SEVERITIES[d.severity],
        code=d.code,
        source="rftconf",
        tags=[_TAGS[d.code]] if d.code in _TAGS else None,
        related_information=related or None,
    )


def hover(buffer: Open, position: lsp.Position) -> lsp.Hover | None:
    """The page of the key under the cursor."""
    if buffer.known is None:
        return None
    offset, document = buffer.lines.offset(position.line, position.character), buffer.document
    leaves = document.leaves if document is not None and document.text == buffer.text else ()
    leaf = next((x for x in leaves if _under(x.key_place, buffer, offset)), None)
    leaf = leaf or next((x for x in leaves if _under(x.place, buffer, offset)), None)
    key = leaf.key if leaf is not None else cursor.key_at(buffer.text, offset, _form(buffer))
    page = pages.page(buffer.known, key)
    if not page:
        return None
    where = _of_place(buffer, leaf.key_place) if leaf is not None and _under(leaf.key_place, buffer, offset) else None
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, page), where)


def completions(buffer: Open, position: lsp.Position) -> list[lsp.CompletionItem]:
    """Return the proposals for the cursor."""
    if buffer.known is None:
        return []
    offset, yaml = buffer.lines.offset(position.line, position.character), _form(buffer) == "yaml"
    position_in_text = cursor.in_yaml(buffer.text, offset) if yaml else cursor.in_overrides(buffer.text, offset)
    if position_in_text is None:
        return []
    written = frozenset(leaf.key for leaf in buffer.document.leaves) if buffer.document is not None else frozenset()
    proposals = keys.proposals(buffer.known, position_in_text, overrides=not yaml, written=written)
    where = _range(buffer, position_in_text.start, offset)
    about = [buffer.known.framework, buffer.known.release, buffer.known.trainer]
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
        for number, proposal in enumerate(proposals)
    ]


def resolved(item: lsp.CompletionItem) -> lsp.CompletionItem:
    """A proposal with the page of its key."""
    data: Any = item.data
    if isinstance(data, Sequence) and len(data) == 4 and data[0] in {v.name for v in registry.variants()}:
        framework, release, trainer, key = map(str, data)
        page = pages.page(catalogue.load(framework, release, trainer), key)
        item.documentation = lsp.MarkupContent(lsp.MarkupKind.Markdown, page) if page else None
    return item


def code_actions(session: Session, buffer: Open, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
    """Fixes of what is found in the asked range, and all safe fixes at once."""
    document = buffer.document
    if document is None or document.text != buffer.text:
        session.check(buffer, thorough=False)
        document = buffer.document
    if document is None:
        return []

    def again(text: str) -> tuple[Any, list[Diagnostic]]:
        return session.read_and_check(buffer, text)

    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    start = buffer.lines.offset(params.range.start.line, params.range.start.character)
    end = buffer.lines.offset(params.range.end.line, params.range.end.character)
    code_actions: list[lsp.CodeAction] = []
    if not only or any("quickfix".startswith(kind) for kind in only):
        code_actions = [_action(buffer, action) for action in fixes.actions(document, buffer.found, start, end, again)]
    if any("source.fixAll.rftconf".startswith(kind) for kind in only):
        text = fixes.fix_all(document, buffer.found, again)
        if text is not None:
            edit = lsp.TextEdit(_range(buffer, 0, len(buffer.text)), text)
            title = "make all fixes that leave the run the same"
            code_actions.append(lsp.CodeAction(title, lsp.CodeActionKind.SourceFixAll, edit=_edit(buffer, [edit])))
    return code_actions


def _action(buffer: Open, action: fixes.Action) -> lsp.CodeAction:
    edits = [lsp.TextEdit(_range(buffer, p.span.start, p.span.end), p.text) for p in action.patches]
    return lsp.CodeAction(
        action.title,
        lsp.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(buffer, action.finding)],
        is_preferred=(action.safe and action.finding.fix is not None and action.title == action.finding.fix.title)
        or None,
        edit=_edit(buffer, edits),
    )


def _edit(buffer: Open, edits: list[lsp.TextEdit]) -> lsp.WorkspaceEdit:
    # bound to the version that they were made for, so that an editor refuses them after further typing
    document = lsp.OptionalVersionedTextDocumentIdentifier(buffer.uri, buffer.version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, list(edits))])


def warm_up() -> None:
    """Load what the first hover needs while the editor is idle."""
    from rftconf.lint import key_help as editor

    for name in registry.FRAMEWORKS:
        editor.facts(name, "")


def _form(buffer: Open) -> str:
    from rftconf.text.read.read import form_of
    from rftconf.text.source import Source

    return buffer.document.form if buffer.document is not None else form_of(Source(buffer.name, buffer.text))


def _under(place: Place, buffer: Open, offset: int) -> bool:
    return place.file == buffer.name and place.span.start <= offset <= place.span.end


def _of_place(buffer: Open, place: Place) -> lsp.Range:
    return _range(buffer, place.span.start, place.span.end)


def _range(buffer: Open, start: int, end: int) -> lsp.Range:
    return lsp.Range(lsp.Position(*buffer.lines.position(start)), lsp.Position(*buffer.lines.position(end)))


def _location(buffer: Open, place: Place) -> lsp.Location:
    if place.file == buffer.name:
        return lsp.Location(buffer.uri, _of_place(buffer, place))
    position = lsp.Position(place.span.line - 1, place.span.col - 1)
    return lsp.Location(uris.from_fs_path(str(Path(place.file).resolve())) or buffer.uri, lsp.Range(position, position))
