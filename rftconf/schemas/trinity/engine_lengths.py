"""Before Trinity-RFT 0.3.3 the lengths of prompts and answers were the engine's keys, and the model block had none."""

from __future__ import annotations

from collections.abc import Iterable

from rftconf.base.record import record
from rftconf.schemas.edits import C, Change

_LENGTHS = ("max_model_len", "max_prompt_tokens", "max_response_tokens")
_WHY = "the model block names no length: they are those of a release before 0.3.3, whose engine had them"


@record
class EngineLengths:
    """Lengths that only the engine names are the run's: with none in the model block 0.3.3 and later stop
    (trinity/common/config.py: _check_model), and where it has some they overwrite the engine's.
    """

    top: str = ""

    def touches(self, keys: Iterable[str]) -> frozenset[str]:
        """Return nothing: the newer releases have the keys, too."""
        del keys
        return frozenset()

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Move the engine's lengths to the model block, unless that has one."""
        mine = {name: f"{self.top}model.{name}" for name in _LENGTHS}
        if any(flat[key].value is not None for key in mine.values() if key in flat):
            return []
        changes = []
        for name, key in mine.items():
            own = f"{self.top}explorer.rollout_model.{name}"
            if own in flat and flat[own].value is not None:
                flat[key] = flat.pop(own)
                changes.append(Change(own, flat[key], (key,), _WHY))
        return changes

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Change nothing: the model block is where they belong."""
        del flat
        return []
