"""Data files: one comma-separated text for training, one for evaluation; columns and seed are fixed."""

from __future__ import annotations

from typing import Any

from rftconf.base.symbols import Expr, Text, formula, text
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import files_of, say_what_files_lack, settle_mixing
from rftconf.mappers.shapes import settle_known
from rftconf.plan.origin import Kind

D = "stage.data."
FILES = {"runtime_args.data_path": "train", "runtime_args.eval_data_path": "eval"}


def read_data(r: ReadContext) -> None:
    """Comma-separated files, concatenated."""
    for key, listed in FILES.items():
        for index, uri in enumerate(_split(r.native(key))):
            r.set(f"{D}{listed}[{index}].uri", uri, key)
            r.set(f"{D}{listed}[{index}].storage", "file", key)
            how = "prompt_dataset reads this column"
            r.set(f"{D}{listed}[{index}].keys.prompt", "prompt", kind=Kind.DEFAULT, how=how)
    r.set(D + "mixing", "concat", "runtime_args.data_path")
    r.set(D + "seed", 0, kind=Kind.DEFAULT, how="the sampler's constant")


def _split(value: Any) -> list[Any]:
    """The paths in a comma-separated text, also around unknown parts."""
    if value is None or value == "":
        return []
    pieces: list[list[str | Expr]] = [[]]
    for part in value.parts if isinstance(value, Text) else (value,):
        first, *others = str(part).split(",") if not isinstance(part, Expr) else [part]
        pieces[-1].append(first)
        pieces += [[other] for other in others]
    joined = [text(*piece) for piece in pieces]
    return [path.strip() if isinstance(path, str) else path for path in joined if path != ""]


def write_data(w: WriteContext) -> None:
    """Write comma-separated files; evaluation needs some even when it is off."""
    for key, listed in FILES.items():
        files = files_of(w, D + listed)
        if files.values:
            files.put(w, key, "???" if any(file in ("???", None) for file in files.values) else _joined(files.values))
        elif listed == "eval" and not w.same_framework and "runtime_args.data_path" in w.out:
            how = "there is no evaluation set; ChatLearn opens one even when it evaluates nothing"
            w.put(key, w.out["runtime_args.data_path"].value, always=True, how=how)
        elif listed == "train" and not w.same_framework:
            w.put(key, "???", always=True, how="the source names no data; ChatLearn takes every prompt from a file")
        say_what_files_lack(w, D + listed, "ChatLearn")
        for path in (f"{D}{listed}[{index}].keys.prompt" for index in range(len(files.values))):
            other = f"the column must be called prompt, not {formula(w.plan(path))}"
            settle_known(w, path, w.plan(path) == "prompt", "as ChatLearn reads it", other)
    same = w.plan(D + "seed") == 0 or w.plan(D + "shuffle") is False
    settle_known(w, D + "seed", same, "files are always shuffled with seed 0")
    settle_mixing(w, "files are concatenated and shuffled as a whole")


def _joined(uris: list[Any]) -> Any:
    parts: list[Any] = []
    for uri in uris:
        parts += [*([","] if parts else []), uri if isinstance(uri, (str, Expr)) else str(uri)]
    return text(*parts)
