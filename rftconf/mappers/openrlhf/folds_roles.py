"""OpenRLHF's offload, stage of ZeRO and packing, and who scores answers."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.files import ends_in
from rftconf.mappers.openrlhf.folds_places import AGENT, BACKEND, MODEL, SIZES, URL, P, gpus_of
from rftconf.mappers.shapes import Pair, known_below, lose_known, together
from rftconf.mappers.statements import Needed, Stated

SLEEP, HOST = "ds.enable_sleep", "ds.adam_offload"
PARAM, OPTIMIZER = P + "actor.offload.param", P + "actor.offload.optimizer"


def read_offload(r: ReadContext) -> None:
    """A sleeping trainer waits in host memory; Adam may have its states there all the time (deepspeed_utils.py)."""
    sleeps, host = r.native(SLEEP), r.native(HOST)
    r.set(PARAM, sleeps, SLEEP)
    r.set(OPTIMIZER, True if sleeps is True or host is True else host, SLEEP, HOST)


def write_offload(w: WriteContext) -> None:
    """One switch for weights and optimizer, and one for the optimizer alone."""
    param, optimizer = w.plan(PARAM), w.plan(OPTIMIZER)
    if param is True:
        note = "" if optimizer is not False else "the optimizer's states wait in host memory as well"
        w.put(SLEEP, True, PARAM, *([OPTIMIZER] if optimizer is not None else []), note=note, always=True)
    elif optimizer is True:
        w.put(HOST, True, OPTIMIZER, always=True)
        lose_known(w, State.DEFAULT, f"without {SLEEP} weights stay on the GPU", PARAM)
    else:
        lose_known(w, State.DEFAULT, "nothing waits in host memory", PARAM, OPTIMIZER)


AUX = P + "auxiliary"
SCORER = tuple(f"{AUX}[].{name}" for name in ("role", "path", "gpus", "engine", "url", "name"))
CODE, LOOP, TURNS = (
    "stage.reward.function_path",
    "stage.turns.loop",
    "an agent answers over several turns and scores itself: Python code",
)


def read_rewards(r: ReadContext) -> None:
    """An agent, else a Python file or services by their address, else a model that scores (train_ppo_ray; utils/agent.py)."""
    agent, url, model = r.native(AGENT), r.native(URL), r.native(MODEL)
    r.set(LOOP, agent, AGENT)
    prefix = f"{AUX}[0]."
    if agent is not None:
        r.narrowed[AGENT] = TURNS
        r.inactive.update(dict.fromkeys((URL, MODEL), f"{AGENT} scores its answers"))
        r.set(CODE, None)
    elif url is not None:
        code = ends_in(url, ".py")
        r.set(CODE, url if code else None, URL)
        if code:
            r.narrowed[URL] = (
                "a function here takes queries, prompts and labels, and returns tensors (examples/python/reward_func.py)"
            )
        else:
            r.set(prefix + "role", "reward", URL)
            r.set(prefix + "engine", "external", URL)
            r.set(prefix + "url", url, URL)
        r.inactive[MODEL] = f"{URL} scores answers"
    else:
        r.set(CODE, None)
        if model is not None:
            r.set(prefix + "role", "reward", MODEL)
            r.set(prefix + "path", model, MODEL)
            r.set(prefix + "engine", "deepspeed", MODEL)
            r.set(prefix + "gpus", gpus_of(r, "reward"), *SIZES["reward"])


def write_rewards(w: WriteContext) -> None:
    """A model that scores, or a service; functions and agents have arguments of OpenRLHF's own."""
    if w.same_framework:
        lose_known(w, State.DERIVED, "as its flags say", CODE, LOOP)
        _rewrite(w)
        return
    for index in range(w.items(AUX)):
        prefix = f"{AUX}[{index}]."
        role, engine, path, url = (w.plan(prefix + name) for name in ("role", "engine", "path", "url"))
        if role == "reward" and engine == "external" and url is not None and URL not in w.out:
            w.put(URL, url, prefix + "url", prefix + "role", prefix + "engine", always=True)
        elif role == "reward" and engine != "external" and path is not None and MODEL not in w.out and URL not in w.out:
            note = "OpenRLHF loads a model with a head for scores, in DeepSpeed"
            w.put(MODEL, path, prefix + "path", prefix + "role", state=State.NARROWED, note=note, always=True)
        rest = [known for known in known_below(w, prefix) if known not in w.outcomes]
        lose_known(w, State.NARROWED, "OpenRLHF loads one model that scores, or asks one service", *rest)
    if w.plan(CODE) is not None and w.chosen(CODE):  # a file that a conversion wrote for this interface
        w.put(URL, w.plan(CODE), CODE, "stage.reward.function_name", always=True)
    code = "a function or an agent has arguments of OpenRLHF's own (examples/python): it is not carried over"
    lose_known(w, State.NO_COUNTERPART, code, CODE, LOOP)


def _rewrite(w: WriteContext) -> None:
    for index in range(w.items(AUX)):
        prefix = f"{AUX}[{index}]."
        key, field = (URL, "url") if w.plan(prefix + "engine") == "external" else (MODEL, "path")
        if w.plan(prefix + field) is not None:
            w.put(key, w.plan(prefix + field), prefix + field, always=True)
        lose_known(
            w,
            State.DERIVED,
            "as its flags say",
            *(known for known in known_below(w, prefix) if not known.endswith(field)),
        )
    for key, path in ((AGENT, LOOP), (URL, CODE)):
        if w.plan(path) is not None:
            w.put(key, w.plan(path), path, always=True)


STAGE, ZERO = "ds.zero_stage", P + "actor.zero_stage"
SHARDS_ALL = 3


def _backend(w: WriteContext) -> Any:
    """The source's trainer where it is another one than DeepSpeed."""
    backend = w.plan(BACKEND)
    return None if isinstance(backend, Expr) or backend == "deepspeed" else backend


STAGES = together(
    Pair(STAGE, ZERO),
    Stated(STAGE, 0, "each process has the whole model, as in the source", unless=ZERO, holds=lambda w: _backend(w) == "ddp"),
    Stated(STAGE, SHARDS_ALL, "weights are sharded, as in the source", unless=ZERO, holds=lambda w: _backend(w) not in ("ddp", None)),
    why="deepspeed_utils.py: get_train_ds_config",
)  # fmt: skip
"""The source's stage; where it shards weights in another way, stage 3 does, and a whole model a process is stage 0."""

PACKS, PACKED = "ds.packing_samples", "stage.model_options.remove_padding"


def _needs_packing(c: Context) -> str:
    ring = c.plan(P + "actor.sp")
    needs = c.plan("stage.batch.micro.dynamic") is True or (isinstance(ring, int) and ring > 1)
    return "a ring, and batches by tokens, need packed sequences" if needs else ""


PACKING = together(
    Pair(PACKS, PACKED),
    Needed(PACKS, PACKED, _needs_packing, forced=True),
    why="openrlhf/models/actor.py: packing_samples; train_ppo_ray turns it on",
)
