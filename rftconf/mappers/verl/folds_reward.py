"""veRL's rewards: function, manager, reward model."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.codecs import words
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import carry, known_below, leave_open, lose_known, settle_known, take
from rftconf.mappers.verl import folds_teacher
from rftconf.mappers.verl.conditions import dapo_recipe
from rftconf.mappers.verl.reward_pool import AUXILIARY, needs_pool, served, shape, teacher
from rftconf.mappers.verl.teachers import follows_teacher
from rftconf.mappers.verl.trees import put_tree

R = "stage.reward."


def read_reward(r: ReadContext) -> None:
    """The custom function, the manager, and a neural reward model as an auxiliary model, behind a teacher."""
    block = "reward."
    take(r, block + "custom_reward_function.path", R + "function_path")
    named = r.plan(R + "function_path") is not None
    if not named:
        r.inactive[block + "custom_reward_function.name"] = "no effect without reward.custom_reward_function.path"
    name = r.native(block + "custom_reward_function.name") if named else None
    r.set(R + "function_name", name, block + "custom_reward_function.name")
    kwargs = r.source.branch("reward.custom_reward_function.reward_kwargs") or None
    r.set(R + "function_args", kwargs, "reward.custom_reward_function.reward_kwargs")
    _read_manager(r)
    enabled = r.native("reward.reward_model.enable", False)
    if enabled is not True and not isinstance(enabled, Expr):
        rest = ("model_path", "enable_resource_pool", "nnodes", "n_gpus_per_node", "rollout")
        why = "no effect while reward.reward_model.enable is False"
        r.inactive.update({f"reward.reward_model.{key}": why for key in rest})
        folds_teacher.read_model(r, 0)
        return
    folds_teacher.read_model(r, 0)
    prefix = f"stage.placement.auxiliary[{1 if follows_teacher(r) else 0}]."
    r.set(prefix + "role", "reward", "reward.reward_model.enable")
    for key, field in REWARD_MODEL.items():
        take(r, f"reward.reward_model.{key}", prefix + field)
    pool = r.native("reward.reward_model.enable_resource_pool", False)
    r.set(prefix + "own_pool", pool, "reward.reward_model.enable_resource_pool")
    if isinstance(pool, bool):
        beside = [] if pool else ["actor", "rollout"]
        r.set(prefix + "colocate_with", beside, "reward.reward_model.enable_resource_pool")
    keys = ("reward.reward_model.nnodes", "reward.reward_model.n_gpus_per_node")
    sizes = [r.native(k) for k in keys]
    gpus = sizes[0] * sizes[1] if pool and None not in sizes else None
    r.set(prefix + "gpus", gpus, *keys, how="nnodes x n_gpus_per_node")


def _read_manager(r: ReadContext) -> None:
    """The manager and its arguments; DAPO's recipe has one of its own, and names the buffer apart (main_dapo)."""
    name, args, own = "reward.reward_manager.name", "reward.reward_kwargs", "reward_model.overlong_buffer"
    recipe = dapo_recipe(r)
    r.set(R + "manager", "dapo" if recipe and not r.written(name) else r.native(name, "naive"), name)
    arguments, keys = r.source.branch(args), [args]
    buffer = r.source.branch(own) if recipe else {}
    if buffer.get("enable") is True:
        arguments = {**arguments, "overlong_buffer_cfg": buffer, "max_resp_len": r.native("data.max_response_length")}
        keys += [f"{own}.{key}" for key in buffer]
    elif buffer:
        r.inactive.update({f"{own}.{key}": f"no effect while {own}.enable is not True" for key in buffer})
    r.set(R + "manager_args", arguments or None, *keys)


REWARD_MODEL = {
    "model_path": "path", "rollout.name": "engine", "rollout.tensor_model_parallel_size": "tp", "rollout.data_parallel_size": "dp",
    "rollout.gpu_memory_utilization": "gpu_memory_fraction", "rollout.max_num_seqs": "max_num_seqs", "rollout.dtype": "dtype",
    "rollout.enforce_eager": "enforce_eager", "rollout.prompt_length": "prompt_max_tokens",
    "rollout.response_length": "response_max_tokens", "rollout.max_model_len": "model_max_tokens",
    "rollout.pipeline_model_parallel_size": "pp", "rollout.load_format": "load_format",
}  # fmt: skip


def write_reward(w: WriteContext) -> None:
    """The same references under `reward.*`; code is never carried along."""
    _write_function(w)
    carry(w, "reward.reward_manager.name", R + "manager")
    put_tree(w, "+reward.custom_reward_function.reward_kwargs", R + "function_args")
    put_tree(w, "+reward.reward_kwargs", R + "manager_args")
    mine = served(w)
    for index in range(w.items(AUXILIARY)):
        prefix = f"{AUXILIARY}[{index}]."
        if prefix == mine:
            _write_reward_model(w, prefix)
            continue
        if prefix == teacher(w):
            folds_teacher.write_model(w, prefix)
            continue
        why = "veRL serves one reward model; helpers and services live in the user's own code"
        lose_known(w, State.NO_COUNTERPART, why, *known_below(w, prefix))


def _write_function(w: WriteContext) -> None:
    """A function is called as its own framework calls it: one of another framework's stays open, unless it is adapted."""
    file, path = "reward.custom_reward_function.path", R + "function_path"
    if w.plan(path) is None or w.same_framework or w.chosen(path):
        carry(w, file, path)
        carry(w, "reward.custom_reward_function.name", R + "function_name")
        return
    why = "veRL calls a function otherwise: compute_score(data_source, solution_str, ground_truth, extra_info) in the file"
    leave_open(w, file, why, path)
    lose_known(w, State.NO_COUNTERPART, "the name of a function that veRL cannot call", R + "function_name")


def _write_reward_model(w: WriteContext, prefix: str) -> None:
    judge = w.plan(prefix + "role") == "judge"
    note = "veRL's server is asked by a compute_score of your own, at reward_router_address" if judge else ""
    state = State.NARROWED if judge else State.EXACT
    w.put("reward.reward_model.enable", True, prefix + "role", always=True, state=state, note=note)
    for key, field in REWARD_MODEL.items():
        if w.plan(prefix + field) is not None and field != "engine":
            w.put(f"reward.reward_model.{key}", w.plan(prefix + field), prefix + field, always=True)
    _write_engine(w, prefix)
    _write_reward_pool(w, prefix)
    same = w.plan(prefix + "name") == w.plan(prefix + "domain")
    settle_known(w, prefix + "name", same, "the one reward model has no name", state=State.NO_COUNTERPART)
    _settle_domain(w, prefix)


SERVERS = {name: name for name in ("vllm", "sglang", "trtllm")}
BATCHED = "veRL serves the reward model with an engine, here vllm; the source runs it itself, batch by batch"
ENGINES = words(SERVERS, narrowed=dict.fromkeys(("hf", "fsdp2", "megatron", "deepspeed"), ("vllm", BATCHED)), asks=True)


def _write_engine(w: WriteContext, prefix: str) -> None:
    engine = w.plan(prefix + "engine")
    if engine is not None:
        put = ENGINES.put(engine, w, None)
        w.put(
            "reward.reward_model.rollout.name",
            put.value,
            prefix + "engine",
            state=put.state,
            note=put.note,
            always=True,
        )


def _write_reward_pool(w: WriteContext, prefix: str) -> None:
    gpus, own, needs = w.plan(prefix + "gpus"), w.plan(prefix + "own_pool"), needs_pool(w)
    paths = [prefix + field for field in ("own_pool", "colocate_with") if w.plan(prefix + field) is not None]
    forced = own is False and bool(needs) and not w.same_framework
    note = needs if forced else ""
    pool = bool(own) or forced
    w.put("reward.reward_model.enable_resource_pool", pool, *paths, note=note, always=forced)
    if not pool:
        sharing = w.plan("stage.placement.actor.gpus")
        turns = (
            f"veRL's reward model takes turns on all {formula(sharing)} GPUs of the trainer, or has a pool of its own"
        )
        settle_known(w, prefix + "gpus", gpus == sharing, "shares the trainer's GPUs", turns)
        return
    nodes, each = shape(gpus, w.plan("cluster.gpus_per_node"))
    for key, value in (("nnodes", nodes), ("n_gpus_per_node", "???" if each is None else each)):
        fields = [prefix + "gpus"] if gpus is not None else []
        w.put(f"reward.reward_model.{key}", value, *fields, always=True)


def _settle_domain(w: WriteContext, prefix: str) -> None:
    """veRL's reward model is asked about every row."""
    domain = w.plan(prefix + "domain")
    others = [path for path in w.values if path.startswith("stage.data.domains[") and path.endswith("].weight")]
    alone = len([path for path in others if w.values[path] is not None]) < 2
    other = f"veRL's reward model is asked about every row, the source's only about those of {formula(domain)}"
    settle_known(w, prefix + "domain", alone, "the only domain: all rows", other, State.NO_COUNTERPART)
