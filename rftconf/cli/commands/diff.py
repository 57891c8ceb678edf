"""`rftconf diff`: are two configs the same run, whatever frameworks they are written for?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options


def diff(
    a: options.FileA,
    b: options.FileB,
    from_: options.FromEach = None,
    from_release: options.ReleaseEach = None,
    set_: options.Set = None,
    set_a: Annotated[
        list[str] | None,
        typer.Option("--set-a", metavar="NAME=VALUE", help="Give a variable of A a value; it wins over --set."),
    ] = None,
    set_b: Annotated[
        list[str] | None, typer.Option("--set-b", metavar="NAME=VALUE", help="Give a variable of B a value, likewise.")
    ] = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.LaunchEach = None,
    base: options.BaseEach = None,
    sources: options.Sources = None,
    rows: options.Rows = None,
    assume: options.Assume = None,
    only: options.Only = None,
    metrics: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            "--metrics",
            metavar="A.jsonl B.jsonl",
            help="Also compare what the two runs logged: which curves differ, and from how many prompts on.",
        ),
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write the comparison as one page.")
    ] = None,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="One by one also what only one side says and changes no mathematics."),
    ] = False,
    output: options.Output = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Tell whether two configs are the same run: in the plan's terms, with where each value comes from.

    The files may be for any two frameworks and releases; either may be - for standard input. First come the totals
    that make two runs the same whatever their keys say, then what differs: what changes the mathematics, what is
    measured, what is performance only. A value that a file does not tell is never guessed: equal expressions are
    equal, all others cannot be compared. --from, --from-release, --launch and --base may be given twice, for A and B;
    --set gives a variable of both a value, --set-a and --set-b of one. --metrics compares what the two runs logged
    (one JSON object a line) by the prompts seen; it knows the names and steps of each framework.

    \b
    Examples:
      rftconf diff run_grpo.sh grpo.yaml
      rftconf diff run_grpo.sh grpo.yaml --rows 7473 --only mathematics
      rftconf diff run_grpo.sh run_grpo.sh --from-release 0.7.1 --from-release 0.9.1
      rftconf diff run_grpo.sh run_grpo.sh --set-a NNODES=1 --set-b NNODES=4
      git show HEAD:run_grpo.sh | rftconf diff - run_grpo.sh
      rftconf diff run_grpo.sh grpo.yaml --html comparison.html --quiet
      rftconf diff run_grpo.sh grpo.yaml --metrics run_grpo.jsonl grpo.jsonl

    Exit: 0 the same run, 1 different (or not to be compared), 2 unreadable or usage. Names and logging do not count.
    """
    from rftconf.diff.compare import compare
    from rftconf.diff.effects import COUNTED
    from rftconf.diff.sides import side
    from rftconf.verbs import compare as comparing
    from rftconf.verbs import output as out

    request = comparing.CompareRequest(set_, env, args, sources, rows, assume, (set_a, set_b))
    each = comparing.each_side(request, from_, from_release, launch, base)
    comparing.refuse_two_inputs(a, b)
    effects = comparing.effects_named(only)
    runs = [
        comparing.open_run(name, how, request, quiet=quiet, color=color) for name, how in zip((a, b), each, strict=True)
    ]
    if runs[0] is None or runs[1] is None:
        return 2
    comparison = compare(*(side(run.document.name, run) for run in runs if run is not None))
    overlay = comparing.overlay_of(metrics, (runs[0], runs[1])) if metrics else None
    if html is not None:
        from rftconf.diff.as_html import comparison_html
        from rftconf.verbs.curves_report import curves_html

        out.product(comparison_html(comparison, effects, curves_html(overlay) if overlay else ()), html)
    if json:
        from rftconf.diff.as_json import comparison_json
        from rftconf.verbs.curves_report import curves_json

        curves = {"curves": curves_json(overlay)} if overlay else {}
        out.product_json({**comparison_json(comparison, effects), **curves}, output)
    else:
        from rftconf.diff.as_text import comparison_text
        from rftconf.verbs.curves_report import curves_text

        screen = out.product_screen(color if output is None else "never")
        text = comparison_text(comparison, screen, effects, full=verbose)
        out.product(text + (curves_text(overlay, screen, full=verbose) if overlay else ""), output)
    return int(comparison.verdict(effects if only else COUNTED) != "same")
