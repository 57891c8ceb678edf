"""Rows and rewards of one framework for another: what each says of its own in `mappers/<framework>/adapter.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rftconf.base.record import record
from rftconf.base.symbols import Expr, formula

LISTS = ("train", "eval")
OF_EVAL = {"test", "testing", "val", "valid", "validation", "dev", "eval", "evaluation"}
SPLITS = {"train", "training", *OF_EVAL}
R, DOMAINS = "stage.reward.", "stage.data.domains"
REWARD_MODULE = "converted_reward"

Values: TypeAlias = Mapping[str, Any]


class Missing(str):
    """A reason why a value is not known; the generated file asks for that value."""

    __slots__ = ()


@record
class Shape:
    """The rows and rewards of a conversion, as a framework sees them.

    `suffix` is of its data files; `columns` the names its writer gives to the plan's columns; `reward_file` where the
    reward goes below the folder; `reward`, `workflow`, `domain` and `function` what the config then names; `start` how
    the run finds the reward, with `{folder}`, `{file}` and `{module}`. `answers` are the keys whose questions about data
    and reward the files settle.
    """

    suffix: str
    columns: Mapping[str, str]
    start: str
    answers: tuple[str, ...]
    reward_file: str = f"{REWARD_MODULE}.py"
    function: str | None = None
    reward: str | None = None
    workflow: str | None = None
    domain: str | None = None
    lacks: str = ""
    media: Mapping[str, str] = field(default_factory=lambda: {"image": "images", "video": "videos"})


@dataclass(slots=True)
class Reward:
    """The stub's constants; what a person must do before they hold; the plan paths the stub stands for."""

    constants: dict[str, Any]
    asks: list[str] = field(default_factory=list)
    carried: list[str] = field(default_factory=list)
    by_data_set: bool = False
    """True where data sets have rewards of their own, so that rows must be told apart by data set."""


def _nothing(values: Values, path: str) -> str:
    """Stand for a framework whose rows the script follows."""
    del values, path
    return ""


@record
class Adapter:
    """The way in which one framework's rows and rewards are read, and what it expects of those that are made for it.

    `fields` are the arguments of a data set in the script, `reward` what the reward of a run comes to. `first_reward`: the
    first release that takes a reward function from a file; `first_mapping`: the first whose reward manager takes a mapping
    with `score`. `workflows`: those that the stub stands for. `limits`: what the script cannot follow of a data set's rows.
    """

    shape: Shape
    fields: Callable[[Values, str], dict[str, Any]]
    reward: Callable[[Values], Reward]
    first_reward: str = ""
    first_mapping: str = ""
    workflows: tuple[str, ...] = ()
    limits: Callable[[Values, str], str] = _nothing


def count(values: Values, listed: str) -> int:
    """Return the number of data sets that the plan has in `train` or `eval`."""
    return items(values, f"stage.data.{listed}")


def items(values: Values, path: str) -> int:
    """Return the number of items that a list of the plan has."""
    matches = [re.match(rf"{re.escape(path)}\[(\d+)\]", name) for name in values]
    return max((int(m[1]) + 1 for m in matches if m), default=0)


def path_of(listed: str, index: int) -> str:
    """The plan path of one data set, with the dot behind it."""
    return f"stage.data.{listed}[{index}]."


def label_of(values: Values, path: str) -> str:
    """A folder name for a data set: its own name, or what its path is called, in plain letters."""
    uri = values.get(path + "uri")
    parts = (formula(uri) if isinstance(uri, Expr) else str(uri or "")).rstrip("/").split("/")
    stem = re.sub(r"\.(parquet|jsonl?|csv)$", "", parts[-1])
    of_uri = parts[-2] if len(parts) > 1 and stem in SPLITS else stem
    return _plain(str(values.get(path + "name") or "")) or _plain(of_uri) or "data"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", text).strip("._-")
