"""Data files: one comma-separated text for training, one for evaluation; columns and seed are fixed (rows 7.1-7.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State
from rftconf.mappers.files import file_of_split
from rftconf.plan.origin import Kind
from rftconf.plan.symbols import Expr, Text, formula, text

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

D = "stage.data."
FILES = {"runtime_args.data_path": "train", "runtime_args.eval_data_path": "eval"}


def read_data(r: Reading) -> None:
    """Comma-separated files, concatenated (row 7.1)."""
    for key, listed in FILES.items():
        for index, uri in enumerate(_split(r.native(key))):
            r.set(f"{D}{listed}[{index}].uri", uri, key)
            r.set(f"{D}{listed}[{index}].storage", "file", key)
            r.set(
                f"{D}{listed}[{index}].keys.prompt",
                "prompt",
                kind=Kind.DEFAULT,
                how="prompt_dataset reads this column (row 7.3)",
            )
    r.set(D + "mixing", "concat", "runtime_args.data_path")
    r.set(D + "seed", 0, kind=Kind.DEFAULT, how="the sampler's constant (row 7.4)")


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


def write_data(w: Writing) -> None:
    """Back to comma-separated files; evaluation needs some even when it is off (row 7.2)."""
    for key, listed in FILES.items():
        count = w.items(D + listed)
        found = [file_of_split(w, f"{D}{listed}[{i}].") for i in range(count)]
        paths = [f"{D}{listed}[{i}].{f}" for i in range(count) for f in ("uri", "split", "subset", "storage")]
        paths = [path for path in paths if w.plan(path) is not None]
        if found:
            value = "???" if any(f.value in ("???", None) for f in found) else _joined([f.value for f in found])
            state = max((f.state for f in found), key=list(State).index)
            note = "; ".join(dict.fromkeys(f.note for f in found if f.note))
            w.put(key, value, *paths, state=state, note=note, always=True, chosen=any(f.chosen for f in found))
        elif listed == "eval" and not w.same_framework and "runtime_args.data_path" in w.out:
            how = "there is no evaluation set; ChatLearn opens one even when it evaluates nothing (row 7.2)"
            w.put(key, w.out["runtime_args.data_path"].value, always=True, how=how)
        elif listed == "train" and not w.same_framework:
            w.put(key, "???", always=True, how="the source names no data; ChatLearn takes every prompt from a file")
        for index in range(count):
            _lose_storage(w, f"{D}{listed}[{index}].")
    _write_order(w)


def _joined(uris: list[Any]) -> Any:
    parts: list[Any] = []
    for uri in uris:
        parts += [*([","] if parts else []), uri if isinstance(uri, (str, Expr)) else str(uri)]
    return text(*parts)


def _lose_storage(w: Writing, at: str) -> None:
    if w.plan(at + "storage") not in ("file", None):
        w.lose(at + "storage", State.NARROWED, f"ChatLearn reads files, not {w.plan(at + 'storage')} storage")
    if w.plan(at + "subset") is not None:
        w.lose(at + "subset", State.NARROWED, f"a file has no subsets: export {w.plan(at + 'subset')} to it")
    prompt = w.plan(at + "keys.prompt")
    if prompt is not None:
        same = prompt == "prompt"
        w.lose(at + "keys.prompt", State.DEFAULT if same else State.NARROWED,
               "as ChatLearn reads it" if same else f"the column must be called prompt, not {formula(prompt)} (row 7.3)")  # fmt: skip


def _write_order(w: Writing) -> None:
    seed = w.plan(D + "seed")
    if seed is not None:
        same = seed == 0 or w.plan(D + "shuffle") is False
        w.lose(D + "seed", State.DEFAULT if same else State.NARROWED, "files are always shuffled with seed 0 (row 7.4)")
    if w.plan(D + "mixing") not in ("concat", None) and w.items(D + "train") > 1:
        w.lose(D + "mixing", State.NARROWED, "files are concatenated and shuffled as a whole (row 7.6)")
    else:
        w.lose(D + "mixing", State.DEFAULT, "files are concatenated")
