"""The key or value at an offset of a half-written text, and the keys above it. The whole is never parsed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_MOST_LINES = 5_000
"""Lines above the cursor that are looked at for the mappings it stands in."""
_LONGEST = 2_000
"""Characters of a line that are looked at; nobody completes a key behind them."""
_NAME = r"[A-Za-z_][\w.<>-]*"
_YAML_KEY = re.compile(rf"(?P<lead>[ ]*(?:-[ ]+)*)(?P<typed>(?:{_NAME})?)\Z")
_YAML_VALUE = re.compile(
    rf"(?P<lead>[ ]*(?:-[ ]+)*)(?P<key>{_NAME})[ ]*:[ ]+[\"']?(?P<typed>[^\s\"'#{{}}\[\]&*!|>]*)\Z"
)
_YAML_LINE = re.compile(rf"(?P<lead>[ ]*(?:-[ ]+)*)(?:(?P<key>{_NAME}|\"[^\"]*\"|'[^']*')[ ]*:(?:[ ]|\Z))?")
_OVERRIDE = re.compile(r"(?P<prefix>\+{0,2}|~)(?P<key>[A-Za-z_][\w.\-/@\[\]]*)=[\"']?(?P<typed>[^\s\"']*)\Z")
_OVERRIDE_KEY = re.compile(r"(?:^|[\s\"'(])(?P<prefix>\+{0,2}|~)(?P<typed>(?:[A-Za-z_][\w.\-]*)?)\Z")
_SEGMENT = re.compile(r"[\w.<>\-\[\]]*")


@dataclass(frozen=True, slots=True)
class Cursor:
    """The word being written: `typed` from offset `start` on, below or as the value of `path`."""

    kind: Literal["key", "value"]
    path: str
    typed: str
    start: int
    prefix: str = ""
    """Hydra's `+`, `++` or `~`, where it is written."""


def in_yaml(text: str, offset: int) -> Cursor | None:
    """The cursor in a YAML text; None inside flow collections, comments and where a key cannot stand."""
    line_start = text.rfind("\n", 0, offset) + 1
    before = text[line_start:offset]
    if len(before) > _LONGEST:
        return None
    value = _YAML_VALUE.match(before)
    if value is not None:
        above = _above(text, line_start, value["lead"])
        return Cursor("value", _joined(above, value["key"]), value["typed"], offset - len(value["typed"]))
    key = _YAML_KEY.match(before)
    if key is None:
        return None
    return Cursor("key", _above(text, line_start, key["lead"]), key["typed"], offset - len(key["typed"]))


def in_overrides(text: str, offset: int) -> Cursor | None:
    """The cursor in a launch script or in bare overrides; the path of a key is what is typed of it."""
    line_start = text.rfind("\n", 0, offset) + 1
    before = text[line_start:offset]
    if len(before) > _LONGEST or before.lstrip().startswith("#"):
        return None
    word = re.search(r"[^\s]*\Z", before)
    value = _OVERRIDE.search(word[0].lstrip("\"'(")) if word else None
    if value is not None:
        return Cursor("value", value["key"], value["typed"], offset - len(value["typed"]), value["prefix"])
    key = _OVERRIDE_KEY.search(before)
    if key is None or not (key["typed"] or key["prefix"]) or not _in_command(text, line_start, before, key["typed"]):
        return None
    return Cursor("key", "", key["typed"], offset - len(key["typed"]), key["prefix"])


def key_at(text: str, offset: int, form: str) -> str:
    """The key whose name the offset touches, empty where there is none."""
    segment = _SEGMENT.match(text, offset)
    end = segment.end() if segment else offset
    if form == "yaml":
        yaml_cursor = in_yaml(text, end)
        return (
            _joined(yaml_cursor.path, yaml_cursor.typed)
            if yaml_cursor is not None and yaml_cursor.kind == "key" and yaml_cursor.typed
            else ""
        )
    override_cursor = in_overrides(text, end)
    return override_cursor.typed if override_cursor is not None and override_cursor.kind == "key" else ""


def _in_command(text: str, line_start: int, before: str, typed: str) -> bool:
    """True where an override may stand: in a continued command, an array, or a word that is dotted as keys are."""
    if "." in typed:
        return True
    above = text[max(0, line_start - _LONGEST) : line_start].rstrip("\r\n").rstrip()
    return above.endswith(("\\", "(")) or "=(" in before or not before.strip(" \t+~" + typed)


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _above(text: str, line_start: int, lead: str) -> str:
    """The dotted path of the mapping that a line with this lead stands in; items of lists are `[]`."""
    steps: list[str] = []
    column, in_list = _out_of_lists(len(lead), _dashes(lead), steps)
    start_at = line_start
    for _ in range(_MOST_LINES):
        if start_at <= 0 or (column == 0 and not in_list):
            break
        start = text.rfind("\n", 0, start_at - 1) + 1
        line = text[start : min(start_at - 1, start + _LONGEST)].rstrip("\r")
        start_at = start
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _YAML_LINE.match(line)
        assert match is not None  # every part of it is optional
        dashes, name_at = _dashes(match["lead"]), len(match["lead"])
        if in_list and dashes and dashes[0] == column:
            continue  # an item beside ours
        below = name_at <= column if in_list else name_at < column
        if below and match["key"]:
            steps.append(match["key"].strip("\"'"))
            column, in_list = _out_of_lists(name_at, dashes, steps)
        elif not in_list and name_at == column and dashes:
            column, in_list = _out_of_lists(column, dashes, steps)
    return ".".join(reversed(steps)).replace(".[]", "[]")


def _dashes(lead: str) -> list[int]:
    return [index for index, char in enumerate(lead) if char == "-"]


def _out_of_lists(column: int, dashes: list[int], steps: list[str]) -> tuple[int, bool]:
    """Go from a name behind dashes to the column of the first dash, noting a list for each."""
    steps += ["[]"] * len(dashes)
    return (dashes[0], True) if dashes else (column, False)
