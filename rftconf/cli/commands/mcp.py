"""`rftconf mcp`: the verbs as tools for agents, over the Model Context Protocol."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

_PACKAGES = ("mcp", "mcp_types", "starlette", "uvicorn", "anyio", "h11", "idna", "httpx2", "sse_starlette")
"""Top-level modules that the extra brings."""


def mcp(
    root: Annotated[
        list[Path] | None,
        typer.Option("--root", metavar="DIR", help="A folder whose files may be read; none without it, only texts."),
    ] = None,
    http: Annotated[
        int | None,
        typer.Option(
            "--http",
            metavar="N",
            min=0,
            max=65535,
            help="Listen on this port of the loopback interface; 0 finds one that is free.",
        ),
    ] = None,
) -> int:
    """Serve agents in the Model Context Protocol: check, fix, convert, budget, fit, diff, explain, migrate, new.

    It talks over standard input and output, or with --http to clients on this machine. Nothing is written, no file
    outside the roots is opened, and nobody else is asked. It needs the extra mcp: in
    the checkout, pip install '.[mcp]'.

    \b
    Examples:
      rftconf mcp --root .
      rftconf mcp --root configs --http 7368
      claude mcp add rftconf -- rftconf mcp --root .
    """
    from rftconf.base.errors import UsageError
    from rftconf.verbs import output as out

    try:
        from rftconf.mcp.server import serve_http, serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        from rftconf.verbs.installation import install_line

        raise UsageError(f"tools for agents need the protocol's package: {install_line('mcp')}") from None
    from rftconf.mcp.roots import Roots

    roots = Roots.of(root or ())
    if http is None:
        serve_stdio(roots)
        return 0

    def say(address: str) -> None:
        out.product(f"{address}\n", own=True)
        out.report("rftconf mcp is at this address, for this machine alone; Ctrl-C stops it\n")

    serve_http(roots, http, say)
    return 0
