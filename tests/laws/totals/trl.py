"""TRL's runs for the law of totals: a draw, the figures from its own keys and what GRPOConfig asserts, by hand from its code."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from tests.laws.flip_bases_trl import GRPO
from tests.laws.totals.case import Case, Keys, Pick
from tests.laws.totals.figures import Figures, Rate

DEVICE, ACCUMULATES = "per_device_train_batch_size", "gradient_accumulation_steps"
WHOLE, SLICES, PROCESSES = "generation_batch_size", "steps_per_generation", "num_processes"
FLOORED = ("cosine_with_min_lr", "cosine_warmup_with_min_lr")


def _step(keys: Keys) -> int:
    """Completions that all devices take at once."""
    return int(keys.get(DEVICE, otherwise=8) * keys.get(PROCESSES))


def _slices(keys: Keys) -> Fraction:
    """Passes over all devices that a generation batch is cut into (GRPOConfig.__post_init__)."""
    whole = keys.get(WHOLE)
    slices = keys.get(SLICES, otherwise=keys.get(ACCUMULATES, otherwise=1))
    return Fraction(slices) if whole is None else Fraction(whole, _step(keys))


def account(keys: Keys) -> Figures:
    """A generation yields slices x devices, which `num_iterations` passes go over; the scheduler ticks with every update."""
    get, step, slices = keys.get, _step(keys), _slices(keys)
    accumulates, passes, n = (
        get(ACCUMULATES, otherwise=1),
        get("num_iterations", otherwise=1),
        get("num_generations", otherwise=8),
    )
    update = step * accumulates
    parts = slices < accumulates and passes == 1 and accumulates % slices == 0
    whole = update if parts else step * slices
    updates = Fraction(passes * whole, update)
    rollouts = _rollouts(keys, Fraction(whole, n), updates)
    return Figures(
        prompts=Fraction(whole, n),
        responses=n,
        update=Fraction(update),
        passes=passes,
        rollouts=rollouts,
        rate=_rate(keys, updates, rollouts),
        save=_every(keys, "save", "steps", 500) and Fraction(_every(keys, "save", "steps", 500)) / updates,
        evaluate=_every(keys, "eval", "no", 500) and Fraction(_every(keys, "eval", "no", 500)) / updates,
    )


def _rollouts(keys: Keys, prompts: Fraction, updates: Fraction) -> int:
    """The sampler leaves out what fills no generation batch (trl/trainer/utils.py: RepeatSampler)."""
    steps: int = keys.get("max_steps", otherwise=-1)
    if steps > 0:
        return ceil(steps / updates)
    epochs = Fraction(str(keys.get("num_train_epochs", otherwise=3.0)))
    return ceil(keys.rows // prompts * epochs)


def _rate(keys: Keys, updates: Fraction, rollouts: int) -> Rate:
    kind, top = keys.get("lr_scheduler_type", otherwise="linear"), keys.get("learning_rate", otherwise=1e-6)
    warm = Fraction(keys.get("warmup_steps", otherwise=0)) / updates
    if kind == "constant":
        return Rate("constant", top)
    if kind == "constant_with_warmup":
        return Rate("constant", top, warm)
    more = keys.get("lr_scheduler_kwargs", otherwise={}) if kind in FLOORED else {}
    # a file has each argument as a leaf of its own
    least, share = (
        keys.get(f"lr_scheduler_kwargs.{name}", otherwise=more.get(name)) for name in ("min_lr", "min_lr_rate")
    )
    floor = (share or 0.0) * top if least is None else least
    steps = keys.get("max_steps", otherwise=-1)
    horizon = Fraction(steps) / updates if steps > 0 else Fraction(rollouts)
    return Rate("cosine" if kind in FLOORED else kind, top, warm, horizon, floor)


def _every(keys: Keys, what: str, otherwise: str, count: int) -> Any:
    on = keys.get(f"{what}_strategy", otherwise=otherwise) == "steps"
    return keys.get(f"{what}_steps", otherwise=count) if on else None


def rules(keys: Keys) -> Iterator[str]:
    """Whole groups of two at least in a generation batch of whole slices; whole groups over all devices in evaluation."""
    step, slices, n = _step(keys), _slices(keys), keys.get("num_generations", otherwise=8)
    if keys.get(WHOLE) is not None and keys.get(SLICES) is not None:
        yield "generation_batch_size and steps_per_generation are both set"
    if slices.denominator != 1 or slices < 1:
        yield f"{step} a step do not cut {keys.get(WHOLE)}"
    if n < 2 or step * slices % n:
        yield f"{step * slices} completions of groups of {n}"
    if keys.get("num_processes") % keys.get("num_machines", otherwise=1):
        yield f"{keys.get('num_processes')} processes on {keys.get('num_machines')} machines"
    if keys.get("eval_strategy", otherwise="no") != "no":
        answers, size = (
            keys.get("num_generations_eval", otherwise=n),
            keys.get("per_device_eval_batch_size", otherwise=8),
        )
        if size * keys.get(PROCESSES) % answers:
            yield f"{size} x {keys.get(PROCESSES)} in evaluation, of groups of {answers}"


def draw(pick: Pick) -> Case:
    """Engines in the trainer's processes (a server's GPUs nobody tells), batches by slices and by completions, several passes, each schedule."""
    processes, device, accumulates, n = (
        pick((1, 2, 4, 8, 8, 16)),
        pick((1, 2, 4, 8)),
        pick((1, 1, 2, 4, 8)),
        pick((2, 4, 8, 8, 16)),
    )
    times = pick((1, 1, 2, 4))
    step = processes * device
    accumulates *= n if step * accumulates % n else 1
    flat: dict[str, Any] = {
        "num_processes": processes,
        "num_machines": pick((1, 2)) if processes > 1 else 1,
        DEVICE: device,
        ACCUMULATES: accumulates,
        SLICES: None,
        **pick(({}, {SLICES: times * accumulates}, {WHOLE: times * accumulates * step})),
        "num_generations": n,
        "num_iterations": pick((1, 1, 1, 2)),
        "max_steps": pick((-1, 7, 100, 105, 500)),
        "num_train_epochs": pick((1.0, 2.0, 3.0)),
        "learning_rate": pick((1e-6, 2e-6, 5e-7)),
        "warmup_steps": pick((0, 4, 10)),
        "save_steps": pick((1, 5, 20, 100)),
        "eval_steps": pick((1, 5, 20, 100)),
        "per_device_eval_batch_size": n,
        "lr_scheduler_type": pick(("constant", "constant_with_warmup", "linear", "cosine")),
    }
    return Case("trl", pick(("1.16.0", "1.16.0", "1.0.0", "0.24.0")), "", flat, GRPO, 40000)
