"""Reading one script has a budget, which all of the reader spends: steps, characters made, texts inside each other."""

from __future__ import annotations

MAX_STEPS = 60_000
MAX_CHARACTERS = 4_000_000
MAX_CALLS = 30
MAX_INSIDE = 8
"""How many texts may stand inside each other: `ssh a "docker exec b bash -c ..."` is three."""


class Budget(Exception):  # noqa: N818
    """The script asks for more than the reader follows."""


class Spending:
    """The part of the budget that is used."""

    steps = 0
    characters = 0
    calls = 0
    """How many functions that are being followed have called each other."""
    inside = 0
    """How many texts that other shells read stand around the present one."""

    def step(self) -> None:
        """Count one step of work; raise Budget when there were too many."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Budget(f"it takes more than {MAX_STEPS:,} steps")

    def make_characters(self, count: int) -> None:
        """Count characters of values that were made; raise Budget when there were too many."""
        self.characters += count
        if self.characters > MAX_CHARACTERS:
            raise Budget(f"it makes more than {MAX_CHARACTERS:,} characters")

    def work(self, amount: int) -> None:
        """Count work that makes no new text, by what was looked at."""
        self.make_characters(amount // 10)

    @property
    def hurries(self) -> bool:
        """True when so much was done that loops are no longer followed turn by turn, for what comes behind them."""
        return self.steps > MAX_STEPS // 3 or self.characters > MAX_CHARACTERS // 3

    def allow(self, share: float) -> None:
        """Leave `share` of the budget to what follows."""
        self.steps = min(self.steps, int(MAX_STEPS * (1 - share)))
        self.characters = min(self.characters, int(MAX_CHARACTERS * (1 - share)))
