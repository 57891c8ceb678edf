"""ROLL's lengths of prompts, answers and whole sequences, in tokens, become the plan's and back."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, OpenKey
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.conditions import RL
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import carry, leave_open, lose_known

LENGTH = "stage.length."
LENGTHS = ("prompt_length", "response_length", "sequence_length")
ENGINE_LENGTH = "actor_infer.strategy_args.strategy_config.max_model_len"


def read_lengths(r: ReadContext) -> None:
    """sequence_length wins; without it the answer's length completes it."""
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


def _read_whole(r: ReadContext, prompt: Any, response: Any, whole: Any) -> None:
    """Pipelines without rollouts know one length; samples beyond it are dropped, and shorter ones filled up."""
    parts = None if prompt is None or response is None else prompt + response
    keys = ("sequence_length",) if whole is not None else ("prompt_length", "response_length")
    r.set(LENGTH + "model_max_tokens", parts if whole is None else whole, *keys)
    if whole is not None:
        r.inactive["prompt_length"] = r.inactive["response_length"] = "samples have one length: sequence_length"


def write_lengths(w: WriteContext) -> None:
    """Prompt and answer; a context of another size is the engine's own limit."""
    if w.trainer in ("sft", "dpo", "distill"):
        _write_whole(w)
        return
    for key, field in (("prompt_length", "prompt_max_tokens"), ("response_length", "response_max_tokens")):
        carry(w, key, LENGTH + field, always=True)
    prompt, answer, whole = (w.plan(LENGTH + f"{f}_max_tokens") for f in ("prompt", "response", "model"))
    if answer is None and prompt is not None and not w.same_framework:
        why = "how long may an answer be, in tokens? ROLL stops without response_length, and the source gives none"
        leave_open(w, "response_length", why)
        w.decide("response_length", why, "the longest answer that the task needs")
    if whole is None:
        return
    known = not any(isinstance(length, Expr) for length in (whole, prompt, answer))
    if known and whole == (prompt or 0) + (answer or 0):
        w.lose(LENGTH + "model_max_tokens", State.DERIVED, "prompt and answer together")
    elif RL.test(w):
        w.put(ENGINE_LENGTH, whole, LENGTH + "model_max_tokens", default=None)
    else:
        w.lose(LENGTH + "model_max_tokens", State.NARROWED, "the context is prompt and answer together")


def _write_whole(w: WriteContext) -> None:
    whole = w.plan(LENGTH + "model_max_tokens")
    if whole is None:
        why = "how long may a sample be, in tokens? The pipeline drops longer ones and fills shorter ones up"
        leave_open(w, "sequence_length", why)
        w.decide("sequence_length", why, "the model's context", "the longest sample of the data")
        return
    w.put("sequence_length", whole, LENGTH + "model_max_tokens", always=True)
    parts = (f"{LENGTH}{part}_max_tokens" for part in ("prompt", "response"))
    lose_known(w, State.NARROWED, "samples have one length: sequence_length", *parts)


PLANS = tuple(f"{LENGTH}{part}_max_tokens" for part in ("prompt", "response", "model"))
LENGTHS_FOLD = Fold((*LENGTHS, ENGINE_LENGTH), PLANS, read_lengths, write_lengths, "base_config: __post_init__")
