"""Runs in the plan's flat terms, one a framework, and generated files as modules."""

from __future__ import annotations

import importlib.util
import itertools
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rftconf.convert.adapters.adapt import Adapters, adapt
from rftconf.convert.adapters.shapes import DATA_FILE, SHAPES

PAIRS = list(itertools.permutations(SHAPES, 2))
RUNS: dict[str, dict[str, Any]] = {
    "verl": {"keys.prompt": "prompt"},
    "trinity": {"keys.prompt": "question", "keys.response": "answer", "workflow": "simple_workflow"},
    "roll": {"keys.messages": "messages", "prompt_type": "messages"},
    "chatlearn": {},
    "openrlhf": {"keys.prompt": "input", "keys.response": "answer"},
    "trl": {},
    "nemo_rl": {"keys.prompt": "input", "keys.response": "output", "reward": "math"},
}
"""What a data set of each framework says beside its place."""


def run_of(source: str, uri: Any, **more: Any) -> dict[str, Any]:
    """A flat plan with one training set. `more` are further fields of the data set, `__` for a dot."""
    fields = {"uri": uri, **RUNS[source], **{name.replace("__", "."): value for name, value in more.items()}}
    return {"stage.kind": "rl", **{f"stage.data.train[0].{name}": value for name, value in fields.items()}}


def domain(index: int, name: str, tags: Any, reward: Any) -> dict[str, Any]:
    """A domain of ROLL's in a flat plan."""
    fields = {"name": name, "tags": tags, "reward": reward}
    return {f"stage.data.domains[{index}].{field}": value for field, value in fields.items()}


def as_written(source: str, uri: Any) -> dict[str, Any]:
    """A flat plan whose data set looks as this framework's writer leaves it."""
    values = run_of(source, uri)
    values |= {f"stage.data.train[0].keys.{name}": column for name, column in SHAPES[source].columns.items()}
    if SHAPES[source].workflow:
        values["stage.data.train[0].workflow"] = SHAPES[source].workflow
    return values


def adapters(source: str, target: str, values: dict[str, Any], folder: Path | str = "adapters") -> Adapters:
    """The adapters of a flat plan."""
    return adapt(values, source=source, target=target, folder=str(folder))


def stand_in(name: str, **content: Any) -> ModuleType:
    """A module of this name that holds `content`."""
    new_module = ModuleType(name)
    new_module.__dict__.update(content)
    return new_module


def module(text: str, name: str = "generated") -> ModuleType:
    """A generated file, imported from its text."""
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    new_module = importlib.util.module_from_spec(spec)
    new_module.__file__ = f"{name}.py"
    before = sys.modules.get(name)
    sys.modules[name] = new_module  # dataclasses look their module up
    try:
        exec(compile(text, new_module.__file__, "exec"), new_module.__dict__)
    finally:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
    return new_module


def data_module(source: str, target: str, values: dict[str, Any], folder: Path | str = "adapters") -> ModuleType:
    """The data script as a module."""
    return module(adapters(source, target, values, folder).files[DATA_FILE], f"data_{source}_{target}")


def run_script(script: ModuleType, *arguments: str) -> None:
    """Run the script's main with these arguments."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["convert_data.py", *arguments])
        script.main()


def put(file: Path, records: list[dict[str, Any]]) -> Path:
    """Write rows as parquet or JSON lines, by the name's suffix."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        import pyarrow
        from pyarrow import parquet

        parquet.write_table(pyarrow.Table.from_pylist(records), file)
    else:
        file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def got(file: Path) -> list[dict[str, Any]]:
    """The rows of a file."""
    return list(_rows(file))


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    if file.suffix == ".parquet":
        from pyarrow import parquet

        yield from parquet.read_table(file).to_pylist()
    else:
        yield from map(json.loads, file.read_text().splitlines())


ROWS: dict[str, list[dict[str, Any]]] = {
    "verl": [
        {
            "data_source": "openai/gsm8k",
            "prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+3?"}],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": "5"},
            "extra_info": {"split": "train", "index": 0, "answer": "five"},
        },
        {
            "data_source": "openai/gsm8k",
            "prompt": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "四加五?"}],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": "9"},
            "extra_info": {"split": "train", "index": 1, "answer": "nine"},
        },
    ],
    "trinity": [
        {"question": "2+3?", "answer": "5", "level": 1},
        {"question": "四加五?", "answer": "9", "level": 2},
    ],
    "roll": [
        {
            "id": "7",
            "tag": "deepmath_103k",
            "difficulty": "4.5",
            "prompt": "2+3?",
            "messages": json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+3?"}]),
            "ground_truth": "5",
            "case_type": "",
        },
        {
            "id": "8",
            "tag": "deepmath_103k",
            "difficulty": "1",
            "prompt": "四加五?",
            "messages": json.dumps(
                [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "四加五?"}]
            ),
            "ground_truth": "9",
            "case_type": "",
        },
    ],
    "chatlearn": [
        {
            "data_source": "openai/gsm8k",
            "prompt": [{"role": "user", "content": "2+3?"}],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": "5"},
            "extra_info": {"split": "train", "index": 0, "question": "2+3"},
        },
        {
            "data_source": "openai/gsm8k",
            "prompt": [{"role": "user", "content": "四加五?"}],
            "ability": "math",
            "reward_model": {"style": "rule", "ground_truth": "9"},
            "extra_info": {"split": "train", "index": 1, "question": "4+5"},
        },
    ],
    "openrlhf": [
        {"input": "2+3?", "answer": "5", "datasource": "sums", "level": 1},
        {"input": "四加五?", "answer": "9", "datasource": "sums", "level": 2},
    ],
    "trl": [
        {"prompt": [{"role": "user", "content": "2+3?"}], "solution": "5"},
        {"prompt": [{"role": "user", "content": "四加五?"}], "solution": "9"},
    ],
    "nemo_rl": [
        {"input": "2+3?", "output": "5", "level": 1},
        {"input": "四加五?", "output": "9", "level": 2},
    ],
}
"""Two rows as each framework's own examples have them."""
