"""`rftconf convert`: one framework's config from another's, with an account of every key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rftconf.cli import options

if TYPE_CHECKING:
    from rftconf.convert import Conversion


def convert(
    source: options.Source,
    to: options.To,
    from_: options.From = None,
    from_release: options.FromRelease = None,
    to_release: options.ToRelease = None,
    set_: options.Set = None,
    env: options.Env = None,
    args: options.Args = None,
    launch: options.Launch = None,
    base: options.Base = None,
    sources: options.Sources = None,
    rows: options.Rows = None,
    rollout_gpus: options.RolloutGpus = None,
    style: Annotated[
        options.Form | None, typer.Option("--as", help="How to write a veRL config; a script when absent.")
    ] = None,
    form: Annotated[
        Literal["auto", "A", "B"],
        typer.Option("--form", help="Trinity: one sync interval for both sides (A), or one each (B)."),
    ] = "auto",
    output: options.Output = None,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", metavar="FILE", help="Write the account of every key there, as JSON.")
    ] = None,
    adapters: Annotated[
        Path | None,
        typer.Option(
            "--adapters",
            metavar="DIR",
            help="Write a script that converts the data, and the reward behind the target's interface.",
        ),
    ] = None,
    on_loss: Annotated[
        options.OnLoss, typer.Option("--on-loss", help="error: exit 1 and write nothing when something is lost.")
    ] = "warn",
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Report every key, also those kept as they were.")
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    color: options.Color = "auto",
) -> int:
    """Write a config for another framework, and account for every key.

    The config goes to standard output (or -o FILE), the report to standard error: first what you must decide, then
    how many keys ended how, then those that did not stay as they were. The file is read, never executed.

    \b
    Examples:
      rftconf convert run_grpo.sh --to trinity > grpo.yaml
      rftconf convert run_grpo.sh --to trinity --set MODEL_PATH=/models/qwen --rows 7473 -o grpo.yaml
      rftconf convert grpo.yaml --to verl -o run_grpo.sh --ledger ledger.json
      rftconf convert run_grpo.sh --to trinity --adapters adapters -o grpo.yaml
      rftconf convert run_grpo.sh --to trinity --on-loss error --quiet

    Exit: 0 done, 1 losses under --on-loss error, 2 unreadable or usage, 3 refused (with what would be possible).
    """
    from rftconf.cli import output as out
    from rftconf.cli.loading import open_document, report_document, report_guess
    from rftconf.cli.reading import framework_name, reading
    from rftconf.report.ledger import ledger_text

    how = reading(from_, from_release, set_, env, args, launch, base, sources)
    target = framework_name(to)
    _suit(target, style, form)
    document = open_document(source, how)
    screen = out.report_screen(color)
    if not document.readable:
        report_document(document, screen)
        return 2
    from rftconf.convert import Options, convert_loaded
    from rftconf.load import load

    loaded = load(document, framework=how.framework, release=how.release, rows=rows)
    done = convert_loaded(loaded, target, Options(to_release, rollout_gpus, form, style, _folder(adapters)))
    if adapters is not None:
        from rftconf.adapters.folder import refuse_foreign

        refuse_foreign(adapters, done.adapters)
    failed = on_loss == "error" and bool(done.ledger.lossy)
    if not quiet:
        report_document(document, screen, more=done.diagnostics)
        report_guess(loaded.guess, how, screen)
        out.report(ledger_text(done.ledger, screen, full=verbose, losses=on_loss != "allow"))
    _write(done, output, ledger, adapters, as_json=json, failed=failed)
    return int(failed)


def _suit(target: str, style: str | None, form: str) -> None:
    """Raises UsageError for an option that says nothing about `target`."""
    from rftconf.errors import UsageError

    if target != "verl" and style not in (None, "yaml"):
        raise UsageError(f"--as {style} is a way to write veRL's config; {target}'s is YAML")
    if target != "trinity" and form != "auto":
        raise UsageError(f"--form {form} is about Trinity-RFT's sync intervals; {target} has none")


def _folder(adapters: Path | None) -> str | None:
    """The folder as the config will name it. Raises UsageError for one that a config cannot hold as plain text."""
    from rftconf.errors import UsageError

    if adapters is None:
        return None
    if any(not char.isprintable() or char in "${}\"'`\\" for char in str(adapters)):
        raise UsageError(
            f"--adapters {str(adapters)!r}: the config names this folder; quotes, braces and $ would not survive"
        )
    return str(adapters)


def _write(
    done: Conversion,
    output: Path | None,
    ledger: Path | None,
    adapters: Path | None,
    *,
    as_json: bool,
    failed: bool,
) -> None:
    from rftconf.cli import output as out
    from rftconf.report.ledger import ledger_json

    if ledger is not None:
        out.product_json(ledger_json(done.ledger), ledger)
    if as_json:
        out.product_json(_json(done, written=not failed))
    if failed:
        out.report(
            f"rftconf: {len(done.ledger.lossy)} keys are not kept in full, so nothing was written (--on-loss error)\n"
        )
        return
    if adapters is not None:
        from rftconf.adapters.folder import write

        write(adapters, done.adapters)
    if output is not None or not as_json:
        out.product(done.text, output, executable=done.file_suffix == ".sh")


def _json(done: Conversion, *, written: bool) -> dict[str, Any]:
    from rftconf.report.diagnostics import diagnostics_json
    from rftconf.report.ledger import ledger_json

    return {
        "text": done.text if written else None,
        "adapters": dict(done.adapters) if written else {},
        "ledger": ledger_json(done.ledger),
        "diagnostics": diagnostics_json(done.diagnostics),
    }
