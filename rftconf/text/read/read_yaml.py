"""YAML documents in their dialects: plain, Hydra's `overrides.yaml`, Weights & Biases' `config.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.base.span import LineIndex
from rftconf.text.document import Document, Leaf
from rftconf.text.files_beside import ShippedFiles
from rftconf.text.source import Source
from rftconf.text.yaml.composer import PLAIN
from rftconf.text.yaml.leaves import Node, YamlReader
from rftconf.text.yaml.loader_dialects import ScalarRules

_WANDB_OWN = frozenset({"_wandb", "wandb_version"})
_WHOLE = re.compile(r"(?!_)[\w-]+")
"""An item of a defaults list that names another config, not a part of one."""
_WANDB_ENTRY = frozenset({"value", "desc"})


@dataclass(slots=True)
class _ConfigPart:
    leaves: list[Leaf]
    notes: list[Diagnostic]
    starts_from: tuple[str, ...] = ()


def read_yaml_document(
    source: Source,
    rules: ScalarRules = ScalarRules.OMEGACONF,
    sources: Mapping[str, str] | None = None,
    shipped: ShippedFiles | None = None,
) -> Document:
    """The leaves of a YAML text in any of the dialects. Never raises on bad input.

    `sources` are texts of files that it names, `shipped` the framework's own files of that kind.
    """
    reader = YamlReader(source.name, source.text, rules)
    root = reader.root
    config = _ConfigPart([], [])
    if root is not None and root.id == "sequence" and _is_override_list(root):
        return _override_list(source, root, reader)
    if root is not None and root.id == "mapping":
        pairs = reader.pairs(root)
        task = _task_overrides(reader, pairs)
        if task is not None:
            return _override_list(source, task, reader)
        config = (
            _unwrapped(reader, pairs) if _is_wandb(pairs) else _without_hydra(reader, source, sources or {}, shipped)
        )
    else:
        config.leaves += reader.leaves()
    diagnostics = (*_once(reader.diagnostics), *config.notes)
    return Document(source.name, source.text, "yaml", tuple(config.leaves), diagnostics, starts_from=config.starts_from)


def _is_override_list(root: Node) -> bool:
    return all(item.id == "scalar" and ("=" in item.value or item.value[:1] == "~") for item in root.value)


def _task_overrides(reader: YamlReader, pairs: dict[str, tuple[Node, Node]]) -> Node | None:
    """The overrides of a run in Hydra's own record of it (`.hydra/hydra.yaml`); None for any other text."""
    node = pairs["hydra"][1] if set(pairs) == {"hydra"} else None
    for name in ("overrides", "task"):
        below = reader.pairs(node) if node is not None and node.id == "mapping" else {}
        node = below[name][1] if name in below else None
    return node if node is not None and node.id == "sequence" and node.value and _is_override_list(node) else None


def _override_list(source: Source, root: Node, reader: YamlReader) -> Document:
    from rftconf.text.hydra.override_parser import TextArgument
    from rftconf.text.hydra.overrides import read_overrides

    index = LineIndex(source.text)
    words = []
    for item in root.value:
        start = item.start_mark.index + (0 if item.tag == PLAIN else 1)
        words.append(TextArgument(item.value, source.name, index, start))
    overrides = read_overrides(words)
    diagnostics = (*reader.diagnostics, *overrides.diagnostics)
    return Document(source.name, source.text, "overrides", tuple(overrides.leaves), diagnostics)


def _is_wandb(pairs: dict[str, tuple[Node, Node]]) -> bool:
    entries = [value for name, (_, value) in pairs.items() if name not in _WANDB_OWN]
    wrapped = all(_entry_keys(value) <= _WANDB_ENTRY and "value" in _entry_keys(value) for value in entries)
    marked = bool(_WANDB_OWN & set(pairs)) or all("desc" in _entry_keys(value) for value in entries)
    return bool(entries) and wrapped and marked


def _entry_keys(node: Node) -> set[str]:
    if node.id != "mapping":
        return set()
    return {str(key.value) for key, _ in node.value if key.id == "scalar"}


def _unwrapped(reader: YamlReader, pairs: dict[str, tuple[Node, Node]]) -> _ConfigPart:
    config = _ConfigPart([], [])
    for name, (key_node, value_node) in pairs.items():
        if name in _WANDB_OWN:
            message = f"{name} is Weights & Biases' own record of the run; it is left out"
            config.notes.append(Diagnostic("SYN503", Severity.INFO, message, reader.place(key_node)))
            continue
        inner = reader.pairs(value_node)["value"][1]
        config.leaves += reader.leaves(inner, name, key_node)
    return config


def _without_hydra(
    reader: YamlReader, source: Source, sources: Mapping[str, str], shipped: ShippedFiles | None
) -> _ConfigPart:
    """Hydra reads a primary config's `defaults` and `hydra` itself: the one names configs below it, the other is its own."""
    leaves = reader.leaves()
    if not any(leaf.key.startswith(("defaults", "hydra")) for leaf in leaves):
        return _ConfigPart(list(leaves), [])
    from rftconf.text.hydra.defaults_list import split, with_defaults

    composed, diagnostics = with_defaults(source, leaves, sources, reader.rules, shipped)
    named = tuple(item for item in split(leaves)[1] if isinstance(item, str) and _WHOLE.fullmatch(item))
    config = _ConfigPart(list(composed), list(diagnostics), named)
    own = next((leaf for leaf in leaves if leaf.key.partition(".")[0] == "hydra"), None)
    if own is not None:
        message = "hydra configures Hydra, not the run; it is left out"
        config.notes.append(Diagnostic("SYN504", Severity.INFO, message, own.key_place))
    return config


def _once(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(diagnostics))
