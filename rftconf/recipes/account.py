"""The account of a new config: above its lines, on the screen, and as JSON."""

from __future__ import annotations

from typing import Any

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.lint.engine import Options, check
from rftconf.lint.subject import Cluster
from rftconf.recipes.sizing import Fit
from rftconf.schemas import registry

GIB = 1 << 30


def header(fit: Fit, *, added: bool = False) -> list[str]:
    """Comments above the config: what it is, from where, by which account, and what is left to decide.

    `added`: values were added to it since, so that the account is of what it was before.
    """
    request, config = fit.written.request, fit.written
    title = registry.framework(request.framework).title
    nodes = request.node_count
    cluster = f"{request.gpus} × {fit.gpu.title} ({nodes} node{'s' if nodes > 1 else ''})"
    lines = [
        f"{request.recipe.title} with {title} {request.release}: {request.model} on {cluster}. Written by rftconf new.",
        f"Recipe: {request.recipe.source}.",
        f"Memory{', before values were added' if added else ''}: {memory(fit)}.",
    ]
    lines += [f"Unlike the recipe: {sentence}." for sentence in config.lost]
    lines += [f"Beside this file: {note}." for note in request.recipe.notes]
    return [*lines, *(f"Decide: {d.key}: {d.why} ({'; '.join(d.choices)})." for d in config.decisions)]


def memory(fit: Fit) -> str:
    """The memory account in a sentence."""
    peak = fit.budget.deciding.deciding
    serving = "; ".join(
        f"{s.requests:,.0f} requests of {fit.written.request.longest:,} tokens" for s in fit.budget.serving
    )
    room = f"peak {peak.size / GIB:.1f} of {fit.gpu.usable_gib:g} GiB in {peak.name}, {_percent(fit)} free"
    return f"{room}; {serving} at once in an engine" if serving else room


def _percent(fit: Fit) -> str:
    return f"{fit.budget.headroom / fit.gpu.usable:.0%}"


def findings(fit: Fit) -> list[Diagnostic]:
    """Errors and warnings of `rftconf check --gpu` about the config: there should be none."""
    request = fit.written.request
    options = Options(request.framework, request.release, cluster=Cluster(gpu=request.gpu))
    diagnostics = check(fit.written.document(header(fit)), options)
    return [diagnostic for diagnostic in diagnostics if diagnostic.severity is not Severity.INFO]


def account(fit: Fit, text: str | None, file: str | None) -> dict[str, Any]:
    """The account of a new config as JSON data, for programs."""
    request, sizes, peak = fit.written.request, fit.sizes, fit.budget.deciding.deciding
    return {
        "file": file,
        "text": text,
        "framework": request.framework,
        "release": request.release,
        "recipe": {"algorithm": request.recipe.name, "source": request.recipe.source},
        "model": request.model,
        "gpus": {"name": fit.gpu.name, "count": request.gpus, "nodes": request.node_count},
        "chosen": {
            "engine_gpus": sizes.tp,
            "sequences_per_rank": sizes.sequences,
            "gpu_memory_fraction": sizes.fraction,
            "offloaded": list(request.program.parks[sizes.parked]),
            "sequence_gpus": sizes.sequence_gpus,
        },
        "memory": {
            "verdict": fit.budget.verdict,
            "phase": peak.name,
            "peak_gib": round(peak.size / GIB, 2),
            "usable_gib": fit.gpu.usable_gib,
            "headroom_gib": round(fit.budget.headroom / GIB, 2),
        },
        "unlike_the_recipe": list(fit.written.lost),
        "decisions": [{"key": d.key, "why": d.why, "choices": list(d.choices)} for d in fit.written.decisions],
        "findings": [diagnostic.code for diagnostic in findings(fit)],
    }
