"""Reads a plan's auxiliary models for those that score answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rftconf.base.symbols import Expr, formula
from rftconf.plan.model import Auxiliary, Stage
from rftconf_runner.data_reader import given_rewards
from rftconf_runner.job_rewards import Grader
from rftconf_runner.stage_reader import StageReader

AT = "placement.auxiliary"
ASKED = {"judge", "helper"}
"""Roles whose models answer in words, to whatever the reward function asks."""


def scoring(stage: Stage) -> Iterator[tuple[str, Auxiliary, str]]:
    """Models that score what is drawn in training: of which domain (empty for all), and of which kind."""
    domains = stage.data.domains
    drawn = {domain.name for domain in domains if domain.weight is not None}
    named = {name for name, _ in given_rewards(stage)}
    for auxiliary in stage.placement.auxiliary:
        own = str(auxiliary.domain) if auxiliary.domain is not None and len(domains) > 1 else ""
        if own and own not in drawn:
            continue
        if auxiliary.role in ASKED:
            yield own, auxiliary, "judge"
        elif auxiliary.role == "reward":
            read = bool(stage.reward.function_path) or bool({own, ""} & named)
            yield own, auxiliary, "judge" if read else "classifier"


def graders_of(read: StageReader) -> tuple[Grader, ...]:
    """Return the graders that the plan has. A count that it leaves open is one; without a temperature a judge says what is likeliest."""
    graders = []
    for domain, auxiliary, kind in scoring(read.stage):
        position = read.stage.placement.auxiliary.index(auxiliary)
        value = _Reader(read, auxiliary, f"{AT}[{position}].")
        prompt, response = value("prompt_max_tokens", 0), value("response_max_tokens", 0)
        draws = {
            "response_tokens": response,
            "temperature": float(value("sampling.temperature", 0.0)),
            "top_p": float(value("sampling.top_p", 1.0)),
            "top_k": value("sampling.top_k", -1),
            "repetition": float(value("sampling.repetition_penalty", 1.0)),
            "template": value("prompt", ""),
        }
        graders.append(
            Grader(
                kind=kind,
                domain=domain,
                model=value("path", ""),
                copies=value("gpus", 1) or 1,
                apart=value("own_pool", True),
                dtype=value("dtype", "auto"),
                memory_fraction=float(value("gpu_memory_fraction", 0.0)),
                captures=value("enforce_eager", False) is not True,
                longest=value("model_max_tokens", 0) or (prompt + response if prompt and response else 0),
                **(draws if kind == "judge" else {}),
            )
        )
    return tuple(graders)


class _Reader:
    """Values of one model by path; what is symbolic is left open."""

    def __init__(self, read: StageReader, auxiliary: Auxiliary, path: str) -> None:
        self.read, self.one, self.at = read, auxiliary, path

    def __call__(self, path: str, otherwise: Any) -> Any:
        value: Any = self.one
        for name in path.split("."):
            value = getattr(value, name)
        if isinstance(value, Expr):
            self.read.open.append(f"stage.{self.at}{path} = {formula(value)}")
            return otherwise
        return otherwise if value is None else value


def unasked(stage: Stage) -> list[str]:
    """Names of models that score validation only, which the runner leaves out."""
    auxiliaries = [auxiliary for _, auxiliary, _ in scoring(stage)]
    return [
        str(auxiliary.name or auxiliary.path) for auxiliary in stage.placement.auxiliary if auxiliary not in auxiliaries
    ]
