"""Lengths, which are said once for the engines and once for each Megatron model, and where each model's weights lie."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.chatlearn.conditions import NEWEST
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.copies import Copies
from rftconf.mappers.shapes import leave_open, lose_known, settle_known, together
from rftconf.mappers.trackers import TrackerKeys
from rftconf.plan.origin import TRACKED

L, M = "stage.length.", "stage.model."
POLICY, TRAINER, REF = "models.policy.", "models.policy_trainer.", "models.ref_policy."
LENGTHS = {"max_prompt_tokens_length": "prompt_max_tokens", "max_response_tokens_length": "response_max_tokens"}
LENGTH_KEYS = tuple(f"{role}{key}" for role in (POLICY, TRAINER, REF) for key in (*LENGTHS, "seq_length"))
CHECKPOINTS = {TRAINER + "load": "stage.placement.actor.megatron.", REF + "load": "stage.placement.reference.megatron."}
"""A Megatron model's own checkpoint, and the block of the plan that holds its path."""
WEIGHT_KEYS = (
    POLICY + "load", *CHECKPOINTS, *(f"{role}{key}" for role in (TRAINER, REF) for key in ("tokenizer_type", "tokenizer_model")),
)  # fmt: skip


def read_lengths(r: ReadContext) -> None:
    """The engines' limits; 1.2.0 knows only the sum."""
    if not r.since(NEWEST):
        _read_copies(r, "seq_length", "model_max_tokens")
        return
    for key, field in LENGTHS.items():
        _read_copies(r, key, field)


def _read_copies(r: ReadContext, key: str, field: str) -> None:
    own = r.native(POLICY + key)
    copies = [role + key for role in (TRAINER, REF)]
    if r.trainer != "megatron":
        r.inactive.update(dict.fromkeys(copies, "only a Megatron model derives its sequence length from it"))
        copies = []
    for copy in copies:
        if r.native(copy) != own and r.written(copy):
            r.narrowed[copy] = f"the engines have {own}; this copy only sizes the Megatron model's sequences"
    r.set(L + field, own, POLICY + key, *copies)


def write_lengths(w: WriteContext) -> None:
    """The engines' limits and, with Megatron, both copies; before them the sum."""
    known = {field: w.plan(L + field) for field in LENGTHS.values()}
    roles = (POLICY, TRAINER, REF) if w.trainer == "megatron" else (POLICY,)
    whole = None if None in known.values() else sum_of(known)
    if not w.since(NEWEST) and not w.same_framework:
        for role in roles:
            w.put(role + "seq_length", whole if whole is not None else w.plan(L + "model_max_tokens"),
                  *(L + field for field, value in known.items() if value is not None), state=State.DERIVED, always=True, how="prompt + response")  # fmt: skip
    for key, field in LENGTHS.items() if w.since(NEWEST) or w.same_framework else ():
        for role in roles if known[field] is not None else ():
            w.put(role + key, known[field], L + field, always=True)
    _lose_context(w, whole)


def sum_of(known: dict[str, Any]) -> Any:
    """The longest prompt and the longest answer together."""
    first, second = known.values()
    return first + second


def _lose_context(w: WriteContext, whole: Any) -> None:
    path = L + "model_max_tokens"
    same = w.plan(path) == whole or path in w.outcomes
    settle_known(w, path, same, "always the longest prompt plus the longest answer")


def read_weights(r: ReadContext) -> None:
    """FSDP trains what the trainer loads; Megatron loads a converted checkpoint and takes the rest from the engines' folder."""
    engine, trained, reference = (r.native(role + "load") for role in (POLICY, TRAINER, REF))
    if r.trainer == "megatron":
        r.set(M + "path", engine, POLICY + "load")
        for key, prefix in CHECKPOINTS.items():
            path = r.native(key)
            r.set(prefix + "dist_checkpointing_path", path, key, how=TRACKED)
            r.set(prefix + "use_dist_checkpointing", path is not None, key)
        _read_tokenizer(r, engine)
        return
    path = trained if trained is not None else engine
    loads = {POLICY + "load": engine, TRAINER + "load": trained, REF + "load": reference}
    r.set(M + "path", path, *loads)
    for key, value in loads.items():
        if value != path and value is not None:
            other = path if not isinstance(path, Expr) else "another one"
            r.narrowed[key] = f"a model of its own here; the trainer starts from {other}"
    r.inactive.update(dict.fromkeys(WEIGHT_KEYS[3:], "only the Megatron models read it"))


def _read_tokenizer(r: ReadContext, engine: Any) -> None:
    named, copy = (r.native(role + "tokenizer_model") for role in (TRAINER, REF))
    keys = (TRAINER + "tokenizer_model", REF + "tokenizer_model")
    r.set(M + "tokenizer_path", named if named != engine else None, *keys)
    if copy != named:
        r.narrowed[REF + "tokenizer_model"] = "the reference's own tokenizer; the trainer's counts"
    for role in (TRAINER, REF):
        r.inactive[role + "tokenizer_type"] = "how Megatron finds its vocabulary; texts are tokenized by the engines"


def write_weights(w: WriteContext) -> None:
    """One folder for all FSDP models; for Megatron the engines' folder and a converted checkpoint."""
    path = w.plan(M + "path")
    if path == "" and not w.same_framework:
        leave_open(w, POLICY + "load", "the source names no model", M + "path")
        path = "???"
    elif path is not None:
        w.put(POLICY + "load", path, M + "path", always=True)
    if w.trainer != "megatron":
        for key in CHECKPOINTS if path is not None else ():
            w.put(key, path, M + "path", always=True)
        note = "every model takes the tokenizer that lies beside its weights"
        lose_known(w, State.NO_COUNTERPART, note, M + "tokenizer_path")
        return
    trained = _write_checkpoints(w)
    if trained is None and not w.same_framework:
        why = "the Megatron trainer loads a Megatron checkpoint, not the Hugging Face folder"
        w.decide(TRAINER + "load", why, "convert the model and name the result here")
    tokenizer = w.plan(M + "tokenizer_path") or path
    for role in (TRAINER, REF):
        w.put(role + "tokenizer_type", "HuggingFaceTokenizer", always=True)
        if tokenizer is not None:
            named = [M + "tokenizer_path"] if w.plan(M + "tokenizer_path") is not None else []
            w.put(role + "tokenizer_model", tokenizer, *named, always=True)


SHARDS = (
    "the source names a folder of shards; Megatron's load_checkpoint looks for latest_checkpointed_iteration.txt in it, "
    "and trains from random weights where it finds none"
)


def _is_tracked(w: WriteContext, prefix: str) -> bool:
    origin = w.origins.get(prefix + "dist_checkpointing_path")
    return origin is not None and origin.how == TRACKED


def _write_checkpoints(w: WriteContext) -> Any:
    """The actor's converted checkpoint, which the reference shares unless it has its own."""
    checkpoint: Any = None
    for key, prefix in CHECKPOINTS.items():
        own, used = w.plan(prefix + "dist_checkpointing_path"), w.plan(prefix + "use_dist_checkpointing")
        names = ("dist_checkpointing_path", "use_dist_checkpointing")
        paths = [prefix + name for name in names if w.plan(prefix + name) is not None]
        if own is not None and used is not False:
            checkpoint = own if checkpoint is None else checkpoint
            state = State.EXACT if w.same_framework or _is_tracked(w, prefix) else State.NARROWED
            note = "" if state is State.EXACT else SHARDS
            w.put(key, own, *paths, state=state, note=note, always=True)
            if note:
                w.decide(key, note, "the folder that holds latest_checkpointed_iteration.txt", "or convert the model")
        elif checkpoint is not None:
            other = used is False  # of a source whose reference model reads the hub's weights
            note = "ChatLearn's Megatron models all load a converted checkpoint" if other else ""
            w.put(key, checkpoint, *paths, note=note, always=True, how="as the trainer's")
        else:
            note = "the source names no Megatron checkpoint"
            leave_open(w, key, note, *paths, how=note)
    return checkpoint


TRUST = together(
    Copies(
        tuple(role + "trust_remote_code" for role in (POLICY, TRAINER, REF)),
        M + "trust_remote_code",
        default=True,
        differs="the engines say {}; elsewhere there is one switch for all models",
    ),
    why="tokenizers and engine",
)
"""Each model asks for itself; the engines' word counts."""

TRACKING = together(
    TrackerKeys("ChatLearn", {name: f"runtime_args.log_args_dict.enable_{name}" for name in ("tensorboard", "wandb")}),
    why="metric_manager: writers",
)
