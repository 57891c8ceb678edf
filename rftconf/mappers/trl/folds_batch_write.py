"""Batches and processes as TRL counts them: a plan's update by device and accumulation, its period in slices."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import Context, WriteContext
from rftconf.mappers.products import UpdateInParts
from rftconf.mappers.trl.folds_batch import (
    ACCUMULATES,
    DEVICE,
    MACHINES,
    PROCESSES,
    SCORED,
    SLICES,
    B,
    N,
    P,
)
from rftconf.plan.units import exact_quotient

ACTOR, NODES, EACH = P + "actor.gpus", "cluster.nodes", "cluster.gpus_per_node"
PERIOD, UPDATE, ANSWERS = B + "prompts_per_rollout", B + "sequences_per_update", B + "responses_per_prompt"


def _processes(c: Context) -> Any:
    """One process trains on one GPU, and is a rank of its own."""
    return c.plan(ACTOR)


def _longest_that_fit(w: WriteContext) -> Any:
    """Return the number of longest sequences that the source's token limit of a micro-batch holds, where it has one."""
    tokens = w.plan(B + "micro.tokens_per_rank")
    lengths = [w.plan(f"stage.length.{part}_max_tokens") for part in ("prompt", "response")]
    known = isinstance(tokens, int) and all(isinstance(length, int) for length in lengths)
    return max(1, tokens // sum(lengths)) if known and sum(lengths) > 0 else None


UPDATES = UpdateInParts(
    DEVICE, ACCUMULATES, _processes, (PROCESSES,), "per device x processes x accumulation", _longest_that_fit
)


def write_cluster(w: WriteContext) -> None:
    """Processes over all machines: accelerate starts equally many on each. Raises RefusedError where that cannot be."""
    gpus, nodes, each = (w.plan(path) for path in (ACTOR, NODES, EACH))
    if gpus is None:
        return
    w.put(PROCESSES, gpus, ACTOR, always=True)
    if not all(isinstance(number, int) for number in (gpus, nodes, each)):
        if nodes is not None:
            w.put(MACHINES, nodes, NODES, always=True)
        if each is not None:
            alike = nodes is not None and arith("//", gpus, nodes) == each
            note = f"a machine has {PROCESSES} over {MACHINES}, and the trainer's GPUs alone are counted"
            w.lose(EACH, State.DERIVED if alike else State.NARROWED, note)
        return
    machines = nodes if gpus >= nodes * each else max(1, -(-gpus // max(each, 1)))
    if gpus % machines:
        raise RefusedError(
            f"{gpus} GPUs train on {machines} machines: accelerate starts equally many processes on each",
            choices=(f"{gpus // machines * machines} GPUs that train", "GPUs of one machine"),
        )
    narrowed = machines * each != gpus or machines != nodes
    note = f"the trainer's {gpus} GPUs alone are counted: {gpus // machines} on each of {machines} machines"
    state = State.NARROWED if narrowed else State.EXACT
    w.put(MACHINES, machines, NODES, state=state, note=note if narrowed else "", always=True)
    w.lose(EACH, State.NARROWED if narrowed else State.DERIVED, note if narrowed else f"{PROCESSES} over {MACHINES}")
    if machines > 1 and not w.same_framework:
        why = f"the run has {machines} machines, and each starts a part of its own"
        w.decide("machine_rank", why, "start each with its --machine_rank, and with --main_process_ip of the first")


def write_generation(w: WriteContext) -> None:
    """A period in slices of a device's completions, where it is not the update itself."""
    prompts, n, update, passes = (w.plan(path) for path in (PERIOD, ANSWERS, UPDATE, B + "passes"))
    if prompts is not None and n is not None and update is not None:
        _refuse_answers(prompts, n)
        _write_slices(w, arith("*", prompts, n), update, passes)
    size = w.out[DEVICE].value if DEVICE in w.out else None
    for role in SCORED:
        _settle_scoring(w, role, size)
    tokens = B + "micro.tokens_per_rank"
    if w.plan(tokens) is not None:
        w.lose(
            tokens,
            State.NARROWED,
            f"a pass takes {formula(size)} completions, padded to the longest, and no number of tokens",
        )


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
    if (value := w.plan(fixed)) is not None:
        same = value == size or isinstance(value, Expr)
        note = f"{DEVICE} is the size of these passes, too: {formula(size)}"
        w.lose(fixed, State.DERIVED if same else State.NARROWED, note)
    if w.plan(tokens) is not None:
        w.lose(tokens, State.NARROWED, f"{formula(size)} completions at once, as in a pass of training")
