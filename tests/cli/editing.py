"""An editor for tests: pygls' own client on the other end of the server's standard input and output."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeAlias

import pytest
from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from rftconf.lint.rule import trinity, verl
from tests.lint.bases import as_shell, as_yaml

URI = "file:///nowhere/run.yaml"
SHELL = "file:///nowhere/run.sh"
YAML = as_yaml(trinity())
SCRIPT = as_shell(verl())


class Editor(LanguageClient):
    """An editor with one server, and the findings it was last told."""

    def __init__(self) -> None:
        super().__init__("tests", "1")
        self.told: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.log: list[str] = []
        self.opened: set[str] = set()

        @self.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.told.put_nowait(params)

        @self.feature(lsp.WINDOW_LOG_MESSAGE)
        def logged(params: lsp.LogMessageParams) -> None:
            self.log.append(params.message)

    async def start(self, *units: str) -> lsp.InitializeResult:
        await self.start_io(sys.executable, "-m", "rftconf", "lsp")
        general = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind(u) for u in units] or None)
        params = lsp.InitializeParams(capabilities=lsp.ClientCapabilities(general=general))
        result = await self.initialize_async(params)
        self.initialized(lsp.InitializedParams())
        return result

    async def findings(self, version: int | None = None) -> lsp.PublishDiagnosticsParams:
        """What is told of this version, or next."""
        while True:
            published = await asyncio.wait_for(self.told.get(), 20)
            if version is None or published.version == version:
                return published

    async def opens(self, text: str, uri: str = URI) -> list[lsp.Diagnostic]:
        self.opened.add(uri)
        language = "yaml" if uri == URI else "shellscript"
        item = lsp.TextDocumentItem(uri, language, 1, text)
        self.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return list((await self.findings(1)).diagnostics)

    def closes(self, uri: str = URI) -> None:
        self.opened.discard(uri)
        self.text_document_did_close(lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(uri)))

    async def hover(self, position: lsp.Position, uri: str = URI) -> str:
        params = lsp.HoverParams(lsp.TextDocumentIdentifier(uri), position)
        hover = await asyncio.wait_for(self.text_document_hover_async(params), 20)
        if hover is None:
            return ""
        assert isinstance(hover.contents, lsp.MarkupContent)
        return hover.contents.value

    def types(self, version: int, *changes: lsp.TextDocumentContentChangeEvent, uri: str = URI) -> None:
        identifier = lsp.VersionedTextDocumentIdentifier(version, uri)
        self.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, list(changes)))


def edit(
    line: int, start: int, end: int, text: str, *, last: int | None = None
) -> lsp.TextDocumentContentChangePartial:
    stop = lsp.Position(line if last is None else last, end)
    return lsp.TextDocumentContentChangePartial(lsp.Range(lsp.Position(line, start), stop), text)


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    event_loop = asyncio.new_event_loop()
    yield event_loop
    event_loop.run_until_complete(event_loop.shutdown_asyncgens())
    event_loop.close()


async def started(*units: str) -> Editor:
    editor = Editor()
    await editor.start(*units)
    return editor


async def ended(editor: Editor) -> None:
    try:
        await editor.shutdown_async(None)
    finally:
        editor.exit(None)
        await asyncio.wait_for(editor.stop(), 20)  # type: ignore[no-untyped-call]


@pytest.fixture(scope="module")
def shared(loop: asyncio.AbstractEventLoop) -> Iterator[Editor]:
    """One server for all tests: starting one takes longer than what it is asked."""
    editor = loop.run_until_complete(started())
    yield editor
    loop.run_until_complete(ended(editor))


Play: TypeAlias = Callable[[Editor], Awaitable[None]]
Session: TypeAlias = Callable[[Play], None]


@pytest.fixture
def session(loop: asyncio.AbstractEventLoop, shared: Editor) -> Iterator[Callable[[Play], None]]:
    """Run a play on the shared server; what it left open is closed."""

    def act(play: Play) -> None:
        async def run() -> None:
            await play(shared)

        loop.run_until_complete(run())

    yield act

    async def close() -> None:
        for uri in list(shared.opened):
            shared.closes(uri)
        await shared.hover(lsp.Position(0, 0))
        while not shared.told.empty():
            shared.told.get_nowait()

    loop.run_until_complete(close())


def where(text: str, part: str) -> lsp.Position:
    position = text.index(part)
    line = text.count("\n", 0, position)
    return lsp.Position(line, position - (text.rfind("\n", 0, position) + 1))


def codes(diagnostics: list[lsp.Diagnostic]) -> set[str]:
    return {str(d.code) for d in diagnostics}


def of_code(result: lsp.PublishDiagnosticsParams | list[lsp.Diagnostic], code: str) -> list[lsp.Diagnostic]:
    listed = result if isinstance(result, list) else result.diagnostics
    return [d for d in listed if d.code == code]


def applied(text: str, action: lsp.CodeAction) -> str:
    """What an editor makes of a code action; its edits do not overlap, and columns are those of plain ASCII lines."""
    assert action.edit is not None
    assert action.edit.document_changes is not None
    (change,) = action.edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    lines = text.split("\n")
    for new_edit in sorted(change.edits, key=lambda e: (-e.range.start.line, -e.range.start.character)):
        assert isinstance(new_edit, lsp.TextEdit)
        first, last = new_edit.range.start, new_edit.range.end
        head, tail = lines[first.line][: first.character], lines[last.line][last.character :]
        lines[first.line : last.line + 1] = (head + new_edit.new_text + tail).split("\n")
    return "\n".join(lines)


async def proposed(editor: Editor, position: lsp.Position, uri: str = URI) -> dict[str, lsp.CompletionItem]:
    params = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), position)
    result = await editor.text_document_completion_async(params)
    assert isinstance(result, lsp.CompletionList)
    return {item.label: item for item in result.items}


async def offered(
    editor: Editor, position: lsp.Position, *only: lsp.CodeActionKind, uri: str = URI
) -> list[lsp.CodeAction]:
    context = lsp.CodeActionContext([], only=list(only) or None)
    params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), lsp.Range(position, position), context)
    result = await editor.text_document_code_action_async(params)
    return [action for action in result or () if isinstance(action, lsp.CodeAction)]
