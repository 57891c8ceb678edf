"""Caps of the critic's micro-batches in tokens: which key caps which pass changed with 0.8, and again with 0.9's trainer."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.rows import Fold
from rftconf.mappers.supposing import may_hold, put_to_sleep
from rftconf.mappers.verl import conditions as on
from rftconf.mappers.verl.ranks import CRITIC_TOKENS
from rftconf.plan.index import unit_of

TRAIN, FORWARD, INFER = (f"critic.{name}_max_token_len_per_gpu" for name in ("ppo", "forward", "ppo_infer"))
KEYS = (TRAIN, FORWARD, INFER)
TRAINED, INFERRED = (f"stage.batch.{pass_}.tokens_per_rank" for pass_ in ("critic", "critic_infer"))
INFER_CAP = 32768
"""Tokens; CriticConfig.ppo_infer_max_token_len_per_gpu, which no YAML file of veRL has."""


def capped_by(c: Context) -> tuple[str, str]:
    """The key that caps training, and the one that caps the values."""
    if not c.since("0.8.0"):
        return TRAIN, FORWARD
    return (INFER, INFER) if on.v1_trainer(c) else (TRAIN, INFER)


def default_of(c: Context, key: str) -> int | None:
    """The cap of a pass where the config has none; None where the catalogue knows it."""
    return INFER_CAP if key == INFER and c.since("0.8.0") else None


def _unread(c: Context) -> str:
    live = " and ".join(dict.fromkeys(capped_by(c)))
    return f"this release does not read it: {live} caps the critic's passes"


def _read(r: ReadContext) -> None:
    if not may_hold(on.CRITIC_DYNAMIC, r):
        put_to_sleep(r, on.CRITIC_DYNAMIC, *KEYS)
        r.values.setdefault(TRAINED, None)
        r.values.setdefault(INFERRED, None)
        return
    live = capped_by(r)
    r.inactive.update({key: _unread(r) for key in KEYS if key not in live and r.written(key)})
    for key, path in zip(live, (TRAINED, INFERRED), strict=True):
        value = r.native(key, default_of(r, key))
        try:
            r.set(path, CRITIC_TOKENS.get(value, r, unit_of(path)), key)
        except KeyError as missing:
            r.note(f"{key}={value}: not counted, {missing.args[0]} is not known")
            r.set(path, None, key)


def _write(w: WriteContext) -> None:
    if not may_hold(on.CRITIC_DYNAMIC, w):
        w.asleep.setdefault(TRAINED, on.CRITIC_DYNAMIC.otherwise)
        w.asleep.setdefault(INFERRED, on.CRITIC_DYNAMIC.otherwise)
        return
    trained, inferred = capped_by(w)
    if trained == inferred and w.plan(TRAINED) is not None and w.plan(INFERRED) not in (None, w.plan(TRAINED)):
        note = "the trainer of 0.9 caps the critic's training and its values by one key: the cap of training"
        w.lose(INFERRED, State.NARROWED, note)
        inferred = ""
    for key, path in ((inferred, INFERRED), (trained, TRAINED)):
        if key and w.plan(path) is not None:
            put = CRITIC_TOKENS.put(w.plan(path), w, unit_of(path))
            more: dict[str, Any] = {} if (default := default_of(w, key)) is None else {"default": default}
            w.put(key, put.value, path, state=put.state, note=put.note, how=put.how, **more)


WHY = "trainer: engine_config.max_token_len_per_gpu and infer_max_token_len_per_gpu"
CRITIC_CAPS = Fold(KEYS, (TRAINED, INFERRED), _read, _write, WHY)
