"""Several frameworks do the same with plan fields that they have no control of: `behaves` of a `cannot`."""

from __future__ import annotations

from typing import Any


def as_actor(context: Any, path: str) -> Any:
    """Roles without a control of their own do what the actor does."""
    return context.plan(path.replace("reference", "actor").replace("critic", "actor"))


def common_sampling(context: Any, path: str) -> Any:
    """Every data set of a list is sampled as the run is."""
    kind = "train" if path.startswith("stage.data.train") else "eval"
    return context.plan(f"stage.sampling.{kind}.{path.rsplit('.', 1)[1]}")


def nothing_to_ask(writing: Any) -> list[Any]:
    """A run that brings all along leaves a person nothing to decide."""
    del writing
    return []
