"""A shape for learning rates that are a list of PyTorch's schedulers, each with its arguments, and the ticks between them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import leave_open, lose_known
from rftconf.plan.units import Unit

MODULE = "torch.optim.lr_scheduler."
LINEAR, CONSTANT, COSINE = (MODULE + name for name in ("LinearLR", "ConstantLR", "CosineAnnealingLR"))
FOREVER = 10_000_000_000
"""Ticks that no run has: examples write so many for a rate that stays."""
FROM_NOTHING = 1.0e-8
"""PyTorch's LinearLR begins above 0 (torch/optim/lr_scheduler.py); a warm-up from 0 begins at this share of the rate."""
SCHEDULE, WARMUP, DECAY, LEAST, SHARE, RATE = (
    f"stage.optim.actor.{name}"
    for name in ("schedule", "warmup_updates", "decay_updates", "min_lr", "min_lr_ratio", "lr")
)


@record
class TorchSchedules:
    """The schedule of the actor under `key`: one scheduler, or several with a last item that says when each takes over.

    A tick is a rollout period: Unit.LR_TICKS. `title` is how sentences call the framework.
    """

    key: str
    title: str

    @property
    def natives(self) -> tuple[str, ...]:
        """Return the key, and those of its items."""
        return (self.key, *(f"{self.key}[].{name}" for name in ("name", "kwargs", "milestones")))

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the schedule, its warm-up, the updates it falls over and its lowest rate."""
        return (SCHEDULE, WARMUP, DECAY, LEAST, SHARE)

    def items(self, r: ReadContext) -> list[dict[str, Any]]:
        """The schedulers as they stand: items of their own, one list, one mapping, or none."""
        count = r.source.count(self.key)
        if count:
            return [r.source.branch(f"{self.key}[{index}]") for index in range(count)]
        value = r.source.branch(self.key) or r.native(self.key)
        return [value] if isinstance(value, dict) else [item for item in value or () if isinstance(item, dict)]

    def read(self, r: ReadContext) -> None:
        """Set the schedule of the last scheduler, and the warm-up that a linear one before it makes."""
        items = self.items(r)
        steps = [item for item in items if "name" in item]
        ends: Any = next((item["milestones"] for item in items if "milestones" in item), [])
        ends = ends if isinstance(ends, list) else [ends]
        warms = len(steps) > 1 and steps[0]["name"] == LINEAR
        warmup = ends[0] if warms and ends else 0
        keys = self._keys(r)
        self._read_last(r, steps[-1] if steps else None, warmup, keys)
        r.set(WARMUP, r.convert(warmup, Unit.LR_TICKS, Unit.UPDATES) if warmup else 0, *keys)
        nameless = "no scheduler has a name: the run stops" if items else ""
        why = self._lost(steps, ends) if steps else nameless
        if why:
            r.narrowed.update(dict.fromkeys(keys, why))
        if why and keys != (self.key,):
            r.beyond.update({key: r.native(key) for key in keys})
        elif why and r.written(self.key):
            r.beyond[self.key] = items

    def _keys(self, r: ReadContext) -> tuple[str, ...]:
        """The keys that tell the schedulers: those of items, where the file writes items."""
        return tuple(key for key, _ in r.source.leaves() if key.startswith((f"{self.key}[", f"{self.key}."))) or (
            self.key,
        )

    def _read_last(self, r: ReadContext, step: dict[str, Any] | None, warmup: Any, keys: tuple[str, ...]) -> None:
        name = CONSTANT if step is None else step["name"]
        arguments = _arguments(step or {})
        falls = {COSINE: ("cosine", "T_max", "eta_min"), LINEAR: ("linear", "total_iters", "end_factor")}
        word, length, floor = falls.get(name, ("constant", "", "")) if isinstance(name, str) else (name, "", "")
        known = name in (CONSTANT, *falls) or isinstance(name, Expr)
        r.set(SCHEDULE, word if known else str(name).removeprefix(MODULE), *keys)
        least = arguments.get(floor, 0 if word == "cosine" else 1.0) if floor else None
        r.set(LEAST, least if word == "cosine" else None, *keys)
        r.set(SHARE, least if word == "linear" else None, *keys)
        ticks = arguments.get(length) if length else None
        whole = None if ticks is None else arith("+", ticks, warmup)
        r.set(DECAY, None if whole is None else r.convert(whole, Unit.LR_TICKS, Unit.UPDATES), *keys)

    def _lost(self, steps: list[dict[str, Any]], ends: list[Any]) -> str:
        """The part of the schedulers that the plan does not hold; empty where it holds them."""
        first = _arguments(steps[0]).get("start_factor", 1 / 3)
        if len(steps) > 1 and isinstance(first, int | float) and first > FROM_NOTHING:
            return f"the warm-up begins at {first:g} of the rate, and elsewhere at 0"
        if len(steps) > 2 or any(item["name"] not in (LINEAR, CONSTANT, COSINE) for item in steps):
            return "schedulers of PyTorch that the plan has no words for"
        return "" if len(ends) == len(steps) - 1 else "schedulers take over at other ticks than their list says"

    def write(self, w: WriteContext) -> None:
        """Write one scheduler for the warm-up, one for the rest, and the tick between them."""
        kind, warmup, lr = w.plan(SCHEDULE), w.plan(WARMUP), w.plan(RATE)
        known = [path for path in self.plans if w.plan(path) is not None]
        if kind is None and warmup is None:
            return
        if isinstance(kind, Expr) or kind not in ("constant", "cosine", "linear", None):
            leave_open(w, self.key, f"{self.title} takes PyTorch's schedulers; the source has {formula(kind)}", *known)
            return
        ticks: Any = 0 if not warmup else w.convert(warmup, Unit.UPDATES, Unit.LR_TICKS)
        whole, exact = _whole(ticks), _length(w)
        total = _whole(exact)
        if kind in ("cosine", "linear") and (total is None or isinstance(total, Expr) or isinstance(whole, Expr)):
            leave_open(
                w,
                self.key,
                f"a {kind} schedule names the ticks that it falls over, and the source does not tell them",
                *known,
            )
            return
        last = self._last(w, kind or "constant", None if total is None else max(1, total - whole), lr)
        linear = {"name": LINEAR, "kwargs": {"start_factor": FROM_NOTHING, "end_factor": 1.0, "total_iters": whole}}
        # one scheduler is a list as well: OmegaConf merges no mapping into the list of the config below
        value = [linear, last, {"milestones": [whole]}] if warmup else [last, {"milestones": []}]
        falls = [] if kind in ("constant", None) else [("until the rate is lowest", exact, total)]
        note = _rounded(("of warm-up", ticks, whole), *falls)
        state = State.ROUNDED if note else State.DERIVED
        w.put(self.key, value, *known, state=state, note=note, always=True, how="a tick is a rollout period")

    def _last(self, w: WriteContext, kind: str, ticks: Any, lr: Any) -> dict[str, Any]:
        share, least = w.plan(SHARE), w.plan(LEAST)
        is_number = isinstance(lr, int | float)
        if kind == "constant":
            lose_known(w, State.DEFAULT, "a constant rate has no lowest one", LEAST, SHARE)
            return {"name": CONSTANT, "kwargs": {"factor": 1.0, "total_iters": FOREVER}}
        if kind == "cosine":
            floor = least if least is not None else share * lr if share is not None and is_number else 0.0
            return {"name": COSINE, "kwargs": {"T_max": ticks, "eta_min": floor}}
        end = share if share is not None else least / lr if least is not None and is_number else 0.0
        return {"name": LINEAR, "kwargs": {"start_factor": 1.0, "end_factor": end, "total_iters": ticks}}


def _length(w: WriteContext) -> Any:
    """Return the ticks that the rate falls over: the source's, else those of the run."""
    updates = w.plan(DECAY)
    return w.plan("stage.run_length.rollouts") if updates is None else w.convert(updates, Unit.UPDATES, Unit.LR_TICKS)


def _whole(ticks: Any) -> Any:
    """Return the nearest whole number of ticks, one at least where there are any."""
    return ticks if ticks is None or isinstance(ticks, int | Expr) else max(1, round(float(ticks)))


def _rounded(*numbers: tuple[str, Any, Any]) -> str:
    """Describe each number of scheduler ticks that had to be rounded; the text is empty where none had."""
    return "; ".join(
        f"{float(exact):g} ticks {of}; wrote {whole}"
        for of, exact, whole in numbers
        if isinstance(exact, int | float | Fraction) and whole != exact
    )


def _arguments(step: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a scheduler, as far as they are known."""
    arguments = step.get("kwargs")
    return arguments if isinstance(arguments, dict) else {}


@record
class CountedSchedule:
    """The schedule of the actor as Megatron has it: a word, and ticks of the warm-up and of the fall, warm-up included."""

    word: str
    warmup: str
    decay: str
    least: str
    start: str

    @property
    def natives(self) -> tuple[str, ...]:
        """Return all keys of the schedule."""
        return (self.word, self.warmup, self.decay, self.least, self.start)

    @property
    def plans(self) -> tuple[str, ...]:
        """Return the schedule, its warm-up, the updates it falls over and its lowest rate."""
        return (SCHEDULE, WARMUP, DECAY, LEAST, SHARE)

    def read(self, r: ReadContext) -> None:
        """Set the word, and ticks as updates."""
        kind, warmup, decay = r.native(self.word), r.native(self.warmup), r.native(self.decay)
        r.set(SCHEDULE, kind, self.word)
        r.set(WARMUP, r.convert(warmup, Unit.LR_TICKS, Unit.UPDATES) if warmup else 0, self.warmup)
        falls = kind != "constant"
        r.set(DECAY, r.convert(decay, Unit.LR_TICKS, Unit.UPDATES) if falls and decay is not None else None, self.decay)
        r.set(LEAST, r.native(self.least) if falls else None, self.least)
        r.set(SHARE, None)
        if not falls:
            idle = f"{self.word}=constant: the rate does not fall"
            r.inactive.update(dict.fromkeys((self.decay, self.least), idle))
        start = r.native(self.start)
        if not warmup:
            r.inactive[self.start] = f"{self.warmup} is 0"
        elif start:
            r.narrowed[self.start] = f"the warm-up begins at {formula(start)}, and elsewhere at 0"

    def write(self, w: WriteContext) -> None:
        """Write the word, and updates as ticks."""
        kind, warmup, decay, least, share = map(w.plan, self.plans)
        if kind is not None:
            w.put(self.word, kind, SCHEDULE)
        if warmup is not None:
            ticks = 0 if not warmup else w.convert(warmup, Unit.UPDATES, Unit.LR_TICKS)
            note = _rounded(("of warm-up", ticks, _whole(ticks)))
            state = State.ROUNDED if note else State.DERIVED
            w.put(self.warmup, _whole(ticks), WARMUP, state=state, note=note, always=True)
            w.put(self.start, 0.0, how="a warm-up begins at 0 elsewhere")
        total = _length(w)
        if kind not in ("constant", None) and total is not None:
            note = _rounded(("until the rate is lowest", total, _whole(total)))
            state = State.ROUNDED if note else State.DERIVED
            paths = [DECAY] if decay is not None else [SCHEDULE] if note else []
            w.put(self.decay, _whole(total), *paths, state=state, note=note, always=True)
        rate = w.plan(RATE)
        floor = share * rate if least is None and isinstance(share, float) and isinstance(rate, float) else least
        if kind != "constant" and floor is not None:
            known = [path for path in (LEAST, SHARE) if w.plan(path) is not None]
            w.put(self.least, floor, *known, state=State.DERIVED, always=True)
        else:
            lose_known(w, State.DEFAULT, "a constant rate has no lowest one", LEAST, SHARE)
