"""Data files: one comma-separated text for training, one for evaluation; columns and seed are fixed."""

from __future__ import annotations

from rftconf.base.symbols import formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.files import files_of, joined_by_commas, say_what_files_lack, settle_mixing, split_at_commas
from rftconf.mappers.shapes import settle_known
from rftconf.plan.origin import Kind

D = "stage.data."
FILES = {"runtime_args.data_path": "train", "runtime_args.eval_data_path": "eval"}


def read_data(r: ReadContext) -> None:
    """Comma-separated files, concatenated."""
    for key, listed in FILES.items():
        for index, uri in enumerate(split_at_commas(r.native(key))):
            r.set(f"{D}{listed}[{index}].uri", uri, key)
            r.set(f"{D}{listed}[{index}].storage", "file", key)
            how = "prompt_dataset reads this column"
            r.set(f"{D}{listed}[{index}].keys.prompt", "prompt", kind=Kind.DEFAULT, how=how)
    r.set(D + "mixing", "concat", "runtime_args.data_path")
    r.set(D + "seed", 0, kind=Kind.DEFAULT, how="the sampler's constant")


def write_data(w: WriteContext) -> None:
    """Write comma-separated files; evaluation needs some even when it is off."""
    for key, listed in FILES.items():
        files = files_of(w, D + listed)
        if files.values:
            files.put(
                w, key, "???" if any(file in ("???", None) for file in files.values) else joined_by_commas(files.values)
            )
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
