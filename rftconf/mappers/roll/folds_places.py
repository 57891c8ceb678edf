"""ROLL's GPUs: which role runs on which devices, with which strategy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula, text
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.roll.conditions import CRITIC, REFERENCE, RL, follows_teacher, trained
from rftconf.mappers.roll.devices import contiguous, devices, mapping
from rftconf.mappers.shapes import carry, leave_open, settle_known, take
from rftconf.mappers.supposing import may_hold, put_to_sleep
from rftconf.mappers.value_errors import unusable_value
from rftconf.schemas import catalogue
from rftconf.schemas.registry import framework

P = "stage.placement."
NODES, PER_NODE = "cluster.nodes", "cluster.gpus_per_node"
OWN_ROLES = ("actor_train", "actor_infer", "reference", "critic", "sft_train", "student")
"""Roles that the plan places."""
ROLES = (*OWN_ROLES[:4], "reward_model", *OWN_ROLES[4:], "teacher", "student_train", "student_infer")
OWN_NODE = 8
"""GPUs of a node where a file does not say; ROLL asks the machine itself."""


def read_devices(r: ReadContext) -> None:
    """Overlapping lists share GPUs; the cluster is as large as the highest id."""
    devices = {key: device_ids(r, key) for key in _mappings(r)}
    main = f"{trained(r)}.device_mapping"
    set_gpus(r, "actor", devices.get(main), main)
    set_cluster(r, devices_in_all(devices.values()), tuple(devices))
    for key in devices:
        carried = ("reward", *(["teacher."] if follows_teacher(r) else []))
        if key.rpartition(".")[0] not in OWN_ROLES and not key.startswith(carried):
            r.narrowed[key] = "its GPUs count for the size of the cluster; the role itself is not carried over"
    if r.trainer == "dpo":
        set_gpus(r, "reference", devices.get("reference.device_mapping"), "reference.device_mapping")
    if RL.test(r):
        engine = "actor_infer.device_mapping"
        set_gpus(r, "rollout", devices.get(engine), engine)
        _set_layout(r, devices.get(main), devices.get(engine), main, engine)
        for role in ("reference", "critic"):
            key = f"{role}.device_mapping"
            when = REFERENCE if role == "reference" else CRITIC
            if may_hold(when, r):
                set_gpus(r, role, devices.get(key), key)
            elif key in devices:
                put_to_sleep(r, when, key)


def devices_in_all(mappings: Iterable[list[int] | None]) -> int | None:
    """Count the devices that the highest id asks for; None where one list is not known, or none is given."""
    lists = list(mappings)
    known = [max(ids) for ids in lists if ids]
    return None if None in lists or not known else max(known) + 1


def _mappings(r: ReadContext) -> list[str]:
    """Every device_mapping that the file has, and the ones that the pipeline needs."""
    keys = [key for key in r.source.cells if key.endswith(".device_mapping") and r.source.value(key) is not None]
    started = [key for key in keys if not of_another_pipeline(r, key)]
    return list(dict.fromkeys([f"{trained(r)}.device_mapping", *started]))


def of_another_pipeline(r: ReadContext, key: str) -> bool:
    """True for a role that only another pipeline's config has: BaseConfig counts devices of its own fields alone."""
    known = {trainer: catalogue.load("roll", None, trainer).get(key) for trainer in framework("roll").trainers}
    return known.pop(r.trainer, None) is None and any(known.values())


def device_ids(r: ReadContext, key: str) -> list[int] | None:
    """The device ids of a key; None where the value is not known. Raises UnusableValueError for what is no such list."""
    value = r.native(key)
    if value is None:
        return []
    if isinstance(value, Expr):
        return None
    if isinstance(value, list):
        if any(isinstance(device, Expr) for device in value):
            return None
        r.note(f"{key} is a YAML list: ROLL evaluates it as text and stops; write it in quotes")
    try:
        return devices(str(value))
    except ValueError as why:
        reads = f"it {why}; rftconf reads `list(range(0,8))`, and never runs what it reads"
        raise unusable_value(r, key, reads) from None


def set_gpus(r: ReadContext, role: str, ids: list[int] | None, key: str) -> None:
    """Set a role's number of GPUs from its device numbers, and record where these skip some."""
    r.set(f"{P}{role}.gpus", len(ids) if ids else None, key, how=f"{len(ids)} devices" if ids else "")
    if ids and not contiguous(ids):
        r.narrowed.setdefault(key, f"{key} skips devices; elsewhere a role takes GPUs in a row")


def set_cluster(r: ReadContext, total: int | None, keys: tuple[str, ...]) -> None:
    """num_nodes and num_gpus_per_node are written over by what ROLL finds; the file's number of GPUs a node is all there is."""
    size = r.native("num_gpus_per_node", OWN_NODE) or OWN_NODE
    r.inactive["num_nodes"] = "worked out from the highest device id"
    if total is None or isinstance(size, Expr):  # how many nodes is open; what the file says of one is not
        r.set(NODES, None, *keys)
        take(r, "num_gpus_per_node", PER_NODE)
        return
    nodes = -(-total // size)
    how = f"device ids up to {total - 1} on nodes of {size} GPUs"
    r.set(NODES, nodes, *keys, how=how)
    if nodes == 1:
        r.inactive["num_gpus_per_node"] = "one node holds all devices, and ROLL asks it for their number"
    r.set(PER_NODE, total if nodes == 1 else size, *(() if nodes == 1 else ("num_gpus_per_node",)), *keys, how=how)


def _set_layout(r: ReadContext, train: list[int] | None, infer: list[int] | None, main: str, engine: str) -> None:
    if train is None or infer is None:
        r.set(P + "layout", None, main, engine)
        return
    shared = set(train) & set(infer)
    r.set(P + "layout", "colocated" if shared or not infer else "disaggregated", main, engine)
    if shared and set(train) != set(infer):
        sentence = f"{len(infer)} engine GPUs and {len(train)} trainer GPUs share {len(shared)}: elsewhere they share all or none"
        r.note(sentence)
        r.narrowed[engine] = sentence


def write_devices(w: WriteContext) -> None:
    """Trainer first, engines on the same devices or behind it, further models behind those."""
    main = w.plan(P + "actor.gpus")
    if main == 0 and not isinstance(main, Expr):
        raise RefusedError("the engines leave the trainer no GPU", choices=("fewer engines", "more nodes"))
    carry(w, "num_gpus_per_node", PER_NODE, always=True)
    put_mapping(w, f"{trained(w)}.device_mapping", 0, main, P + "actor.gpus")
    if not RL.test(w):
        _settle_nodes(w, main)
        if may_hold(REFERENCE, w):
            put_mapping(w, "reference.device_mapping", 0, w.plan(P + "reference.gpus") or main, P + "reference.gpus")
        return
    layout, engines = w.plan(P + "layout"), w.plan(P + "rollout.gpus")
    separate = layout in ("disaggregated", "lendable")
    start: Any = main if separate else 0
    put_mapping(w, "actor_infer.device_mapping", start, engines, P + "rollout.gpus", P + "layout")
    if layout == "lendable":
        note = "ROLL's trainer GPUs never serve rollouts while engines have their own"
        w.lose(P + "layout", State.NARROWED, note)
    for role, test in (("reference", REFERENCE), ("critic", CRITIC)):
        path = f"{P}{role}.gpus"
        if may_hold(test, w):
            put_mapping(w, f"{role}.device_mapping", 0, w.plan(path) or main, path)
        elif w.plan(path) is not None:
            w.asleep[path] = test.otherwise
    known = [v for v in (main, start, engines) if isinstance(v, int)]
    w.facts.first_free = max(known[0], known[1] + known[2]) if len(known) == 3 else None
    _settle_nodes(w, w.facts.first_free)


def _settle_nodes(w: WriteContext, devices_in_use: Any) -> None:
    """ROLL counts nodes by the highest device id, which is open as long as one list of devices is."""
    how, known = "worked out from the highest device id", isinstance(devices_in_use, int)
    settle_known(w, NODES, known, how, f"{how}, which is not known", State.UNRESOLVED, State.DERIVED)


def put_mapping(w: WriteContext, key: str, first: Any, count: Any, *paths: str) -> None:
    """`count` devices from `first` on, as the Python expression that ROLL evaluates."""
    how = f"{formula(count)} GPUs" if count is not None else ""
    present = [p for p in paths if w.plan(p) is not None]
    chosen = any(w.chosen(p) for p in present)
    if isinstance(first, int) and isinstance(count, int):
        w.put(key, mapping(first, count), *present, state=State.DERIVED, how=how, always=True, chosen=chosen)
    elif first == 0 and isinstance(count, Expr):
        w.put(key, text("list(range(0,", count, "))"), *present, state=State.DERIVED, how=how, always=True)
    else:
        note = "the number of GPUs is not known"
        leave_open(w, key, note, *present)


TRAIN = {"fsdp2_train": "fsdp2", "megatron_train": "megatron", "deepspeed_train": "deepspeed"}
INFER = {"fsdp2_infer": "fsdp2", "megatron_infer": "megatron", "deepspeed_infer": "deepspeed", "hf_infer": "hf"}
AS_FSDP2 = ("fsdp", "veomni", "torchtitan")
"""Back ends that shard as FSDP does; ROLL has FSDP2 for them."""
INFER_OF = {**dict.fromkeys(AS_FSDP2, "fsdp2_infer"), **{plan: native for native, plan in INFER.items()}}
TRAIN_OF = {**dict.fromkeys(AS_FSDP2, "fsdp2_train"), **{plan: native for native, plan in TRAIN.items()}}
CRITIC_OF = {**TRAIN_OF, "megatron": "fsdp2_train"}
"""A value model on Megatron is not implemented (model_providers: default_value_model_provider)."""
NAME = ".strategy_args.strategy_name"


def read_strategies(r: ReadContext) -> None:
    """The names of the training and scoring strategies."""
    main = trained(r) + NAME
    r.set(P + "actor.backend", _word(r.native(main), TRAIN), main)
    for role, table, test in (("reference", INFER, REFERENCE), ("critic", TRAIN, CRITIC)):
        if may_hold(test, r):
            r.set(f"{P}{role}.backend", _word(r.native(role + NAME), {**table, **TRAIN}), role + NAME)
        else:
            put_to_sleep(r, test, *r.source.below(f"{role}.strategy_args"))


def _word(name: Any, table: dict[str, str]) -> Any:
    return table.get(name, name) if isinstance(name, str) else name


def write_strategies(w: WriteContext) -> None:
    """FSDP is FSDP2 here; before 0.2.1 there is only DeepSpeed beside Megatron."""
    _put_strategy(w, trained(w), "actor", TRAIN_OF)
    actor = w.plan(P + "actor.backend")
    for role, table, test in (("reference", INFER_OF, REFERENCE), ("critic", TRAIN_OF, CRITIC)):
        if may_hold(test, w):
            _put_strategy(w, role, role, CRITIC_OF if role == "critic" else table, otherwise=actor)
        else:
            w.asleep.setdefault(f"{P}{role}.backend", test.otherwise)


def _put_strategy(w: WriteContext, native: str, role: str, table: dict[str, str], otherwise: Any = None) -> None:
    path = f"{P}{role}.backend"
    backend = w.plan(path) or otherwise
    paths = [path] if w.plan(path) is not None else []
    if backend is None:
        return
    lacks_deepspeed = backend == "deepspeed" and w.since("0.3.0") and not w.same_framework
    if isinstance(backend, Expr) or backend not in table or lacks_deepspeed:
        note = "which strategy trains is not known" if isinstance(backend, Expr) else f"ROLL has no {backend} strategy"
        note = f"ROLL {w.release} has no DeepSpeed any more" if lacks_deepspeed else note
        state = State.UNRESOLVED if isinstance(backend, Expr) else State.NO_COUNTERPART
        leave_open(w, native + NAME, note, *paths, state=state)
        names = (name for name in dict.fromkeys(table.values()) if "deepspeed" not in name or not w.since("0.3.0"))
        w.decide(native + NAME, note, *names)
        return
    name, note = table[backend], "ROLL has FSDP2 only" if backend in AS_FSDP2 else ""
    if backend == "megatron" and "megatron" not in name:
        note = "ROLL has no critic on Megatron; FSDP2 trains the same"
    if "fsdp2" in name and not w.since("0.2.1"):
        name = name.replace("fsdp2", "deepspeed")
        note = f"ROLL {w.release} has no FSDP; DeepSpeed needs its own strategy_config"
        w.decide(native + ".strategy_args.strategy_config", note, "name a ZeRO stage", "--to-release 0.3.0")
    w.put(native + NAME, name, *paths, note=note, always=True)
