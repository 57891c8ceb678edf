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
    from rftconf.verbs.ask import Given
    from rftconf.verbs.option_types import Colour


@dataclass(frozen=True, slots=True)
class Extra:
    """What nobody needs to be asked for."""

    nodes: int | None
    eval_data: str | None
    rows: int | None
    prompt_tokens: int | None
    response_tokens: int | None
    release: str | None


@dataclass(frozen=True, slots=True)
class Manner:
    """How it is written and told."""

    force: bool
    json: bool
    quiet: bool
    color: Colour


def create(given: Given, extra: Extra, manner: Manner) -> int:
    """Write the config and its account. Exit 0, or 1 where the check has findings."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.recipes.account import findings, header
    from rftconf.recipes.sizing import fit

    file = given.output
    if file is not None and str(file) != "-" and file.exists() and not manner.force:
        raise UsageError(f"{file} is there already; --force writes over it")
    gpu = gpu_named(str(given.gpu))
    found = fit(request_of(given, extra), gpu)
    text, suffix = found.written.text(header(found))
    wrong = findings(found)
    if not manner.json or file is not None:
        out.product(text, file, executable=suffix == ".sh")
    if manner.json:
        from rftconf.recipes.account import account

        out.product_json(account(found, text, str(file) if file else None))
    if not manner.quiet and not manner.json:
        _report(found, wrong, file, manner.color)
    return int(bool(wrong))


def request_of(given: Given, extra: Extra) -> Request:
    """What was asked, with every name looked up. Raises UsageError for one that is not known."""
    from rftconf.budget.facts.models import find, resolve
    from rftconf.load.dataset_rows import count_rows
    from rftconf.recipes.draft import Request
    from rftconf.recipes.recipes import recipe
    from rftconf.schemas import registry

    target = registry.framework(str(given.framework))
    if target.name not in registry.FRAMEWORKS:
        raise UsageError(f"{target.title} trains with supervision; known: {', '.join(registry.FRAMEWORKS)}")
    model = str(given.model)
    if find(model) is None:
        resolve(model)
    rows = extra.rows or (count_rows([given.data]) if given.data else None)
    return Request(
        target.name,
        registry.release(target, extra.release),
        recipe(str(given.algorithm)),
        model.removesuffix("/config.json"),
        given.gpus or 0,
        str(given.gpu),
        extra.nodes,
        given.data,
        extra.eval_data,
        rows,
        extra.prompt_tokens,
        extra.response_tokens,
    )


def _report(found: Fit, wrong: list[Diagnostic], file: Path | None, color: Colour) -> None:
    from rftconf.recipes.account import header, memory
    from rftconf.report.diagnostics import diagnostics_text
    from rftconf.report.ledger import decisions_text

    screen = out.report_screen(color)
    what, recipe, *rest = header(found)
    unlike = [line for line in rest if line.startswith(("Unlike", "Beside"))]
    for line in (what, recipe, f"It fits: {memory(found)}.", *unlike):
        out.report("".join(f"{part}\n" for part in screen.wrap(line, 0)))
    out.report("\n" + decisions_text(found.written.decisions, screen))
    if wrong:
        document = found.written.document(header(found))
        out.report(diagnostics_text(wrong, {document.name: document.text}, screen) + "\n")
    if file is not None and str(file) != "-":
        out.report(f"written: {file}\n")
