"""ROLL's data files and their columns (rows 7.1 to 7.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State
from rftconf.mappers.files import file_of_split
from rftconf.mappers.roll.conditions import trained
from rftconf.plan.origin import Kind
from rftconf.plan.symbols import formula

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

D = "stage.data."
COLUMNS = {"prompt": "prompt", "messages": "messages", "response": "response"}
SFT_COLUMNS = {"prompt_key": "prompt", "response_key": "response", "system_key": "system"}
PAIR_COLUMNS = {"chosen_key": "chosen", "rejected_key": "rejected"}
QUESTION_COLUMNS = {"question_key": "prompt", "answer_key": "response"}
TOP_COLUMNS = {"sft": SFT_COLUMNS, "dpo": PAIR_COLUMNS, "distill": QUESTION_COLUMNS}
"""Pipelines whose columns have keys of their own at the top, the same for training and validation."""
INSTRUCTION = "instruction"
"""The column that the DPO pipeline takes prompts from; no key names it."""


def _lists(c: Reading | Writing) -> tuple[tuple[str, str], ...]:
    return ((f"{trained(c)}.data_args.", "train"), ("validation.data_args.", "eval"))


LETTERS = {
    "rlvr": "takes it letter by letter when it prints it",
    "dpo": "takes it letter by letter, and stops: write a list",
}


def read_data(r: Reading) -> None:
    """Files of all domains in one list; columns are named once (rows 7.1 to 7.4)."""
    for at, listed in _lists(r):
        files = r.native(at + "file_name")
        items = files if isinstance(files, list) else [] if files is None else [files]
        if isinstance(files, str) and r.trainer in LETTERS and (listed == "train" or r.trainer == "rlvr"):
            r.note(f"{at}file_name is one text, not a list: ROLL {LETTERS[r.trainer]}")
        for index, uri in enumerate(items):
            to = f"{D}{listed}[{index}]."
            r.set(to + "uri", uri, at + "file_name")
            r.set(to + "storage", "file", at + "file_name")
            _read_columns(r, at, to)
    if not r.items(D + "train"):
        return
    shuffled = r.trainer != "sft"
    how = "every pass over the data is shuffled (row 7.4)" if shuffled else "the loader reads in order"
    r.set(D + "shuffle", shuffled, kind=Kind.DEFAULT, how=how)


def _read_columns(r: Reading, at: str, to: str) -> None:
    if r.trainer in TOP_COLUMNS:
        why = "columns of this pipeline's data have keys of their own at the top"
        r.inactive.update(dict.fromkeys((at + column for column in COLUMNS), why))
        for key, field in TOP_COLUMNS[r.trainer].items() if to.startswith(D + "train") else ():
            r.set(f"{to}keys.{field}", r.native(key), key)
        if r.trainer == "dpo":
            r.set(to + "keys.prompt", INSTRUCTION, kind=Kind.DEFAULT, how="dpo_pipeline: encode_function")
        r.set(to + "prompt_type", "plaintext", kind=Kind.DEFAULT, how="prompts and answers are columns of plain text")
        return
    named = r.written(at + "messages") or r.written(at + "prompt")
    place = at if named else f"{trained(r)}.data_args."
    for column, field in COLUMNS.items():
        key = at + column if r.written(at + column) else place + column
        if r.written(key) or (column == "response" and to.startswith(D + "train")):
            r.set(f"{to}keys.{field}", r.native(key), key)
    if named or r.written(f"{place}messages") or r.written(f"{place}prompt"):
        chat = r.native(place + "messages") is not None
        r.set(to + "prompt_type", "messages" if chat else "plaintext", place + ("messages" if chat else "prompt"))


def write_data(w: Writing) -> None:
    """Lists of files; a column of chat messages is `messages`, one of plain text `prompt`."""
    for at, listed in _lists(w):
        count = w.items(D + listed)
        if not count:
            continue
        suffix = "jsonl" if w.trainer in TOP_COLUMNS else "parquet"
        found = [file_of_split(w, f"{D}{listed}[{i}].", suffix) for i in range(count)]
        paths = [f"{D}{listed}[{i}].{f}" for i in range(count) for f in ("uri", "split", "subset", "storage")]
        paths = [p for p in paths if w.plan(p) is not None]
        state = max((f.state for f in found), key=list(State).index)
        note = "; ".join(dict.fromkeys(f.note for f in found if f.note))
        chosen = any(f.chosen for f in found)
        w.put(at + "file_name", [f.value for f in found], *paths, state=state, note=note, always=True, chosen=chosen)
        say_what_files_lack(w, listed, count)
        write_columns(w, at, listed, count)
    mixing = w.plan(D + "mixing")
    shuffles = w.trainer != "sft"
    if w.plan(D + "shuffle") is not None:
        same = w.plan(D + "shuffle") is shuffles
        w.lose(D + "shuffle", State.DEFAULT if same else State.NARROWED,
               "as ROLL does" if same else f"ROLL {'always shuffles' if shuffles else 'reads in order'} (H52)")  # fmt: skip
    if mixing is not None and D + "mixing" not in w.outcomes:
        lost = mixing == "proportional" and w.items(D + "train") > 1
        w.lose(D + "mixing", State.NARROWED if lost else State.DEFAULT,
               "ROLL draws each domain by its probability (row 7.6)" if lost else "all files form the data")  # fmt: skip


def say_what_files_lack(w: Writing, listed: str, count: int) -> None:
    """ROLL opens files; subsets and other stores are no part of one."""
    for index in range(count):
        at = f"{D}{listed}[{index}]."
        if w.plan(at + "storage") not in ("file", None):
            w.lose(at + "storage", State.NARROWED, f"ROLL reads files, not {w.plan(at + 'storage')} storage")
        if w.plan(at + "subset") is not None:
            w.lose(at + "subset", State.NARROWED, f"a file has no subsets: export {w.plan(at + 'subset')} to it")


def write_columns(w: Writing, at: str, listed: str, count: int) -> None:
    """The columns of a list of files, under the section `at`."""
    own = w.trainer in TOP_COLUMNS
    columns = TOP_COLUMNS[w.trainer] if own else {at + column: field for column, field in COLUMNS.items()}
    table = {field: key for key, field in columns.items()}
    for index in range(count):
        to, kind = f"{D}{listed}[{index}].keys.", w.plan(f"{D}{listed}[{index}].prompt_type")
        if not own:
            _write_prompt(w, table, to, kind)
        for field in table if own else ("response",):
            if w.plan(to + field) is not None:
                _put_column(w, table[field], w.plan(to + field), to + field)
        if w.trainer == "dpo" and w.plan(to + "prompt") is not None:
            same = w.plan(to + "prompt") == INSTRUCTION
            note = f"ROLL's DPO takes prompts from the column `{INSTRUCTION}`, and no key names another: rename it in the file"
            w.lose(to + "prompt", State.DEFAULT if same else State.NARROWED, "as ROLL does" if same else note)
        if kind is not None:
            _say_type(w, f"{D}{listed}[{index}].prompt_type", to, kind)


def _say_type(w: Writing, path: str, to: str, kind: Any) -> None:
    written = "plaintext" if w.trainer in TOP_COLUMNS or not _is_chat(w, to, kind) else "messages"
    if kind == written:
        w.lose(path, State.DERIVED, "the column's name says it: messages, or prompt")
    else:
        w.lose(path, State.NARROWED, f"the column that is named is read as {written}")


def _write_prompt(w: Writing, table: dict[str, str], to: str, kind: Any) -> None:
    """One column, not two: chat messages, or plain text (ROLL asserts it)."""
    chat = _is_chat(w, to, kind)
    own, other = (to + "messages", to + "prompt") if chat else (to + "prompt", to + "messages")
    source = own if w.plan(own) is not None else other if chat else None
    if source is not None and w.plan(source) is not None:
        renamed = source == other
        _put_column(w, table["messages" if chat else "prompt"], w.plan(source), source, renamed=renamed)
    if w.plan(other) is not None and source != other:
        w.lose(
            other,
            State.DEAD_IN_TARGET,
            f"prompts are {'chat messages' if chat else 'plain text'}, in a column of their own",
        )


def _is_chat(w: Writing, to: str, kind: Any) -> bool:
    return kind != "plaintext" and not (kind == "messages" and _names_text(w, to))


def _names_text(w: Writing, to: str) -> bool:
    """Nobody said that rows hold chat messages: the prompt's own column is the surer one."""
    told = [
        w.origins[path].kind is Kind.WRITTEN
        for path in (to + "messages", to.replace("keys.", "prompt_type"))
        if path in w.origins
    ]
    return w.plan(to + "prompt") is not None and not any(told)


def _put_column(w: Writing, key: str, value: Any, path: str, *, renamed: bool = False) -> None:
    if key in w.out and w.out[key].value != value:
        w.lose(
            path,
            State.NARROWED,
            f"ROLL has one {key.rpartition('.')[2]} column for all files; wrote {formula(w.out[key].value)}",
        )
        return
    paths = (*(w.out[key].plans if key in w.out else ()), path)
    how = "the column holds chat messages" if renamed else ""
    w.put(key, value, *paths, state=State.DERIVED if renamed else State.EXACT, how=how, always=True)
