"""Completions per device, the processes that train, and what they make of a generation batch, as they are read."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.symbols import Var, arith, formula
from rftconf.mappers.context import ReadContext
from rftconf.plan.origin import Kind

B, P = "stage.batch.", "stage.placement."
DEVICE, ACCUMULATES = "per_device_train_batch_size", "gradient_accumulation_steps"
GENERATES, SLICES, PASSES, N = "generation_batch_size", "steps_per_generation", "num_iterations", "num_generations"
PROCESSES, MACHINES, KIND = "num_processes", "num_machines", "distributed_type"
SCORED = ("log_prob", "reference")
LAUNCHER = "processes of a run are the launcher's: accelerate launch --num_processes, or its config file"


def read_cluster(r: ReadContext) -> None:
    """One process trains on one GPU; the launcher says how many there are, over all machines."""
    nodes, each, keys, how = _of_launcher(r)
    r.set("cluster.nodes", nodes, *keys, how=how)
    r.set("cluster.gpus_per_node", each, *keys, how=how)
    r.set(P + "actor.gpus", arith("*", nodes, each), *keys, kind=Kind.DERIVED, how=how)


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


def read_generation(r: ReadContext) -> None:
    """A generation batch is cut into slices, each of which is one pass of every device.

    A generation of fewer slices than an update accumulates yields a part of the update, under the same weights: the
    period is the update then (trl/trainer/grpo_trainer.py: _prepare_inputs; GRPOConfig.__post_init__).
    """
    device, accumulates, passes, n = (r.native(key) for key in (DEVICE, ACCUMULATES, PASSES, N))
    update = r.plan(B + "sequences_per_update")
    whole, slices, keys = _generation(r, arith("*", device, r.plan(P + "actor.gpus")), update)
    if _divides(slices, accumulates) and passes == 1:
        whole, keys = update, (*keys, ACCUMULATES)
    _refuse_parts(whole, update, n)
    how = f"{formula(whole)} completions, {formula(n)} a prompt"
    r.set(B + "prompts_per_rollout", _quotient(whole, n), *keys, N, how=how)
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
