"""Reads a plan's stage for its data sets, their shares of a period, and what gives each its reward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from rftconf.plan.data_parts import DataSet
from rftconf.plan.model import Stage
from rftconf.plan.provenance import Source
from rftconf_runner.framework_rewards import NOTHING, WORKERS, own_reward, worker_rewards
from rftconf_runner.job_data import ImageColumn, Rows, Share
from rftconf_runner.job_rewards import RewardSource
from rftconf_runner.mixing import counts
from rftconf_runner.rules import GIVEN, MODEL, parse_reward_option
from rftconf_runner.scores.table import numbers
from rftconf_runner.stage_reader import StageReader
from rftconf_runner.trinity_tasks import asks_once, system_of

NOBODY = Source()
OF_WORKERS = "ground_truth"
"""The column that all of ROLL's workers read, whatever its config calls a response."""
OF_TESTS = ("case_type", "test_cases")
"""The columns that its worker of code reads besides."""
BATCHED = "batch"
"""veRL's reward manager that asks its function once for all answers (workers/reward_manager/batch.py)."""
SEES = "verl"
"""The framework whose reader of images this is."""


def data_of(read: StageReader, source: Source = NOBODY) -> dict[str, Any]:
    """Return the job's settings of the data: the places of rows and their mixing. `mixing` is unused with shares."""
    stage = read.stage
    several, tags, once = len(stage.data.train) > 1, _only_tags(stage), asks_once(stage)
    path = "data.train[]."
    names = [read.text(path + "name", data_set.name, "") if several else "" for data_set in stage.data.train]
    rows = [rows_of(read, data_set, path, source, once=once) for data_set in stage.data.train]
    return {
        "data": tuple(replace(part, name=name, tags=tags) for part, name in zip(rows, names, strict=True)),
        "mixing": read.value("data.mixing", "concat"),
        "shares": _shares(stage),
        "shuffle": read.value("data.shuffle", True),
        "data_seed": read.whole("data.seed", 0),
    }


def rows_of(read: StageReader, data_set: DataSet, path: str, source: Source, *, once: bool) -> Rows:
    """Return where one set's rows are, and their columns; `once`: a question and its answer are columns of their own."""
    prompt = data_set.keys.prompt if once else data_set.keys.messages or data_set.keys.prompt
    return Rows(
        read.text(path + "uri", data_set.uri),
        read.text(path + "split", data_set.split, "train"),
        read.text(path + "keys.prompt", prompt, "prompt"),
        data_set.prompt_type == "messages",
        read.text(
            path + "keys.response", OF_WORKERS if source.framework == WORKERS else data_set.keys.response, "answer"
        ),
        subset=read.text(path + "subset", data_set.subset, ""),
        system=system_of(data_set) if once else None,
        images=images_of(data_set.keys.image, source),
        beside=OF_TESTS if source.framework == WORKERS else (),
    )


def images_of(column: object, source: Source) -> ImageColumn | None:
    """Return how a release of veRL reads the images of its rows: from 0.7 on every image goes through qwen-vl-utils (`RLHFDataset.
    process_vision_info`), before that those that the data set has not decoded (`process_image`); its patches were 14 pixels up to
    0.8, and are the processor's own from 0.9 on."""
    if not isinstance(column, str) or source.framework != SEES:
        return None
    release = numbers(str(source.release or ""))
    return ImageColumn(column, release >= (0, 7), 14 if release < (0, 9) else 0)


def rewards_of(
    read: StageReader, source: Source = NOBODY, words: Mapping[str, Any] = NOTHING, *, modelled: bool = False
) -> tuple[RewardSource, ...]:
    """Return the rewards that `--reward NAME=…` gave a domain or a data set, and for the others the plan's own, else the framework's; where a
    reward model scores these (`modelled`), none. `words` are keys that only the framework has."""
    path, name, arguments = (
        read.value(f"reward.function_{part}", otherwise)
        for part, otherwise in (("path", ""), ("name", ""), ("args", {}))
    )
    sources_by_domain = dict(given_rewards(read.stage))
    sources = [RewardSource(domain, *parse_reward_option(words)) for domain, words in sources_by_domain.items()]
    if "" in sources_by_domain:
        return tuple(sources)
    if path:
        return (*sources, RewardSource("", path, name, arguments, batched=read.stage.reward.manager == BATCHED))
    workers = [own for own in worker_rewards(read.stage, source, words) if own.domain not in sources_by_domain]
    own = None if modelled else own_reward(read.stage, source, words)
    return (*sources, *workers, *([own] if own else []))


def given_rewards(stage: Stage) -> Iterator[tuple[str, str]]:
    """Names of domains, or without several of data sets, and what `--reward` gave them; a single domain is all there is."""
    domains, sets = stage.data.domains, stage.data.train
    named: list[tuple[str, object]] = [
        (str(domain.name) if len(domains) > 1 else "", domain.reward) for domain in domains
    ]
    if len(domains) < 2:
        named += [(str(data_set.name) if len(sets) > 1 else "", data_set.reward) for data_set in sets if data_set.name]
    for name, reward in named:
        if is_given(reward) and reward != GIVEN + MODEL:
            yield name, str(reward).removeprefix(GIVEN)


def is_given(reward: object) -> bool:
    """True for what `--reward` has put in place of a name that belongs to a framework."""
    return isinstance(reward, str) and reward.startswith(GIVEN)


def _shares(stage: Stage) -> tuple[Share, ...]:
    """Return the shares of several domains; a single one has none, as its rows are all there are."""
    domains, prompts = stage.data.domains, stage.batch.prompts_per_rollout
    weights = [domain.weight for domain in domains if isinstance(domain.weight, (int, float))]
    if len(domains) < 2 or not weights or not isinstance(prompts, int):
        return ()
    shares = iter(counts(weights, prompts))
    return tuple(
        Share(str(domain.name), tags_of(domain.tags), next(shares) if isinstance(domain.weight, (int, float)) else 0)
        for domain in domains
    )


def _only_tags(stage: Stage) -> tuple[str, ...]:
    """Return the tags of a single domain, beside which rows may have no other; empty for several domains or none."""
    return tags_of(stage.data.domains[0].tags) if len(stage.data.domains) == 1 else ()


def tags_of(tags: Any) -> tuple[str, ...]:
    """The tags of a domain, one or several."""
    return (tags,) if isinstance(tags, str) else tuple(str(tag) for tag in tags or ())
