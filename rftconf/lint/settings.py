"""The project's own settings: `[tool.rftconf]` in pyproject.toml, or rftconf.toml. Checked against one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rftconf.base.errors import UnreadableError, UsageError
from rftconf.text.source import open_source

FILES = ("rftconf.toml", "pyproject.toml")
SEVERITIES = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting: how it is checked, its JSON Schema, and what it is for."""

    fits: Callable[[Any], bool]
    schema: dict[str, Any]
    about: str


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_TEXT = {"type": "string"}
_LIST = {"type": "array", "items": _TEXT}
_NUMBER = {"type": "integer", "minimum": 1}
CLUSTER = {
    "nodes": Entry(_count, _NUMBER, "nodes that a run may ask for"),
    "gpus-per-node": Entry(_count, _NUMBER, "GPUs of one node"),
    "gpu": Entry(lambda v: isinstance(v, str), _TEXT, "the GPU's type, e.g. h100-80g"),
}
SETTINGS = {
    "framework": Entry(lambda v: isinstance(v, str), _TEXT, "what the files are written for; guessed when absent"),
    "release": Entry(lambda v: isinstance(v, str), _TEXT, "its release; guessed when absent"),
    "select": Entry(_texts, _LIST, "codes, or starts of codes, that are looked for; all when absent"),
    "ignore": Entry(_texts, _LIST, "codes, or starts of codes, that are left out"),
    "severity": Entry(lambda v: v in SEVERITIES, {"enum": list(SEVERITIES)}, "the least severity that is shown"),
    "exclude": Entry(_texts, _LIST, "patterns of files that are passed over"),
    "baseline": Entry(lambda v: isinstance(v, str), _TEXT, "file with accepted findings"),
    "per-file-ignores": Entry(
        lambda v: isinstance(v, dict) and all(_texts(codes) for codes in v.values()),
        {"type": "object", "additionalProperties": _LIST},
        "pattern of files to the codes that are left out there",
    ),
    "set": Entry(
        lambda v: isinstance(v, dict) and all(isinstance(item, (str, int, float)) for item in v.values()),
        {"type": "object", "additionalProperties": {"type": ["string", "number"]}},
        "values of shell variables, as --set gives them",
    ),
    "cluster": Entry(
        lambda v: isinstance(v, dict),
        {
            "type": "object",
            "properties": {name: entry.schema | {"description": entry.about} for name, entry in CLUSTER.items()},
            "additionalProperties": False,
        },
        "what the project's machines have",
    ),
}


@dataclass(frozen=True, slots=True)
class Settings:
    """A project's settings; `folder` holds the file that they are from."""

    values: dict[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    source: str = ""

    def get(self, name: str, otherwise: Any = None) -> Any:
        """A setting, or `otherwise`."""
        return self.values.get(name, otherwise)


def find(start: Path) -> Settings:
    """The nearest settings at `start` or above it; empty ones where there are none. Raises UsageError for wrong ones."""
    for folder in (start, *start.parents):
        for name in FILES:
            path = folder / name
            if path.is_file() and (settings := read(path)) is not None:
                return settings
        if (folder / ".git").exists():
            break
    return Settings()


def read(path: Path) -> Settings | None:
    """The settings of one file, None for a pyproject.toml without any. Raises UsageError for wrong ones."""
    from rftconf.text import toml

    whole = path.name != "pyproject.toml"
    text = ""
    try:
        text = open_source(path).text
        data = toml.loads(text)
    except UnreadableError as error:
        if not whole:  # somebody else's file: only what it says of rftconf is our business
            return None
        raise UsageError(str(error)) from None
    except (ValueError, RecursionError) as error:
        if not whole and "tool.rftconf" not in text:
            return None
        problem = "nested too deeply" if isinstance(error, RecursionError) else error
        raise UsageError(f"{path}: {problem}") from None
    if not whole:
        tool = data.get("tool")
        if not isinstance(tool, dict) or "rftconf" not in tool:
            return None
        data = tool["rftconf"]
    _checked(data, SETTINGS, str(path), "")
    if "cluster" in data:
        _checked(data["cluster"], CLUSTER, str(path), "cluster.")
    return Settings(data, path.parent, str(path))


def _checked(data: Any, table: dict[str, Entry], source: str, prefix: str) -> None:
    if not isinstance(data, dict):
        raise UsageError(f"{source}: the settings are no table")
    for name, value in data.items():
        entry = table.get(name)
        if entry is None:
            from difflib import get_close_matches

            near = get_close_matches(name.replace("_", "-"), table, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(table)}"
            raise UsageError(f"{source}: there is no setting {prefix}{name}{hint}")
        if not entry.fits(value):
            raise UsageError(f"{source}: {prefix}{name} = {value!r} does not fit: {entry.about}")


def settings_schema() -> dict[str, Any]:
    """The JSON Schema of the settings."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "rftconf.toml",
        "type": "object",
        "properties": {name: entry.schema | {"description": entry.about} for name, entry in SETTINGS.items()},
        "additionalProperties": False,
    }
