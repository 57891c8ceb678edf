"""A budget as plain JSON data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rftconf.budget.drawing import role_states

if TYPE_CHECKING:
    from rftconf.budget.advice.cluster_search import Answer
    from rftconf.budget.advice.inverse_questions import Point
    from rftconf.budget.phases import Phase
    from rftconf.budget.price import Budget, PoolBudget


def budget_json(budget: Budget) -> dict[str, Any]:
    """Everything, sizes in bytes; `terms` of a phase add up to its `bytes` exactly."""
    setup, gpu = budget.setup, budget.gpu
    worst = budget.deciding
    return {
        "verdict": budget.verdict,
        "headroom_bytes": budget.headroom,
        "deciding": {"gpus": _gpus(worst), "phase": worst.deciding.name, "term": _heaviest(worst.deciding)},
        "gpu": {
            "name": gpu.name,
            "title": gpu.title,
            "usable_bytes": gpu.usable,
            "usable_range_bytes": list(gpu.range),
            "source": gpu.source,
        },
        "cluster": {"nodes": setup.nodes, "gpus_per_node": setup.gpus_per_node, "layout": setup.layout},
        "model": {
            "name": setup.model.name,
            "parameters": setup.model.architecture.parameters,
            "active_parameters": setup.model.architecture.active,
            "source": setup.model.source,
            "note": setup.model.note,
        },
        "notes": list(setup.notes),
        "pools": [
            {
                "name": pool_budget.pool.name,
                "gpus": _gpus(pool_budget),
                "roles": list(pool_budget.pool.roles),
                "phases": [_phase(p) | {"holds": role_states(pool_budget, p)} for p in pool_budget.phases],
            }
            for pool_budget in budget.pools
        ],
        "serving": [
            {"role": s.role, "replicas": s.replicas, "blocks": s.blocks, "requests": s.requests, "tokens": s.tokens}
            for s in budget.serving
        ],
        "problems": [
            {"code": p.code, "message": p.message, "source": p.source, "nearest": list(p.nearest)}
            for p in budget.problems
        ],
    }


def _gpus(pool_budget: PoolBudget) -> list[int]:
    return list(range(pool_budget.pool.first, pool_budget.pool.first + pool_budget.pool.count))


def _heaviest(phase: Phase) -> str:
    return max(phase.terms, key=lambda t: t.size).name


def _phase(phase: Phase) -> dict[str, Any]:
    return {
        "name": phase.name,
        "moment": phase.moment,
        "bytes": phase.size,
        "low_bytes": phase.low,
        "high_bytes": phase.high,
        "parts": dict(phase.parts()),
        "terms": [
            {"part": t.part, "name": t.name, "owner": t.owner, "bytes": t.size, "formula": t.formula}
            for t in phase.terms
        ],
    }


def answers_json(answers: Iterable[Answer]) -> list[dict[str, Any]]:
    """Answers with their changes and the verdict that the forward account gives to them."""
    return [
        {
            "question": answer.question,
            "answer": answer.text,
            "changes": [{"path": c.path, "old": c.old, "new": c.new} for c in answer.changes],
            "verdict": answer.budget.verdict if answer.budget else None,
            "peak_bytes": answer.budget.deciding.deciding.size if answer.budget else None,
        }
        for answer in answers
    ]


def front_json(points: Iterable[Point]) -> list[dict[str, Any]]:
    """Clusters, cheapest first."""
    return [
        {"gpu": p.gpu, "gpus": p.gpus, "usd_per_hour": p.price, "tokens_per_rank": p.tokens, "efficient": p.efficient}
        for p in sorted(points, key=lambda p: (p.price, p.gpus))
    ]
