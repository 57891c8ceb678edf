"""Every verb as a function within one process, of a config as read or as understood: each gives the text that it prints."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from lsprotocol import types as lsp
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from rftconf.base.diagnostics import Diagnostic
from rftconf.budget.as_text import budget_text
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import price
from rftconf.budget.roles import setup
from rftconf.budget.roles.plan_view import plan_view
from rftconf.convert.convert import Options, convert_loaded
from rftconf.diff.as_text import comparison_text
from rftconf.diff.compare import compare
from rftconf.diff.sides import Side, side
from rftconf.lint import engine, fixing
from rftconf.lint.rule import Example
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.lsp import protocol as editor
from rftconf.lsp.session import Session
from rftconf.migrate.migrate import MigrationRequest, migrate
from rftconf.report.ledger import ledger_json, ledger_text
from rftconf.report.plan import plan_tree
from rftconf.report.screen import Screen
from rftconf.schemas.registry import FRAMEWORKS, framework
from rftconf.studio import answers as page
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from rftconf.verbs.finding_formats import rendered
from tests.lint.bases import as_shell, as_yaml

SCREEN = Screen(width=100)
FORMS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit")


def document_of(example: Example) -> Document | None:
    """The example as a file; None where one change stands below the plain value of another."""
    try:
        text = as_shell(example) if example.framework == "verl" else as_yaml(example)
    except (TypeError, AttributeError, IndexError):
        return None
    return read(Source("run.sh" if example.framework == "verl" else "run.yaml", text))


def _check(document: Document) -> str:
    diagnostics = engine.check(document)
    texts = {document.name: document.text}
    return "\n".join(rendered(form, diagnostics, texts, [document.name], SCREEN) for form in FORMS)


def _fix(document: Document) -> str:
    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        fresh = read(Source(document.name, text))
        return fresh, engine.check(fresh)

    return fixing.fix(document, engine.check(document), again, unsafe=True).text


def _lsp(document: Document) -> str:
    """What an editor is shown: findings, the pages of keys, what may be written there."""
    session = Session()
    buffer = session.open(f"file:///{document.name}", document.name, document.text, 1)
    session.check(buffer)
    messages = [diagnostic.message for diagnostic in editor.diagnostics(buffer)]
    for line in range(2, document.text.count("\n"), 9):
        hover = editor.hover(buffer, lsp.Position(line, 6))
        messages += [str(getattr(hover.contents, "value", ""))] if hover else []
        messages += [item.label for item in editor.completions(buffer, lsp.Position(line, 8))[:20]]
    return "\n".join(messages)


def _studio(question: str, **fields: str) -> Callable[[Document], str]:
    def ask(document: Document) -> str:
        answer = page.answer(question, {"text": document.text, "name": document.name, **fields})
        if answer.status == 500:
            raise AssertionError(answer.body.decode()[:300])
        return json.loads(answer.body).get("error", {}).get("message", "")  # type: ignore[no-any-return]

    return ask


@cache
def _base(framework: str) -> Side:
    document = document_of(Example(framework, ()))
    assert document is not None
    return side("base", load(document))


def _plan(loaded: Loaded) -> str:
    data = loaded.plan.model_dump(mode="json")
    json.dumps(data, allow_nan=False)
    return plan_tree(data, {}, SCREEN)


def _run(loaded: Loaded) -> str:
    """What the runner says before anything starts."""
    refused = refusals(loaded.plan)
    if refused:
        return "\n".join(f"{refusal.path}: {refusal.why}" for refusal in refused)
    try:
        return f"ranks: {job_of(loaded.plan).ranks}"
    except ValueError as error:  # the runner's own way to say no
        return str(error)


def _convert(loaded: Loaded, to: str) -> str:
    done = convert_loaded(loaded, to, Options())
    json.dumps(ledger_json(done.ledger), allow_nan=False)
    return f"{done.text}\n{ledger_text(done.ledger, SCREEN, full=True)}"


def _diff(loaded: Loaded) -> str:
    return comparison_text(compare(_base(loaded.framework), side("changed", loaded)), SCREEN, full=True)


def _migrate(loaded: Loaded) -> str:
    document = loaded.document

    def again(text: str, launch: int | None) -> Document:
        return read(Source(document.name, text), ReadOptions(launch=launch))

    releases = framework(loaded.framework).releases
    to = releases[-2] if loaded.release == releases[-1] else releases[-1]
    return migrate(document.text, again, MigrationRequest(to, loaded.framework)).text


def _budget(loaded: Loaded) -> str:
    values = (stage.values for stage in loaded.stages)
    plan = plan_view(values, loaded.framework, loaded.release, loaded.extensions)
    return budget_text(price(setup.setup_of(plan, setup.BudgetRequest()), gpu_named("H100")), SCREEN)


OF_DOCUMENTS: dict[str, Callable[[Document], str]] = {
    "check": _check,
    "check --fix": _fix,
    "lsp": _lsp,
    "studio check": _studio("check"),
    "studio budget": _studio("budget", gpu="h100-80g"),
}
OF_CONFIGS: dict[str, Callable[[Loaded], str]] = {
    "plan": _plan,
    "run": _run,
    "diff": _diff,
    "migrate": _migrate,
    "budget": _budget,
    **{f"convert to {to}": lambda loaded, to=to: _convert(loaded, to) for to in FRAMEWORKS},  # type: ignore[misc]
}
