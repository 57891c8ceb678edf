"""veRL's SFT program: which training engine its config groups chose, and keys that each engine keeps in a field of its own."""

from __future__ import annotations

from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers.codecs import words
from rftconf.mappers.context import ReadContext, When, WriteContext
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import Pair, Where, together
from rftconf.schemas import registry

ACTOR = "stage.placement.actor."
BACKEND, STRATEGY = ACTOR + "backend", "engine.strategy"
ENGINES = words({"fsdp": "fsdp", "fsdp2": "fsdp2", "megatron": "megatron"})
"""FSDPEngineConfig asserts the first two, McoreEngineConfig the last."""


def read_engine(r: ReadContext) -> None:
    """The groups on the command line say it (`engine=megatron optim=megatron`), else the engine's own strategy."""
    chosen = _groups(r)
    _refuse_others(r, chosen)
    named = r.native(STRATEGY) or r.trainer
    if (named == "megatron") is not (r.trainer == "megatron"):
        raise RefusedError(
            f"{STRATEGY}={named} beside keys of the {r.trainer} engine: each engine's config takes its own strategy only",
            choices=tuple(" ".join(words) for words in registry.framework(r.source.framework).config_groups.values()),
        )
    keys = [STRATEGY] if r.written(STRATEGY) or not chosen else []
    r.set(BACKEND, ENGINES.get(named, r, None), *keys, *chosen)


def _groups(r: ReadContext) -> dict[str, Any]:
    cells, groups = r.source.cells, sorted(registry.framework(r.source.framework).trainer_groups)
    return {name: cells[name].value for name in groups if name in cells}


def _refuse_others(r: ReadContext, chosen: dict[str, Any]) -> None:
    known = registry.framework(r.source.framework)
    for group, name in chosen.items():
        if name not in known.trainers:
            raise RefusedError(
                f"{group}={formula(name)} chooses a training engine whose keys rftconf does not read",
                choices=tuple(" ".join(words) for words in known.config_groups.values()),
            )
    both = {chosen.get(group, known.trainer) for group in known.trainer_groups} if chosen else {r.trainer}
    if both != {r.trainer}:
        mixed = " ".join(f"{group}={name}" for group, name in chosen.items())
        raise RefusedError(
            f"{mixed}: engine and optimizer are of two kinds (a group that is not named is fsdp), and neither reads the other's keys",
            choices=tuple(" ".join(words) for words in known.config_groups.values()),
        )


def write_engine(w: WriteContext) -> None:
    """The strategy; the launch line names the groups."""
    value = w.plan(BACKEND)
    if value is None:
        return
    put = ENGINES.put(value, w, None)
    if put.state is State.NO_COUNTERPART:
        note = f"this program trains with FSDP or Megatron, not with {value}; FSDP trains the same"
        w.lose(BACKEND, State.NARROWED, note)
        return
    w.put(STRATEGY, put.value, BACKEND, state=put.state, note=put.note, always=True)


ENGINE = Fold(
    (STRATEGY,), (BACKEND,), read_engine, write_engine, "TrainingWorker: engine registry; config groups engine, optim"
)


_FSDP = When(lambda c: c.backend != "megatron", "only the FSDP engine reads it")


def either(name: str, field: str, absent: Any) -> Fold:
    """Make the fold of a key of both engines that the plan keeps apart. `absent`: what a release without the key does."""
    key = f"engine.{name}"
    fsdp, megatron = (Pair(key, ACTOR + path, absent) for path in (field, f"megatron.{name}"))
    return together(Where(_FSDP, fsdp, megatron), why="FSDPEngineConfig, McoreEngineConfig")


SEED, DTYPE = either("seed", "seed", 42), either("dtype", "compute_dtype", "bfloat16")
