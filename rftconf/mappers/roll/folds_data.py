"""ROLL's data files and their columns."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.files import files_of, read_files, say_what_files_lack
from rftconf.mappers.images import COLUMN, columns_of_images, sees_images
from rftconf.mappers.roll.conditions import RLVR, trained
from rftconf.mappers.rows import Fold
from rftconf.mappers.shapes import lose_known, settle, settle_known, take
from rftconf.mappers.thinking import set_thinking
from rftconf.plan.chat_templates import THINKING, UNTOLD
from rftconf.plan.origin import Kind

D = "stage.data."
COLUMNS = {"prompt": "prompt", "messages": "messages", "response": "response"}
SFT_COLUMNS = {"prompt_key": "prompt", "response_key": "response", "system_key": "system"}
PAIR_COLUMNS = {"chosen_key": "chosen", "rejected_key": "rejected"}
QUESTION_COLUMNS = {"question_key": "prompt", "answer_key": "response"}
TOP_COLUMNS = {"sft": SFT_COLUMNS, "dpo": PAIR_COLUMNS, "distill": QUESTION_COLUMNS}
"""Pipelines whose columns have keys of their own at the top, the same for training and validation."""
INSTRUCTION = "instruction"
"""The column that the DPO pipeline takes prompts from; no key names it."""


def _lists(c: Context) -> tuple[tuple[str, str], ...]:
    return ((f"{trained(c)}.data_args.", "train"), ("validation.data_args.", "eval"))


LETTERS = {
    "rlvr": "takes it letter by letter when it prints it",
    "dpo": "takes it letter by letter, and stops: write a list",
}


def read_data(r: ReadContext) -> None:
    """Files of all domains in one list; columns are named once."""
    for section, listed in _lists(r):
        reads = r.trainer in LETTERS and (listed == "train" or r.trainer == "rlvr")
        if reads and isinstance(r.native(section + "file_name"), str):
            r.note(f"{section}file_name is one text, not a list: ROLL {LETTERS[r.trainer]}")
        for to in read_files(r, section + "file_name", D + listed):
            _read_columns(r, section, to)
            if r.trainer == "rlvr" and sees_images(r.native("pretrain")):
                how = "vlm_dataset_utils reads this column, if it is there"
                r.set(to + "keys.image", COLUMN, kind=Kind.DEFAULT, how=how)
    if not r.items(D + "train"):
        return
    shuffled = r.trainer != "sft"
    how = "every pass over the data is shuffled" if shuffled else "the loader reads in order"
    r.set(D + "shuffle", shuffled, kind=Kind.DEFAULT, how=how)


def _read_columns(r: ReadContext, section: str, to: str) -> None:
    if r.trainer in TOP_COLUMNS:
        why = "columns of this pipeline's data have keys of their own at the top"
        r.inactive.update(dict.fromkeys((section + column for column in COLUMNS), why))
        for key, field in TOP_COLUMNS[r.trainer].items() if to.startswith(D + "train") else ():
            take(r, key, f"{to}keys.{field}")
        if r.trainer == "dpo":
            r.set(to + "keys.prompt", INSTRUCTION, kind=Kind.DEFAULT, how="dpo_pipeline: encode_function")
        r.set(to + "prompt_type", "plaintext", kind=Kind.DEFAULT, how="prompts and answers are columns of plain text")
        return
    named = r.written(section + "messages") or r.written(section + "prompt")
    place = section if named else f"{trained(r)}.data_args."
    for column, field in COLUMNS.items():
        key = section + column if r.written(section + column) else place + column
        if r.written(key) or (column == "response" and to.startswith(D + "train")):
            take(r, key, f"{to}keys.{field}")
    if named or r.written(f"{place}messages") or r.written(f"{place}prompt"):
        chat = r.native(place + "messages") is not None
        r.set(to + "prompt_type", "messages" if chat else "plaintext", place + ("messages" if chat else "prompt"))


def write_data(w: WriteContext) -> None:
    """Lists of files; a column of chat messages is `messages`, one of plain text `prompt`."""
    for section, listed in _lists(w):
        files = files_of(w, D + listed, "jsonl" if w.trainer in TOP_COLUMNS else "parquet")
        if files.values:
            files.put(w, section + "file_name", files.values)
            say_what_files_lack(w, D + listed, "ROLL")
            write_columns(w, section, listed, len(files.values))
        elif listed == "train" and w.trainer == "rlvr" and not w.same_framework and w.plan("stage.kind") == "rl":
            w.put(
                section + "file_name",
                MISSING,
                always=True,
                how="the source names no data; ROLL takes every prompt from a file",
            )
    _write_empty_validation(w)
    mixing = w.plan(D + "mixing")
    shuffles = w.trainer != "sft"
    other = f"ROLL {'always shuffles' if shuffles else 'reads in order'} (H52)"
    settle_known(w, D + "shuffle", w.plan(D + "shuffle") is shuffles, "as ROLL does", other)
    if mixing is not None and D + "mixing" not in w.outcomes:
        lost = mixing == "proportional" and w.items(D + "train") > 1
        settle(w, D + "mixing", not lost, "all files form the data", "ROLL draws each domain by its probability")


def _write_empty_validation(w: WriteContext) -> None:
    """Before 0.1.3 rlvr_pipeline looks for a validation file in a section that must be there; the config writes into its sampling."""
    if w.trainer == "rlvr" and not w.items(D + "eval") and not w.same_framework and not w.since("0.1.3"):
        how = "no validation set; this release stops where the section is missing"
        w.put("validation.data_args.file_name", [], always=True, how=how)
        w.put("validation.generating_args.num_return_sequences", 1, always=True, how=how)


def write_columns(w: WriteContext, section: str, listed: str, count: int) -> None:
    """The columns of a list of files, under `section`."""
    own = w.trainer in TOP_COLUMNS
    columns = TOP_COLUMNS[w.trainer] if own else {section + column: field for column, field in COLUMNS.items()}
    table = {field: key for key, field in columns.items()}
    for index in range(count):
        to, kind = f"{D}{listed}[{index}].keys.", w.plan(f"{D}{listed}[{index}].prompt_type")
        if not own:
            _write_prompt(w, table, to, kind)
        for field in table if own else ("response",):
            if w.plan(to + field) is not None:
                _put_column(w, table[field], w.plan(to + field), to + field)
        if w.trainer == "dpo":
            other = f"ROLL's DPO takes prompts from the column `{INSTRUCTION}`, and no key names another: rename it in the file"
            settle_known(w, to + "prompt", w.plan(to + "prompt") == INSTRUCTION, "as ROLL does", other)
        if w.trainer == "rlvr" and columns_of_images(w):
            mine = "the program for vision-language models"
            other = f"{mine} reads the column `{COLUMN}`: rename it in the file"
            settle_known(w, to + "image", w.plan(to + "image") == COLUMN, f"as {mine}", other)
        if kind is not None:
            _say_type(w, f"{D}{listed}[{index}].prompt_type", to, kind)


def _say_type(w: WriteContext, path: str, to: str, kind: Any) -> None:
    written = "plaintext" if w.trainer in TOP_COLUMNS or not _is_chat(w, to, kind) else "messages"
    named = "the column's name says it: messages, or prompt"
    settle(w, path, kind == written, named, f"the column that is named is read as {written}", alike=State.DERIVED)


def _write_prompt(w: WriteContext, table: dict[str, str], to: str, prompt_type: Any) -> None:
    """One column, not two: chat messages, or plain text (ROLL asserts it)."""
    chat = _is_chat(w, to, prompt_type)
    own, other = (to + "messages", to + "prompt") if chat else (to + "prompt", to + "messages")
    source = own if w.plan(own) is not None else other if chat else None
    if source is not None and w.plan(source) is not None:
        renamed = source == other
        _put_column(w, table["messages" if chat else "prompt"], w.plan(source), source, renamed=renamed)
    if source != other:
        kind = "chat messages" if chat else "plain text"
        lose_known(w, State.DEAD_IN_TARGET, f"prompts are {kind}, in a column of their own", other)


def _is_chat(w: WriteContext, to: str, kind: Any) -> bool:
    return kind != "plaintext" and not (kind == "messages" and _names_text(w, to))


def _names_text(w: WriteContext, to: str) -> bool:
    """Nobody said that rows hold chat messages: the prompt's own column is the surer one."""
    stated = [
        w.origins[path].kind is Kind.WRITTEN
        for path in (to + "messages", to.replace("keys.", "prompt_type"))
        if path in w.origins
    ]
    return w.plan(to + "prompt") is not None and not any(stated)


def _put_column(w: WriteContext, key: str, value: Any, path: str, *, renamed: bool = False) -> None:
    if key in w.out and w.out[key].value != value:
        note = f"ROLL has one {key.rpartition('.')[2]} column for all files; wrote {formula(w.out[key].value)}"
        w.lose(path, State.NARROWED, note)
        return
    paths = (*(w.out[key].plans if key in w.out else ()), path)
    how = "the column holds chat messages" if renamed else ""
    w.put(key, value, *paths, state=State.DERIVED if renamed else State.EXACT, how=how, always=True)


TEMPLATE, FOR_ALL = "actor_train.data_args.template", "global_template"
SWITCH_BY_TEMPLATE = {"qwen3": True, "native": None, "qwen2_5": None}
"""ROLL's names for the tokenizer's own template: each passes enable_thinking with this value, or (None) not at all."""


def read_template(r: ReadContext) -> None:
    """Read whether the template that encodes prompts opens a thinking part; agents have a switch of each environment."""
    name = r.native(FOR_ALL) or r.native(TEMPLATE)
    if not RLVR.test(r) or not isinstance(name, str):
        return
    key = FOR_ALL if r.native(FOR_ALL) else TEMPLATE
    if name in SWITCH_BY_TEMPLATE:
        set_thinking(r, SWITCH_BY_TEMPLATE[name], key)
    else:
        r.narrowed[key] = f"{name} is a chat template of ROLL's own; elsewhere the tokenizer's acts, or a text"


def write_template(w: WriteContext) -> None:
    """Write the template that opens a thinking part; none of ROLL's keeps a model from thinking."""
    word = w.plan(THINKING)
    if word is None:
        return
    if not RLVR.test(w):
        w.lose(THINKING, State.NO_COUNTERPART, "each environment of an agent says by itself whether its model thinks")
    elif word == "on":
        w.put(TEMPLATE, "qwen3", THINKING, always=True)
    elif word == UNTOLD:
        w.lose(THINKING, State.DEFAULT, "the template native tells the tokenizer's own nothing")
    else:
        note = "no template of ROLL's keeps a model from thinking: register one, and name it in data_args.template"
        w.lose(THINKING, State.NO_COUNTERPART, note)


TEMPLATES = Fold(
    (FOR_ALL, TEMPLATE),
    (THINKING,),
    read_template,
    write_template,
    "datasets/chat_template.py; rlvr_pipeline: get_encode_function",
)
