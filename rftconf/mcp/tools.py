"""These tools read, check, translate and compare configs: text or path in, a typed answer out; nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.errors import RefusedError, UsageError
from rftconf.base.secrets import masked
from rftconf.diff.as_json import comparison_json
from rftconf.lint import engine, fixing, recognise_config
from rftconf.lint.subject import Cluster
from rftconf.mcp import requests, results
from rftconf.mcp.inputs import Opened, assumed, config_of, opened
from rftconf.mcp.roots import Roots
from rftconf.text.document import Document

MOST_FINDINGS = 200
MOST_LOST = 500


def check(request: requests.Check, roots: Roots) -> results.CheckResult:
    """Find what is wrong with a config."""
    opening = opened(request.config, roots)
    document = opening.document()
    diagnostics = _findings(request, opening, document)
    return results.CheckResult(**_view(opening, document, diagnostics))


def fix(request: requests.Fix, roots: Roots) -> results.FixResult:
    """Make the fixes that a config's findings offer."""
    opening = opened(request.config, roots)
    document = opening.document()

    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        changed = opening.document(text)
        return changed, _findings(request, opening, changed)

    how = opening.how
    done = fixing.fix(
        document,
        _findings(request, opening, document),
        again,
        unsafe=request.unsafe,
        framework=how.framework,
        release=how.release,
    )
    view = _view(opening, opening.document(done.text), list(done.left))
    return results.FixResult(**view, **written(document, done.text), made=len(done.made))


def convert(request: requests.Convert, roots: Roots) -> results.ConvertResult:
    """Write a config for another framework, with the account of every key."""
    from rftconf.convert.convert import Options
    from rftconf.report.ledger import ledger_json
    from rftconf.schemas import registry
    from rftconf.verbs import convert_many as many
    from rftconf.verbs.read_arguments import framework_name

    config, how, gpu = config_of(request.config, roots), opened(request.config, roots).how, _gpu(request.gpu)
    target = framework_name(request.to)
    forms = registry.framework(target).forms
    if request.style not in (None, *forms):
        raise UsageError(f"a {target} config is written as {' or '.join(forms)}, not as {request.style:.80}")
    options = Options(request.to_release, request.rollout_gpus, style=request.style, layout=request.layout)
    job = many.Job(how, target, options, request.config.rows, request.on_loss, assumed(request.config), gpu)
    done = many.made_of(config.loaded, job, Path("converted"), folder=True)
    code = many.code_of(done.ledger, done.errors, request.on_loss)
    if code != many.DONE:
        choices = ("on_loss: allow writes it all the same",)
        why = many.why_not_written(code, done.ledger, done.errors)
        raise RefusedError(f"{why}; nothing was written", choices=choices)
    account = ledger_json(done.ledger)
    lossy = done.ledger.lossy[:MOST_LOST]
    return results.ConvertResult(
        source_framework=config.framework,
        source_release=config.release,
        target_framework=target,
        target_release=done.ledger.target_release,
        files=[results.WrittenFile(name=str(path), text=text) for path, text in done.files],
        counts=account["counts"],
        lost=[results.LostKey(key=line.key, state=str(line.state), reason=line.reason) for line in lossy],
        learning=account["learning"],
        decisions=account["decisions"],
        errors=_listed(done.errors),
        notes=account["notes"],
        ledger=account if request.ledger else None,
    )


def diff(request: requests.Diff, roots: Roots) -> results.DiffResult:
    """Tell whether two configs are the same run, and what differs in effect."""
    from rftconf.verbs.compare import effects_named

    effects = effects_named(request.only)
    a, b = config_of(request.a, roots), config_of(request.b, roots)
    data = comparison_json(a.diff(b).comparison, effects)
    return results.DiffResult(
        verdict=data["verdict"],
        same=data["verdict"] == "same",
        a=data["a"],
        b=data["b"],
        counts=data["counts"],
        causes=[cause["says"] or cause["cause"] for stage in data["stages"] for cause in stage["causes"]],
        stages=data["stages"],
        outside_the_plan=data["outside_the_plan"],
    )


def explain(request: requests.Explain, roots: Roots) -> results.ExplainResult:
    """Explain a code, a key of any framework, a field of the plan, a hazard or a dialect."""
    from rftconf.explain import dialect
    from rftconf.verbs import code_pages

    del roots  # a subject names no file
    subject = request.subject.strip()
    kind, matches = "code", list[dict[str, Any]]()
    page: Mapping[str, Any] | None = code_pages.code_json(subject)
    hazard = code_pages.hazard_named(subject)
    if page is None and hazard is not None:
        kind, page = "hazard", {"name": hazard.name, "says": hazard.says, "concerns": list(hazard.concerns)}
    if page is None and subject.lower().startswith(dialect.PREFIX):
        kind, page = "dialect", {"declaration": dialect.as_data(subject[len(dialect.PREFIX) :])}
    if page is None:
        content = code_pages.matches_json(
            code_pages.matches_of(subject, request.framework, request.release), request.release
        )
        if isinstance(content, list):
            kind, matches = "list", content[:MOST_FINDINGS]
        else:
            kind, page = "key" if "key" in content else "field", content
    return results.ExplainResult(subject=subject, kind=kind, page=dict(page) if page else None, matches=matches)


def migrate(request: requests.Migrate, roots: Roots) -> results.MigrateResult:
    """Rewrite a config for another release of its framework."""
    from rftconf.migrate.as_text import migration_json
    from rftconf.migrate.differences_left import lost
    from rftconf.migrate.migrate import MigrationRequest
    from rftconf.migrate.migrate import migrate as migrated

    opening, config = opened(request.config, roots), request.config
    how = opening.how
    asked_for = MigrationRequest(
        request.to_release, how.framework, how.release, how.launch, config.rows, assumed(config)
    )
    done = migrated(opening.source.text, opening.document, asked_for)
    data = migration_json(done)
    if not done.faithful and request.on_loss == "error":
        names = [leftover.name for leftover in lost(done.unlike)] + [edit.was for edit in done.keys_that_stay_wrong]
        sentence = f"refused: this would be lost: {', '.join(dict.fromkeys(names))}"
        raise RefusedError(sentence, choices=("on_loss: warn writes it all the same",))
    return results.MigrateResult(
        **written(done.document, done.text),
        **{name: data[name] for name in ("framework", "from_release", "to_release", "faithful", "edits", "pins")},
        differences=data["differences"],
        notes=data["notes"],
    )


def new(request: requests.New, roots: Roots) -> results.NewResult:
    """Write a first config that fits the GPUs, from a published recipe."""
    from rftconf.budget.facts.gpus import gpu_named
    from rftconf.recipes.account import account, header
    from rftconf.recipes.sizing import fit
    from rftconf.verbs.ask import ConfigChoices
    from rftconf.verbs.new_config import Extra, request_of

    del roots  # rows are named in the config, and not read
    choices = ConfigChoices(
        request.framework, request.algorithm, request.model, request.gpus, request.gpu, request.data, None
    )
    extra = Extra(
        request.nodes, request.eval_data, request.rows, request.prompt_tokens, request.response_tokens, request.release
    )
    fitted = fit(request_of(choices, extra), gpu_named(request.gpu))
    text, _ = fitted.written.text(header(fitted))
    return results.NewResult(**account(fitted, text, None))


def written(before: Document, text: str) -> dict[str, Any]:
    """Return the fields of a text that was made from `before`."""
    withheld = masked(text) != text
    # a line around a change may hold the secret that is left out, and the difference would fit nowhere
    around = 0 if withheld else 3
    lines = unified_diff(before.text.splitlines(True), text.splitlines(True), "before", "after", n=around)
    ended = (line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    return {
        "text": text,
        "changed": text != before.text,
        "diff": "".join(ended),
        "withheld": withheld,
    }


def _findings(request: requests.Check, opening: Opened, document: Document) -> list[Diagnostic]:
    from rftconf.verbs.check_files import findings

    how = opening.how
    if how.framework is None and document.readable and not recognise_config.is_config(document):
        raise UsageError(f"{document.name} is no config of RL training that rftconf knows; `framework` names one")
    selection = engine.Selection(tuple(request.select), tuple(request.ignore), Severity(request.severity))
    options = engine.Options(how.framework, how.release, selection, Cluster(gpu=_gpu(request.gpu)))
    return findings(document, options)


def _gpu(name: str) -> str:
    """Return the name of a GPU, as it came. Raises UsageError for one that is not known."""
    if name:
        from rftconf.budget.facts.gpus import gpu_named

        gpu_named(name)
    return name


def _view(opening: Opened, document: Document, diagnostics: list[Diagnostic]) -> dict[str, Any]:
    best = recognise_config.recognised(document, opening.how.framework, opening.how.release)
    return {
        "framework": best.framework if best else None,
        "release": best.release if best else None,
        "clean": all(diagnostic.severity is Severity.INFO for diagnostic in diagnostics),
        "counts": dict(Counter(diagnostic.severity.value for diagnostic in diagnostics)),
        "findings": _listed(diagnostics[:MOST_FINDINGS]),
        "more": max(0, len(diagnostics) - MOST_FINDINGS),
    }


def _listed(diagnostics: Iterable[Diagnostic]) -> list[results.Finding]:
    return [
        results.Finding(
            code=d.code,
            severity=d.severity.value,
            message=d.message,
            help=d.help or "",
            key=d.key or "",
            line=d.place.span.line if d.place else None,
            fix=d.fix.title if d.fix else None,
            safe=bool(d.fix and d.fix.safe),
        )
        for d in diagnostics
    ]
