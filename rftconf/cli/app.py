"""The `rftconf` command. Nothing is imported here that a verb's `--help` does not need."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Annotated

import click
import typer

from rftconf.cli import failure

_COMPLETING = "_RFTCONF_COMPLETE"
"""Set while a shell asks for completions."""

VERBS = {
    "convert": "Write a config for another framework.",
    "check": "Find what is wrong with configs, by line and column.",
    "plan": "Print what a config means: the canonical plan.",
    "budget": "Price a run in GPU memory: will it fit, and what to change.",
    "explain": "Say what a diagnostic's code, or a key, means.",
    "init": "Write rftconf.toml from what is found in a folder.",
    "lsp": "Serve an editor: findings, hover, completion, fixes.",
    "schema": "Print a JSON Schema: of the plan, of a framework, of the settings.",
}
"""Each is a module of its name in `rftconf.cli.commands`, with a function of its name."""


def application(verbs: Iterable[str] = tuple(VERBS)) -> typer.Typer:
    """The command with some of its verbs; building all of them costs more than most verbs need to run."""
    app = typer.Typer(
        name="rftconf",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(root)
    for verb in verbs:
        module = import_module(f"rftconf.cli.commands.{verb}")
        app.command(verb, short_help=VERBS[verb])(getattr(module, verb))
    return app


def _version(wanted: bool) -> None:
    if wanted:
        from rftconf._version import __version__

        typer.echo(f"rftconf {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
    traceback: Annotated[
        bool, typer.Option("--traceback", help="Show where an unexpected error came from (or RFTCONF_TRACEBACK=1).")
    ] = False,
) -> None:
    """One RL post-training run, written for veRL or Trinity-RFT: read it, convert it, check it.

    \b
    Examples:
      rftconf convert run_grpo.sh --to trinity -o grpo.yaml
      rftconf check configs/
      rftconf plan run_grpo.sh
      rftconf explain KEY001
      rftconf init
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command line and give its exit code: 0 done, 1 findings, 2 unreadable or usage, 3 refused."""
    asked = arguments[0] if arguments else ""
    verbs = [asked] if asked in VERBS and _COMPLETING not in os.environ else list(VERBS)
    command = typer.main.get_command(application(verbs))
    # It may stand anywhere, because it is added to a line that has just failed.
    bare = [word for word in arguments if word != "--traceback"]
    try:
        code = command.main(bare, prog_name="rftconf", standalone_mode=False)
        # Python writes out what is left at exit, where a closed pipe would be reported.
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except BaseException as error:  # noqa: BLE001 -- this is the last place before a traceback
        return failure.exit_code(error, traceback=len(bare) < len(arguments))
    return code if isinstance(code, int) else 0


def main() -> None:
    """Entry point of the `rftconf` script."""
    # A command lives for a fraction of a second and keeps what it makes; collecting cycles took a fifth of its time.
    gc.set_threshold(200_000, 20, 100)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    sys.exit(run(sys.argv[1:]))
