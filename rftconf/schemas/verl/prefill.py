"""Decides whether vLLM takes a prompt in pieces: up to 0.6.1 the switch is not heard, and one value of it stops the worker."""

from __future__ import annotations

from collections.abc import Mapping

from rftconf.base.record import record
from rftconf.schemas.edits import C, Change, KeepsNames, with_value

_R = "actor_rollout_ref.rollout"
PIECES, _BATCH, _CONTEXT = f"{_R}.enable_chunked_prefill", f"{_R}.max_num_batched_tokens", f"{_R}.max_model_len"
_LENGTHS = ("data.max_prompt_length", "data.max_response_length")
_USUAL = {_BATCH: 8192, **dict.fromkeys(_LENGTHS, 512)}
"""Defaults of veRL's rollout.yaml and legacy_data.yaml."""


@record
class PrefillInPieces(KeepsNames):
    """An engine that takes fewer tokens at once than a context has takes prompts in pieces, or does not start.

    vLLM's engine of version 1 up to 0.11, on which 0.4.1 to 0.6.1 run, takes them in pieces whatever it is told
    (EngineArgs._set_default_args_v1), and veRL's worker stops where it is told so (vllm_rollout_spmd.py: ValueError).
    Later ones do as they are told (SchedulerConfig.verify_max_model_len), and there is no such worker.
    """

    def up(self, flat: dict[str, C]) -> list[Change]:
        """Write true, as the engine did it without being told."""
        return self._respell(flat, value=True, why="the vLLM of 0.6.1 takes prompts in pieces all the same")

    def down(self, flat: dict[str, C]) -> list[Change]:
        """Leave it to the engine, so that the worker does not stop."""
        mode = flat.get(f"{_R}.mode")
        if mode is not None and mode.value == "async":  # the server asks for nothing
            return []
        return self._respell(
            flat, value=False, why="its worker stops at true, and its vLLM takes prompts in pieces anyway"
        )

    def _respell(self, flat: dict[str, C], *, value: bool, why: str) -> list[Change]:
        cell, engine = flat.get(PIECES), flat.get(f"{_R}.name")
        if cell is None or cell.value is not (not value) or (engine is not None and engine.value != "vllm"):
            return []
        batch, context = _number(flat, _BATCH), _context(flat)
        if batch is None or context is None or batch >= context:
            return []
        flat[PIECES] = with_value(cell, value)
        words = f"{str(cell.value).lower()} is {str(value).lower()} where {batch} tokens are less than a context of {context}"
        return [Change(PIECES, flat[PIECES], (PIECES,), f"{words}: {why}")]


def _number(flat: Mapping[str, C], key: str) -> int | None:
    value = flat[key].value if key in flat else _USUAL.get(key)
    return value if type(value) is int else None


def _context(flat: Mapping[str, C]) -> int | None:
    """Return the longest sequence that the engine is built for; None where it is not known."""
    if _CONTEXT in flat and flat[_CONTEXT].value is not None:
        return _number(flat, _CONTEXT)
    lengths = [_number(flat, key) for key in _LENGTHS]
    known = [length for length in lengths if length is not None]
    return sum(known) if len(known) == len(lengths) else None
