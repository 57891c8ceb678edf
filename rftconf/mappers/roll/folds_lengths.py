"""ROLL's lengths (rows 6.1 to 6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State
from rftconf.mappers.roll.conditions import RL
from rftconf.plan.symbols import Expr, OpenKey

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

LENGTH = "stage.length."
LENGTHS = ("prompt_length", "response_length", "sequence_length")
ENGINE_LENGTH = "actor_infer.strategy_args.strategy_config.max_model_len"


def read_lengths(r: Reading) -> None:
    """sequence_length wins; without it the answer's length completes it (rows 6.1-6.3)."""
    prompt, response, whole = (r.native(key) for key in LENGTHS)
    if whole is not None and response is not None and r.written("response_length"):
        r.inactive["response_length"] = "sequence_length is set and wins"
    if r.trainer in ("sft", "dpo", "distill"):
        _read_whole(r, prompt, response, whole)
        return
    if r.trainer == "agentic" and isinstance(prompt, int) and isinstance(whole, int) and whole <= prompt:
        # a conversation has one length; traj_env_manager reads no prompt_length
        prompt = OpenKey("prompt_length")
    answer = response if whole is None else None if prompt is None else whole - prompt
    keys = ("response_length",) if whole is None else ("sequence_length", "prompt_length")
    r.set(LENGTH + "prompt_max_tokens", prompt, "prompt_length")
    r.set(LENGTH + "response_max_tokens", answer, *keys)
    own = r.native(ENGINE_LENGTH) if RL.test(r) else None
    r.set(LENGTH + "model_max_tokens", own, ENGINE_LENGTH)


def _read_whole(r: Reading, prompt: Any, response: Any, whole: Any) -> None:
    """Pipelines without rollouts know one length; samples beyond it are dropped, and shorter ones filled up."""
    parts = None if prompt is None or response is None else prompt + response
    keys = ("sequence_length",) if whole is not None else ("prompt_length", "response_length")
    r.set(LENGTH + "model_max_tokens", parts if whole is None else whole, *keys)
    if whole is not None:
        r.inactive["prompt_length"] = r.inactive["response_length"] = "samples have one length: sequence_length"


def write_lengths(w: Writing) -> None:
    """Prompt and answer; a context of another size is the engine's own limit."""
    if w.trainer in ("sft", "dpo", "distill"):
        _write_whole(w)
        return
    for key, field in (("prompt_length", "prompt_max_tokens"), ("response_length", "response_max_tokens")):
        if w.plan(LENGTH + field) is not None:
            w.put(key, w.plan(LENGTH + field), LENGTH + field, always=True)
    prompt, answer, whole = (w.plan(LENGTH + f"{f}_max_tokens") for f in ("prompt", "response", "model"))
    if whole is None:
        return
    if (
        not isinstance(whole, Expr)
        and not isinstance(prompt, Expr)
        and not isinstance(answer, Expr)
        and whole == (prompt or 0) + (answer or 0)
    ):
        w.lose(LENGTH + "model_max_tokens", State.DERIVED, "prompt and answer together")
    elif RL.test(w):
        w.put(ENGINE_LENGTH, whole, LENGTH + "model_max_tokens", default=None)
    else:
        w.lose(LENGTH + "model_max_tokens", State.NARROWED, "the context is prompt and answer together")


def _write_whole(w: Writing) -> None:
    whole = w.plan(LENGTH + "model_max_tokens")
    if whole is None:
        why = "how long may a sample be, in tokens? The pipeline drops longer ones and fills shorter ones up"
        w.put("sequence_length", "???", state=State.UNRESOLVED, note=why, always=True)
        w.decide("sequence_length", why, "the model's context", "the longest sample of the data")
        return
    w.put("sequence_length", whole, LENGTH + "model_max_tokens", always=True)
    for part in ("prompt", "response"):
        if w.plan(f"{LENGTH}{part}_max_tokens") is not None:
            w.lose(f"{LENGTH}{part}_max_tokens", State.NARROWED, "samples have one length: sequence_length")
