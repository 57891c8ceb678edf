"""Memory: whether the run fits the project's GPU, from the account that `rftconf budget` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.lint.rule import ERROR, INFO, WARNING, Family, Findings, Put, finding, roll, trinity, verl
from rftconf.lint.subject import Subject

if TYPE_CHECKING:
    from rftconf.budget.advice.cluster_search import Answer
    from rftconf.budget.price import Budget

FAMILY = Family("MEM")
rule = FAMILY.rule
GIB = 1 << 30
LITTLE, HALF = 0.05, 0.5
TOKENS, SEQUENCES = "batch.micro.tokens_per_rank", "batch.micro.sequences_per_rank"
FRACTION, TP = "placement.rollout.gpu_memory_fraction", "placement.rollout.tp"
MODEL = "model.path"
ROLLOUT = "actor_rollout_ref.rollout."
SETTINGS = "the GPU is `gpu` under `[tool.rftconf.cluster]`, or --gpu"


def _peak(budget: Budget) -> str:
    """The moment that needs most, with its interval and its largest term."""
    worst = budget.deciding.deciding
    heaviest = max(worst.terms, key=lambda term: term.size)
    return (
        f"{worst.name} needs {worst.size / GIB:.1f} GiB ({worst.low / GIB:.1f} to {worst.high / GIB:.1f}) of "
        f"{budget.gpu.usable / GIB:.1f} on {budget.gpu.title}; most is {heaviest.name}, {heaviest.size / GIB:.1f} GiB"
    )


def _keys(budget: Budget) -> tuple[str, ...]:
    """Return the plan fields to look at, the most telling first: those that the peak's largest term comes from."""
    part = max(budget.deciding.deciding.terms, key=lambda term: term.size).part
    tokens = (TOKENS, SEQUENCES)
    if part == "kv_cache":
        return (FRACTION, MODEL, *tokens)
    return (*tokens, MODEL, FRACTION) if part in ("activations", "logits") else (MODEL, *tokens, FRACTION)


def _puts(answer: Answer | None) -> tuple[Put, ...]:
    """The changes of an answer whose own account says that they are enough."""
    if answer is None or answer.budget is None or answer.budget.verdict != "fits":
        return ()
    return tuple(Put(change.path, change.new) for change in answer.changes)


def _enough(budget: Budget) -> tuple[Put, ...]:
    """The change that makes it fit and costs least: a share, a micro-batch, offloads, several at once, more nodes, in this order."""
    from rftconf.budget.advice.cluster_search import fewest_gpus
    from rftconf.budget.advice.inverse_questions import first_offload, highest_fraction, largest_tokens
    from rftconf.budget.advice.make_it_fit import mended

    questions = (highest_fraction, largest_tokens, first_offload, mended, fewest_gpus)
    return next((puts for ask in questions if (puts := _puts(ask(budget.setup, budget.gpu)))), ())


@rule(
    1, ERROR, "a run that does not fit its GPUs",
    bad=verl(f"{ROLLOUT}gpu_memory_utilization=0.95", gpu="h100-80g"),
    good=verl(f"{ROLLOUT}gpu_memory_utilization=0.6", gpu="h100-80g"),
    advice="ask `rftconf budget FILE --gpu NAME --fit` what would fit", fixable=True,
    source=f"docs/adr/0010, rftconf budget; {SETTINGS}",
)  # fmt: skip
def _does_not_fit(s: Subject) -> Findings:
    """Every role's memory is counted in every phase of a step; even the lower end of the interval is more than the GPU
    has. The run would end with an out-of-memory error, often only after hours, at the first full-length batch."""
    budget = s.budget
    if budget is not None and budget.deciding.deciding.low > budget.gpu.range[1] and not s.unknown(FRACTION):
        yield finding(_peak(budget), *_keys(budget), fix=_enough(budget))


@rule(
    2, WARNING, "almost no memory left",
    bad=verl(f"{ROLLOUT}gpu_memory_utilization=0.85", gpu="h100-80g"),
    good=verl(f"{ROLLOUT}gpu_memory_utilization=0.6", gpu="h100-80g"),
    advice="lower the engine's share or the token budget until 5 % stay free", fixable=True,
    source=f"docs/adr/0010, rftconf budget; {SETTINGS}",
)  # fmt: skip
def _little_left(s: Subject) -> Findings:
    """Less than 5 % of the GPU is free at the worst moment: fragmentation, one longer batch or a newer driver is enough
    to end the run."""
    from rftconf.budget.advice.inverse_questions import highest_fraction

    budget = s.budget
    if budget is None or budget.deciding.deciding.low > budget.gpu.range[1] or budget.starved:
        return
    if budget.headroom < LITTLE * budget.gpu.usable:
        generates = any(term.part == "kv_cache" for term in budget.deciding.deciding.terms)
        fix = _puts(highest_fraction(budget.setup, budget.gpu, LITTLE)) if generates else ()
        yield finding(f"less than 5 % is left: {_peak(budget)}", *_keys(budget), fix=fix)


@rule(
    3, INFO, "half the memory unused",
    bad=trinity("explorer.rollout_model.gpu_memory_utilization=0.3", "model.model_path=Qwen/Qwen2.5-0.5B-Instruct", gpu="h200-141g"),
    good=trinity("explorer.rollout_model.gpu_memory_utilization=0.9", gpu="h100-80g"),
    advice="use larger micro-batches, a larger cache or fewer GPUs; `rftconf budget FILE --gpu NAME --fit` names them",
    source=f"docs/adr/0010, rftconf budget; {SETTINGS}",
)  # fmt: skip
def _half_unused(s: Subject) -> Findings:
    """Even at the worst moment more than half of every GPU is free. Memory that nothing uses is rented for nothing."""
    budget = s.budget
    if budget is not None and budget.deciding.deciding.high < HALF * budget.gpu.usable and not budget.starved:
        yield finding(_peak(budget), FRACTION, TOKENS, SEQUENCES, MODEL)


@rule(
    4, ERROR, "a cache that does not hold one sequence",
    bad=verl(f"{ROLLOUT}gpu_memory_utilization=0.1", gpu="h100-80g"),
    good=verl(f"{ROLLOUT}gpu_memory_utilization=0.6", gpu="h100-80g"),
    advice="give the engine a larger share, or a larger tensor-parallel size", fixable=True,
    source=f"vLLM kv_cache_utils.py check_enough_kv_cache_memory; {SETTINGS}",
)  # fmt: skip
def _no_request(s: Subject) -> Findings:
    """vLLM refuses to start when its cache cannot hold one request of the longest length."""
    from rftconf.budget.advice.inverse_questions import highest_fraction

    budget = s.budget
    for serving in budget.starved if budget is not None else ():
        tokens = f"{budget.setup.longest:,} tokens" if budget is not None else ""
        message = (
            f"{serving.role}: the KV cache holds {serving.requests:.2f} requests of {tokens}, and at least 1 must fit"
        )
        fix = _puts(highest_fraction(budget.setup, budget.gpu)) if budget and serving.role == "rollout" else ()
        yield finding(message, FRACTION, TP, MODEL, fix=fix)


@rule(
    5, ERROR, "heads, experts or layers that parallel sizes do not divide",
    bad=verl("actor_rollout_ref.actor.ulysses_sequence_parallel_size=8", "actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct"),
    good=verl("actor_rollout_ref.actor.ulysses_sequence_parallel_size=2", "actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct"),
    advice="choose one of the sizes named", source="vLLM config/model.py verify_with_parallel_config; veRL monkey_patch.py; Megatron",
)  # fmt: skip
def _undivided(s: Subject) -> Findings:
    """Tensor and sequence parallelism cut the attention heads, expert parallelism the experts, a pipeline the layers. The
    model's own sizes decide; the engine or trainer stops while it loads."""
    from rftconf.budget.roles.layout_rules import problems
    from rftconf.lint.account_shortcuts import surely_divided

    setup = None if surely_divided(s) else s.setup
    reported: set[tuple[str, ...]] = set()  # the reference has the actor's sizes
    for problem in problems(setup) if setup is not None else ():
        if setup is not None and problem.sizes and problem.sizes not in reported:
            reported.add(problem.sizes)
            keys = tuple(f"placement.{problem.role}.{size}" for size in problem.sizes)
            yield finding(
                f"{setup.model.name}: {problem.message}", *keys, MODEL, help=f"legal: {', '.join(problem.nearest)}"
            )


@rule(
    6, WARNING, "GPUs that hold nothing",
    bad=roll("actor_train.device_mapping=list(range(0,4))", "actor_infer.device_mapping=list(range(6,8))",
             "reference.device_mapping=list(range(0,4))"),
    good=roll(), advice="give them to a role, or ask for fewer", source="the layouts of rftconf budget (budget/roles/pools.py)",
)  # fmt: skip
def _idle(s: Subject) -> Findings:
    """The nodes that the run asks for have GPUs on which no role runs. They are reserved, and rented, all the same."""
    from rftconf.budget.roles.pools import pools
    from rftconf.budget.roles.runtimes import runtime_of
    from rftconf.lint.account_shortcuts import all_gpus_used

    setup = None if runtime_of(s.framework).asks_by_role or all_gpus_used(s) else s.setup
    used = sum(pool.count for pool in pools(setup)) + setup.unpriced if setup is not None else 0
    if setup is not None and 0 < used < setup.total:
        keys = ("cluster.gpus_per_node", "cluster.nodes", "placement.actor.gpus", "placement.rollout.gpus")
        yield finding(f"{setup.total - used} of {setup.total} GPUs hold nothing", *keys)
