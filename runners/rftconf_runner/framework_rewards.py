"""This module finds the reward that a config's framework has by itself, where the config names none, and the rows that it cannot score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rftconf.plan.data_parts import Domain
from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner import judged, rules, trinity_tasks
from rftconf_runner.job import Job
from rftconf_runner.job_rewards import RewardSource
from rftconf_runner.scores import scoring

if TYPE_CHECKING:
    from rftconf_runner.data import Prompt

JUDGES = "LLMJudgeRewardWorker"
"""ROLL's worker that asks a model."""
SERVICE = "reward.sandbox_fusion.url"
"""veRL's key of a service that runs code; the runner runs it itself, confined."""
WORKERS, NOTHING = "roll", MappingProxyType[str, Any]({})
"""The framework whose domains each have a worker that scores."""
OWN = {module.__file__: module.__name__ for module in (rules, scoring)}
"""Files of the runner's own rules, which compute in processes of their own, and their modules."""
MANAGERS = {"naive", "dapo", None}
"""veRL's reward managers that give each answer the score of `default_compute_score`."""


def own_reward(stage: Stage, source: Source, words: Mapping[str, Any] = NOTHING) -> RewardSource | None:
    """Return the framework's own reward; None where it has none that scores single answers by rule."""
    if source.framework == "trinity" and source.release:
        return _registered(stage, source.release)
    separate = len(stage.data.domains) > 1
    if (
        separate
        or source.framework not in scoring.BY_SOURCE
        or not source.release
        or stage.reward.manager not in MANAGERS
    ):
        return None
    arguments: dict[str, Any] = {"framework": source.framework, "release": source.release}
    if source.framework == "verl" and words.get(SERVICE):
        arguments["confined"] = True
    return RewardSource("", scoring.__file__, scoring.NAME, arguments)


def worker_rewards(stage: Stage, source: Source, words: Mapping[str, Any] = NOTHING) -> Iterator[RewardSource]:
    """Yield ROLL's own reward of each domain whose worker scores by rule, with what the config's other `words` say of it."""
    if source.framework != WORKERS or not source.release:
        return
    for domain in stage.data.domains:
        name = worker_of(domain)
        if name == JUDGES and (form := _form_of_judge(stage, domain)):
            whose = str(domain.name) if len(stage.data.domains) > 1 else ""
            yield RewardSource(whose, judged.__file__, judged.says_yes.__name__, {"form_name": form})
        elif scoring.is_scored(WORKERS, source.release, name):
            arguments = {"framework": WORKERS, "release": source.release, "name": name}
            if (reward_type := words.get(f"rewards.{domain.name}.reward_type")) is not None:
                arguments["reward_type"] = reward_type
            several = len(stage.data.domains) > 1
            yield RewardSource(str(domain.name) if several else "", scoring.__file__, scoring.NAME, arguments)


def _form_of_judge(stage: Stage, domain: Domain) -> str:
    """Return the name of the words that the domain's judge is asked; empty where the plan has no such judge, or it is elsewhere."""
    judges = (model for model in stage.placement.auxiliary if model.role == "judge" and model.domain == domain.name)
    return next((str(model.prompt) for model in judges if model.prompt and model.engine != "external"), "")


def worker_of(domain: Domain) -> str:
    """Return the class of the worker that scores a domain's answers."""
    return str(domain.reward or "").rpartition(".")[2]


def reads_marks(source: RewardSource | None) -> bool:
    """True where the answer is scored with the tokenizer's special tokens, and beside the text of its prompt."""
    if source is None or source.arguments.get("framework") != WORKERS:
        return False
    return not scoring.reads_text_alone(WORKERS, source.arguments["release"], source.arguments["name"])


def asks_in_text(source: RewardSource | None) -> bool:
    """True where a judge is told the whole prompt as text, without the tokenizer's special tokens."""
    return source is not None and "form_name" in source.arguments


def _registered(stage: Stage, release: str) -> RewardSource | None:
    """Return Trinity's registered reward function, where all training sets have the same one."""
    names = set(trinity_tasks.reward_names(stage)) if trinity_tasks.asks_once(stage) else set()
    if len(names) != 1 or not scoring.is_scored("trinity", release, *names):
        return None
    arguments = {"framework": "trinity", "release": release, "name": names.pop()}
    return RewardSource("", scoring.__file__, scoring.NAME, arguments)


def has_rules(job: Job) -> bool:
    """True where rules that come with the runner score answers, with a limit of time for each."""
    return any(source.path in OWN for source in job.rewards)


def unscored_row(job: Job, prompts: list[Prompt], field: str = "stage.data.train") -> str:
    """Return the reason why a row of `field` has no reward; it is empty where all rows have one."""
    return next(_unscored(job, prompts, field), "")


def _unscored(job: Job, prompts: list[Prompt], field: str) -> Iterator[str]:
    sources = {source.domain: source for source in job.rewards if source.path == scoring.__file__}
    domains, reasons = {source.domain for source in job.rewards}, dict[str, str]()
    for prompt in prompts:
        source = sources.get(prompt.domain if prompt.domain in domains else "")
        if source is None:
            continue
        name = source.arguments.get("name") or prompt.source
        if name not in reasons:
            confined = bool(source.arguments.get("confined"))
            reasons[name] = scoring.unscored(
                source.arguments["framework"], source.arguments["release"], name, confined=confined
            )
        case = scoring.unscored_case(
            source.arguments["framework"], source.arguments["release"], name, str(prompt.extra.get("case_type"))
        )
        why = (reasons[name] or case) if name else "no column 'data_source', by which answers are scored"
        if why:
            yield f"{field}: row {prompt.row}: {why}; `--reward` names another reward"
