"""Print the keys of one pipeline of a ROLL source checkout as JSON. Run by extract_keys.py in the environment of the frameworks.

ROLL is not on the package index: PACKAGE is the folder that holds `roll/` of the release's tag.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import importlib
import json
import os
import sys
import tempfile
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import annotation_types
import import_stubs

Row = dict[str, Any]
PIPELINES = {
    "rlvr": ("roll.pipeline.rlvr.rlvr_config", "RLVRConfig"),
    "agentic": ("roll.pipeline.agentic.agentic_config", "AgenticConfig"),
    "dpo": ("roll.pipeline.dpo.dpo_config", "DPOConfig"),
    "sft": ("roll.pipeline.sft.sft_config", "SFTConfig"),
    "distill": ("roll.pipeline.distill.distill_config", "DistillConfig"),
}
"""Pipeline to the dataclass that its start script builds."""
GPU_PACKAGES = [
    "vllm",
    "sglang",
    "flash_attn",
    "deepspeed",
    "mcore_adapter",
    "gem",
    "gymnasium",
    "gym",
    "trl",
    "megatron",
]
HYDRA: dict[str, Row] = {
    "hydra": {"type": "dict", "optional": True, "default": None, "open": True},
    "defaults": {"type": "list", "optional": True, "default": None},
}
"""What Hydra itself takes in the same file, whatever the dataclass says."""


def _default(item: dataclasses.Field[Any]) -> Any:
    """The default as plain data; a dataclass gives {} (its fields have rows of their own)."""
    value = None if item.default is dataclasses.MISSING else item.default
    if item.default_factory is not dataclasses.MISSING:
        value = item.default_factory()
    if isinstance(value, enum.Enum):
        return value.value
    return {} if dataclasses.is_dataclass(value) else json.loads(json.dumps(value, default=str))


def _dataclasses(hint: Any) -> Iterator[tuple[Any, str]]:
    """Every dataclass of an annotation and how it is held; `teacher` takes one worker or a mapping of several."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        for arg in typing.get_args(hint):
            yield from _dataclasses(arg)
        return
    inner, is_held = annotation_types.dataclass_inside(hint)
    if inner is not None:
        yield inner, is_held


def _rows(cls: Any, prefix: str, inside: tuple[Any, ...] = ()) -> Iterator[tuple[str, Row]]:
    hints = typing.get_type_hints(cls)
    for item in dataclasses.fields(cls):
        key, hint = prefix + item.name, hints[item.name]
        below = list(_dataclasses(hint))
        kind, optional, choices = annotation_types.of_annotation(hint)
        row: Row = {"type": kind, "optional": optional, "default": _default(item)}
        if choices:
            row["choices"] = choices
        if not below and kind in ("dict", "any"):
            row["open"] = True
        if not below or optional or row["default"] is None or any(is_held for _, is_held in below):
            yield key, row
        for inner, is_held in below:
            if inner not in inside:
                yield from _rows(inner, f"{key}{is_held}.", (*inside, inner))


def dump(pipeline: str) -> dict[str, Row]:
    """Key to row of one pipeline of the ROLL that is on the path."""
    module, name = PIPELINES[pipeline]
    # The default of exp_name is the name of the script that starts the pipeline.
    sys.argv = [f"start_{pipeline}_pipeline.py"]
    return HYDRA | dict(_rows(getattr(importlib.import_module(module), name), ""))


def main() -> None:
    """`dump_roll.py PACKAGE PIPELINE [--path DIR]...`"""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    parser.add_argument("pipeline", choices=PIPELINES)
    parser.add_argument("--path", action="append", default=[])
    args = parser.parse_args()
    sys.path[:0] = [str(args.package.resolve()), *args.path]
    out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)  # ROLL writes ./output when it is imported
        import_stubs.install(GPU_PACKAGES, {})
        json.dump({"keys": dump(args.pipeline), "names": {}}, out)
        out.flush()
        os._exit(0)  # ROLL leaves threads behind


if __name__ == "__main__":
    main()
