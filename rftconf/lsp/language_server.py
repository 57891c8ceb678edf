"""The language server: pygls on one side, the session on the other. Only `rftconf lsp` imports this."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.language_server import lsp_method

from rftconf._version import __version__
from rftconf.lsp import protocol as answers
from rftconf.lsp.lines import Units
from rftconf.lsp.message_frames import INVALID_REQUEST, NOT_INITIALIZED, Flaw, Frames
from rftconf.lsp.session import Change, Open, Session

SOON, LATE, QUIET = 0.005, 0.1, 0.5
"""Seconds: a burst of changes is waited for; at most so long; and without changes the file is looked at thoroughly."""
_UNITS: dict[str, Units] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
_DEAR = 0.1
"""Seconds of a check after which typing is waited out."""


class Protocol(LanguageServerProtocol):
    """Leaves open documents to the session: pygls counts lines as `str.splitlines` does, which editors do not."""

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand it on."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_OPEN], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand it on."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> Generator[Any, Any, None]:
        """Hand it on."""
        yield self.fm.features[lsp.TEXT_DOCUMENT_DID_CLOSE], (params,), None


class Server(LanguageServer):
    """One editor's server."""

    def __init__(self) -> None:
        super().__init__("rftconf", __version__, protocol_cls=Protocol, max_workers=1)
        self.session = Session()
        self.is_initialized = False
        self._timers: dict[tuple[str, bool], asyncio.TimerHandle] = {}
        self._since: dict[str, float] = {}
        self._shown: dict[str, tuple[int | None, list[lsp.Diagnostic]]] = {}
        self._said: set[str] = set()

    def schedule(self, buffer: Open) -> None:
        """Check a changed document soon, and again thoroughly when it rests."""
        loop, uri = asyncio.get_running_loop(), buffer.uri
        first = self._since.setdefault(uri, loop.time())
        wait = SOON if buffer.cost < _DEAR else 2 * buffer.cost
        due = min(loop.time() + wait, max(first + LATE, loop.time())) if buffer.cost < _DEAR else loop.time() + wait
        self.cancel(uri)
        self._timers[uri, False] = loop.call_at(due, self.look, uri, False)
        self._timers[uri, True] = loop.call_at(due + QUIET, self.look, uri, True)

    def cancel(self, uri: str) -> None:
        """Forget what was planned for a document."""
        for thorough in (False, True):
            timer = self._timers.pop((uri, thorough), None)
            if timer is not None:
                timer.cancel()

    def look(self, uri: str, thorough: bool) -> None:
        """Check a document and tell the editor, where something changed."""
        buffer = self.session.documents.get(uri)
        if buffer is None:
            return
        self._since.pop(uri, None)
        self.session.check(buffer, thorough=thorough)
        for problem in {buffer.project.problem, buffer.problem} - {"", *self._said}:
            self._said.add(problem)
            self.window_log_message(lsp.LogMessageParams(lsp.MessageType.Warning, problem))
        diagnostics = answers.diagnostics(buffer)
        if self._shown.get(uri) != (buffer.version, diagnostics):
            self._shown[uri] = (buffer.version, diagnostics)
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, buffer.version))

    def forget(self, uri: str) -> None:
        """Forget a closed document and clear its diagnostics in the editor."""
        self.cancel(uri)
        self._since.pop(uri, None)
        self._shown.pop(uri, None)
        self.session.close(uri)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def path_of(uri: str) -> Path | None:
    """The file of a document, None for one that is in no file."""
    name = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return Path(name) if name and "\0" not in name else None


def changes_of(params: lsp.DidChangeTextDocumentParams) -> list[Change]:
    """The protocol's changes as the session takes them."""
    changes: list[Change] = []
    for change in params.content_changes:
        where = None
        if isinstance(change, lsp.TextDocumentContentChangePartial):
            start, end = change.range.start, change.range.end
            where = (start.line, start.character), (end.line, end.character)
        changes.append((where, change.text))
    return changes


class _Output:
    """The stream for answers. It stays open when the server ends, for it is Python's own output."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()

    def close(self) -> None:
        self._stream.flush()


def serve(server: Server, read: Callable[[int], bytes], output: BinaryIO) -> int:
    """Answer what `read` gives until it ends or the editor says `exit`; the exit code that the protocol wants."""
    # What pygls logs is answered in the protocol too; an editor shows standard error as a crash.
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    logging.getLogger("pygls").propagate = False
    server.protocol.set_writer(_Output(output))
    try:
        asyncio.run(_listen(server, read))
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except BrokenPipeError:
        return 1
    finally:
        server.shutdown()  # type: ignore[no-untyped-call]
    return 0


async def _listen(server: Server, read: Callable[[int], bytes]) -> None:
    frames, loop = Frames(), asyncio.get_running_loop()
    while data := await loop.run_in_executor(server.thread_pool, read, 1 << 16):
        for message in frames.feed(data):
            _handle(server, message)


def _handle(server: Server, message: dict[str, Any] | Flaw) -> None:
    """Hand a message on; one that cannot be handled is answered with an error, as JSON-RPC 2.0 has it."""
    flaw = message if isinstance(message, Flaw) else _out_of_turn(server, message)
    if isinstance(message, dict) and flaw is None and not _is_idle(server, message):
        if server.protocol.get_message_type(message.get("method", "")) is None and "method" in message:
            message.setdefault(
                "params", None
            )  # a method that is not known is answered as such, with parameters or without
        try:
            server.protocol.handle_message(server.protocol.structure_message(message))
        except JsonRpcException as error:
            if "id" in message:
                flaw = Flaw(error.code, f"parameters that {message.get('method')} does not take", message["id"])
        if message.get("method") == lsp.INITIALIZE and flaw is None:
            server.is_initialized = True
    if flaw is not None:
        answer = {"code": flaw.code, "message": flaw.message}
        server.protocol._send_data({"jsonrpc": "2.0", "id": flaw.id, "error": answer})


def _out_of_turn(server: Server, message: dict[str, Any]) -> Flaw | None:
    """The error for a request that comes before `initialize`, and for a second `initialize`."""
    if "method" not in message or "id" not in message:
        return None
    if message["method"] == lsp.INITIALIZE:
        second = Flaw(INVALID_REQUEST, "initialize is sent once", message["id"])
        return second if server.is_initialized else None
    early = Flaw(NOT_INITIALIZED, f"{message['method']} came before initialize", message["id"])
    return None if server.is_initialized else early


def _is_idle(server: Server, message: dict[str, Any]) -> bool:
    """True for a notification that has nothing to act on: before `initialize`, or a cancelled id that is none."""
    method = message.get("method")
    if method == lsp.CANCEL_REQUEST:
        params = message.get("params")
        return not isinstance(params, dict) or not isinstance(params.get("id"), (str, int))
    return method not in (None, lsp.INITIALIZE, lsp.EXIT) and not server.is_initialized


def server() -> Server:
    """A server with everything that it answers."""
    server = Server()
    _documents(server)
    _questions(server)
    return server


def _documents(server: Server) -> None:
    @server.feature(lsp.INITIALIZED)
    def initialized(ls: Server, _: lsp.InitializedParams) -> None:
        agreed = ls.server_capabilities.position_encoding
        ls.session.units = _UNITS.get(getattr(agreed, "value", agreed) or "", "utf-16")
        asyncio.get_running_loop().call_later(QUIET, answers.warm_up)

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: Server, params: lsp.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = path_of(item.uri)
        name = str(path) if path is not None else item.uri
        ls.session.open(item.uri, name, item.text, item.version, path)
        ls.look(item.uri, True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(ls: Server, params: lsp.DidChangeTextDocumentParams) -> None:
        buffer = ls.session.change(params.text_document.uri, changes_of(params), params.text_document.version)
        if buffer is not None:
            ls.schedule(buffer)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: Server, _: lsp.DidSaveTextDocumentParams) -> None:
        for uri in list(ls.session.documents):  # settings, or a file that another one names, may have changed
            ls.look(uri, True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: Server, params: lsp.DidCloseTextDocumentParams) -> None:
        ls.forget(params.text_document.uri)


def _questions(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(ls: Server, params: lsp.HoverParams) -> lsp.Hover | None:
        buffer = ls.session.documents.get(params.text_document.uri)
        return None if buffer is None else answers.hover(buffer, params.position)

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=[".", "=", ":", " ", "+"], resolve_provider=True),
    )
    def complete(ls: Server, params: lsp.CompletionParams) -> lsp.CompletionList:
        buffer = ls.session.documents.get(params.text_document.uri)
        items = [] if buffer is None else answers.completions(buffer, params.position)
        return lsp.CompletionList(is_incomplete=False, items=items)

    @server.feature(lsp.COMPLETION_ITEM_RESOLVE)
    def resolve(_: Server, item: lsp.CompletionItem) -> lsp.CompletionItem:
        return answers.resolved(item)

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions([lsp.CodeActionKind.QuickFix, lsp.CodeActionKind.SourceFixAll]),
    )
    def act(ls: Server, params: lsp.CodeActionParams) -> Sequence[lsp.CodeAction]:
        buffer = ls.session.documents.get(params.text_document.uri)
        return [] if buffer is None else answers.code_actions(ls.session, buffer, params)
