"""`rftconf migrate`: the same file for another release of its framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def migrate(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Files, folders or patterns; - is standard input.")
    ],
    to_release: Annotated[
        str, typer.Option("--to-release", metavar="RELEASE", help="The release to write for, newer or older.")
    ],
    from_: options.From = None,
    from_release: options.FromRelease = None,
    set_: options.Set = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.Launch = None,
    base: options.Base = None,
    sources: options.Sources = None,
    rows: options.Rows = None,
    assume: options.Assume = None,
    diff: Annotated[bool, typer.Option("--diff", help="Show what would change, and change nothing.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit 1 when something would change.")] = False,
    on_loss: Annotated[
        options.OnLoss,
        typer.Option("--on-loss", help="error: refuse when something is lost; warn, allow: write all the same."),
    ] = "error",
    output: options.Output = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Report also what only the new release says.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Rewrite files in place for another release of their framework; only what must change does.

    Comments, order, quotes and variables stay. Keys are renamed, moved, split or taken out where they stand; a
    default that changed is written out where the old one mattered. The result is read back and compared with what
    the file meant: where something would be lost, nothing is written, and what it is is said (--on-loss warn writes).

    \b
    Examples:
      rftconf migrate run_grpo.sh --to-release 0.9.1 --diff
      rftconf migrate run_grpo.sh --from-release 0.5.0 --to-release 0.9.1
      rftconf migrate examples/ --from trinity --to-release 0.6.0 --check
      git show HEAD:run_grpo.sh | rftconf migrate - --to-release 0.9.1 > run_grpo.sh

    Exit: 0 done or nothing to do, 1 it would change (--check), 2 unreadable or usage, 3 refused, with the reason.
    """
    from rftconf.verbs import migrate_files as migrating
    from rftconf.verbs.read_arguments import assumptions, reading

    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    request = migrating.MigrateRequest(
        tuple(files),
        to_release,
        how,
        rows,
        assumptions(assume),
        diff=diff,
        check=check,
        on_loss=on_loss,
        output=output,
        verbose=verbose,
        json=json,
        quiet=quiet,
        color=color,
    )
    return migrating.run(request)
