"""Sizes by which a run fits given GPUs: candidates are written, read back and priced; the first comfortable one is taken."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from rftconf.base.errors import RefusedError, UsageError
from rftconf.budget.advice.inverse_questions import highest_fraction
from rftconf.budget.facts.gpus import Gpu
from rftconf.budget.price import Budget
from rftconf.mappers.profiles import with_programs
from rftconf.mappers.tables import table_of
from rftconf.recipes.draft import LARGEST_NODE, Request, Sizes, draft
from rftconf.recipes.draft_config import NotPlacedError, Written, able, write_draft

SPARE = 0.05
"""The share of a GPU that stays free beside the account's own uncertainty."""
REQUESTS = 8
"""Full-length requests at once that make an engine worth its GPUs."""
MOST_SEQUENCES = 8
LARGEST_ENGINE = 8


@dataclass(frozen=True, slots=True)
class Fit:
    """A config that fits, and the account that says so."""

    sizes: Sizes
    written: Written
    budget: Budget
    gpu: Gpu


def fit(request: Request, gpu: Gpu) -> Fit:
    """The fastest sizes that fit. Raises RefusedError with the fewest GPUs that would do where none do."""
    expressed(request)
    fits = (_fit(request, gpu, spread) for spread in sequence_gpus(request))
    first = next((fit for fit in fits if fit is not None), None)
    if first is None:
        raise _nothing_fits(request, gpu)
    return first


def _fit(request: Request, gpu: Gpu, spread: int) -> Fit | None:
    """The fastest sizes that fit with a sequence on `spread` GPUs; a comfortable one goes before all others."""
    first: Fit | None = None
    for tp in engine_sizes(request):
        if attempt(request, gpu, _tightest(request, tp, spread)) is None:
            continue
        for tried in _from_fastest(request, tp, spread):
            fit = attempt(request, gpu, tried)
            if fit is None:
                continue
            first = first or fit
            if _comfortable(fit):
                return fit
    return first


def expressed(request: Request) -> Written | None:
    """The config before anything is sized; None where it cannot be placed.

    Raises RefusedError where the framework has no such algorithm, with the frameworks that have.
    """
    try:
        return write_draft(request, draft(request, _tightest(request, 1)))
    except NotPlacedError:
        return None
    except RefusedError as refused:
        others = [replace(request, framework=framework.name, release=framework.newest) for framework in with_programs()]
        able_ones = [other for other in others if able(other, draft(other, _tightest(other, 1)))]
        choices = tuple(
            f"--release {other.release}" if other.framework == request.framework else f"--framework {other.framework}"
            for other in able_ones
        )
        raise RefusedError(refused.message, choices=choices) from None


def engine_sizes(request: Request) -> Iterator[int]:
    """GPUs of an engine, smallest first: within a node, and whole engines on all GPUs."""
    per_node = request.gpus // request.node_count
    alone = not table_of(request.framework, "rl").target.shares
    for tp in (1, 2, 4, LARGEST_ENGINE):
        if per_node % tp == 0 and (not alone or tp < request.gpus or request.gpus == 1):
            yield tp


def sequence_gpus(request: Request) -> Iterator[int]:
    """GPUs of a sequence, fewest first: within a node."""
    per_node = request.gpus // request.node_count
    yield from (count for count in request.program.sequence_gpus if per_node % count == 0)


def _tightest(request: Request, tp: int, spread: int = 1) -> Sizes:
    stage, parked = _ways(request)[-1]
    return Sizes(tp, 1, 0.5, parked, spread, stage)


def _ways(request: Request) -> list[tuple[int | None, int]]:
    """Stages of ZeRO, each with what waits in host memory under it: the fastest first, what saves most memory last."""
    program = request.program
    *earlier, last = program.zero_stages or (None,)
    return [*((stage, 0) for stage in earlier), *((last, parked) for parked in range(len(program.parks)))]


def _from_fastest(request: Request, tp: int, spread: int) -> Iterator[Sizes]:
    most = min(max(request.recipe.tokens_per_rank // request.longest, 1), MOST_SEQUENCES)
    for stage, parked in _ways(request):
        sequences = most
        while sequences:
            yield Sizes(tp, sequences, request.recipe.gpu_memory_fraction, parked, spread, stage)
            sequences //= 2


def _comfortable(fit: Fit) -> bool:
    return all(serving.requests >= REQUESTS for serving in fit.budget.serving)


def attempt(request: Request, gpu: Gpu, tried: Sizes) -> Fit | None:
    """These sizes with the share of memory that the engines may have; None where nothing fits or nothing can be placed."""
    try:
        written = write_draft(request, draft(request, tried))
    except NotPlacedError:
        return None
    setup = written.setup()
    best = highest_fraction(setup, gpu, SPARE)
    if best is None or not best.changes:
        return None
    most = table_of(request.framework, "rl").target.memory if setup.layout == "disaggregated" else tried.fraction
    chosen = replace(tried, fraction=min(float(best.changes[0].new), most))
    written = write_draft(request, draft(request, chosen))
    budget = written.priced(gpu)
    if budget.verdict != "fits" or budget.problems or budget.headroom < SPARE * gpu.usable:
        return None
    return Fit(chosen, written, budget, gpu)


def _nothing_fits(request: Request, gpu: Gpu) -> RefusedError:
    what = f"{request.model} with sequences of {request.longest:,} tokens does not fit {request.gpus} × {gpu.title}"
    more = _fewest(request, gpu)
    if more is not None:
        return RefusedError(what, choices=(f"--gpus {more}: the fewest of them on which it fits",))
    shorter = "a smaller model, shorter sequences (--response-tokens N), or a larger GPU"
    return RefusedError(f"{what}, nor any number up to 512", choices=(shorter,))


def _fewest(request: Request, gpu: Gpu) -> int | None:
    for gpus in _clusters(request.gpus):
        larger = replace(request, gpus=gpus, nodes=None)
        try:
            pairs = product(reversed(list(sequence_gpus(larger))), reversed(list(engine_sizes(larger))))
            if any(attempt(larger, gpu, _tightest(larger, tp, spread)) for spread, tp in pairs):
                return gpus
        except UsageError:
            continue
    return None


def _clusters(above: int) -> Iterator[int]:
    """Every number within a node, then whole nodes, ever larger steps."""
    nodes = (*range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64)
    sizes = (*range(2, LARGEST_NODE), *(count * LARGEST_NODE for count in nodes))
    yield from (gpus for gpus in sizes if gpus > above)
