"""Files versus folders with splits: some frameworks name parquet files, some what `datasets.load_dataset` takes."""

from __future__ import annotations

import re
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.record import record
from rftconf.base.symbols import Expr, Text, Value, text
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.shapes import lose_known

SUFFIXES = (".parquet", ".jsonl", ".json", ".csv")
SPLITS = {"train": "train", "training": "train", "test": "test", "testing": "test", "eval": "test", "evaluation": "test",
          "validation": "validation", "valid": "validation", "val": "validation", "dev": "validation"}  # fmt: skip
"""Words in a file name by which `datasets` assigns a file to a split."""


@record
class FileValue:
    """A translated location and what it cost."""

    value: Any
    state: State = State.EXACT
    note: str = ""
    chosen: bool = False


_OF_HUB = re.compile(r"(?P<name>[\w-][\w.-]*/[\w.-]+)@(?P<split>[A-Za-z]\w*)")
"""A data set of a hub and its split in one text, which the loader of a fork takes apart at the sign."""


@record
class Folder:
    """The arguments of `load_dataset(path, split=)` for one file; `alone` when the whole folder stands for the file."""

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


def ends_in(uri: Value, ending: str) -> bool:
    """True where a path ends so, whatever the variables before its end are."""
    last = uri if isinstance(uri, str) else uri.parts[-1] if isinstance(uri, Text) else None
    return isinstance(last, str) and last.endswith(ending)


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


def cost_of_folder(folder: Folder, title: str) -> dict[str, Any]:
    """Return what it costs that a framework called `title` takes the folder for the file in it, as `put` takes it."""
    alone = "; the folder must hold this file only" if folder.alone else ""
    note = f"{title} loads folders (load_dataset), not single files{alone}"
    return {"state": State.NARROWED if folder.alone else State.DERIVED, "note": note, "how": "the file's folder"}


def _last_word(path: Value) -> str:
    last = path if isinstance(path, str) else path.parts[-1] if isinstance(path, Text) else ""
    return last.rstrip("/").rpartition("/")[2] if isinstance(last, str) else ""


def looks_local(uri: Value) -> bool:
    """True for paths on disk, False for names on a hub (`openai/gsm8k`)."""
    if isinstance(uri, Expr):
        return True
    plain = str(uri)
    return plain.startswith(("/", "./", "../", "~", "$", "hdfs:", "s3:", "oss:")) or plain.endswith(SUFFIXES)


def file_of_split(w: WriteContext, prefix: str, suffix: str = "parquet") -> FileValue:
    """The file that stands for a data set in a framework that only reads files."""
    uri, split = w.plan(prefix + "uri"), w.plan(prefix + "split")
    parts = _tail(uri)
    if split is None or (parts is not None and parts[1].endswith(SUFFIXES)):
        return FileValue(uri)
    if looks_local(uri):
        value = text(uri if isinstance(uri, (str, Expr)) else str(uri), f"/{split}.{suffix}")
        note = f"the target reads files; check that {split}.{suffix} lies in that folder"
        return FileValue(value, State.DERIVED, note, chosen=True)
    note = f"the target reads files: export the hub data set {uri} (split {split}) and name the file"
    return FileValue("???", State.UNRESOLVED, note)


@record
class FileList:
    """The files that stand for the data sets of one list of the plan."""

    values: list[Any]
    paths: tuple[str, ...]
    """The plan fields that they stand for."""
    state: State
    note: str
    chosen: bool

    def put(self, w: WriteContext, key: str, value: Any) -> None:
        """Write `value`, which is made of the files, under a key."""
        w.put(key, value, *self.paths, state=self.state, note=self.note, always=True, chosen=self.chosen)

    def short(self, w: WriteContext) -> Any:
        """Return the one file alone, for frameworks that take one or a list."""
        return self.values[0] if len(self.values) == 1 and not w.same_framework else self.values


def path_of_column(w: WriteContext, keys: str, field: str) -> str:
    """Return the plan field of a column: one prompt column holds chat messages as well, whatever the source calls them."""
    chat = field == "prompt" and w.plan(keys + "prompt") is None and w.plan(keys + "messages") is not None
    return keys + ("messages" if chat else field)


def files_of(w: WriteContext, listed: str, suffix: str = "parquet") -> FileList:
    """Return the files for the data sets of the plan list `listed`."""
    places = [f"{listed}[{index}]." for index in range(w.items(listed))]
    files = [file_of_split(w, prefix, suffix) for prefix in places]
    paths = (prefix + field for prefix in places for field in ("uri", "split", "subset", "storage"))
    order = list(State)
    return FileList(
        [file.value for file in files],
        tuple(path for path in paths if w.plan(path) is not None),
        max((file.state for file in files), key=order.index, default=State.EXACT),
        "; ".join(dict.fromkeys(file.note for file in files if file.note)),
        any(file.chosen for file in files),
    )


def say_what_files_lack(w: WriteContext, listed: str, title: str) -> None:
    """Record, for a framework called `title` that opens files, that it has no queues, data bases or named subsets."""
    for index in range(w.items(listed)):
        prefix = f"{listed}[{index}]."
        if w.plan(prefix + "storage") not in ("file", None):
            w.lose(prefix + "storage", State.NARROWED, f"{title} reads files, not {w.plan(prefix + 'storage')} storage")
        lose_known(
            w, State.NARROWED, f"a file has no subsets: export {w.plan(prefix + 'subset')} to it", prefix + "subset"
        )


def settle_mixing(w: WriteContext, otherwise: str) -> None:
    """Record that files are read one after the other; `otherwise` is the sentence where the source mixes them in another way."""
    path = "stage.data.mixing"
    mixed = w.plan(path) not in ("concat", None) and w.items("stage.data.train") > 1
    w.lose(path, State.NARROWED if mixed else State.DEFAULT, otherwise if mixed else "files are concatenated")


def read_files(r: ReadContext, key: str, listed: str) -> list[str]:
    """Read the files of a key, one or a list, as the data sets of `listed`; returns where they are in the plan."""
    files = r.native(key)
    names = joined_files(files)
    if names:
        r.note(f"{key} names {len(names)} files with commas between them: only code that splits the text can open them")
        files = names
    places = []
    for index, uri in enumerate(files if isinstance(files, list) else [] if files is None else [files]):
        places.append(f"{listed}[{index}].")
        named = _OF_HUB.fullmatch(uri) if isinstance(uri, str) else None
        if named is not None:
            r.note(f"{uri} is a data set of a hub and its split: only a fork's code opens it")
            r.set(places[-1] + "split", named["split"], key)
        r.set(places[-1] + "uri", uri if named is None else named["name"], key)
        r.set(places[-1] + "storage", "file", key)
    return places


def joined_files(value: Any) -> list[str]:
    """The data files that one text names with commas between them; empty where it is one path."""
    parts = [part.strip() for part in value.split(",")] if isinstance(value, str) and "," in value else []
    return parts if all(part.endswith(SUFFIXES) for part in parts) else []


def split_at_commas(value: Any) -> list[Any]:
    """Return the paths in a comma-separated text, also around unknown parts."""
    if value is None or value == "":
        return []
    pieces: list[list[str | Expr]] = [[]]
    for part in value.parts if isinstance(value, Text) else (value,):
        first, *others = str(part).split(",") if not isinstance(part, Expr) else [part]
        pieces[-1].append(first)
        pieces += [[other] for other in others]
    joined = [text(*piece) for piece in pieces]
    return [path.strip() if isinstance(path, str) else path for path in joined if path != ""]


def joined_by_commas(uris: list[Any]) -> Any:
    """Return the paths as one text with commas between them, also where parts are not known."""
    parts: list[Any] = []
    for uri in uris:
        parts += [*([","] if parts else []), uri if isinstance(uri, (str, Expr)) else str(uri)]
    return text(*parts)
