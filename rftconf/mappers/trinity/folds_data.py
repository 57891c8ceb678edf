"""Trinity keys that only make sense together: where data lie, evaluation sampling, shuffling, LoRA, the monitor."""

from __future__ import annotations

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Value, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import cost_of_folder, folder_of_file
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle, take
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Kind

D = "stage.data."
LISTS = (("buffer.explorer_input.tasksets", "train"), ("buffer.explorer_input.eval_tasksets", "eval"))
HEAT = "model.temperature"
SAMPLING = ("temperature", "top_p", "top_k")


def read_places(r: ReadContext) -> None:
    """path and split of each data set, its selector and its own sampling."""
    for native, listed in LISTS:
        for index in range(r.source.count(native)):
            section, to = f"{native}[{index}].", f"{D}{listed}[{index}]."
            take(r, section + "path", to + "uri")
            take(r, section + "split", to + "split", "train")
            if listed == "train":
                _read_selector(r, section, to, index)
            _read_sampling(r, section, to, listed, index)
    if r.plan(D + "shuffle") is None:
        r.set(D + "shuffle", False, kind=Kind.DEFAULT, how="sequential unless a selector says otherwise (H52)")
    how = "tasksets are interleaved in proportion to their sizes"
    r.set(D + "mixing", "proportional", kind=Kind.DEFAULT, how=how)


def _read_selector(r: ReadContext, section: str, to: str, index: int) -> None:
    key = section + "data_selector.selector_type"
    kind = r.native(key, "sequential")
    if index == 0:
        # random draws anew for every batch: another order, but not the file's
        r.set(D + "shuffle", kind in ("shuffle", "random"), key)
        seed = r.native(section + "data_selector.seed", 42)
        r.set(D + "seed", seed if kind != "sequential" else None, section + "data_selector.seed")
    if kind not in ("shuffle", "sequential", None):
        r.set(to + "selector", kind, key)


def _read_sampling(r: ReadContext, section: str, to: str, listed: str, index: int) -> None:
    for field in SAMPLING:
        key = f"{section}rollout_args.{field}"
        if listed == "train":
            _read_train_sampling(r, key, f"{to}sampling.{field}", f"stage.sampling.train.{field}")
            continue
        value = r.native(key)
        inherited = r.native(f"model.{field}", {"temperature": 1.0, "top_p": 1.0, "top_k": -1}[field])
        effective = value if value is not None else -1 if field == "top_k" else inherited
        keys = (key,) if field == "top_k" or value is not None else (key, f"model.{field}")
        r.set(f"{to}sampling.{field}", effective, *keys)
        if index == 0:
            r.set(f"stage.sampling.eval.{field}", effective, *keys)
    if listed == "eval":
        n = r.native(section + "repeat_times", 1)
        r.set(to + "sampling.responses", n, section + "repeat_times")
        if index == 0:
            r.set("stage.sampling.eval.responses", n, section + "repeat_times")


def _read_train_sampling(r: ReadContext, key: str, own: str, common: str) -> None:
    """A single data set's sampling is the run's; of several, only what differs is kept apart."""
    if key.endswith(".top_k"):
        _read_train_top_k(r, key, own, common)
        return
    inherited = r.plan(common)
    if not r.written(key) or r.native(key) is None:
        return
    value = r.native(key)
    if value == inherited:
        r.set(common, value, key, *r.origins[common].keys)
    elif r.source.count("buffer.explorer_input.tasksets") > 1:
        r.set(own, value, key)
    else:
        r.set(common, value, key)
        if key.endswith(".temperature") and r.since("0.6.0"):
            _say_divisor(r, key, value, inherited)


def _say_divisor(r: ReadContext, key: str, drawn: Value, divisor: Value) -> None:
    """trainer/verl/trainer.py: since 0.6 logits are divided by the model's temperature, whatever answers are drawn at."""
    sentence = (
        f"answers are drawn at temperature {formula(drawn)}, and the trainer divides logits by {formula(divisor)} (H28)"
    )
    r.note(sentence)
    r.narrowed[HEAT if r.written(HEAT) else key] = f"{sentence}; elsewhere one temperature serves both"
    r.beyond[HEAT] = divisor


def _read_train_top_k(r: ReadContext, key: str, own: str, common: str) -> None:
    """A data set's top_k is -1 unless written; the model's value never reaches it."""
    value = r.native(key, -1)
    if own.startswith(f"{D}train[0]."):
        r.set(common, value, key)
    elif value != r.values.get(common):
        r.set(own, value, key)


def write_places(w: WriteContext) -> None:
    """Folders with splits, evaluation sampling spelt out, a selector for the order."""
    for native, listed in LISTS:
        for index in range(w.items(D + listed)):
            section, to = f"{native}[{index}].", f"{D}{listed}[{index}]."
            write_place(w, section, to, listed, index)
            if listed == "train":
                write_selector(w, section, to)
                _write_own_sampling(w, section, to)
            else:
                write_eval_sampling(w, section, to)
    if not w.same_framework and w.plan("stage.kind") in WITH_ROLLOUTS and not w.items(D + "train"):
        how = "the source names no data; Trinity's explorer takes every task from a task set"
        w.put("buffer.explorer_input.tasksets[0].path", "???", always=True, how=how)
    _write_common(w)


def write_place(w: WriteContext, section: str, to: str, listed: str, index: int) -> None:
    """Write the place of one data set."""
    uri, split = w.plan(to + "uri"), w.plan(to + "split")
    folder = folder_of_file(uri) if split is None else None
    name = w.plan(to + "name")
    if uri in ("", None):
        leave_open(w, section + "path", "the source names no data", to + "uri")
        label = name or f"{listed}_{index}"
    elif folder is None:
        w.put(section + "path", uri, to + "uri", always=True)
        if split is not None:
            w.put(section + "split", split, to + "split")
        label = name or f"{listed}_{index}"
        if split is None and isinstance(uri, (Expr, str)):
            w.decide(section + "path", "Trinity loads a folder or a hub data set by `datasets.load_dataset(path, split=)`, not one file",
                     "name a folder that holds the file", "name a hub data set")  # fmt: skip
    else:
        w.put(section + "path", folder.path, to + "uri", always=True, **cost_of_folder(folder, "Trinity"))
        w.put(section + "split", folder.split, to + "uri", state=State.DERIVED, always=True, how="from the file's name")
        label = name or (folder.name if listed == "train" else f"{folder.name}_eval")
        _ask_about_shared_folder(w, section, folder.path, folder.split)
    if name is None:
        w.put(section + "name", label, always=True, how="named after the file")


def _ask_about_shared_folder(w: WriteContext, section: str, path: Value, split: str) -> None:
    """Files of one folder and split would each bring in the whole folder; the question is asked at the second of them."""
    taken, place = w.facts.folders, (str(path), split)
    taken[place] = taken.get(place, 0) + 1
    if taken[place] == 2:
        why = (
            f"several files lie in {formula(path)}: Trinity loads all {split} files of a folder, once for each task set"
        )
        w.decide(section + "path", why, "keep one task set for the folder", "give each file a folder of its own")


def write_selector(w: WriteContext, section: str, to: str) -> None:
    """Rows are read from front to back, or shuffled."""
    own, shuffle = w.plan(to + "selector"), w.plan(D + "shuffle")
    key = section + "data_selector.selector_type"
    if own is not None:
        w.put(key, own, to + "selector", always=True)
    elif isinstance(shuffle, Expr):
        note = "shuffle or sequential, by a value the source does not tell"
        w.put(key, "???", D + "shuffle", state=State.UNRESOLVED, note=note)
    elif shuffle is not None:
        w.put(key, "shuffle" if shuffle else "sequential", D + "shuffle", state=State.DERIVED)
    carry(w, section + "data_selector.seed", D + "seed")


def _write_own_sampling(w: WriteContext, section: str, to: str) -> None:
    for field in SAMPLING:
        own, common = f"{to}sampling.{field}", f"stage.sampling.train.{field}"
        value = w.plan(own)
        if value is not None:
            w.put(f"{section}rollout_args.{field}", value, own)
        elif field == "top_k" and w.plan(common) is not None:
            w.put(f"{section}rollout_args.top_k", w.plan(common), common)


def write_eval_sampling(w: WriteContext, section: str, to: str) -> None:
    """Write the sampling of one evaluation set, spelt out (H55)."""
    for field in SAMPLING:
        own, common = f"{to}sampling.{field}", f"stage.sampling.eval.{field}"
        value = w.plan(own) if w.plan(own) is not None else w.plan(common)
        if value is not None:
            paths = [p for p in (own, common) if w.plan(p) is not None]
            how = "" if own in paths else "validation sampling (H55)"
            w.put(f"{section}rollout_args.{field}", value, *paths, always=True, how=how)
    own, common = to + "sampling.responses", "stage.sampling.eval.responses"
    n = w.plan(own) if w.plan(own) is not None else w.plan(common)
    if n is not None:
        w.put(section + "repeat_times", n, *[p for p in (own, common) if w.plan(p) is not None], always=True)


def _write_common(w: WriteContext) -> None:
    same = not (w.plan(D + "mixing") in ("concat", "weighted") and w.items(D + "train") > 1)
    other = "Trinity interleaves tasksets in proportion to their sizes, not one after the other or by weights"
    settle(w, D + "mixing", same, "one data set, or interleaved in proportion to size", other)
    if w.plan(D + "seed") is None and w.plan(D + "shuffle") is True:
        unseeded = "the source names no seed for the order of rows, and Trinity's selector takes 42"
        w.note(f"{unseeded}: the order is another (H52)")
    if not w.items(D + "train"):
        for path in ("stage.sampling.train.top_k", D + "shuffle"):
            if w.plan(path) is not None and path not in w.outcomes:
                w.lose(path, State.DEAD_IN_TARGET, "there is no data set that could carry it")
    if not w.items(D + "eval"):
        drawn = (f"stage.sampling.eval.{field}" for field in (*SAMPLING, "responses"))
        lose_known(w, State.DEAD_IN_TARGET, "there is no evaluation set", *drawn)
