"""How much of a GPU's memory each phase of a run takes, beside what the account says of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

ACCOUNTED = {
    "generate": ("rollout",),
    "reward": ("rollout",),  # engines are still awake
    "update": ("old log-probs", "reference log-probs", "actor update"),
    "sync": ("sync",),
    "save": ("save",),
}
"""What the account calls the runner's phases; several are the worst of them."""
PAUSE_SECONDS = 0.005


def used_bytes() -> list[int]:
    """Of each GPU, by all processes; none where there is no GPU."""
    try:
        from vllm.third_party import pynvml
    except ImportError:
        return []
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:  # no driver
        return []
    handles = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
    return [int(pynvml.nvmlDeviceGetMemoryInfo(handle).used) for handle in handles]


class Peaks:
    """`of_phase`: the most bytes used in each phase on any GPU, beyond what was used when this began, until the process ends. Memory that PyTorch has taken it
    keeps until a phase is over, so that looking again and again sees what was reserved."""

    def __init__(self, used: Callable[[], Sequence[int]] = used_bytes) -> None:
        self.used, self.before = used, used()
        self.of_phase, self.phase = dict[str, int](), ""
        self.at_once = threading.Lock()
        if self.before:
            threading.Thread(target=self._watch, daemon=True).start()

    def enter(self, phase: str) -> None:
        """From now on; what the phase before has left counts for it too, once."""
        self._look()
        self.phase = phase
        self._look()

    def _watch(self) -> None:
        while True:
            self._look()
            time.sleep(PAUSE_SECONDS)

    def _look(self) -> None:
        with self.at_once:
            growth = [now - before for now, before in zip(self.used(), self.before, strict=True)]
            if growth and self.phase:
                self.of_phase[self.phase] = max(*growth, self.of_phase.get(self.phase, 0), 0)


def account_of(phase: str, pools: Iterable[Any]) -> tuple[int, int, int] | None:
    """What the account of `pools` says of one of the runner's phases: bytes, and its interval; None where it says nothing."""
    worst = [
        phase_of_pool
        for pool in pools
        for phase_of_pool in pool.phases
        if phase_of_pool.name in ACCOUNTED.get(phase, ())
    ]
    largest = max(worst, key=lambda phase: phase.size, default=None)
    return None if largest is None else (largest.size, largest.low, largest.high)


def beside(peaks: Mapping[str, int], pools: Sequence[Any]) -> dict[str, Any]:
    """Each phase's peak and the account's bytes of it; `error` is the account's, as a share of the peak. Peaks are None where
    nothing was measured."""
    gaps = dict[str, Any]()
    for phase in ACCOUNTED:
        account, peak = account_of(phase, pools), peaks.get(phase)
        if account is None or (peaks and peak is None):
            continue
        size, low, high = account
        error = round(size / peak - 1, 4) if peak else None
        gaps[phase] = {"peak": peak, "said": size, "low": low, "high": high, "error": error}
    return gaps
