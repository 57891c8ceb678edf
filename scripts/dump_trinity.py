"""Print the keys of one installed Trinity-RFT as JSON. Run by extract_keys.py in the environment of the frameworks."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import enum
import functools
import importlib
import inspect
import json
import re
import sys
import textwrap
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import annotation_types
import import_stubs

Row = dict[str, Any]
TRAINER_CONFIG = (
    "trinity.common.verl_config",
    "trinity.trainer.verl.verl_config",
    "trinity.trainer.verl_legacy.verl_config",
)
_ALGORITHM = "trinity.algorithm"
REGISTRIES = {
    "algorithm_type": (_ALGORITHM, "ALGORITHM_TYPE"),
    "advantage_fn": (_ALGORITHM, "ADVANTAGE_FN"),
    "policy_loss_fn": (_ALGORITHM, "POLICY_LOSS_FN"),
    "kl_loss_fn": (_ALGORITHM, "KL_FN"),
    "kl_penalty_fn": (_ALGORITHM, "KL_FN"),
    "entropy_loss_fn": (_ALGORITHM, "ENTROPY_LOSS_FN"),
    "sample_strategy": (_ALGORITHM, "SAMPLE_STRATEGY"),
    "default_workflow_type": ("trinity.common.workflows", "WORKFLOWS"),
    "default_eval_workflow_type": ("trinity.common.workflows", "WORKFLOWS"),
    "default_reward_fn_type": ("trinity.common.rewards", "REWARD_FUNCTIONS"),
    "selector_type": ("trinity.buffer.selector", "SELECTORS"),
    "monitor_type": ("trinity.utils.monitor", "MONITOR"),
    "experience_pipeline.operators[].name": ("trinity.buffer.operators", "EXPERIENCE_OPERATORS"),
}
"""Where the names that a key (by the end of its path) takes are registered; plugins may register more."""
_SET_BY_TRINITY = re.compile(r"DO NOT SET", re.IGNORECASE)
_MERGED = frozenset({"model", "actor", "ref", "rollout", "critic"})
_FILLED = frozenset(
    f"rollout.log_prob_{name}" for name in ("micro_batch_size", "micro_batch_size_per_gpu", "max_token_len_per_gpu")
)
"""Filled before 0.6 only where nobody sets it (veRLConfig.synchronize_config)."""
_SET_BY_PEOPLE = frozenset({"trainer_config"})
"""Below such a comment in the source, and yet the documented place for what Trinity has no key for."""


def _set_by_trinity(cls: Any) -> frozenset[str]:
    """Fields below a comment that says not to set them (it holds until the next blank line)."""
    names, below, after_comment = set(), False, False
    for line in map(str.strip, inspect.getsource(cls).splitlines()):
        if not line:
            below = after_comment = False
        elif line.startswith("#"):
            below = bool(_SET_BY_TRINITY.search(line)) or (below and after_comment)
            after_comment = True
        else:
            after_comment = False
            name = re.match(r"(\w+)\s*:", line)
            if name and (below or _SET_BY_TRINITY.search(line.partition("#")[2])):
                names.add(name[1])
    return frozenset(names) - _SET_BY_PEOPLE


def _default(item: dataclasses.Field[Any]) -> Any:
    """The default as plain data; a dataclass gives {} (its fields have rows of their own)."""
    value = item.default if item.default is not dataclasses.MISSING else "???"
    if item.default_factory is not dataclasses.MISSING:
        value = item.default_factory()
    if isinstance(value, enum.Enum):
        return value.value
    return {} if dataclasses.is_dataclass(value) else json.loads(json.dumps(value, default=str))


def _walk(cls: Any, prefix: str, inside: tuple[Any, ...] = ()) -> Iterator[tuple[str, Row]]:
    hints, automatic = typing.get_type_hints(cls), _set_by_trinity(cls)
    for item in dataclasses.fields(cls):
        key, hint = prefix + item.name, hints[item.name]
        inner, is_held = annotation_types.dataclass_inside(hint)
        kind, optional, choices = annotation_types.of_annotation(hint)
        row: Row = {"type": kind, "optional": optional, "default": _default(item)}
        if choices:
            row["choices"] = choices
        if item.name in automatic:
            row["automatic"] = True
        if inner is None and kind in ("dict", "any"):
            row["open"] = True
        if inner is None or is_held or optional:
            yield key, row
        if inner is not None and inner not in inside:
            yield from _walk(inner, f"{key}{is_held}.", (*inside, inner))


def _trainer_config() -> Any:
    """The dataclass of `trainer.trainer_config`, where this release has one."""
    for name in TRAINER_CONFIG:
        try:
            return importlib.import_module(name).veRLConfig
        except ModuleNotFoundError as why:
            if why.name is None or not name.startswith(why.name):
                raise
    return None


def dump() -> dict[str, Row]:
    """Key to row of the Trinity that is on the path."""
    rows = dict(_walk(importlib.import_module("trinity.common.config").Config, ""))
    inner = _trainer_config()
    if inner is None:
        return rows
    # The legacy class drops what it does not know, and only serves older veRLs; before it, unknown keys were refused.
    rows["trainer.trainer_config"]["open"] = "verl_legacy" in inner.__module__
    return rows | dict(_obeyed(key, row) for key, row in _walk(inner, "trainer.trainer_config."))


def _obeyed(key: str, row: Row) -> tuple[str, Row]:
    """A key of the trainer's config; one that is taken from a person after all is not set by Trinity, whatever comments say."""
    section = key.removeprefix("trainer.trainer_config.").removeprefix("actor_rollout_ref.")
    merged = section.split(".")[0] in _MERGED
    frozen = _frozen()
    obeyed = section not in frozen if frozen else section in _FILLED
    return key, {name: value for name, value in row.items() if name != "automatic" or not (merged and obeyed)}


@functools.cache
def _frozen() -> frozenset[str]:
    """What Trinity keeps for itself of the sections that it merges from trainer_config; empty before there was such a list."""
    try:
        return frozenset(importlib.import_module("trinity.trainer.verl.config").FROZEN_KEYS)
    except ModuleNotFoundError as why:
        if why.name is None or not "trinity.trainer.verl.config".startswith(why.name):
            raise
    return frozenset()


def names() -> dict[str, list[str]]:
    """End of a key's path to the names registered for it; keys whose registry this release lacks are absent."""
    names_by_class = {}
    for key, (module, attribute) in REGISTRIES.items():
        try:
            registry = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as why:
            print(f"{key}: {why}", file=sys.stderr)
            continue
        names_by_class[key] = names_of(registry)
    return names_by_class


def arguments() -> dict[str, dict[str, dict[str, Any]]]:
    """Function's key to its registered names, each with the arguments that `<key>_args` may set and their defaults."""
    arguments_by_class: dict[str, dict[str, dict[str, Any]]] = {}
    for key, (module, attribute) in REGISTRIES.items():
        if module != _ALGORITHM or key == "algorithm_type":
            continue
        registry = getattr(importlib.import_module(module), attribute)
        for name in names_of(registry):
            try:
                taken = _taken(registry.get(name))
            except (ImportError, AttributeError, NotImplementedError) as why:
                print(f"{key}={name}: {why}", file=sys.stderr)
                continue
            arguments_by_class.setdefault(key, {})[name] = json.loads(json.dumps(taken, default=str))
    return arguments_by_class


def taking_any_name() -> dict[str, list[str]]:
    """Function's key to those of its registered names that take arguments of any name, and look at their own only."""
    names_by_key: dict[str, list[str]] = {}
    for key, (module, attribute) in REGISTRIES.items():
        if module == _ALGORITHM and key != "algorithm_type":
            registry = getattr(importlib.import_module(module), attribute)
            names_by_key[key] = [name for name in names_of(registry) if _takes_any_name(registry.get(name))]
    return {key: names for key, names in names_by_key.items() if names}


def _constructors(cls: Any) -> Iterator[Any]:
    """The constructor, and those that it hands arguments of any name on to; `object` is the last of them where it is one."""
    owners = [owner for owner in cls.__mro__ if "__init__" in vars(owner)]
    for owner in owners:
        yield owner
        if owner is object or "super().__init__(**kwargs)" not in inspect.getsource(owner.__init__):
            return


def _takes_any_name(cls: Any) -> bool:
    parameters = inspect.signature(cls.__init__).parameters.values()
    takes = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return takes and object not in _constructors(cls)


def _looked_up(cls: Any) -> dict[str, Any]:
    """Arguments that constructors look for among those of any name (`kwargs.get(name, default)`), with their defaults."""
    defaults: dict[str, Any] = {}
    for owner in (owner for owner in _constructors(cls) if owner is not object):
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(owner.__init__)))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "kwargs.get":
                name, default = (*node.args, ast.Constant(None))[:2]
                infinite = ast.unparse(default).startswith("float(")
                defaults[ast.literal_eval(name)] = "inf" if infinite else ast.literal_eval(default)
    return defaults


_GIVEN = frozenset({"self", "backend", "buffer_config", "args", "kwargs", "config"})
"""Parameters of constructors that Trinity gives itself."""


def _taken(cls: Any) -> dict[str, Any]:
    """The arguments of one function: those that its class names with a default, then the constructor's others."""
    own = cls.default_args()
    for parameter in inspect.signature(cls.__init__).parameters.values():
        if parameter.name not in _GIVEN and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            own.setdefault(parameter.name, None if parameter.default is parameter.empty else parameter.default)
    return {**_looked_up(cls), **own}


def names_of(registry: Any) -> list[str]:
    """What is registered, now or when it is first asked for."""
    return sorted({*registry._modules, *getattr(registry, "_default_mapping", {})})


def main() -> None:
    """`dump_trinity.py PACKAGE --path VERL [--path DIR]...`; prints a list of one, as dump_verl.py does of several."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    parser.add_argument("--path", action="append", default=[])
    args = parser.parse_args()
    sys.path[:0] = [str(args.package), *args.path]
    import_stubs.install(["vllm", "sglang", "flash_attn", "tinker"], {"vllm": "0.11.0"}, refused=["vllm.config"])
    out, sys.stdout = sys.stdout, sys.stderr
    json.dump([{"keys": dump(), "names": names(), "arguments": arguments(), "any_name": taking_any_name()}], out)


if __name__ == "__main__":
    main()
