"""`rftconf metrics`: which logged metric of one framework is which of another, and files of metrics in other words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from fractions import Fraction

    import typer

    from rftconf.cli import options
    from rftconf.plan.units import Unit


def metrics(
    frameworks: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FRAMEWORK]…", help="verl, trinity, roll, chatlearn, trl, runner; all when absent."),
    ] = None,
    rename: Annotated[
        Path | None,
        typer.Option("--rename", metavar="FILE.jsonl", help="Rewrite this file of metrics; - is standard input."),
    ] = None,
    from_: Annotated[str | None, typer.Option("--from", metavar="FRAMEWORK", help="Who wrote the file.")] = None,
    to: Annotated[str | None, typer.Option("--to", metavar="FRAMEWORK", help="In whose words it should be.")] = None,
    to_release: Annotated[
        str | None,
        typer.Option(
            "--to-release", metavar="RELEASE", help="The release whose names are written; the newest when absent."
        ),
    ] = None,
    config: Annotated[
        list[Path] | None,
        typer.Option("--config", metavar="FILE", help="A config of the run, which tells what its steps are worth."),
    ] = None,
    set_: options.Set = None,
    output: options.Output = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Show which logged metric of one framework is which of another: name, unit, step counter, and why values differ.

    With --rename, rewrite a file with one JSON object a line, so that two runs' curves can be laid over each other.
    Names of older releases are understood, and written with --to-release.
    Metrics that the other framework does not log keep their names and are reported. Steps are converted where both count
    alike or a config tells the factor. Trinity logs to two runs, so a line may become two, told apart by "run".

    \b
    Examples:
      rftconf metrics verl trinity
      rftconf metrics roll chatlearn --json
      rftconf metrics --rename run.jsonl --from verl --to roll -o renamed.jsonl
      rftconf metrics --rename run.jsonl --from verl --to trinity --config run_grpo.sh --config grpo.yaml
    """
    from rftconf.base.errors import UsageError
    from rftconf.metrics.quantity import side
    from rftconf.verbs import output as out

    if rename is None:
        if from_ or to or to_release or config or set_:
            raise UsageError("--from, --to, --to-release, --config and --set belong to --rename FILE")
        return _table([side(name) for name in frameworks or ()], output, json=json, color=color)
    if not (from_ and to) or frameworks:
        raise UsageError("--rename FILE needs --from FRAMEWORK and --to FRAMEWORK, and takes no other framework")
    if json and output is None:
        raise UsageError("--json prints the report on standard output, so the metrics need -o FILE")
    from rftconf.metrics.log_lines import MOST_BYTES
    from rftconf.metrics.rename import Renaming, write_json_lines
    from rftconf.metrics.steps import together
    from rftconf.text.source import open_source
    from rftconf.verbs.metrics_text import report_json, report_text

    counters = {str(file): _counters_of_config(file, set_) for file in config or ()}
    renaming = Renaming(side(from_), side(to), together(counters), release=_release(side(to), to_release))
    opened = open_source(rename, MOST_BYTES)
    text = write_json_lines(renaming.lines(opened.text, opened.name))
    if not renaming.report.lines:
        raise UsageError(f"{opened.name} has no metrics: one JSON object a line is expected")
    out.product(text, output)
    if json:
        out.product_json(report_json(renaming.report))
    elif not quiet:
        out.report(report_text(renaming.report, out.report_screen(color)))
    return 0


def _release(target: str, text: str | None) -> str:
    from rftconf.base.errors import UsageError
    from rftconf.metrics.quantity import RUNNER
    from rftconf.schemas import registry

    if text is None:
        return ""
    if target == RUNNER:
        raise UsageError("--to-release is for a framework; our runner has one set of names")
    return registry.release(registry.framework(target), text)


def _table(sides: list[str], output: Path | None, *, json: bool, color: options.Colour) -> int:
    from rftconf.metrics.quantity import RUNNER
    from rftconf.schemas.registry import FRAMEWORKS
    from rftconf.verbs import output as out
    from rftconf.verbs.metrics_text import table_json, table_text

    columns = list(dict.fromkeys(sides)) or [*FRAMEWORKS, RUNNER]
    if json:
        out.product_json(table_json(columns), output)
    else:
        out.product(table_text(columns, out.product_screen(color if output is None else "never")), output)
    return 0


def _counters_of_config(file: Path, bound: list[str] | None) -> dict[Unit, Fraction]:
    """Return the steps per rollout period, by their unit, that a config of the run tells."""
    from rftconf.load.load import load, main_stage
    from rftconf.metrics.steps import steps_of
    from rftconf.verbs.open_input import open_document
    from rftconf.verbs.read_arguments import reading

    how = reading(None, None, bound, None, None, None, None, None)
    return steps_of(main_stage(load(open_document(str(file), how))).reading, str(file))
