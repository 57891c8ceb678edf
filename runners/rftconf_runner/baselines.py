"""ReMax's baseline for a prompt's samples: the paper's greedy answer, or one more answer that is drawn like them."""

from __future__ import annotations

from collections.abc import Iterator

from rftconf.plan.model import Plan

MODE = "actor_rollout_ref.rollout.mode"
AGENT_LOOPS, GREEDY_AGAIN = (0, 7), (0, 8)
"""veRL's releases. Its agent loops, which always answer since 0.7, do not read `do_sample`, by which ray_trainer.fit asks for the
greedy answer; since 0.8 they read `__do_sample__` of each sample (agent_loop.generate_sequences). Before 0.7 they answer where
`mode` is async, and a plan that has `mode` does not say which of the two values it was."""


def baseline_of(plan: Plan) -> str:
    """Return `greedy` or `drawn`; empty where the plan has no ReMax, or its framework is not known to draw a baseline."""
    source = plan.source
    if plan.stages[0].algorithm.advantage != "remax" or source.framework != "verl" or not source.release:
        return ""
    release = tuple(int(part) for part in source.release.split(".")[:2])
    if release < AGENT_LOOPS:
        return "" if MODE in plan.extensions.get("verl", {}) else "greedy"
    return "drawn" if release < GREEDY_AGAIN else "greedy"


def of_baseline(plan: Plan) -> Iterator[tuple[str, str]]:
    """Refuse ReMax where nobody says which answer is the baseline."""
    if plan.stages[0].algorithm.advantage == "remax" and not baseline_of(plan):
        why = (
            "is 'remax'; the runner draws ReMax's baseline as veRL does, and the plan does not say which answer that is"
        )
        yield "stage.algorithm.advantage", f"{why} (veRL before 0.7: leave {MODE} out)"
