"""Puts the generated files together: a header, the constants of this run, and the parts that never change."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rftconf._version import __version__
from rftconf.convert.adapters.literals import call, indented, literal
from rftconf.schemas.registry import framework

PARTS = Path(__file__).parent / "parts"
MARK = "# rftconf adapter "
"""Begins the line that says which text rftconf wrote, so that a file that a person changed is not written over."""


def data_script(source: str, target: str, sets: Mapping[str, Mapping[str, Any]]) -> str:
    """The script that rewrites rows. `sets` are the fields of each data set, by its name in the script."""
    script = "".join(f"    {literal(name)}: {indented(call('DataSet', fields))},\n" for name, fields in sets.items())
    constants = f"DATASETS = {{\n{script}}}"
    names = ("data_types", "data_rows", f"read_{source}", f"write_{target}", "data_files", "data_main")
    types, *others = map(part, names)
    about = (
        f"Rewrite the data sets of a {title(source)} run as {title(target)} reads them. Written by rftconf {__version__}.\n"
        "\n"
        "Needs pyarrow for parquet files, and `datasets` only for data sets of the Hugging Face hub.\n"
    )
    return assembled(about, [types, constants, *others])


def reward_stub(source: str, target: str, constants: Mapping[str, Any]) -> str:
    """The reward of the source run behind the target's interface, which names its part: `verl`, `verl_number`."""
    family = target.partition("_")[0]
    values = "\n".join(f"{name} = {literal(value, environment=True)}" for name, value in constants.items())
    about = f"The reward of a {title(source)} run, for {title(family)}. Written by rftconf {__version__}."
    head, of_source, for_target = (part(n) for n in ("reward_head", f"reward_of_{source}", f"reward_for_{target}"))
    imports, of_target = _split_imports(for_target)
    first, body = _split_imports(head)
    return assembled(about, [f"{first}\n{imports}".replace("  # noqa: E402", ""), body, values, of_source, of_target])


@cache
def part(name: str) -> str:
    """One of the fixed parts."""
    return (PARTS / f"{name}.py.txt").read_text(encoding="utf-8")


def assembled(about: str, parts: list[str]) -> str:
    """One file: mark, docstring, used imports, parts two lines apart."""
    body = "\n\n\n".join(text.strip("\n") for text in parts if text.strip()) + "\n"
    text = f'"""{about}"""\n\n{_without_unused_imports(body)}'
    return f"#!/usr/bin/env python3\n{MARK}{digest(text)}\n{text}"


def digest(text: str) -> str:
    """Return the text's SHA-256, shortened; it stands behind the mark of a file that nobody changed."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def untouched(text: str) -> bool:
    """True for a file that rftconf wrote and nobody changed since."""
    _, mark, tail = text.partition(f"\n{MARK}")
    stated_digest, _, body = tail.partition("\n")
    return bool(mark) and stated_digest == digest(body)


def title(name: str) -> str:
    """The framework's own spelling of its name."""
    return framework(name).title


_IMPORT = re.compile(r"(?:from (?P<module>[\w.]+) )?import (?P<names>[\w., ]+?)\s*(?:# .*)?")


def _split_imports(text: str) -> tuple[str, str]:
    """The imports at the beginning of a part, and the rest."""
    lines = text.splitlines(keepends=True)
    end = next(index for index, line in enumerate(lines) if line.strip() and not _IMPORT.fullmatch(line.strip()))
    return "".join(lines[:end]).rstrip("\n") + "\n" if end else "", "".join(lines[end:])


def _without_unused_imports(body: str) -> str:
    """Top-level imports that this combination of parts does not need are left out."""
    lines = body.splitlines(keepends=True)
    kept_lines = []
    for line in lines:
        match = _IMPORT.fullmatch(line.strip()) if line.startswith(("import ", "from ")) else None
        if match is None or match["module"] == "__future__":
            kept_lines.append(line)
            continue
        others = "".join(other_line for other_line in lines if other_line is not line)
        names = [name.strip() for name in match["names"].split(",")]
        used = [name for name in names if re.search(rf"(?<![\w.]){re.escape(name)}\b", others)]
        if used:
            lead = f"from {match['module']} import " if match["module"] else "import "
            kept_lines.append(lead + ", ".join(used) + "\n")
    return "".join(kept_lines)
