"""Files versus folders with splits: some frameworks name parquet files, some what `datasets.load_dataset` takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State
from rftconf.plan.symbols import Expr, Text, Value, text
from rftconf.record import record

if TYPE_CHECKING:
    from rftconf.mappers.writing import Writing

SUFFIXES = (".parquet", ".jsonl", ".json", ".csv")
SPLITS = {"train": "train", "training": "train", "test": "test", "testing": "test", "eval": "test", "evaluation": "test",
          "validation": "validation", "valid": "validation", "val": "validation", "dev": "validation"}  # fmt: skip
"""Words in a file name by which `datasets` assigns a file to a split."""


@record
class Found:
    """A translated location and what it cost."""

    value: Any
    state: State = State.EXACT
    note: str = ""
    chosen: bool = False


@record
class Folder:
    """What `load_dataset(path, split=)` needs for one file; `alone` when the whole folder stands for the file."""

    path: Any
    split: str
    name: str
    alone: bool


def _tail(uri: Value) -> tuple[str, str] | None:
    """The known last part of a path as (text before the last slash, file name), or None."""
    last = uri if isinstance(uri, str) else uri.parts[-1] if isinstance(uri, Text) else None
    if not isinstance(last, str) or "/" not in last:
        return None
    head, _, name = last.rpartition("/")
    return head, name


def folder_of_file(uri: Value) -> Folder | None:
    """The folder and split that stand for one data file, or None when `uri` is not a known file name."""
    parts = _tail(uri)
    if parts is None or not parts[1].endswith(SUFFIXES):
        return None
    head, name = parts
    stem = name[: name.rindex(".")]
    words = stem.replace("-", "_").replace(".", "_").split("_")
    split = next((SPLITS[w] for w in words if w in SPLITS), None)
    path: Any = head or "." if isinstance(uri, str) else text(*uri.parts[:-1], head) if isinstance(uri, Text) else uri
    folder = _last_word(path)
    own = stem if split is None or stem not in SPLITS else folder
    return Folder(path, split or "train", own or stem, split is None or stem not in SPLITS)


def _last_word(path: Value) -> str:
    last = path if isinstance(path, str) else path.parts[-1] if isinstance(path, Text) else ""
    return last.rstrip("/").rpartition("/")[2] if isinstance(last, str) else ""


def looks_local(uri: Value) -> bool:
    """True for paths on disk, False for names on a hub (`openai/gsm8k`)."""
    if isinstance(uri, Expr):
        return True
    plain = str(uri)
    return plain.startswith(("/", "./", "../", "~", "$", "hdfs:", "s3:", "oss:")) or plain.endswith(SUFFIXES)


def file_of_split(w: Writing, at: str, suffix: str = "parquet") -> Found:
    """The file that stands for a data set in a framework that only reads files."""
    uri, split = w.plan(at + "uri"), w.plan(at + "split")
    parts = _tail(uri)
    if split is None or (parts is not None and parts[1].endswith(SUFFIXES)):
        return Found(uri)
    if looks_local(uri):
        value = text(uri if isinstance(uri, (str, Expr)) else str(uri), f"/{split}.{suffix}")
        return Found(
            value,
            State.DERIVED,
            f"the target reads files; check that {split}.{suffix} lies in that folder",
            chosen=True,
        )
    note = f"the target reads {suffix} files; export the hub data set {uri} (split {split}) and name the file"
    return Found("???", State.UNRESOLVED, note)
