"""`rftconf studio`: a page on this machine for everything that the other verbs do with one config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer


def studio(
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Where to listen; 0 finds a port that is free.")
    ] = 7367,
    browser: Annotated[bool, typer.Option("--open", help="Also open the page in the browser.")] = False,
) -> int:
    """Open a page on this machine: convert, check, price, compare and begin configs.

    It listens on the loopback interface alone, under an address with a word that is new with every start, keeps
    nothing, and asks nobody. Stop it with Ctrl-C. It needs the extra studio: in
    the checkout, pip install '.[studio]'.

    \b
    Examples:
      rftconf studio
      rftconf studio --port 0 --open
    """
    from rftconf.base.errors import UsageError
    from rftconf.verbs import output as out

    try:
        from rftconf.studio.server import serve
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn", "anyio", "h11", "idna"):
            raise
        from rftconf.verbs.installation import install_line

        raise UsageError(f"the studio needs a web server: {install_line('studio')}") from None

    def say(address: str) -> None:
        out.product(f"{address}\n", own=True)
        out.report("rftconf studio is at this address, for this machine alone; Ctrl-C stops it\n")
        if browser:
            import webbrowser

            webbrowser.open(address)

    serve(port, say)
    return 0
