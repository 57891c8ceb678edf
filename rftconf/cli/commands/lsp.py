"""`rftconf lsp`: findings, pages, completion and fixes in an editor."""

from __future__ import annotations


def lsp() -> int:
    """Serve an editor over standard input and output, in the Language Server Protocol.

    It follows YAML files and shell scripts: findings as they are typed, hover, completion, quick fixes.
    Needs the extra: pip install 'rftconf[lsp]'.

    \b
    Examples:
      rftconf lsp
      in Neovim: vim.lsp.start({ name = "rftconf", cmd = { "rftconf", "lsp" }, root_dir = vim.fn.getcwd() })
    """
    from rftconf.errors import UsageError

    try:
        from rftconf.cli.language_server import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs", "attr"):
            raise
        raise UsageError("the language server needs pygls: pip install 'rftconf[lsp]'") from None
    server().start_io()
    return 0
