"""Source and output need the same memory on the same GPUs, or a line of the conversion says which setting makes a difference.

RFTCONF_CORPUS_ALL=1 takes every config of the corpus (`make same-budget`); the suite takes a sample.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rftconf.base.errors import RftconfError
from rftconf.base.symbols import OpenKey
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.facts.models import find
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.plan_view import plan_view
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.convert.convert import Conversion
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.corpus import Real, corpora
from tests.corpus_conversions import conversions, sample

EVERY = 1 if os.environ.get("RFTCONF_CORPUS_ALL") else 14
GPUS = ("h100-80g", "a100-40g", "h20-96g")
WITHIN = 0.05
"""A share of a role's memory that may differ without a line."""
PLACEHOLDER = "your_hf_model_path"
"""ChatLearn's examples have this in place of a model."""
PROMPT = "stage.length.prompt_max_tokens"
"""TRL has no key for it since 0.26: the prompts are those of the source, whose limit a person would give."""
NOTHING = 1 << 28
"""Bytes (1/4 GiB) that no line has to speak of."""


def priced(loaded: Loaded, source: Loaded | None = None) -> Setup | None:
    """The run as its memory sees it; None where `rftconf budget` asks for the model or for sizes.

    `source`: the run that the prompts of this one are from, where it has no limit of its own for them.
    """
    values = dict(main_stage(loaded).values)
    if source is not None and isinstance(values.get(PROMPT), OpenKey):
        values[PROMPT] = main_stage(source).values.get(PROMPT)
    path = values.get("stage.model.path")
    if not isinstance(path, str) or find(path) is None:
        return None
    try:
        return setup_of(plan_view([values], loaded.framework, loaded.release, loaded.extensions), BudgetRequest())
    except RftconfError:
        return None


def peaks(budget: Budget) -> dict[str, int]:
    """Role to the most that it holds of a GPU while it works, in bytes; models that answer by where a plan has them."""
    places = {role.name: role.path for role in budget.setup.engines}
    values: dict[str, int] = {}
    for phase in (phase for pool in budget.pools for phase in pool.phases):
        for role in phase.at_work:
            size = sum(term.size for term in phase.terms if term.owner == role)
            place = places.get(role, role)
            values[place] = max(values.get(place, 0), size)
    return values


def names_at(place: str, *budgets: Budget) -> list[str]:
    """What the two sides call a role."""
    return [place, *(role.name for budget in budgets for role in budget.setup.engines if role.path == place)]


def unsaid(done: Conversion, a: Budget, b: Budget) -> Iterator[str]:
    """What differs between the accounts of source and output, and no note speaks of."""
    messages = [note for note in done.ledger.notes if note.startswith(("memory: ", "more memory: "))]
    mine, theirs = peaks(a), peaks(b)
    for role in {**mine, **theirs}:
        first, second = mine.get(role, 0), theirs.get(role, 0)
        far = abs(first - second) > max(WITHIN * max(first, second), NOTHING)
        if far and not any(name in note for note in messages for name in names_at(role, a, b)):
            yield f"{role}: {first / 2**30:.1f} GiB in the source, {second / 2**30:.1f} here"
    if a.verdict != b.verdict and not messages:
        yield f"on {a.gpu.name} the source {a.verdict}, what is written {b.verdict}"


def broken(real: Real, done: Conversion, loaded: Loaded, source: Setup) -> Iterator[str]:
    """Where a conversion breaks the law."""
    written = read(Source(f"written{done.file_suffix}", done.text))
    target = done.ledger.target_framework
    output = priced(load(written, framework=target, release=done.ledger.target_release), loaded)
    name = f"{real.name} -> {target}"
    if output is None:
        if not done.ledger.decisions:
            yield f"{name}: the source can be priced, the output cannot, and nothing is left to decide"
        return
    for gpu in GPUS:
        accounts = price(source, gpu_named(gpu)), price(output, gpu_named(gpu))
        yield from (f"{name}, {gpu}: {new_name}" for new_name in unsaid(done, *accounts))


@pytest.mark.skipif(not any(corpora().values()), reason="the corpus of real configs lies beside this project")
@pytest.mark.parametrize("framework", ["verl", "trinity", "roll", "chatlearn"])
def test_source_and_output_need_the_same_memory_or_a_line_says_why(framework: str) -> None:
    problems: list[str] = []
    compared = 0
    every = 1 if framework == "chatlearn" else EVERY  # it has two examples
    for real in (real for real in sample(every) if real.framework == framework):
        real = replace(real, text=real.text.replace(PLACEHOLDER, "Qwen/Qwen2.5-7B-Instruct"))
        try:
            loaded = load(real.document())
            source = priced(loaded)
        except RftconfError:
            continue
        if source is None:
            continue
        for _, done in conversions(real):
            compared += 1
            problems += broken(real, done, loaded, source)
    assert compared
    assert problems == []
