"""Agents talk to this server, over standard input and output or over HTTP on the loopback interface."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any

import mcp.types as protocol
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from starlette.applications import Starlette

from rftconf._version import __version__
from rftconf.mcp.names import HAZARDS, PAGE, PAGES, READ_FRAMEWORKS, RULES, TOOLS
from rftconf.mcp.processes import loading
from rftconf.mcp.roots import Roots
from rftconf.service.answer import Answer
from rftconf.service.http_server import serve_application
from rftconf.service.loopback import LOOPBACK, hosts, listening
from rftconf.service.workers import Workers

Ask = Callable[[str, Mapping[str, Any]], Answer]
MOST_AT_ONCE = 200
"""Connections over HTTP; beyond them the server says that it is busy."""
INSTRUCTIONS = (
    f"Reads configs of RL post-training ({', '.join(READ_FRAMEWORKS)}) and writes no file. Give a "
    "config as {'path': …} below a root, or as {'text': …}. After every change, check. Show a person what is lost, what "
    "changes the learning and what is left to decide before you use a converted config."
)
_READS = protocol.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class Service:
    """It answers the protocol's requests; `ask` reaches the processes that know."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask

    async def list_tools(self, *_: Any) -> protocol.ListToolsResult:
        """List the tools with the types of their arguments and answers."""
        return protocol.ListToolsResult(
            tools=[
                protocol.Tool(
                    name=name,
                    title=tool.title,
                    description=tool.description,
                    input_schema=tool.request.model_json_schema(),
                    output_schema=tool.result.model_json_schema(mode="serialization"),
                    annotations=_READS,
                )
                for name, tool in TOOLS.items()
            ]
        )

    async def call_tool(
        self, _: ServerRequestContext[Any], call: protocol.CallToolRequestParams
    ) -> protocol.CallToolResult:
        """Answer a call; an error is an answer too, with the sentence that the command line prints."""
        if call.name not in TOOLS:
            sentence = f"there is no tool {call.name:.80}; there are {', '.join(TOOLS)}"
            return protocol.CallToolResult(content=[protocol.TextContent(text=sentence)], is_error=True)
        content, sentence = await self._asked(call.name, call.arguments or {})
        if sentence:
            return protocol.CallToolResult(content=[protocol.TextContent(text=sentence)], is_error=True)
        text = json.dumps(content, ensure_ascii=False)
        return protocol.CallToolResult(content=[protocol.TextContent(text=text)], structured_content=content)

    async def list_resources(self, *_: Any) -> protocol.ListResourcesResult:
        """List the pages of all rules and hazards."""
        content, _sentence = await self._asked(PAGES, {})
        return protocol.ListResourcesResult(
            resources=[
                protocol.Resource(uri=page["address"], name=page["name"], title=page["title"], mime_type="text/plain")
                for page in content.get("pages", ())
            ]
        )

    async def list_templates(self, *_: Any) -> protocol.ListResourceTemplatesResult:
        """List the two kinds of addresses."""
        kinds = (
            (f"{RULES}{{code}}", "rule", "Page of a diagnostic's code"),
            (f"{HAZARDS}{{id}}", "hazard", "A hazard"),
        )
        return protocol.ListResourceTemplatesResult(
            resource_templates=[
                protocol.ResourceTemplate(uri_template=address, name=name, title=title, mime_type="text/plain")
                for address, name, title in kinds
            ]
        )

    async def read_resource(
        self, _: ServerRequestContext[Any], request: protocol.ReadResourceRequestParams
    ) -> protocol.ReadResourceResult:
        """Give the page at an address."""
        address = str(request.uri)
        content, sentence = await self._asked(PAGE, {"address": address})
        if sentence:
            raise MCPError(protocol.INVALID_PARAMS, sentence)
        page = protocol.TextResourceContents(uri=address, mime_type="text/plain", text=content["text"])
        return protocol.ReadResourceResult(contents=[page])

    async def _asked(self, name: str, fields: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """Return the content of an answer, or else the sentence of its error."""
        reply = await asyncio.to_thread(self.ask, name, fields)
        content: dict[str, Any] = json.loads(reply.body)
        if reply.status == 200:
            return content, ""
        error = content["error"]
        place = f"line {error['line']}: " if error.get("line") else ""
        choices = "".join(f"\n  possible: {choice}" for choice in error.get("choices", ()))
        return {}, f"{place}{error['message']}{choices}"


def server(ask: Ask) -> Server[Any]:
    """Make the server; its answers come from `ask`."""
    service = Service(ask)
    return Server(
        "rftconf",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=service.list_tools,
        on_call_tool=service.call_tool,
        on_list_resources=service.list_resources,
        on_list_resource_templates=service.list_templates,
        on_read_resource=service.read_resource,
    )


def application(ask: Ask, port: int) -> Starlette:
    """Serve over HTTP, for clients of this machine alone: other hosts and other pages are refused."""
    names = hosts(port)
    guard = TransportSecuritySettings(allowed_hosts=list(names), allowed_origins=[f"http://{name}" for name in names])
    return server(ask).streamable_http_app(stateless_http=True, json_response=True, transport_security=guard)


def serve_stdio(roots: Roots) -> None:
    """Serve one agent over standard input and output until it closes them."""
    workers = Workers(loading(roots))

    async def run() -> None:
        instance = server(workers.ask)
        async with stdio_server() as (read, write):
            await instance.run(read, write, instance.create_initialization_options())

    try:
        asyncio.run(run())
    except KeyboardInterrupt:
        pass  # Ctrl-C is how a person ends it
    finally:
        workers.end()


def serve_http(roots: Roots, port: int, say: Callable[[str], None]) -> None:
    """Serve until interrupted. `say` gets the address. Raises UsageError for a port that is taken."""
    with listening(port, "--http") as listener:
        port = listener.getsockname()[1]
        workers = Workers(loading(roots))
        try:
            app = application(workers.ask, port)
            serve_application(app, listener, MOST_AT_ONCE, lambda: say(f"http://{LOOPBACK}:{port}/mcp"))
        finally:
            workers.end()
