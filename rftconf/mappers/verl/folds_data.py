"""veRL's data files and how they are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rftconf.ledger import State
from rftconf.mappers.files import file_of_split

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

D = "stage.data."
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
    _read_truncation(r)
    r.set(D + "shuffle", r.native("data.shuffle"), "data.shuffle")
    r.set(D + "seed", r.native("data.seed"), "data.seed")
    for key, field in (("data.train_max_samples", "train_max_samples"), ("data.val_max_samples", "eval_max_samples")):
        value = r.native(key, -1)
        r.set(D + field, None if value == -1 else value, key)
    r.set(D + "loader_workers", r.native("data.dataloader_num_workers"), "data.dataloader_num_workers")
    r.set(D + "dataset_class", r.native("data.custom_cls.path"), "data.custom_cls.path")
    r.set(D + "dataset_class_name", r.native("data.custom_cls.name"), "data.custom_cls.name")


def _read_truncation(r: Reading) -> None:
    """Cutting long prompts acts before 0.7, and only where they were not dropped before (row 6.5, D15)."""
    key = "data.truncation"
    if not r.written(key) or r.native(key) == "error":
        return
    if r.since("0.7.0"):
        r.inactive[key] = "from 0.7 on the data set stores it and nothing reads it (row 6.5, D15)"
    elif r.native("data.filter_overlong_prompts") is True:
        r.inactive[key] = "filter_overlong_prompts drops the prompts that it would cut"
    else:
        r.note(f"{key}={r.native(key)} trains on prompts that are cut; the target never does (row 6.5, D37)")


def write_data(w: Writing) -> None:
    """Back to lists of files; what differs between data sets cannot be kept."""
    for key, listed in (("data.train_files", "train"), ("data.val_files", "eval")):
        count = w.items(D + listed)
        found = [file_of_split(w, f"{D}{listed}[{i}].") for i in range(count)]
        if found:
            value = found[0].value if len(found) == 1 and not w.same_framework else [f.value for f in found]
            paths = [
                f"{D}{listed}[{i}].{field}" for i in range(count) for field in ("uri", "split", "subset", "storage")
            ]
            paths = [p for p in paths if w.plan(p) is not None]
            state = max((f.state for f in found), key=list(State).index)
            note = "; ".join(dict.fromkeys(f.note for f in found if f.note))
            w.put(key, value, *paths, state=state, note=note, how="", always=True, chosen=any(f.chosen for f in found))
        elif listed == "eval" and not w.same_framework and "data.train_files" in w.out:
            how = "there is no evaluation set; veRL opens a file even with test_freq=-1"
            w.put(key, w.out["data.train_files"].value, always=True, how=how)
        _say_what_files_lack(w, listed, count)
        _write_columns(w, listed, count)
    _write_loading(w)


def _say_what_files_lack(w: Writing, listed: str, count: int) -> None:
    """A file is neither a queue nor a data base, and has no named subsets."""
    for index in range(count):
        at = f"{D}{listed}[{index}]."
        if w.plan(at + "storage") not in ("file", None):
            w.lose(at + "storage", State.NARROWED, f"veRL reads files, not {w.plan(at + 'storage')} storage")
        if w.plan(at + "subset") is not None:
            w.lose(at + "subset", State.NARROWED, f"a file has no subsets: export {w.plan(at + 'subset')} to it")


def _write_columns(w: Writing, listed: str, count: int) -> None:
    for column, field in SHARED_COLUMNS.items():
        paths = [_column_path(w, f"{D}{listed}[{i}].keys.", field) for i in range(count)]
        values = [w.plan(p) for p in paths if w.plan(p) is not None]
        if not values:
            continue
        differs = any(v != values[0] for v in values) or (column in w.out and w.out[column].value != values[0])
        note = f"veRL has one {column} for all files; wrote the first" if differs else ""
        if column not in w.out:
            w.put(
                column,
                values[0],
                *paths,
                state=State.NARROWED if differs else State.EXACT,
                note=note,
                always=field != "prompt",
            )
        else:
            for path in paths:
                w.lose(path, State.NARROWED if differs else State.EXACT, note)


def _column_path(w: Writing, keys: str, field: str) -> str:
    """The prompt column holds chat messages, whatever the source calls it."""
    chat = field == "prompt" and w.plan(keys + "prompt") is None and w.plan(keys + "messages") is not None
    return keys + ("messages" if chat else field)


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
