"""The table of models (models.json: name, published count, source, config) and how a path finds its row."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from rftconf.base.errors import UsageError
from rftconf.base.record import record
from rftconf.budget.facts.architecture import Architecture
from rftconf.budget.facts.hf_config import architecture_of, missing_family, read_config
from rftconf.budget.facts.vision import missing_tower


@record
class Model:
    """A model with its sizes and how it was found; `note` is for a person to judge the match."""

    name: str
    architecture: Architecture
    source: str
    note: str = ""


@record
class Row:
    """One row of models.json; `published` is the number of parameters that others count (see `source`)."""

    name: str
    published: int
    source: str
    config: dict[str, Any]


@cache
def rows() -> tuple[Row, ...]:
    """The table, in the order of the file."""
    text = Path(__file__).with_name("models.json").read_text(encoding="utf-8")
    return tuple(Row(**row) for row in json.loads(text))


@cache
def _of_row(index: int) -> Architecture:
    row = rows()[index]
    return architecture_of(row.config, row.name)


SIZE = re.compile(r"^(?:a?\d+(?:\.\d+)?b|\d{2,}m|\d+x\d+(?:\.\d+)?b|e\d+b)$")
"""A part of a name that tells a size: 7b, 0.6b, 8x7b, a3b, 135m."""
_FILLING = {"instruct", "chat", "base", "it", "hf", "sft"}


def _words(name: str) -> tuple[str, ...]:
    """A model's name as words: `Meta-Llama-3.1-8B-Instruct` is llama, 3.1, 8b, instruct."""
    words = re.split(r"[-_ ]+", name.lower())
    return tuple(word for word in words if word and word != "meta")


def _essence(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words up to the last size, without which nothing is told; all but fillings where there is no size."""
    last = max((i for i, word in enumerate(words) if SIZE.match(word)), default=None)
    if last is None:
        return tuple(word for word in words if word not in _FILLING)
    return words[: last + 1]


TRAINED_FROM = {
    "fsfairx-llama3-rm-v0.1": "meta-llama/Meta-Llama-3-8B",
    "skywork-reward-llama-3.1-8b": "meta-llama/Llama-3.1-8B",
    "skywork-reward-llama-3.1-8b-v0.2": "meta-llama/Llama-3.1-8B",
    "skywork-reward-v2-llama-3.1-8b": "meta-llama/Llama-3.1-8B",
    "skywork-reward-v2-llama-3.2-3b": "meta-llama/Llama-3.2-3B",
    "skywork-reward-v2-llama-3.2-1b": "meta-llama/Llama-3.2-1B",
    "skywork-reward-v2-qwen3-8b": "Qwen/Qwen3-8B",
    "skywork-reward-v2-qwen3-4b": "Qwen/Qwen3-4B",
}
"""Models that examples name, to the row whose sizes they have, as their model cards say; each has its base model's layers."""


@lru_cache(maxsize=4096)
def find(path: str) -> Model | None:
    """The row that a path or hub name means, or None.

    A folder of the path matches a row when it starts with the row's words up to the size, and names no further size.
    The longest match wins; among equals the one whose whole name is nearest.
    """
    exact = _by_name().get(path)
    if exact is not None:
        return Model(path, _of_row(exact), rows()[exact].source)
    best: tuple[tuple[int, int], int, str] | None = None
    for segment in reversed(re.split(r"/|--", path.strip().rstrip("/"))):
        words = _words(segment)
        for index, (own, key) in enumerate(_words_of_rows()):
            plain = words if SIZE.match(key[-1]) else tuple(word for word in words if word not in _FILLING)
            more_words = plain[len(key) :]
            if plain[: len(key)] != key or any(SIZE.match(word) for word in more_words):
                continue
            score = (len(key), sum(a == b for a, b in zip(words, own, strict=False)) - abs(len(words) - len(own)))
            if best is None or score > best[0]:
                best = (score, index, segment)
        if best is not None:
            break
    if best is None:
        return _trained_from(path)
    row = rows()[best[1]]
    same = row.name == path or row.name.split("/")[-1] == best[2]
    note = "" if same else f"{best[2]} taken for {row.name} by its name"
    return Model(row.name, _of_row(best[1]), row.source, note)


def _trained_from(path: str) -> Model | None:
    """A known model that was trained from one of the table."""
    for segment in reversed(path.strip().rstrip("/").split("/")):
        name = TRAINED_FROM.get(segment.lower())
        index = None if name is None else _by_name().get(name)
        if index is not None:
            row = rows()[index]
            note = f"{segment} has the sizes of {row.name}, which it was trained from"
            return Model(row.name, _of_row(index), row.source, note)
    return None


def _contained(model_name: str) -> str | None:
    """The row whose name stands inside the one that was asked for, as in `my-sft-qwen-2.5-7b`; only to be offered."""
    best: tuple[int, int] | None = None
    for segment in re.split(r"/|--", model_name):
        words = _words(re.sub(r"(?i)\b(qwen|llama)[-_ ](?=\d)", r"\1", segment))
        for index, (_, key) in enumerate(_words_of_rows()):
            known = tuple(re.sub(r"^(qwen|llama)-?(?=\d)", r"\1", word) for word in key)
            inside = any(words[index : index + len(known)] == known for index in range(len(words)))
            if inside and len(known) > 1 and (best is None or len(known) > best[0]):
                best = len(known), index
    return None if best is None else rows()[best[1]].name


def _local(name: str) -> Path | None:
    """The folder or JSON file that a name stands for on this machine, if it is one."""
    try:
        path = Path(name).expanduser()
        return path if path.is_dir() or path.suffix == ".json" else None
    except (OSError, RuntimeError, ValueError):  # too long for a file name; a home that nobody has
        return None


@lru_cache(maxsize=4096)
def _similar_names(name: str) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, [row.name.split("/")[-1].lower() for row in rows()], n=3, cutoff=0.5)


@cache
def _by_name() -> dict[str, int]:
    return {row.name: index for index, row in enumerate(rows())}


@cache
def _words_of_rows() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Each row's name as words, and up to its size."""
    names = [_words(row.name.split("/")[-1]) for row in rows()]
    return tuple((own, _essence(own)) for own in names)


def resolve(name: str) -> Model:
    """Return the model of `--model`: a folder, config.json or name. Raises UsageError with what to pass instead."""
    path = _local(name)
    if path is not None:
        config = read_config(path)
        architecture = architecture_of(config, str(path))
        missing = [line for line in (missing_family(architecture.family), missing_tower(config)) if line]
        return Model(path.name, architecture, str(path), "; ".join(missing))
    model = find(name)
    if model is not None:
        return model
    inside, near = _contained(name), _similar_names(name.split("/")[-1].lower())
    hint = f"nearest names: {', '.join(near)}; " if near else ""
    if inside is not None:
        hint = f"if it was trained from {inside}, pass --model {inside}; "
    raise UsageError(f"model {name}: not in the table; {hint}pass --model with a folder that holds its config.json")
