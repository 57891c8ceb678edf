"""The SDK's client before a server whose answers come from this process, without workers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client
from mcp.types import CallToolResult, TextContent

from rftconf.mcp import answers
from rftconf.mcp.roots import Roots
from rftconf.mcp.server import server
from rftconf.service.answer import Answer

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "golden" / "convert"
T = TypeVar("T")


def with_client(talk: Callable[[Client], Coroutine[Any, Any, T]], *roots: Path) -> T:
    """Let `talk` speak with a server that reads below `roots`; in a thread, where no other loop runs."""
    return with_answers(talk, partial(answers.answer, Roots.of(roots)))


def with_answers(
    talk: Callable[[Client], Coroutine[Any, Any, T]], ask: Callable[[str, Mapping[str, Any]], Answer]
) -> T:
    """The same with answers from elsewhere."""

    async def run() -> T:
        async with Client(server(ask)) as client:
            return await talk(client)

    with ThreadPoolExecutor(1) as threads:
        return threads.submit(lambda: asyncio.run(run())).result()


def call(tool: str, arguments: dict[str, Any], *roots: Path) -> CallToolResult:
    """The answer to one call."""

    async def ask(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    return with_client(ask, *roots)


def text_of(result: CallToolResult) -> str:
    """The text of an answer."""
    (part,) = result.content
    assert isinstance(part, TextContent)
    return part.text


def content_of(result: CallToolResult) -> dict[str, Any]:
    """The typed content of an answer that is no error."""
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content
