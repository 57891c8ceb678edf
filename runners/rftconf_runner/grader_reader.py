"""From a plan's auxiliary models to those that score answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rftconf.base.symbols import Expr, formula
from rftconf.plan.model import Auxiliary, Stage
from rftconf_runner.data_reader import given_rewards
from rftconf_runner.job import Grader
from rftconf_runner.stage_reader import StageReader

AT = "placement.auxiliary"
ASKED = {"judge", "helper"}
"""Roles whose models answer in words, to whatever the reward function asks."""


def scoring(stage: Stage) -> Iterator[tuple[str, Auxiliary, str]]:
    """Models that score what is drawn in training: of which domain (empty for all), and of which kind."""
    domains = stage.data.domains
    drawn = {one.name for one in domains if one.weight is not None}
    given = {name for name, _ in given_rewards(stage)}
    for one in stage.placement.auxiliary:
        own = str(one.domain) if one.domain is not None and len(domains) > 1 else ""
        if own and own not in drawn:
            continue
        if one.role in ASKED:
            yield own, one, "judge"
        elif one.role == "reward":
            read = bool(stage.reward.function_path) or bool({own, ""} & given)
            yield own, one, "judge" if read else "classifier"


def graders_of(read: StageReader) -> tuple[Grader, ...]:
    """Those that the plan has. A count that it leaves open is one; without a temperature a judge says what is likeliest."""
    found = []
    for domain, one, kind in scoring(read.stage):
        at = read.stage.placement.auxiliary.index(one)
        value = _Reader(read, one, f"{AT}[{at}].")
        prompt, response = value("prompt_max_tokens", 0), value("response_max_tokens", 0)
        draws = {
            "response_tokens": response,
            "temperature": float(value("sampling.temperature", 0.0)),
            "top_p": float(value("sampling.top_p", 1.0)),
            "top_k": value("sampling.top_k", -1),
            "repetition": float(value("sampling.repetition_penalty", 1.0)),
            "template": value("prompt", ""),
        }
        found.append(
            Grader(
                kind=kind,
                domain=domain,
                model=value("path", ""),
                copies=value("gpus", 1) or 1,
                apart=value("own_pool", True),
                dtype=value("dtype", "auto"),
                memory_fraction=float(value("gpu_memory_fraction", 0.0)),
                longest=value("model_max_tokens", 0) or (prompt + response if prompt and response else 0),
                **(draws if kind == "judge" else {}),
            )
        )
    return tuple(found)


class _Reader:
    """Values of one model by path; what is symbolic is left open."""

    def __init__(self, read: StageReader, one: Auxiliary, at: str) -> None:
        self.read, self.one, self.at = read, one, at

    def __call__(self, path: str, otherwise: Any) -> Any:
        found: Any = self.one
        for name in path.split("."):
            found = getattr(found, name)
        if isinstance(found, Expr):
            self.read.open.append(f"stage.{self.at}{path} = {formula(found)}")
            return otherwise
        return otherwise if found is None else found


def unasked(stage: Stage) -> list[str]:
    """Names of models that score validation only, which the runner leaves out."""
    placed = [one for _, one, _ in scoring(stage)]
    return [str(one.name or one.path) for one in stage.placement.auxiliary if one not in placed]
