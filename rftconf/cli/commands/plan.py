"""`rftconf plan`: the canonical plan of a config."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    import typer

    from rftconf.cli import options
    from rftconf.load.loaded import Loaded
    from rftconf.report.screen import Screen


def plan(
    source: options.Source,
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
    form: Annotated[Literal["tree", "json", "yaml"], typer.Option("--format", help="How to print it.")] = "tree",
    origins: Annotated[bool, typer.Option("--origins", help="Say of each value where it came from.")] = False,
    output: options.Output = None,
    json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    yaml: Annotated[bool, typer.Option("--yaml", help="The same as --format yaml.")] = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Print what a config means in terms no framework owns: the canonical plan.

    As JSON or YAML it is a document that comes back: every verb reads it as it reads a config. A value that the source
    does not tell is an object with its formula. The plan of a Trinity config with stages has all of them.

    \b
    Examples:
      rftconf plan run_grpo.sh
      rftconf plan run_grpo.sh --origins
      rftconf plan grpo.yaml --json -o plan.json
    """
    from rftconf.verbs import output as out
    from rftconf.verbs.open_input import understood
    from rftconf.verbs.read_arguments import assumptions, reading

    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    loaded = understood(source, how, out.report_screen(color), rows=rows, assume=assumptions(assume), quiet=quiet)
    if loaded is None:
        return 2
    screen = out.product_screen(color if output is None else "never")
    out.product(_text(loaded, "json" if json else "yaml" if yaml else form, screen, origins=origins), output)
    return 0


def _text(loaded: Loaded, form: str, screen: Screen, *, origins: bool) -> str:
    from rftconf.load.load import with_origins
    from rftconf.report.plan import plan_json, plan_text, plan_tree, plan_yaml, reasons_of

    origin_texts = with_origins(loaded) if origins else {}
    if form == "json":
        return plan_text(loaded.plan, origin_texts)
    data = plan_json(loaded.plan, {})
    reasons = reasons_of(origin_texts, {key: leaf.place for key, leaf in loaded.document.last().items()})
    return plan_yaml(data, reasons) if form == "yaml" else plan_tree(data, reasons, screen)
