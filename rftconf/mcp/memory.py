"""These tools price a run in GPU memory and find what would fit."""

from __future__ import annotations

from rftconf.api.config import Config
from rftconf.base.errors import UsageError
from rftconf.budget.advice.cluster_search import Answer, Change
from rftconf.budget.advice.inverse_questions import answers
from rftconf.budget.as_json import budget_json
from rftconf.budget.price import Budget
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.mcp import requests, results
from rftconf.mcp.inputs import assumed, config_of, opened
from rftconf.mcp.roots import Roots
from rftconf.mcp.tools import written
from rftconf.verbs.apply_changes import patched

GIB = 1 << 30


def budget(request: requests.Budget, roots: Roots) -> results.BudgetResult:
    """Price a run in the memory of a GPU."""
    return _account(_priced(config_of(request.config, roots), request, roots), terms=request.terms)


def fit(request: requests.Fit, roots: Roots) -> results.FitResult:
    """Find what would make a run fit, and write one of the answers into its text."""
    config = config_of(request.config, roots)
    priced = _priced(config, request, roots)
    possible = answers(priced.setup, priced.gpu)
    result = results.FitResult(
        before=_account(priced),
        answers=[_answer(number, answer) for number, answer in enumerate(possible, 1)],
        written=None,
        after=None,
        by_hand=[],
    )
    if request.apply is None:
        return result
    if request.apply > len(possible):
        raise UsageError(f"apply {request.apply}: there are {len(possible)} answers")
    return _applied(request, roots, config.loaded, possible[request.apply - 1], result)


def _applied(
    request: requests.Fit, roots: Roots, was: Loaded, answer: Answer, result: results.FitResult
) -> results.FitResult:
    """Add the text that has the answer's values, and the cluster's, and its account."""
    opening = opened(request.config, roots)

    def again(text: str) -> Loaded:
        document = opening.document(text)
        return load(
            document,
            framework=was.framework,
            release=was.release,
            rows=request.config.rows,
            assume=assumed(request.config),
        )

    changes = {change.path: change for change in (*_cluster_changes(request, was), *answer.changes)}
    text, remaining = patched(was, changes.values(), again)
    after = config_of(request.config.model_copy(update={"text": text, "path": None}), roots)
    return result.model_copy(
        update={
            "written": results.TextResult(**written(was.document, text)),
            "after": _account(_priced(after, request, roots)),
            "by_hand": remaining,
        }
    )


def _cluster_changes(request: requests.Cluster, was: Loaded) -> list[Change]:
    values = main_stage(was).values
    sizes = {"cluster.nodes": request.nodes, "cluster.gpus_per_node": request.gpus_per_node}
    changes = []
    for path, new in sizes.items():
        old = values.get(path)
        if new is not None and old != new:
            changes.append(Change(path, old if isinstance(old, (int, float)) else None, new))
    return changes


def _priced(config: Config, request: requests.Cluster, roots: Roots) -> Budget:
    model = request.model
    if model is not None and roots.folders and roots.holds(roots.folders[0] / model):
        place = roots.folders[0] / model
        model = str(place) if place.exists() else model
    return config.budget(
        request.gpu,
        nodes=request.nodes,
        gpus_per_node=request.gpus_per_node,
        model=model,
        mean_tokens=request.mean_tokens,
    ).budget


def _account(budget: Budget, *, terms: bool = False) -> results.BudgetResult:
    data, peak = budget_json(budget), budget.deciding.deciding
    return results.BudgetResult(
        verdict=budget.verdict,
        fits=budget.verdict == "fits" and not budget.problems,
        gpu=budget.gpu.name,
        usable_gib=budget.gpu.usable_gib,
        nodes=budget.setup.nodes,
        gpus_per_node=budget.setup.gpus_per_node,
        model=budget.setup.model.name,
        peak_gib=round(peak.size / GIB, 2),
        headroom_gib=round(budget.headroom / GIB, 2),
        deciding_phase=peak.name,
        phases=[
            results.Phase(pool=pool["name"], phase=phase["name"], gib=round(phase["bytes"] / GIB, 2))
            for pool in data["pools"]
            for phase in pool["phases"]
        ],
        problems=[problem["message"] for problem in data["problems"]],
        notes=data["notes"],
        account=data if terms else None,
    )


def _answer(number: int, answer: Answer) -> results.FitAnswer:
    return results.FitAnswer(
        number=number,
        question=answer.question,
        answer=answer.text,
        verdict=answer.budget.verdict if answer.budget else None,
        changes={change.path: change.new for change in answer.changes},
    )
