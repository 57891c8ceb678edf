"""`rftconf runs`: what ran, how far, and what it earned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def runs(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FOLDER]...", help="Runs, or folders of runs; runs when absent.", show_default=False),
    ] = None,
    metric: Annotated[
        str, typer.Option("--metric", metavar="NAME", help="What is plotted for each run, e.g. reward or kl.")
    ] = "",
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write all curves as one page.")
    ] = None,
    output: options.Output = None,
    json: options.Json = False,
    color: options.Color = "auto",
) -> int:
    """List runs that `rftconf run` has made, and plot them.

    A line a run: periods done of those planned, the reward as it began and as it is, the largest lag of an answer
    behind the weights, processes that were lost and replaced, the last checkpoint. One run alone is plotted too.

    \b
    Examples:
      rftconf runs
      rftconf runs runs/first --metric kl
      rftconf runs runs/first runs/second --html curves.html
      rftconf runs --json

    Exit: 0 also when there is none, 2 a folder that is not there, a metric that no run has, or usage.
    """
    from rftconf.base.errors import UsageError
    from rftconf.runs.curve import curve_text, curves_html
    from rftconf.runs.table import runs_json, runs_text
    from rftconf.verbs import output as out
    from rftconf.verbs.run_folders import runs_in

    runs = runs_in(folders or ([Path("runs")] if Path("runs").is_dir() else []))
    if metric and runs and not any(metric in run.series() for run in runs):
        known = sorted({name for run in runs for name in run.series()})
        raise UsageError(f"no run has the metric {metric}; there are {', '.join(known) or 'none'}")
    if html is not None:
        out.product(
            curves_html(
                "Runs", {run.name: run.series() for run in runs}, {run.name: run.validation_series() for run in runs}
            ),
            html,
        )
    if json:
        out.product_json(runs_json(runs), output)
        return 0
    if not runs:
        out.report("no runs here; rftconf run makes them\n")
        return 0
    screen = out.product_screen(color if output is None else "never")
    plotted = [(run.name, run.series().get(metric or "reward", [])) for run in runs if metric or len(runs) == 1]
    curves = [curve_text(f"{name}: {metric or 'reward'}", values, screen) for name, values in plotted]
    out.product("\n".join([runs_text(runs, screen), *filter(None, curves)]), output)
    return 0
