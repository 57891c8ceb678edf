"""veRL keys that only make sense together: data files, rewards, group filters, old log-probabilities, output folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State
from rftconf.mappers.files import file_of_split
from rftconf.plan.symbols import Expr, text

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

D = "stage.data."
R = "stage.reward."
SHARED_COLUMNS = {"data.prompt_key": "prompt", "data.image_key": "image", "data.video_key": "video"}
"""Columns that veRL names once for all files."""


def read_data(r: Reading) -> None:
    """One data set per file; columns and shuffling are shared by all of them."""
    for key, listed in (("data.train_files", "train"), ("data.val_files", "eval")):
        files = r.native(key)
        items = files if isinstance(files, list) else [] if files is None else [files]
        for index, uri in enumerate(items):
            at = f"{D}{listed}[{index}]."
            r.set(at + "uri", uri, key)
            r.set(at + "storage", "file", key)
            for column, field in SHARED_COLUMNS.items():
                value = r.native(column)
                if field == "prompt" or r.written(column):
                    r.set(f"{at}keys.{field}", value, column)
    r.set(D + "mixing", "concat", "data.train_files")
    r.set(D + "shuffle", r.native("data.shuffle"), "data.shuffle")
    r.set(D + "seed", r.native("data.seed"), "data.seed")
    for key, field in (("data.train_max_samples", "train_max_samples"), ("data.val_max_samples", "eval_max_samples")):
        value = r.native(key, -1)
        r.set(D + field, None if value == -1 else value, key)
    r.set(D + "loader_workers", r.native("data.dataloader_num_workers"), "data.dataloader_num_workers")
    r.set(D + "dataset_class", r.native("data.custom_cls.path"), "data.custom_cls.path")
    r.set(D + "dataset_class_name", r.native("data.custom_cls.name"), "data.custom_cls.name")


def write_data(w: Writing) -> None:
    """Back to lists of files; what differs between data sets cannot be kept."""
    for key, listed in (("data.train_files", "train"), ("data.val_files", "eval")):
        count = w.items(D + listed)
        found = [file_of_split(w, f"{D}{listed}[{i}].") for i in range(count)]
        if found:
            value = found[0].value if len(found) == 1 and not w.same_framework else [f.value for f in found]
            paths = [f"{D}{listed}[{i}].{field}" for i in range(count) for field in ("uri", "split", "subset", "storage")]
            paths = [p for p in paths if w.plan(p) is not None]
            state = max((f.state for f in found), key=list(State).index)
            note = "; ".join(dict.fromkeys(f.note for f in found if f.note))
            w.put(key, value, *paths, state=state, note=note, how="", always=True, chosen=any(f.chosen for f in found))
        _write_columns(w, listed, count)
    _write_loading(w)


def _write_columns(w: Writing, listed: str, count: int) -> None:
    for column, field in SHARED_COLUMNS.items():
        paths = [f"{D}{listed}[{i}].keys.{field}" for i in range(count)]
        values = [w.plan(p) for p in paths if w.plan(p) is not None]
        if not values:
            continue
        differs = any(v != values[0] for v in values) or (column in w.out and w.out[column].value != values[0])
        note = f"veRL has one {column} for all files; wrote the first" if differs else ""
        if column not in w.out:
            w.put(column, values[0], *paths, state=State.NARROWED if differs else State.EXACT, note=note, always=field != "prompt")
        else:
            for path in paths:
                w.lose(path, State.NARROWED if differs else State.EXACT, note)


def _write_loading(w: Writing) -> None:
    shuffle = w.plan(D + "shuffle")
    if shuffle is not None:
        w.put("data.shuffle", shuffle, D + "shuffle")
    if w.plan(D + "seed") is not None:
        w.put("data.seed", w.plan(D + "seed"), D + "seed")
    if w.plan(D + "mixing") not in ("concat", None) and w.items(D + "train") > 1:
        w.lose(D + "mixing", State.NARROWED, "veRL concatenates files and shuffles the whole (row 7.6)")
    else:
        w.lose(D + "mixing", State.DEFAULT, "files are concatenated")
    for key, field in (("data.train_max_samples", "train_max_samples"), ("data.val_max_samples", "eval_max_samples"),
                       ("data.dataloader_num_workers", "loader_workers"), ("data.custom_cls.path", "dataset_class"),
                       ("data.custom_cls.name", "dataset_class_name")):  # fmt: skip
        if w.plan(D + field) is not None:
            w.put(key, w.plan(D + field), D + field)


def read_reward(r: Reading) -> None:
    """The custom function, the manager, and a neural reward model as an auxiliary model."""
    block = "reward." if r.since("0.7.1") else "reward."  # the newest names; older ones are renamed before
    r.set(R + "function_path", r.native(block + "custom_reward_function.path"), block + "custom_reward_function.path")
    named = r.plan(R + "function_path") is not None
    if not named:
        r.inactive[block + "custom_reward_function.name"] = "no effect without reward.custom_reward_function.path"
    name = r.native(block + "custom_reward_function.name") if named else None
    r.set(R + "function_name", name, block + "custom_reward_function.name")
    kwargs = r.source.branch("reward.custom_reward_function.reward_kwargs") or None
    r.set(R + "function_args", kwargs, "reward.custom_reward_function.reward_kwargs")
    r.set(R + "manager", r.native(block + "reward_manager.name", "naive"), block + "reward_manager.name")
    r.set(R + "manager_args", r.source.branch("reward.reward_kwargs") or None, "reward.reward_kwargs")
    enabled = r.native("reward.reward_model.enable", False)
    if enabled is not True and not isinstance(enabled, Expr):
        return
    at = "stage.placement.auxiliary[0]."
    r.set(at + "role", "reward", "reward.reward_model.enable")
    for key, field in REWARD_MODEL.items():
        r.set(at + field, r.native(f"reward.reward_model.{key}"), f"reward.reward_model.{key}")
    pool = r.native("reward.reward_model.enable_resource_pool", False)
    r.set(at + "own_pool", pool, "reward.reward_model.enable_resource_pool")
    keys = ("reward.reward_model.nnodes", "reward.reward_model.n_gpus_per_node")
    sizes = [r.native(k) for k in keys]
    r.set(at + "gpus", sizes[0] * sizes[1] if pool and None not in sizes else None, *keys, how="nnodes x n_gpus_per_node")


REWARD_MODEL = {
    "model_path": "path", "rollout.name": "engine", "rollout.tensor_model_parallel_size": "tp", "rollout.data_parallel_size": "dp",
    "rollout.gpu_memory_utilization": "gpu_memory_fraction", "rollout.max_num_seqs": "max_num_seqs", "rollout.dtype": "dtype",
    "rollout.enforce_eager": "enforce_eager", "rollout.prompt_length": "prompt_max_tokens",
    "rollout.response_length": "response_max_tokens", "rollout.max_model_len": "model_max_tokens",
}  # fmt: skip


def write_reward(w: Writing) -> None:
    """The same references under `reward.*`; code is never carried along."""
    for key, field in (("reward.custom_reward_function.path", "function_path"), ("reward.custom_reward_function.name", "function_name"),
                       ("reward.reward_manager.name", "manager")):  # fmt: skip
        if w.plan(R + field) is not None:
            w.put(key, w.plan(R + field), R + field)
    _put_tree(w, "+reward.custom_reward_function.reward_kwargs", R + "function_args")
    _put_tree(w, "+reward.reward_kwargs", R + "manager_args")
    count = w.items("stage.placement.auxiliary")
    for index in range(count):
        at = f"stage.placement.auxiliary[{index}]."
        if w.plan(at + "role") == "reward" and index == 0:
            _write_reward_model(w, at)
            continue
        for path in [p for p in w.values if p.startswith(at) and w.values[p] is not None]:
            w.lose(path, State.NO_COUNTERPART, "veRL serves one reward model; judges and helpers live in the user's own code (rows 7.8, 7.9)")


def _put_tree(w: Writing, key: str, path: str) -> None:
    tree = w.plan(path)
    if isinstance(tree, dict) and tree:
        for name, value in _leaves(tree):
            w.put(f"{key}.{name}", value, path, always=True)


def _leaves(tree: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, value in tree.items():
        found += _leaves(value, f"{prefix}{name}.") if isinstance(value, dict) and value else [(prefix + name, value)]
    return found


def _write_reward_model(w: Writing, at: str) -> None:
    w.put("reward.reward_model.enable", True, at + "role", always=True)
    for key, field in REWARD_MODEL.items():
        if w.plan(at + field) is not None:
            w.put(f"reward.reward_model.{key}", w.plan(at + field), at + field, always=True)
    pool = bool(w.plan(at + "own_pool"))
    w.put("reward.reward_model.enable_resource_pool", pool, at + "own_pool")
    gpus = w.plan(at + "gpus")
    if not pool or gpus is None:
        if gpus is not None:
            w.lose(at + "gpus", State.DEFAULT, "shares the trainer's GPUs")
        return
    w.put("reward.reward_model.nnodes", 1, at + "gpus", always=True)
    w.put("reward.reward_model.n_gpus_per_node", gpus, at + "gpus", always=True)


def read_old_logprob(r: Reading) -> None:
    """Which log-probabilities the ratio is taken against, and the correction for the engine's mismatch (rows 2.8, 2.9)."""
    block = "algorithm.rollout_correction"
    bypass = r.native(f"{block}.bypass_mode", False)
    one = r.plan("stage.batch.sequences_per_update")
    whole = _rollout_sequences(r)
    shortcut = not r.since("0.8.0") and one is not None and one == whole and r.plan("stage.batch.passes") == 1
    source = "rollout_engine" if bypass is True else "current" if shortcut else "recompute_at_rollout"
    r.set("stage.sync.old_logprob", source, f"{block}.bypass_mode")
    rest = {k: v for k, v in r.source.branch(block).items() if k != "bypass_mode" and r.written(f"{block}.{k}")}
    r.set("stage.algorithm.rollout_correction", rest or None, *(f"{block}.{k}" for k in rest))


def _rollout_sequences(r: Reading) -> Any:
    prompts, n = r.plan("stage.batch.prompts_per_rollout"), r.plan("stage.batch.responses_per_prompt")
    return None if prompts is None or n is None else prompts * n


def write_old_logprob(w: Writing) -> None:
    """`bypass_mode` takes the engine's log-probabilities; otherwise veRL recomputes them once per period."""
    source = w.plan("stage.sync.old_logprob")
    if source == "rollout_engine":
        w.put("algorithm.rollout_correction.bypass_mode", True, "stage.sync.old_logprob", always=True)
        if w.since("0.6.1") and not w.since("0.9.0"):
            why = "bypass_mode needs the engine's log-probabilities; off by default before 0.9 (row 2.9)"
            w.put("actor_rollout_ref.rollout.calculate_log_probs", True, always=True, how=why)
    elif source in ("recompute_at_update", "current"):
        single = w.plan("stage.batch.sequences_per_update") == _both(w)
        note = "with one update a period this is the same" if single else "veRL recomputes once per rollout period, not per update (row 2.8)"
        w.lose("stage.sync.old_logprob", State.DEFAULT if single else State.NARROWED, note)
    elif source is not None:
        w.lose("stage.sync.old_logprob", State.DEFAULT, "veRL recomputes them once per rollout period")
    _put_tree(w, "algorithm.rollout_correction", "stage.algorithm.rollout_correction")


def _both(w: Writing) -> Any:
    prompts, n = w.plan("stage.batch.prompts_per_rollout"), w.plan("stage.batch.responses_per_prompt")
    return None if prompts is None or n is None else prompts * n


FILTER = "algorithm.filter_groups."


def read_filters(r: Reading) -> None:
    """DAPO's dynamic sampling, built in since 0.9 (row 4.2.20)."""
    if r.native(FILTER + "enable", False) is not True:
        for key in ("metric", "max_inflight_gen_batches", "max_num_gen_batches"):
            r.inactive[FILTER + key] = "no effect while algorithm.filter_groups.enable is False"
        return
    if not r.since("0.9.0"):
        r.note("filter_groups is only a slot before 0.9: an external recipe reads it, main_ppo does not (row 4.2.20)")
    at = "stage.algorithm.filters[0]."
    r.set(at + "kind", "zero_std", FILTER + "enable")
    r.set(at + "metric", r.native(FILTER + "metric", "reward"), FILTER + "metric")
    r.set(at + "action", "refill", FILTER + "enable")
    r.set(at + "max_in_flight_rollouts", r.native(FILTER + "max_inflight_gen_batches", 1), FILTER + "max_inflight_gen_batches")


def write_filters(w: Writing) -> None:
    """Refilling filters only; veRL has none that just drops (rule 7)."""
    for index in range(w.items("stage.algorithm.filters")):
        at = f"stage.algorithm.filters[{index}]."
        paths = [p for p in w.values if p.startswith(at) and w.values[p] is not None]
        if index or w.plan(at + "kind") != "zero_std" or w.plan(at + "action") == "duplicate":
            for path in paths:
                w.lose(path, State.NO_COUNTERPART, "veRL's filter_groups evicts groups of equal metric and refills; nothing else")
            continue
        dropped = w.plan(at + "action") == "drop"
        state, note = (State.NARROWED, "veRL refills where the source only drops (H40)") if dropped else (State.EXACT, "")
        w.put(FILTER + "enable", True, at + "kind", at + "action", state=state, note=note, always=True)
        w.put(FILTER + "metric", w.plan(at + "metric") or "reward", at + "metric", always=True)
        if w.plan(at + "max_in_flight_rollouts") is not None:
            w.put(FILTER + "max_inflight_gen_batches", w.plan(at + "max_in_flight_rollouts"), at + "max_in_flight_rollouts")


def read_folder(r: Reading) -> None:
    """veRL names the run's own folder; the plan keeps the root above project and experiment."""
    key = "trainer.default_local_dir"
    folder, project, name = r.native(key), r.plan("identity.project"), r.plan("identity.experiment")
    if not r.written(key):
        r.set("identity.checkpoint_root", "checkpoints", key, how="default checkpoints/<project>/<experiment>")
        return
    tail = text("/", *(p if isinstance(p, (str, Expr)) else str(p) for p in (project, "/", name)))
    known = isinstance(folder, str) and isinstance(tail, str)
    root = folder.rstrip("/").removesuffix(tail) if known and folder.rstrip("/").endswith(tail) else folder
    r.set("identity.checkpoint_root", root, key)


def write_folder(w: Writing) -> None:
    """`<root>/<project>/<experiment>`, or left to the default."""
    root = w.plan("identity.checkpoint_root")
    if root in ("checkpoints", "./checkpoints", "", None):
        if root is not None:
            w.lose("identity.checkpoint_root", State.DEFAULT, "veRL's default is checkpoints/<project>/<experiment>")
        return
    value: Any = root
    if not w.same_framework:
        value = text(*(p if isinstance(p, (str, Expr)) else str(p) for p in (root, "/", w.plan("identity.project"), "/", w.plan("identity.experiment"))))
    w.put("trainer.default_local_dir", value, "identity.checkpoint_root", state=State.DERIVED, how="<root>/<project>/<experiment>")
