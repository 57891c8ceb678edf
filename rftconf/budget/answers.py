"""The inverse questions: what would fit, found by asking the forward account again and again. No formula of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rftconf.budget.clusters import USUAL, Answer, Change, cheapest_cluster, fewest_gpus, resized, sizes
from rftconf.budget.gpus import Gpu, gpu_named
from rftconf.budget.price import Budget, price
from rftconf.budget.roles import Setup, TrainerRole

P = "stage.placement."
TOKENS = "stage.batch.micro.tokens_per_rank"
ROWS = "stage.batch.micro.sequences_per_rank"


@dataclass(frozen=True, slots=True)
class Point:
    """One cluster: GPUs, rent per hour [USD], and the most tokens a rank may have; None where nothing fits."""

    gpu: str
    gpus: int
    price: float
    tokens: int | None
    headroom_gib: float
    efficient: bool = False


def fits(setup: Setup, gpu: Gpu) -> bool:
    """True when even the upper end of the interval fits, and no rule is broken that was not broken before."""
    return price(setup, gpu).verdict == "fits"


def answers(setup: Setup, gpu: Gpu) -> tuple[Answer, ...]:
    """Every question that has an answer for this run."""
    found = (
        largest_tokens(setup, gpu),
        highest_fraction(setup, gpu),
        first_offload(setup, gpu),
        fewest_gpus(setup, gpu),
        cheapest_cluster(setup, tuple(dict.fromkeys([gpu, *(gpu_named(name) for name in USUAL)]))),
    )
    return tuple(answer for answer in found if answer is not None)


def _largest(low: int, high: int, good: Callable[[int], bool]) -> int | None:
    """The largest number in the range for which `good` holds, given that it holds below some number only."""
    if not good(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if good(middle) else (low, middle - 1)
    return low


def most_tokens(setup: Setup, gpu: Gpu) -> int | None:
    """The most tokens of a micro-batch on one rank, in whole thousands; None when not even one sequence fits."""
    step = 1024
    found = _largest(-(-setup.longest // step), 4096, lambda n: fits(setup.with_actor(tokens=n * step), gpu))
    return None if found is None else found * step


def largest_tokens(setup: Setup, gpu: Gpu) -> Answer | None:
    """How far the actor's micro-batch can grow."""
    actor = setup.actor
    if actor is None:
        return None
    question, found = "largest micro-batch of the actor", most_tokens(setup, gpu)
    if found is None:
        text = f"not even one sequence of {setup.longest:,} tokens fits beside everything else"
        return Answer(question, text, (), None)
    proof = price(setup.with_actor(tokens=found), gpu)
    if actor.sequences:
        each = actor.job.tokens // actor.sequences
        rows = found // each
        text = f"{rows} sequences of {each:,} tokens per rank; now {actor.sequences}"
        proof = price(setup.with_actor(tokens=rows * each), gpu)
        return Answer(question, text, (Change(ROWS, actor.sequences, rows),), proof)
    rows = found // setup.longest
    text = f"{found:,} tokens per rank ({rows} sequences of {setup.longest:,}); now {actor.job.tokens:,}"
    return Answer(question, text, (Change(TOKENS, actor.job.tokens, found),), proof)


def highest_fraction(setup: Setup, gpu: Gpu, spare: float = 0.0) -> Answer | None:
    """How much of a GPU the rollout engine may take, so that at least the share `spare` of it stays free."""
    role = next((r for r in setup.engines if r.name == "rollout"), None)
    if role is None:
        return None

    def holds(hundredths: int) -> bool:
        budget = price(setup.with_rollout(fraction=hundredths / 100), gpu)
        return budget.verdict == "fits" and budget.headroom >= spare * gpu.usable

    found = _largest(5, 95, holds)
    lowest = next((n for n in range(5, 96) if holds(n)), None)
    question = "highest safe share of the GPU for the rollout engine"
    if lowest is None:
        return Answer(question, "no share between 0.05 and 0.95 fits", (), None)
    best = found if found is not None else max(n for n in range(lowest, 96) if holds(n))
    proof = price(setup.with_rollout(fraction=best / 100), gpu)
    serving = next(s for s in proof.serving if s.role == "rollout")
    text = f"{best / 100:.2f} (now {role.engine.fraction:g}): {serving.requests:.1f} full-length requests at once per engine"
    return Answer(question, text, (Change(P + "rollout.gpu_memory_fraction", role.engine.fraction, best / 100),), proof)


Step = tuple[str, str, Callable[[Setup], Setup]]


def _steps(setup: Setup) -> Iterator[Step]:
    """Ways to save memory, what costs least speed first."""
    yield from _parking(setup)
    actor = setup.actor
    if actor is None:
        return
    job, path = actor.job, "stage.model_options."
    if not job.checkpointing:
        words = "layers are recomputed in backward"
        yield path + "gradient_checkpointing", words, lambda s: s.with_actor(checkpointing=True)
    if job.backend == "megatron":
        return
    if not job.fused_head:
        yield path + "fused_kernels", "logits are fused with the loss", lambda s: s.with_actor(fused_head=True)
    if not job.offload_activations:
        words = "checkpoints wait in host memory"
        yield path + "activation_offload", words, lambda s: s.with_actor(offload_activations=True)


def _parking(setup: Setup) -> Iterator[Step]:
    """States that can wait in host memory while other roles work."""

    def of(name: str, change: Callable[[TrainerRole], TrainerRole]) -> Callable[[Setup], Setup]:
        return lambda s: replace(s, trainers=tuple(change(r) if r.name == name else r for r in s.trainers))

    for one in setup.trainers:
        if one.name == "reference" and not one.parked_weights:
            yield f"{P}reference.offload.param", "reference weights wait in host memory", of("reference", _park_weights)
    trained = [one for one in setup.trainers if one.job.trains and setup.layout == "colocated"]
    for one in trained:
        if not one.parked_optimizer:
            words = f"{one.name}'s optimizer waits in host memory"
            yield f"{P}{one.name}.offload.optimizer", words, of(one.name, _park_adam)
    for one in trained:
        if not one.parked_weights:
            words = f"{one.name}'s weights wait in host memory"
            yield f"{P}{one.name}.offload.param", words, of(one.name, _park_weights)


def _park_weights(role: TrainerRole) -> TrainerRole:
    job = role.job if role.job.trains else replace(role.job, offload_parameters=True)
    scoring = role.scoring if role.job.trains else replace(role.scoring, offload_parameters=True)
    return replace(role, parked_weights=True, job=job, scoring=scoring)


def _park_adam(role: TrainerRole) -> TrainerRole:
    return replace(role, parked_optimizer=True)


def first_offload(setup: Setup, gpu: Gpu) -> Answer | None:
    """What to turn on, one after the other, until it fits; steps that save nothing at the peak are left out."""
    before = price(setup, gpu)
    if before.verdict == "fits" or setup.actor is None:
        return None
    question, now, proof, taken = "what to turn on first", setup, before, []
    while proof.verdict != "fits" and (step := _next_step(now, gpu, proof)) is not None:
        (path, words, change), lower = step
        saved = proof.deciding.deciding.size - lower.deciding.deciding.size
        now, proof = change(now), lower
        taken.append((Change(path, False, True), f"{words} (−{saved / (1 << 30):.1f} GiB)"))
    text = "; then ".join(words for _, words in taken) or "no offload lowers the peak"
    return Answer(question, f"{text}: {proof.verdict}", tuple(change for change, _ in taken), proof)


def _next_step(setup: Setup, gpu: Gpu, now: Budget) -> tuple[Step, Budget] | None:
    """The first step that lowers the peak, which each step taken may move to another phase; with the account after it."""
    peak = now.deciding.deciding.size
    for step in _steps(setup):
        lower = price(step[2](setup), gpu)
        if lower.deciding.deciding.size < peak:
            return step, lower
    return None


def front(setup: Setup, gpus: tuple[Gpu, ...]) -> tuple[Point, ...]:
    """Clusters by rent against the micro-batch that they allow; `efficient` ones are beaten by no cheaper one."""
    found = []
    for gpu in gpus:
        for count in sizes(setup, limit=128):
            changed = resized(setup, count)
            if changed is None:
                continue
            tokens = most_tokens(changed, gpu) if changed.actor else None
            budget = price(changed, gpu)
            found.append(
                Point(gpu.name, count, round(count * gpu.price, 2), tokens, round(budget.headroom / (1 << 30), 2))
            )
    best, marked = 0, []
    for point in sorted(found, key=lambda p: (p.price, -(p.tokens or 0))):
        better = point.tokens is not None and point.tokens > best
        best = max(best, point.tokens or 0)
        marked.append(replace(point, efficient=better))
    return tuple(marked)
