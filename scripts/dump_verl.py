"""Print the keys of one installed veRL as JSON. Run by extract_keys.py in the environment of the frameworks."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import os
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import annotation_types
import import_stubs

Row = dict[str, Any]
_CORE = "verl.trainer.ppo.core_algos"
REGISTRIES = {
    "algorithm.adv_estimator": (_CORE, "ADV_ESTIMATOR_REGISTRY"),
    "policy_loss.loss_mode": (_CORE, "POLICY_LOSS_REGISTRY"),
    "reward_model.reward_manager": ("verl.workers.reward_manager.registry", "REWARD_MANAGER_REGISTRY"),
    "reward.reward_manager.name": ("verl.experimental.reward_loop.reward_manager.registry", "REWARD_MANAGER"),
}
"""Where the names that a key takes are registered; user code may register more."""
COMPARED = {
    "algorithm.adv_estimator": ("trainer/ppo/ray_trainer.py", r"config\.algorithm\.adv_estimator == '(\w+)'"),
    "reward_model.reward_manager": ("trainer/main_ppo.py", r"reward_manager_name == '(\w+)'"),
    "rollout.name": ("workers/{backend}_workers.py", r"(?:rollout\.name|rollout_name) == '(\w+)'"),
}
"""Up to 0.3.0 nothing is registered: the file that compares a key with each of its names, and how."""


def _class_of(node: Any) -> Any:
    """The dataclass named by a node's `_target_`, or None."""
    target = node.get("_target_") if "_target_" in node else None
    if not target:
        return None
    module, _, name = str(target).rpartition(".")
    try:
        member = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as why:
        print(f"{target}: {why}", file=sys.stderr)
        return None
    return member if dataclasses.is_dataclass(member) else None


def _hints(cls: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(cls) if cls else {}
    except (NameError, TypeError):
        return {}


def _row(default: Any, hint: Any) -> Row:
    described = annotation_types.of_default(default) if hint is None else annotation_types.of_annotation(hint)
    kind, optional, choices = described
    row: Row = {"type": kind, "optional": optional or default is None, "default": default}
    if hint is None:
        row["inferred"] = True
    if choices:
        row["choices"] = choices
    if isinstance(default, dict) or (kind == "dict" and default is None):
        row["open"] = True
    return row


def _resolved(cfg: Any, key: str) -> Any:
    """What an interpolation gives where nothing is overridden; null where it cannot be resolved."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        value = OmegaConf.select(cfg, key)
        return OmegaConf.to_container(value, resolve=True) if OmegaConf.is_config(value) else value
    except OmegaConfBaseException:
        return None


def _leaves(node: Any, cfg: Any, prefix: str) -> Iterator[tuple[str, Row]]:
    from omegaconf import DictConfig, OmegaConf

    hints = _hints(_class_of(node))
    raw: Any = OmegaConf.to_container(node, resolve=False)
    for name in map(str, node):
        key, child = prefix + name, node._get_node(name)
        hollow = child._is_none() or child._is_missing() or child._is_interpolation()
        if isinstance(child, DictConfig) and not hollow and len(child):
            yield from _leaves(child, cfg, key + ".")
            continue
        written = raw[name]
        interpolated = isinstance(written, str) and "${" in written
        row = _row(_resolved(cfg, key) if interpolated else written, hints.get(name))
        if interpolated:
            row["interpolation"] = written
        yield key, row


def _fields_only(node: Any, prefix: str) -> Iterator[tuple[str, Row]]:
    """Fields of the `_target_` dataclasses that the YAML does not mention: accepted only with `+key=`."""
    from omegaconf import DictConfig

    if not isinstance(node, DictConfig) or node._is_none() or node._is_interpolation():
        return
    cls = _class_of(node)
    hints = _hints(cls)
    for item in dataclasses.fields(cls) if cls else ():
        if item.name in node or item.name.startswith("_"):
            continue
        default = None if item.default is dataclasses.MISSING else item.default
        if item.default_factory is not dataclasses.MISSING:
            value = item.default_factory()
            default = {} if dataclasses.is_dataclass(value) else value
        row = _row(json.loads(json.dumps(default, default=str)), hints.get(item.name, Any))
        yield prefix + item.name, {**row, "plus_only": True}
    for name in map(str, node):
        yield from _fields_only(node._get_node(name), f"{prefix}{name}.")


def dump(package: Path, folder: str, config_name: str, choices: list[str]) -> dict[str, Row]:
    """Key to row for one trainer YAML of the veRL in `package`; `choices` of its groups, as `engine=megatron`."""
    from hydra import compose, initialize_config_dir

    os.chdir(package)  # recipes search `file://verl/trainer/config`
    with initialize_config_dir(str(package / folder), version_base=None):
        cfg = compose(config_name, choices)
    rows = dict(_leaves(cfg, cfg, ""))
    return rows | {key: row for key, row in _fields_only(cfg, "") if key not in rows}


def names() -> dict[str, list[str]]:
    """Key to the names registered for it; keys whose registry this release lacks are absent."""
    names_by_class = {}
    for key, (module, attribute) in REGISTRIES.items():
        try:
            registry = getattr(importlib.import_module(module), attribute)
        except (ModuleNotFoundError, AttributeError) as why:
            print(f"{key}: {why}", file=sys.stderr)
            continue
        names_by_class[key] = sorted(str(getattr(name, "value", name)) for name in registry)
    if "reward.reward_manager.name" in names_by_class:
        # The reward loop looks the old key's names up in its own registry.
        names_by_class["reward_model.reward_manager"] = names_by_class["reward.reward_manager.name"]
    return names_by_class


def compared(package: Path, backend: str) -> dict[str, list[str]]:
    """Key to the names that a release without registries compares it with; 0.3.0 has an enumeration of estimators."""
    differing = {}
    for key, (file, pattern) in COMPARED.items():
        text = (package / "verl" / file.format(backend=backend)).read_text(encoding="utf-8")
        differing[key] = sorted(set(re.findall(pattern, text)))
    trainer = importlib.import_module("verl.trainer.ppo.ray_trainer")
    if hasattr(trainer, "AdvantageEstimator"):
        differing["algorithm.adv_estimator"] = sorted(member.value for member in trainer.AdvantageEstimator)
    return differing


def main() -> None:
    """`dump_verl.py PACKAGE CONFIG... [--path DIR]...`, each config as JSON: `[folder in the package, name, [choices]]`.

    Prints a list, what each config holds. One process reads all of a release: importing it takes most of the time.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package", type=Path)
    parser.add_argument("configs", nargs="+", type=json.loads)
    parser.add_argument("--path", action="append", default=[])
    args = parser.parse_args()
    sys.path[:0] = [str(args.package), *args.path]
    import_stubs.install(["vllm", "sglang", "flash_attn"], {"vllm": "0.9.1"}, refused=["vllm.config"])
    out, sys.stdout = sys.stdout, sys.stderr
    registered = names()
    early = "algorithm.adv_estimator" not in registered
    rows = []
    for config in args.configs:
        backend = "megatron" if "megatron" in config[1] else "fsdp"
        more = compared(args.package, backend) if early else {}
        rows.append({"keys": dump(args.package, *config), "names": {**registered, **more}})
    json.dump(rows, out)


if __name__ == "__main__":
    main()
