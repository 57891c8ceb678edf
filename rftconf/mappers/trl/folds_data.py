"""TRL's data: one data set of the hub or of a folder, or a mixture of several."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import Folder, cost_of_folder, folder_of_file
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle_known
from rftconf.plan.origin import Kind

D, EVALUATES = "stage.data.", "eval_strategy"
NAMED = NAME, CONFIG, TRAIN, TEST = "dataset_name", "dataset_config", "dataset_train_split", "dataset_test_split"


def read_data(r: ReadContext) -> None:
    """One data set of the hub, or a mixture, which wins where both are named (trl/scripts/grpo.py: main)."""
    count = r.source.count("datasets")
    for index in range(count):
        section = f"datasets[{index}]."
        _read_set(r, f"{D}train[{index}].", section + "path", section + "name", section + "split", "train")
    if count:
        r.set(D + "mixing", "concat", "datasets[].path")
        r.inactive.update(dict.fromkeys((NAME, CONFIG, TRAIN), "datasets is written: it names the data"))
        return
    if r.native(NAME) is not None:
        _read_set(r, f"{D}train[0].", NAME, CONFIG, TRAIN)
    if r.native(EVALUATES) in ("no", None):
        r.inactive[TEST] = f"nothing is evaluated: {EVALUATES} is no"
    elif r.native(NAME) is not None:
        _read_set(r, f"{D}eval[0].", NAME, CONFIG, TEST)


def _read_set(r: ReadContext, path: str, name: str, subset: str, split: str, otherwise: str | None = None) -> None:
    r.set(path + "uri", r.native(name), name)
    r.set(path + "subset", r.native(subset), subset)
    r.set(path + "split", r.native(split, otherwise), split)
    r.set(path + "keys.prompt", "prompt", kind=Kind.DEFAULT, how="GRPOTrainer reads this column")


def write_data(w: WriteContext) -> None:
    """One data set by its name, or a mixture; a file is the folder it lies in, with the split of its name."""
    count = w.items(D + "train")
    if w.plan(f"{D}train[0].uri") in ("", None):
        if not w.same_framework:
            leave_open(w, NAME, "the source names no data")
        return
    if count == 1 and not w.facts.folders:
        _write_set(w)
    for index in range(count if count > 1 else 0):
        _write_part(w, index)
    _write_evaluation(w, single=count == 1)
    mixed = w.plan(D + "mixing") != "concat" and count > 1
    settle_known(w, D + "mixing", not mixed, "data sets are concatenated")


def _place(w: WriteContext, prefix: str) -> tuple[Any, Any, Folder | None]:
    """Return the place of a set and its split, as `load_dataset` takes them."""
    uri, split = w.plan(prefix + "uri"), w.plan(prefix + "split")
    folder = folder_of_file(uri) if split is None else None
    return (uri, split, None) if folder is None else (folder.path, folder.split, folder)


def _cost(folder: Folder | None) -> dict[str, Any]:
    return {} if folder is None else cost_of_folder(folder, "TRL")


def _write_set(w: WriteContext) -> None:
    prefix = f"{D}train[0]."
    path, split, folder = _place(w, prefix)
    w.put(NAME, path, prefix + "uri", always=True, **_cost(folder))
    carry(w, CONFIG, prefix + "subset")
    if split is not None:
        source, state = (prefix + "split", State.EXACT) if folder is None else (prefix + "uri", State.DERIVED)
        w.put(TRAIN, split, source, state=state)
    _settle_item(w, prefix)


def _write_part(w: WriteContext, index: int) -> None:
    prefix, to = f"{D}train[{index}].", f"datasets[{index}]."
    path, split, folder = _place(w, prefix)
    w.put(to + "path", path, prefix + "uri", always=True, **_cost(folder))
    carry(w, to + "name", prefix + "subset", always=True)
    if split is not None:
        w.put(to + "split", split, prefix + "split" if folder is None else prefix + "uri", always=True)
    _settle_item(w, prefix)


def _settle_item(w: WriteContext, prefix: str) -> None:
    prompt, storage = (formula(w.plan(prefix + field)) for field in ("keys.prompt", "storage"))
    for field, mine, why, other in (
        ("keys.prompt", "prompt", "as GRPOTrainer reads it", f"the column must be called prompt, not {prompt}"),
        ("storage", "file", "load_dataset opens files", f"load_dataset opens files, and no {storage}"),
    ):
        settle_known(w, prefix + field, w.plan(prefix + field) == mine, why, other)


def _write_evaluation(w: WriteContext, *, single: bool) -> None:
    """Evaluation takes another split of the one data set; sets elsewhere are lost, and that is asked about."""
    for index in range(w.items(D + "eval")):
        prefix = f"{D}eval[{index}]."
        path, split, folder = _place(w, prefix)
        subset = w.plan(f"{D}train[0].subset")
        if single and index == 0 and path == w.out[NAME].value and w.plan(prefix + "subset") == subset:
            paths = (prefix + "uri", *([prefix + "split"] if folder is None else []))
            w.put(TEST, split or "train", *paths, state=State.DERIVED, always=True)
            w.lose(prefix + "subset", State.DERIVED, "the one data set's")
        else:
            note = f"TRL evaluates on a split of the data set it trains on, and not on {formula(path)}"
            lose_known(w, State.NO_COUNTERPART, note, *(prefix + field for field in ("uri", "split", "subset")))
            w.decide(NAME, note, "put both into one data set, as two splits", "evaluate after the run")
        _settle_item(w, prefix)
