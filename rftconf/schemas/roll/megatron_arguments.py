"""The arguments that ROLL's Megatron workers take in `strategy_config`, from mcore_adapter's TrainingArguments.

The strategy passes the whole block on as keyword arguments, so that a name which is no field stops the worker with a
TypeError. What Megatron's own model config has beside them goes to the field `additional_configs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rftconf.base.symbols import Value

FILE = Path(__file__).with_name("megatron_arguments.json")
_NAME, _CONFIG = "strategy_args.strategy_name", "strategy_args.strategy_config."
REST = "additional_configs"
"""The field whose entries are set on Megatron's model config one by one."""


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return data


@cache
def arguments(release: str) -> frozenset[str]:
    """The fields of mcore_adapter's own classes in a release of ROLL."""
    return frozenset(_data()["releases"][release])


@cache
def inherited_arguments() -> frozenset[str]:
    """The fields that Hugging Face's TrainingArguments adds to them."""
    return frozenset(_data()["inherited"])


def refused_arguments(values: Mapping[str, Value], release: str) -> dict[str, str]:
    """The keys of a config that stop a Megatron worker of a release, each with why."""
    known = arguments(release) | inherited_arguments()
    megatron = tuple(
        key.removesuffix(_NAME) + _CONFIG
        for key, value in values.items()
        if key.endswith(_NAME) and str(value).startswith("megatron")
    )
    keys = [key for key in values if key.startswith(megatron)] if megatron else []
    names = {key: key.partition(_CONFIG)[2].partition(".")[0].partition("[")[0] for key in keys}
    return {
        key: f"{name} is no argument of Megatron's strategy in ROLL {release}"
        for key, name in names.items()
        if name not in known
    }


@cache
def training_arguments() -> frozenset[str]:
    """Give the arguments that are no fields of Megatron's model config: those of training, in any release, and Hugging Face's.

    mcore_adapter's classes come in that order, and `additional_configs` is the last field of the model's.
    """
    own = {name for fields in _data()["releases"].values() for name in fields[fields.index(REST) + 1 :]}
    return frozenset(own | inherited_arguments()) - {"bf16", "fp16"}
