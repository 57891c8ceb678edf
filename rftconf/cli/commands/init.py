"""`rftconf init`: settings for a project, from the configs that lie in it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rftconf.cli import options


def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="The project; where the settings go.")] = Path(),
    from_: options.From = None,
    from_release: options.FromRelease = None,
    pyproject: Annotated[
        bool, typer.Option("--pyproject", help="Write [tool.rftconf] into pyproject.toml instead of rftconf.toml.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over settings that are there.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be written, and write nothing.")] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> int:
    """Write settings for a project from the configs that are found in it, and say what else to set up.

    The framework is written where all configs are for the same one. The release is written only when it is named:
    which one is installed is not to be seen from a config.

    \b
    Examples:
      rftconf init
      rftconf init --from-release 0.7.1
      rftconf init configs/ --pyproject --dry-run

    Exit: 0 written (or shown), 2 no config, settings that are there already, or usage.
    """
    from rftconf.verbs import init_project as starting
    from rftconf.verbs import output as out

    start = starting.start(folder, from_, from_release, pyproject=pyproject, force=force)
    if not dry_run:
        out.product(start.text, start.file)
    if json:
        out.product_json(starting.as_json(start, written=not dry_run))
    elif dry_run:
        out.product(start.text)
    if not quiet and not json:
        out.report(starting.report(start, written=not dry_run))
    return 0
