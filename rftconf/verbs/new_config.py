"""`new` from complete answers to a file: recipe, sizes, account, check."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.verbs import output as out

if TYPE_CHECKING:
    from rftconf.base.diagnostics import Diagnostic
    from rftconf.recipes.draft import Request
    from rftconf.recipes.sizing import Fit
    from rftconf.verbs.ask import ConfigChoices
    from rftconf.verbs.option_types import Colour


@dataclass(frozen=True, slots=True)
class Extra:
    """Options of `rftconf new` that may stay unset: None for each that was not given."""

    nodes: int | None
    eval_data: str | None
    rows: int | None
    prompt_tokens: int | None
    response_tokens: int | None
    release: str | None


@dataclass(frozen=True, slots=True)
class Manner:
    """Options for writing and reporting the new config."""

    force: bool
    json: bool
    quiet: bool
    color: Colour


def create(choices: ConfigChoices, extra: Extra, manner: Manner) -> int:
    """Write the config and its account. Exit 0, or 1 where the check has findings."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.recipes.account import findings, header
    from rftconf.recipes.sizing import fit
    from rftconf.schemas.registry import framework
    from rftconf.verbs.output_form import refuse_unusual_form

    file = choices.output
    if file is not None and str(file) != "-" and file.exists() and not manner.force:
        raise UsageError(f"{file} is there already; --force writes over it")
    refuse_unusual_form(file, framework(str(choices.framework)))
    gpu = gpu_named(str(choices.gpu))
    fitted = fit(request_of(choices, extra), gpu)
    text, suffix = fitted.written.text(header(fitted))
    wrong = findings(fitted)
    if not manner.json or file is not None:
        out.product(text, file, executable=suffix == ".sh")
    if manner.json:
        from rftconf.recipes.account import account

        out.product_json(account(fitted, text, str(file) if file else None))
    if not manner.quiet and not manner.json:
        _report(fitted, wrong, file, manner.color)
    return int(bool(wrong))


def request_of(choices: ConfigChoices, extra: Extra) -> Request:
    """Return the request with every name looked up. Raises UsageError for one that is not known."""
    from rftconf.budget.facts.models import find, resolve
    from rftconf.load.dataset_rows import count_rows
    from rftconf.mappers.profiles import profile_of, with_programs
    from rftconf.recipes.draft import Request
    from rftconf.recipes.recipes import recipe
    from rftconf.schemas import registry

    target = registry.framework(str(choices.framework))
    names = ", ".join(known.name for known in with_programs())
    if target.name not in registry.FRAMEWORKS:
        raise UsageError(f"{target.title} trains with supervision; known: {names}")
    if profile_of(target.name).program is None:
        raise UsageError(f"no first config is written for {target.title}; known: {names}")
    model = str(choices.model)
    if find(model) is None:
        resolve(model)
    rows = extra.rows or (count_rows([choices.data]) if choices.data else None)
    return Request(
        target.name,
        registry.release(target, extra.release),
        recipe(str(choices.algorithm)),
        model.removesuffix("/config.json"),
        choices.gpus or 0,
        str(choices.gpu),
        extra.nodes,
        choices.data,
        extra.eval_data,
        rows,
        extra.prompt_tokens,
        extra.response_tokens,
    )


def _report(fit: Fit, wrong: list[Diagnostic], file: Path | None, color: Colour) -> None:
    from rftconf.recipes.account import header, memory
    from rftconf.report.diagnostics import diagnostics_text
    from rftconf.report.ledger import decisions_text

    screen = out.report_screen(color)
    what, recipe, *more = header(fit)
    unlike = [line for line in more if line.startswith(("Unlike", "Beside"))]
    for line in (what, recipe, f"It fits: {memory(fit)}.", *unlike):
        out.report("".join(f"{part}\n" for part in screen.wrap(line, 0)))
    out.report("\n" + decisions_text(fit.written.decisions, screen))
    if wrong:
        document = fit.written.document(header(fit))
        out.report(diagnostics_text(wrong, {document.name: document.text}, screen) + "\n")
    if file is not None and str(file) != "-":
        out.report(f"written: {file}\n")
