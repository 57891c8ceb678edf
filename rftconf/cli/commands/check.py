"""`rftconf check`: what is wrong with configs, by line and column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def check(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE…", help="Files, folders or patterns; - is standard input.")
    ],
    from_: options.From = None,
    from_release: options.FromRelease = None,
    select: Annotated[
        list[str] | None, typer.Option("--select", metavar="CODE", help="Only these codes or families (BAT,KEY001).")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option("--ignore", metavar="CODE", help="All but these.")] = None,
    severity: Annotated[
        Literal["error", "warning", "info"] | None,
        typer.Option("--severity", help="The least severity that is shown; warning unless the project says otherwise."),
    ] = None,
    form: Annotated[
        Literal["text", "concise", "json", "sarif", "github", "gitlab", "junit"],
        typer.Option("--format", help="How to print findings."),
    ] = "text",
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    output: Annotated[
        list[str] | None, typer.Option("--output", "-o", metavar="FORMAT=FILE", help="Also write this format there.")
    ] = None,
    statistics: Annotated[bool, typer.Option("--statistics", help="Count findings by code instead.")] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit 0 also when something is found.")] = False,
    fix: Annotated[bool, typer.Option("--fix", help="Make the fixes that leave the run the same.")] = False,
    unsafe_fixes: Annotated[
        bool, typer.Option("--unsafe-fixes", help="Also those that change what the run does.")
    ] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Show what fixes would change, and change nothing.")] = False,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Leave out the findings that it holds.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option("--write-baseline", metavar="FILE", help="Write all findings there, and exit 0.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings; the nearest rftconf.toml when absent.")
    ] = None,
    gpu: Annotated[
        str, typer.Option("--gpu", metavar="NAME", help="What the run will get, e.g. h100-80g; for codes MEM.")
    ] = "",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", min=1, help="Processes; as many as processors where it pays."),
    ] = None,
    cache: Annotated[bool, typer.Option("--cache", help="Keep results by content in .rftconf_cache.")] = False,
    mixed: Annotated[
        bool, typer.Option("--mixed", help="Pass over configs of frameworks that are not read, instead of exit 3.")
    ] = False,
    set_: options.Set = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.Launch = None,
    base: options.Base = None,
    sources: options.Sources = None,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Find what is wrong with configs, also inside shell scripts: each finding at its line and column.

    Findings go to standard output. Files that are no config of a known framework are passed over; one of a framework
    that is not read (slime, AReaL, ...) is named.
    rftconf explain CODE says why something is found; # rftconf: ignore[CODE] silences it.

    \b
    Examples:
      rftconf check run_grpo.sh
      rftconf check configs/ --fix
      rftconf check configs/ --format github --output sarif=out.sarif
      rftconf check run_grpo.sh --from-release 0.7.1 --severity info
      rftconf check run_grpo.sh --gpu h100-80g --select MEM

    Exit: 0 clean, 1 errors or warnings, 2 unreadable or usage, 3 a named file is of a framework that is not read.
    """
    from rftconf.verbs import check_project as check_run

    request = check_run.CheckRequest(
        files=tuple(files),
        framework=from_,
        release=from_release,
        select=check_run.codes(select),
        ignore=check_run.codes(ignore),
        severity=severity,
        form="json" if json else form,
        outputs=tuple(output or ()),
        statistics=statistics,
        exit_zero=exit_zero,
        fix=fix or unsafe_fixes or diff,
        unsafe=unsafe_fixes,
        diff=diff,
        baseline=baseline,
        write_baseline=write_baseline,
        config=config,
        gpu=gpu,
        jobs=jobs,
        cache=cache,
        mixed=mixed,
        quiet=quiet,
        color=color,
    )
    return check_run.run(
        request,
        lambda framework, release, bound: check_run.reading_of(
            framework, release, [*bound, *(set_ or ())], env, args, launch, base, sources
        ),
    )
