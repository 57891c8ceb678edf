"""The inverse questions: what would fit, found by asking the forward account again and again. No formula of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rftconf.base.record import record
from rftconf.budget.advice.cluster_search import USUAL, Answer, Change, cheapest_cluster, fewest_gpus, resized, sizes
from rftconf.budget.advice.make_it_fit import mended
from rftconf.budget.advice.memory_savers import Step, steps
from rftconf.budget.facts.gpus import Gpu, gpu_named
from rftconf.budget.price import Budget, price
from rftconf.budget.roles.micro_batches import ranks_of
from rftconf.budget.roles.roles import Setup

P = "stage.placement."


@record
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
    replies = (
        largest_tokens(setup, gpu),
        highest_fraction(setup, gpu),
        first_offload(setup, gpu),
        mended(setup, gpu),
        fewest_gpus(setup, gpu),
        cheapest_cluster(setup, tuple(dict.fromkeys([gpu, *(gpu_named(name) for name in USUAL)]))),
    )
    return tuple(answer for answer in replies if answer is not None)


def _largest(low: int, high: int, good: Callable[[int], bool]) -> int | None:
    """The largest number in the range for which `good` holds, given that it holds below some number only."""
    if not good(low):
        return None
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if good(middle) else (low, middle - 1)
    return low


def most(setup: Setup, gpu: Gpu) -> int | None:
    """The largest micro-batch of the actor's updates, in its own unit (tokens in whole thousands, or sequences).

    None when not even one sequence fits. No more than a rank's share of an update.
    """
    actor = setup.actor
    if actor is None or actor.micro is None:
        return None
    micro = actor.micro
    step = 1024 if micro.rows is None else 1
    share, each = micro.share(ranks_of(actor.job)), micro.each if step == 1 else step
    low = -(-micro.longest // step) if step > 1 else 1
    high = max(-(-share // each), low) if share else (4096 if step > 1 else max(4096 * 1024 // micro.each, 1))
    size = _largest(low, high, lambda n: fits(setup.with_micro(micro.path, n * step), gpu))
    return None if size is None else size * step


def most_tokens(setup: Setup, gpu: Gpu) -> int | None:
    """The same in tokens."""
    size, actor = most(setup, gpu), setup.actor
    if size is None or actor is None or actor.micro is None:
        return None
    return size if actor.micro.rows is None else size * actor.micro.each


def largest_tokens(setup: Setup, gpu: Gpu) -> Answer | None:
    """Find the largest micro-batch of the actor that fits, in tokens or sequences per rank."""
    actor = setup.actor
    if actor is None or actor.micro is None:
        return None
    question, size, micro = "largest micro-batch of the actor", most(setup, gpu), actor.micro
    if size is None:
        text = f"not even one sequence of {setup.longest:,} tokens fits beside everything else"
        return Answer(question, text, (), None)
    proof = price(setup.with_micro(micro.path, size), gpu)
    if micro.rows is None:
        text = f"{size:,} tokens per rank ({size // setup.longest} sequences of {setup.longest:,}); now {micro.size:,}"
    else:
        text = f"{size} sequences of {micro.each:,} tokens per rank; now {micro.rows}"
    share = micro.share(ranks_of(actor.job))
    if share and size * (1 if micro.rows is None else micro.each) >= share:
        text += "; that is all that an update gives a rank"
    return Answer(question, text, (Change(micro.leaf, micro.size, size),), proof)


def highest_fraction(setup: Setup, gpu: Gpu, spare: float = 0.0) -> Answer | None:
    """Find the highest share of a GPU for the rollout engine with which at least the share `spare` of it stays free."""
    role = next((r for r in setup.engines if r.name == "rollout"), None)
    if role is None:
        return None

    def with_share(hundredths: int) -> Budget:
        return price(setup.with_rollout(fraction=hundredths / 100), gpu)

    def has_room(hundredths: int) -> bool:
        budget = with_share(hundredths)
        return budget.holds_in(gpu.range[0]) and budget.headroom >= spare * gpu.usable

    # A larger share leaves the other phases less and gives the cache more: where the largest that leaves enough is too
    # small for one request, every smaller one is too.
    best = _largest(5, 95, has_room)
    question = "highest safe share of the GPU for the rollout engine"
    if best is None or (proof := with_share(best)).verdict != "fits":
        return Answer(question, "no share between 0.05 and 0.95 fits", (), None)
    serving = next(s for s in proof.serving if s.role == "rollout")
    text = f"{best / 100:.2f} (now {role.engine.fraction:g}): {serving.requests:.1f} full-length requests at once per engine"
    return Answer(question, text, (Change(P + "rollout.gpu_memory_fraction", role.engine.fraction, best / 100),), proof)


def first_offload(setup: Setup, gpu: Gpu) -> Answer | None:
    """List the offloads to turn on in turn until the run fits; steps that save nothing at the peak are left out."""
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
    for step in steps(setup):
        lower = price(step[2](setup), gpu)
        if lower.deciding.deciding.size < peak:
            return step, lower
    return None


def front(setup: Setup, gpus: tuple[Gpu, ...]) -> tuple[Point, ...]:
    """Clusters by rent against the micro-batch that they allow; `efficient` ones are beaten by no cheaper one."""
    points = []
    for gpu in gpus:
        for count in sizes(setup, limit=128):
            changed = setup if count == setup.total else resized(setup, count)
            if changed is None:
                continue
            tokens = most_tokens(changed, gpu) if changed.actor else None
            budget = price(changed, gpu)
            points.append(
                Point(gpu.name, count, round(count * gpu.price, 2), tokens, round(budget.headroom / (1 << 30), 2))
            )
    best, marked = 0, []
    for point in sorted(points, key=lambda p: (p.price, -(p.tokens or 0))):
        better = point.tokens is not None and point.tokens > best
        best = max(best, point.tokens or 0)
        marked.append(replace(point, efficient=better))
    return tuple(marked)
