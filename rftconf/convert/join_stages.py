"""A staged config that stays one: what each stage wrote, joined under `stages[i]`."""

from __future__ import annotations

import re
from dataclasses import replace

from rftconf.base.ledger import Basis, SourceLine, TargetLine
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead

_STAGE = re.compile(r"stages\[(\d+)\]\.")


def joined_targets(loaded: Loaded, parts: list[list[TargetLine]]) -> list[TargetLine]:
    """The target lines of all stages; a section that a stage wrote itself stays with that stage."""
    target_lines: dict[str, TargetLine] = {}
    for number, (stage, lines) in enumerate(zip(loaded.stages, parts, strict=True)):
        name = f"stages[{number}].stage_name"
        target_lines[name] = TargetLine(name, stage.name, Basis.WRITTEN, f"{name}={stage.name}", (name,))
        for line in lines:
            key = _key_in_stage(line.key, number, _own_sections(stage))
            if not key.startswith((f"{name}.", f"{name}[")):  # a section in the name's place: the name is text
                target_lines.setdefault(key, replace(line, key=key))
    return list(target_lines.values())


def joined_sources(loaded: Loaded, parts: list[tuple[SourceLine, ...]]) -> tuple[SourceLine, ...]:
    """One line a leaf: of the first stage that reads it."""
    source_lines: dict[str, SourceLine] = {}
    for number, (stage, lines) in enumerate(zip(loaded.stages, parts, strict=True)):
        sections = _own_sections(stage)
        for line in lines:
            if _of_other_stage(line.key, stage):
                continue
            targets = tuple(_key_in_stage(target, number, sections) for target in line.targets)
            source_lines.setdefault(line.key, replace(line, targets=targets))
    order = [leaf.key for leaf in loaded.document.leaves]
    return tuple(source_lines[key] for key in dict.fromkeys(order) if key in source_lines)


def _own_sections(stage: StageRead) -> set[str]:
    written = [leaf.key for _, leaf in stage.reading.source.leaves()]
    return {re.split(r"[.\[]", key[m.end() :])[0] for key in written if (m := _STAGE.match(key))}


def _key_in_stage(key: str, number: int, sections: set[str]) -> str:
    return f"stages[{number}].{key}" if re.split(r"[.\[]", key)[0] in sections else key


def _of_other_stage(key: str, stage: StageRead) -> bool:
    named = key.endswith(".stage_name")
    return bool(_STAGE.match(key)) and not named and all(k.key != key for _, k in stage.reading.source.leaves())
