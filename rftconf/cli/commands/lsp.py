"""`rftconf lsp`: findings, pages, completion and fixes in an editor."""

from __future__ import annotations


def lsp() -> int:
    """Serve an editor over standard input and output, in the Language Server Protocol.

    It follows YAML files and shell scripts: findings as they are typed, hover, completion, quick fixes.
    It needs the extra lsp: in the checkout, pip install '.[lsp]'.

    \b
    Examples:
      rftconf lsp
      in Neovim: vim.lsp.start({ name = "rftconf", cmd = { "rftconf", "lsp" }, root_dir = vim.fn.getcwd() })
    """
    import os
    import sys
    from functools import partial

    from rftconf.base.errors import UsageError

    try:
        from rftconf.lsp.language_server import serve, server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pygls", "lsprotocol", "cattrs", "attrs", "attr"):
            raise
        from rftconf.verbs.installation import install_line

        raise UsageError(f"the language server needs pygls: {install_line('lsp')}") from None
    return serve(server(), partial(os.read, sys.stdin.fileno()), sys.stdout.buffer)
