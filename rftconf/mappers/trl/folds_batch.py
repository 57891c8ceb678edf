"""Completions per device, the processes that train, and what they make of a generation batch."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Var, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.products import UpdateInParts
from rftconf.mappers.rates import longest_sample
from rftconf.mappers.shapes import carry, lose_known, settle_known
from rftconf.plan.origin import Kind
from rftconf.plan.units import exact_quotient

B, P = "stage.batch.", "stage.placement."
DEVICE, ACCUMULATES = "per_device_train_batch_size", "gradient_accumulation_steps"
GENERATES, SLICES, PASSES, N = "generation_batch_size", "steps_per_generation", "num_iterations", "num_generations"
PROCESSES, MACHINES, KIND = "num_processes", "num_machines", "distributed_type"
SCORED = ("log_prob", "reference")
LAUNCHER = "processes of a run are the launcher's: accelerate launch --num_processes, or its config file"
ACTOR, NODES, EACH = P + "actor.gpus", "cluster.nodes", "cluster.gpus_per_node"
PERIOD, UPDATE, ANSWERS = B + "prompts_per_rollout", B + "sequences_per_update", B + "responses_per_prompt"
MICRO = B + "micro.tokens_per_rank"


def read_cluster(r: ReadContext) -> None:
    """One process trains on one GPU; the launcher says how many there are, over all machines."""
    nodes, each, keys, how = _of_launcher(r)
    r.set(NODES, nodes, *keys, how=how)
    r.set(EACH, each, *keys, how=how)
    r.set(ACTOR, arith("*", nodes, each), *keys, kind=Kind.DERIVED, how=how)


def _of_launcher(r: ReadContext) -> tuple[Any, Any, tuple[str, ...], str]:
    """Machines, GPUs of each, the keys that say so, and in words what does."""
    options = r.facts.starter
    if "nproc_per_node" in options:
        each, nodes = options["nproc_per_node"], options.get("nnodes", 1)
        return nodes, each, (), f"torchrun --nproc_per_node={formula(each)}"
    machines = r.native(MACHINES) or 1
    whole = 1 if r.native(KIND) == "NO" else r.native(PROCESSES)
    if whole is None and "num_gpus" in options:
        whole = options["num_gpus"]
        return 1, whole, (), f"deepspeed --num_gpus={formula(whole)}"
    if whole is None:
        whole = from_environment(r, "WORLD_SIZE")
        if isinstance(whole, Var):
            r.note(f"how many GPUs train is not told: {LAUNCHER}")
        return machines, arith("//", whole, machines), (PROCESSES,), LAUNCHER
    return machines, arith("//", whole, machines), (PROCESSES, MACHINES, KIND), "one process a GPU"


def from_environment(r: ReadContext, name: str) -> Any:
    """A number that no key tells, as a variable: its value where that is known when the run starts."""
    value = r.facts.environment.get(name)
    if isinstance(value, str) and value.isdecimal():
        return int(value)
    return value if isinstance(value, int) else Var(name)


def write_cluster(w: WriteContext) -> None:
    """Processes over all machines: accelerate starts equally many on each. Raises RefusedError where that cannot be."""
    gpus, nodes, each = (w.plan(path) for path in (ACTOR, NODES, EACH))
    if gpus is None:
        return
    w.put(PROCESSES, gpus, ACTOR, always=True)
    if not all(isinstance(number, int) for number in (gpus, nodes, each)):
        carry(w, MACHINES, NODES, always=True)
        alike = nodes is not None and each is not None and arith("//", gpus, nodes) == each
        note = f"a machine has {PROCESSES} over {MACHINES}, and the trainer's GPUs alone are counted"
        settle_known(w, EACH, alike, note, alike=State.DERIVED)
        return
    machines = nodes if gpus >= nodes * each else max(1, -(-gpus // max(each, 1)))
    if gpus % machines:
        raise RefusedError(
            f"{gpus} GPUs train on {machines} machines: accelerate starts equally many processes on each",
            choices=(f"{gpus // machines * machines} GPUs that train", "GPUs of one machine"),
        )
    narrowed = machines * each != gpus or machines != nodes
    note = f"the trainer's {gpus} GPUs alone are counted: {gpus // machines} on each of {machines} machines"
    w.put(MACHINES, machines, NODES, note=note if narrowed else "", always=True)
    w.lose(EACH, State.NARROWED if narrowed else State.DERIVED, note if narrowed else f"{PROCESSES} over {MACHINES}")
    if machines > 1 and not w.same_framework:
        why = f"the run has {machines} machines, and each starts a part of its own"
        w.decide("machine_rank", why, "start each with its --machine_rank, and with --main_process_ip of the first")


def _processes(c: Context) -> Any:
    """One process trains on one GPU, and is a rank of its own."""
    return c.plan(ACTOR)


def _longest_that_fit(w: WriteContext) -> Any:
    """Return the number of longest sequences that the source's token limit of a micro-batch holds, where it has one."""
    tokens, longest = w.plan(MICRO), longest_sample(w)
    return max(1, tokens // longest) if isinstance(tokens, int) and longest else None


UPDATES = UpdateInParts(
    DEVICE, ACCUMULATES, _processes, (PROCESSES,), "per device x processes x accumulation", _longest_that_fit
)


def read_generation(r: ReadContext) -> None:
    """A generation batch is cut into slices, each of which is one pass of every device.

    A generation of fewer slices than an update accumulates yields a part of the update, under the same weights: the
    period is the update then (trl/trainer/grpo_trainer.py: _prepare_inputs; GRPOConfig.__post_init__).
    """
    device, accumulates, passes, n = (r.native(key) for key in (DEVICE, ACCUMULATES, PASSES, N))
    update = r.plan(UPDATE)
    whole, slices, keys = _generation(r, arith("*", device, r.plan(ACTOR)), update)
    if _divides(slices, accumulates) and passes == 1:
        whole, keys = update, (*keys, ACCUMULATES)
    _refuse_parts(whole, update, n)
    how = f"{formula(whole)} completions, {formula(n)} a prompt"
    r.set(PERIOD, _quotient(whole, n), *keys, N, how=how)
    for role in SCORED:
        r.set(f"{B}{role}.sequences_per_rank", device, DEVICE)


def _generation(r: ReadContext, step: Any, update: Any) -> tuple[Any, Any, tuple[str, ...]]:
    """Completions of a generation batch, the slices it is cut into, and the keys that say so."""
    whole, slices = r.native(GENERATES), r.native(SLICES)
    if whole is not None and slices is not None:
        raise RefusedError(
            f"{GENERATES} and {SLICES} are both set: GRPOConfig stops at that",
            choices=(f"one of {GENERATES} and {SLICES}",),
        )
    if whole is not None:
        return whole, _quotient(whole, step), (GENERATES, DEVICE)
    if slices is not None:
        return arith("*", step, slices), slices, (SLICES, DEVICE, PROCESSES)
    return update, r.native(ACCUMULATES), (DEVICE, ACCUMULATES, PROCESSES)


def _divides(slices: Any, accumulates: Any) -> bool:
    known = isinstance(slices, int) and isinstance(accumulates, int)
    return known and 0 < slices < accumulates and accumulates % slices == 0


def _quotient(top: Any, bottom: Any) -> Any:
    known = isinstance(top, int) and isinstance(bottom, int) and bottom > 0
    return top // bottom if known and top % bottom == 0 else arith("/", top, bottom)


def _refuse_parts(whole: Any, update: Any, n: Any) -> None:
    """Raise RefusedError for what GRPOConfig stops at, and for an update that takes parts of several generations."""
    if isinstance(whole, int) and isinstance(n, int) and (n < 2 or whole % n):
        raise RefusedError(
            f"{whole} completions are generated at a time, {n} a prompt: GRPOConfig asks for whole groups of at least 2",
            choices=(
                f"a multiple of {max(n, 2)} completions",
                "other numbers of completions a device, processes or accumulation steps",
            ),
        )
    if isinstance(whole, int) and isinstance(update, int) and update > 0 and whole % update:
        raise RefusedError(
            f"{whole} completions are generated at a time and an update takes {update}: updates would mix generations of several weights",
            choices=(f"{SLICES} a multiple, or a divisor, of {ACCUMULATES}",),
        )


def write_generation(w: WriteContext) -> None:
    """A period in slices of a device's completions, where it is not the update itself."""
    prompts, n, update, passes = (w.plan(path) for path in (PERIOD, ANSWERS, UPDATE, B + "passes"))
    if prompts is not None and n is not None and update is not None:
        _refuse_answers(prompts, n)
        _write_slices(w, arith("*", prompts, n), update, passes)
    size = w.out[DEVICE].value if DEVICE in w.out else None
    for role in SCORED:
        _settle_scoring(w, role, size)
    note = f"a pass takes {formula(size)} completions, padded to the longest, and no number of tokens"
    lose_known(w, State.NARROWED, note, MICRO)


def joins_periods(w: WriteContext) -> bool:
    """True where several periods of the source are one generation here, because an update takes the completions of all of them."""
    prompts, n, update = (w.plan(path) for path in (PERIOD, ANSWERS, UPDATE))
    if prompts is None or n is None or update is None:
        return False
    return isinstance(exact_quotient(arith("*", prompts, n), update), float | Fraction)


def _refuse_answers(prompts: Any, n: Any) -> None:
    """Raise RefusedError for groups of one answer, which GRPOConfig stops at."""
    if isinstance(n, int) and n < 2:
        raise RefusedError(
            f"the source draws {n} answer to each of {formula(prompts)} prompts; TRL compares answers to one prompt, and asks for 2 at least ({N})",
            choices=("2 or more answers a prompt in the source",),
        )


def _write_slices(w: WriteContext, whole: Any, update: Any, passes: Any) -> None:
    updates = exact_quotient(whole, update)
    if isinstance(updates, float | Fraction):
        _write_parts_of_update(w, whole, update, passes)
        return
    if updates == 1:
        w.lose(PERIOD, State.DERIVED, f"a generation is as large as an update: {DEVICE} x {PROCESSES} x {ACCUMULATES}")
        return
    accumulates = w.out[ACCUMULATES].value if ACCUMULATES in w.out else None
    if accumulates is None:
        return
    how = f"{formula(whole)} completions are {formula(updates)} updates of {formula(accumulates)} slices"
    w.put(SLICES, arith("*", updates, accumulates), PERIOD, state=State.DERIVED, always=True, how=how)


def _write_parts_of_update(w: WriteContext, whole: Any, update: Any, passes: Any) -> None:
    """An update of several periods is one generation here: no weights change between them. Raises RefusedError otherwise."""
    periods = exact_quotient(update, whole)
    if passes not in (1, None) or not isinstance(periods, int):
        raise RefusedError(
            f"a period yields {formula(whole)} completions and an update takes {formula(update)}: TRL's updates would mix generations of several weights",
            choices=(
                "a period that is a whole number of updates",
                "an update that is a whole number of periods, and one pass",
            ),
        )
    note = f"{periods} periods of the source are one generation here, of {formula(update)} completions under the same weights"
    w.lose(PERIOD, State.NARROWED, note)


def _settle_scoring(w: WriteContext, role: str, size: Any) -> None:
    """Log-probabilities are computed for as many completions at once as are trained on."""
    fixed, tokens = (f"{B}{role}.{field}" for field in ("sequences_per_rank", "tokens_per_rank"))
    same = w.plan(fixed) == size or isinstance(w.plan(fixed), Expr)
    settle_known(w, fixed, same, f"{DEVICE} is the size of these passes, too: {formula(size)}", alike=State.DERIVED)
    lose_known(w, State.NARROWED, f"{formula(size)} completions at once, as in a pass of training", tokens)
