"""The law of equal budgets: what breaks it in one conversion, and the runs that it is tried on, with each framework as the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rftconf.base.errors import RftconfError
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.facts.models import find
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.plan_view import plan_view
from rftconf.budget.roles.roles import Setup
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.convert.learning.memory_changes import NEEDS_MORE, OTHERWISE, completed
from rftconf.load.base_files import base_files_of
from rftconf.load.load import load, main_stage
from rftconf.load.loaded import Loaded
from rftconf.schemas import registry
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from tests.corpus import Real
from tests.corpus_conversions import sample
from tests.sources import ROOT

GPUS = ("h100-80g", "a100-40g", "h20-96g")
WITHIN = 0.05
"""A share of a role's memory that may differ without a line."""
KNOWN = "Qwen/Qwen2.5-7B-Instruct"
UNKNOWN_MODELS = re.compile(r"\byour_hf_model_path\b|\borg/(?:small|base-\d+b)\b|(?<![\w/])/models/[\w.-]+")
"""Names that examples have in place of a model: they are read as KNOWN, because nobody can price a model without sizes."""
NOTHING = 1 << 28
"""Bytes (1/4 GiB) that no line has to speak of."""
WRITTEN = {"trl": "0.25.1", "openrlhf": "0.11.2", "nemo_rl": "0.7.0"}
"""Frameworks whose examples are no part of the corpus: what the corpus converts to is tried as their source, at a release that
says how long a prompt is."""


def priced(loaded: Loaded, source: Loaded | None = None) -> Setup | None:
    """The run as its memory sees it; None where `rftconf budget` asks for the model or for sizes.

    `source`: the run that this one was converted from, which tells what this one leaves to whoever starts it.
    """
    values = dict(main_stage(loaded).values)
    if source is not None:
        values = completed(values, main_stage(source).values)
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


def names_at(place: str, *budgets: Budget) -> tuple[str, ...]:
    """Return the names that the two sides have for a role."""
    return (place, *(role.name for budget in budgets for role in budget.setup.engines if role.path == place))


def unsaid(notes: tuple[str, ...], a: Budget, b: Budget) -> Iterator[str]:
    """Return the differences between the accounts of source and output that no note speaks of."""
    sentences = [note.removeprefix(lead) for lead in (NEEDS_MORE, OTHERWISE) for note in notes if note.startswith(lead)]
    mine, theirs = peaks(a), peaks(b)
    for role in {**mine, **theirs}:
        first, second = mine.get(role, 0), theirs.get(role, 0)
        far = abs(first - second) > max(WITHIN * max(first, second), NOTHING)
        if far and not any(sentence.startswith(names_at(role, a, b)) for sentence in sentences):
            yield f"{role}: {first / 2**30:.1f} GiB in the source, {second / 2**30:.1f} here"
    if a.verdict != b.verdict and not sentences:
        yield f"on {a.gpu.name} the source {a.verdict}, what is written {b.verdict}"


def broken(name: str, done: Conversion, loaded: Loaded, source: Setup) -> list[str] | None:
    """Return the places at which a conversion breaks the law; None where the output cannot be priced yet, because something is left to decide."""
    document = read(Source(f"written{done.file_suffix}", done.text), ReadOptions(ships=base_files_of))
    target = done.ledger.target_framework
    output = priced(load(document, framework=target, release=done.ledger.target_release), loaded)
    if output is None:
        what = f"{name} -> {target}: the source can be priced, the output cannot, and nothing is left to decide"
        return None if done.ledger.decisions else [what]
    lines = []
    for gpu in GPUS:
        accounts = price(source, gpu_named(gpu)), price(output, gpu_named(gpu))
        lines += [f"{name} -> {target}, {gpu}: {line}" for line in unsaid(done.ledger.notes, *accounts)]
    return lines


def with_known_model(text: str) -> str:
    """The text with a model that has known sizes in place of one that only stands for it."""
    return UNKNOWN_MODELS.sub(KNOWN, text)


def golden_inputs() -> Iterator[tuple[str, Document]]:
    """Every distinct input of the golden cases, by the name of its first case."""
    texts: dict[str, str] = {}
    for file in sorted((ROOT / "golden").glob("*/*/input.*")):
        texts.setdefault(with_known_model(file.read_text()), f"golden {file.parent.name}/{file.name}")
    for text, name in texts.items():
        yield name, read(Source(name.rpartition("/")[2], text), ReadOptions(ships=base_files_of))


def runs_of(framework: str, every: int) -> Iterator[tuple[str, Loaded]]:
    """Runs of a framework, by name: golden inputs, every `every`th config of the corpus, and what other frameworks' became."""
    for name, document in golden_inputs():
        yield from _loaded(name, document, framework)
    for real in sample(every):
        priceable = replace(real, text=with_known_model(real.text))
        if real.framework == framework:
            yield from _loaded(real.name, priceable.document(), framework)
        elif framework in WRITTEN:
            yield from _written(priceable, framework)


def _written(real: Real, framework: str) -> Iterator[tuple[str, Loaded]]:
    try:
        done = convert_loaded(load(real.document()), framework, Options(WRITTEN[framework]))
    except RftconfError:
        return
    document = read(Source(f"written{done.file_suffix}", done.text), ReadOptions(ships=base_files_of))
    yield (
        f"{real.framework}'s {real.name} as {framework}",
        load(document, framework=framework, release=WRITTEN[framework]),
    )


def _loaded(name: str, document: Document, framework: str) -> Iterator[tuple[str, Loaded]]:
    try:
        loaded = load(document)
    except RftconfError:
        return
    if loaded.framework == framework:
        yield name, loaded


def conversions_of(loaded: Loaded) -> Iterator[tuple[str, Conversion]]:
    """Convert a run to each target; a pair that is refused is left out."""
    for to in registry.FRAMEWORKS:
        if to != loaded.framework:
            try:
                yield to, convert_loaded(loaded, to, Options())
            except RftconfError:
                continue
