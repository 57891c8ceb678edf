"""Refusals of several data sets, of domains and of their rewards, by field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from rftconf.plan.data_parts import Domain
from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner.data_reader import given_rewards, is_given, tags_of
from rftconf_runner.framework_rewards import WORKERS, own_reward, worker_of, worker_rewards
from rftconf_runner.framework_words import AFTER_NORM
from rftconf_runner.grader_reader import scoring
from rftconf_runner.job_reader import WHITENED
from rftconf_runner.mixing import counts
from rftconf_runner.scores import scoring as scoring_of
from rftconf_runner.value_text import render_plan_value

WHOLE = 1e-6
"""By which shares may miss their sum of 1."""


def of_data(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """Refuse settings of data sets and domains that the runner does not execute, each with its field."""
    data = stage.data
    if not data.train:
        yield "data.train", "no data set; the runner reads at least one"
    if len(data.domains) > 1:
        yield from _of_shares(stage)
        yield from _of_one_batch(stage, source)
    elif len(data.train) > 1 and data.mixing not in ("concat", "proportional"):
        why = "of several data sets; the runner executes concat, proportional, and shares of domains"
        yield "data.mixing", f"is {render_plan_value(data.mixing)} {why}"
    for data_set in data.train:
        if is_given(data_set.reward) and len(data.domains) > 1:
            yield "data.train[].reward", f"is given for {data_set.name}; where rows have domains, these have rewards"
        elif data_set.reward is not None and not is_given(data_set.reward) and not _own(stage, source, data_set.reward):
            why = scoring_of.unscored(str(source.framework), str(source.release), str(data_set.reward))
            origin = f": {why}" if source.framework == "trinity" and source.release else ", a name of its framework's"
            yield (
                "data.train[].reward",
                f"is {render_plan_value(data_set.reward)}{origin}; `--reward {data_set.name}=WHICH`",
            )
    yield from _of_rewards(stage, source)


def _of_shares(stage: Stage) -> Iterator[tuple[str, str]]:
    domains, prompts = stage.data.domains, stage.batch.prompts_per_rollout
    weights = [domain.weight for domain in domains if domain.weight is not None]
    numbers = [float(weight) for weight in weights if isinstance(weight, (int, float))]
    path = "data.domains[].weight"
    if not numbers or len(numbers) < len(weights):
        yield path, f"{len(domains)} domains, and {len(numbers)} have a share in numbers"
        return
    if abs(sum(numbers) - 1) > WHOLE:
        yield path, f"shares come to {sum(numbers):g}, and the plan does not say what the rest is"
    elif isinstance(prompts, int) and min(counts(numbers, prompts)) < 1:
        yield path, f"{counts(numbers, prompts)} of {prompts} prompts a period; every domain with a share needs one"
    if stage.run_length.rollouts is None:
        yield "run_length.rollouts", "is not given; domains are read anew each by itself, and no epoch ends the run"
    tags = Counter(tag for domain in domains for tag in tags_of(domain.tags))
    twice = sorted(tag for tag, count in tags.items() if count > 1)
    if twice:
        yield "data.domains[].tags", f"{', '.join(twice)} in more than one domain; the plan does not say which counts"


def _of_one_batch(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """Refuse statistics over a period's answers where domains are several: over which they run is known of ROLL alone."""
    algorithm, why = stage.algorithm, "over all domains or each by itself: the plan leaves it open"
    if len([domain for domain in stage.data.domains if domain.weight is not None]) < 2:
        return
    by_domain = source.framework == AFTER_NORM
    if algorithm.std_scope == "batch" and not by_domain:
        yield "algorithm.std_scope", f"is 'batch', {why}"
    whitens = algorithm.whiten_advantage
    if not by_domain and (whitens is True or (whitens is None and algorithm.advantage in WHITENED)):
        yield "algorithm.whiten_advantage", f"is on, {why}"
    if algorithm.kl_reward.enabled and algorithm.kl_reward.controller == "adaptive":
        yield "algorithm.kl_reward.controller", f"is 'adaptive' and follows the KL {why}"
    if algorithm.filters:
        yield "algorithm.filters", "groups are drawn again; the runner does not keep domains' shares then"


def _own(stage: Stage, source: Source, name: object) -> bool:
    """True where the framework's reward is the one that a data set names."""
    framework_source = own_reward(stage, source)
    return framework_source is not None and framework_source.arguments.get("name") == name


def _of_rewards(stage: Stage, source: Source) -> Iterator[tuple[str, str]]:
    """Every answer has one reward: a function's, a reward model's score, or what the framework itself says of it."""
    if (stage.reward.function_path and stage.reward.function_name) or own_reward(stage, source):
        return
    reward_domains = {name for name, _ in given_rewards(stage)}
    modelled = {domain for domain, _, kind in scoring(stage) if kind == "classifier"}
    drawn = (
        [domain for domain in stage.data.domains if domain.weight is not None] if len(stage.data.domains) > 1 else ()
    )
    of_one = stage.data.domains if source.framework == WORKERS else stage.data.train
    data_domains = [str(item.name) for item in drawn or of_one]
    workers = {own.domain for own in worker_rewards(stage, source)}
    open_ = [name for name in data_domains if not {name, ""} & (reward_domains | modelled | workers)]
    if source.framework == WORKERS and source.release:
        yield from _of_workers([domain for domain in stage.data.domains if str(domain.name) in open_], source.release)
    elif open_:
        whose = f" for {', '.join(open_)}" if reward_domains or modelled else ""
        yield (
            "reward.function_path",
            f"a reward function compute_score(data_source, solution_str, ground_truth, extra_info){whose}",
        )


def _of_workers(domains: Sequence[Domain], release: str) -> Iterator[tuple[str, str]]:
    """Refuse ROLL's workers that do not score by rule, each with its domain."""
    for domain in domains:
        why = scoring_of.unscored(WORKERS, release, worker_of(domain))
        yield "data.domains[].reward", f"of {domain.name}: {why}; `--reward {domain.name}=WHICH` names another reward"
