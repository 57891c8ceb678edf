"""The full parser of the command line: for help, completion, and whatever `cli.plain` does not read by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Annotated

import typer

from rftconf.cli import options
from rftconf.cli.verb_names import VERBS


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
        # the verbs name both in annotations only, and nobody but the parser reads those
        vars(module).update(typer=typer, options=options)
        app.command(verb, short_help=VERBS[verb])(getattr(module, verb))
    return app


def _version(show: bool) -> None:
    if show:
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
    """One RL post-training run, whatever framework it is written for: read, convert, check, compare, run it.

    \b
    Examples:
      rftconf convert run_grpo.sh --to trinity -o grpo.yaml
      rftconf check configs/
      rftconf diff run_grpo.sh grpo.yaml
      rftconf plan run_grpo.sh
      rftconf explain KEY001
      rftconf init
    """


def command(verbs: Iterable[str], words: Sequence[str]) -> Callable[[], object]:
    """Return the call that runs `words` through the parser."""
    built = typer.main.get_command(application(verbs))
    return lambda: built.main(list(words), prog_name="rftconf", standalone_mode=False)
