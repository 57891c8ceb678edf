"""An engine's sleep while trainers have its GPU: vLLM gives the memory back, and takes it again in the order it is needed in."""

from __future__ import annotations

from typing import Any

WEIGHTS, CACHE = "weights", "kv_cache"
"""vLLM's names of what sleeps."""
KEEPS, DISCARDS = 1, 2
"""vLLM's levels: weights wait in the host's memory; or nowhere, where new ones come before the next answer."""


class Sleep:
    """The sleep of one engine; at `level` 0 it never sleeps. The cache is the last to wake: until then trainers may have its memory."""

    def __init__(self, llm: Any, level: int) -> None:
        self.llm, self.level, self.asleep = llm, level, set[str]()

    def begin(self) -> None:
        """Put weights and cache to sleep. Nothing is being answered then, and nothing is asked until `wake`."""
        if self.level and not self.asleep:
            self.llm.sleep(level=self.level)
            self.asleep = {WEIGHTS, CACHE}

    def wake(self, *parts: str) -> None:
        """Wake those of these parts that sleep."""
        for part in parts:
            if part in self.asleep:
                self.llm.wake_up(tags=[part])
                self.asleep.remove(part)


def level_of(*, sleeps: bool, every: int) -> int:
    """Weights may be discarded where each period's sync brings others."""
    return 0 if not sleeps else DISCARDS if every == 1 else KEEPS
