"""Is what the loader resolved the same plan, or the same arguments, as what rftconf wrote?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rftconf.base.expressions import load_value
from rftconf.base.symbols import Expr, to_shell
from rftconf.load.load import load
from rftconf.load.recognise import recognise
from rftconf.plan.spelling import UNSAID
from rftconf.schemas import catalogue
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.conformance.environment import Target

NOT_COMPARED = ("extensions", "idle", "source")
"""A resolved config spells out every default, so what is kept verbatim differs although nothing in the run does."""


def spoken(document: Document, named: frozenset[str], framework: str, release: str, trainer: str) -> Document:
    """A resolved config without the defaults that it spells out and the file it came from does not name.

    rftconf reads a value that somebody wrote otherwise than the same value as a default: a column named by hand says
    that the data have it.
    """
    known = catalogue.load(framework, release, trainer)
    leaves = [leaf for leaf in document.leaves if leaf.key in named or leaf.value != known.default(leaf.key)]
    return replace(document, leaves=tuple(leaves))


def plan_of(
    file: Path,
    framework: str,
    release: str,
    beside: Path | None = None,
    bindings: Mapping[str, str] | None = None,
    base: Path | None = None,
) -> dict[str, Any]:
    """The plan of a file of that framework and release, as plain data; `beside` is the file it was resolved from.

    `bindings`: what the variables of a script held when it was run. `base`: the config of its own that it started from.
    """
    options = ReadOptions(bindings=dict(bindings or {}))
    based = replace(options, base=open_source(str(base)) if base is not None else None)
    document = read(open_source(str(file)), options if beside is not None else based)
    if beside is not None:
        source = read(open_source(str(beside)), based)
        guess = recognise(source, framework, release)
        framework = guess.framework
        document = replace(document, launch=source.launch)  # torchrun's processes are in no config
        document = spoken(document, frozenset(leaf.key for leaf in source.leaves), framework, release, guess.trainer)
    loaded = load(document, framework=framework, release=release)
    plan: dict[str, Any] = loaded.plan.model_dump(mode="json")
    return {name: part for name, part in plan.items() if name not in NOT_COMPARED}


def as_text(value: Any) -> Any:
    """An expression as the text the judges put in its place (`${NAME}/x` and `$NAME/x` are one)."""
    if isinstance(value, dict) and "$expr" in value:
        return as_text(to_shell(load_value(value)))
    return re.sub(r"\$\{(\w+)\}", r"$\1", value) if isinstance(value, str) else value


def _says_nothing(route: str, value: Any) -> bool:
    """Whether an entry of a free mapping says no more than silence does, as `rftconf diff` has it."""
    return any(
        fnmatchcase(route, f"stages[[]*]{glob.removeprefix('stage')}.{name}") and value in values
        for glob, name, values in UNSAID
    )


_PROGRAM = re.compile(r"\$\(.*\)", re.DOTALL)
"""All from a text's first substitution of a command to the end of its last."""


def _is_printed(written: Any, resolved: Any) -> bool:
    """True where a value is the text that was written, with what programs print in place of their calls."""
    if not isinstance(written, str) or not _PROGRAM.search(written):
        return False
    before, after = _PROGRAM.split(written, maxsplit=1)
    text = str(resolved)
    return len(text) > len(before) + len(after) and text.startswith(before) and text.endswith(after)


def differences(written: Any, resolved: Any, route: str = "") -> Iterator[str]:
    """Each leaf in which the plans differ: `route: written -> resolved`."""
    written, resolved = as_text(written), as_text(resolved)
    if isinstance(written, dict) and isinstance(resolved, dict):
        for name in sorted(written.keys() | resolved.keys()):
            yield from differences(written.get(name), resolved.get(name), f"{route}.{name}" if route else name)
    elif isinstance(written, list) and isinstance(resolved, list) and len(written) == len(resolved):
        for index, (first, second) in enumerate(zip(written, resolved, strict=True)):
            yield from differences(first, second, f"{route}[{index}]")
    elif written is None and _says_nothing(route, resolved):
        return
    elif written != resolved and not _is_printed(written, resolved):
        yield f"{route}: {written!r} -> {resolved!r}"


def differing_arguments(file: Path, target: Target, arguments: Mapping[str, Any]) -> Iterator[str]:
    """Each key of a file that its program's parser made another value of than rftconf reads in it; keys of a launcher are none."""
    document = read(open_source(str(file)), ReadOptions())
    for leaf in document.leaves:
        if leaf.key in arguments and not same_argument(leaf.value, arguments[leaf.key]):
            yield f"{leaf.key}: {leaf.value!r} -> {arguments[leaf.key]!r}"


def same_argument(written: Any, parsed: Any) -> bool:
    """Whether a value is what a parser made of it: it splits lists, counts numbers, and knows no names of variables."""
    if isinstance(written, Expr) or "$" in str(written):
        return True
    if parsed == []:
        return written in ([], "none")
    if isinstance(written, (list, tuple)) or isinstance(parsed, list):
        first, second = (value if isinstance(value, (list, tuple)) else [value] for value in (written, parsed))
        return len(first) == len(second) and all(map(same_argument, first, second))
    if isinstance(parsed, (int, float)) and not isinstance(parsed, bool):
        return float(written) == float(parsed)
    return bool(str(written) == str(parsed))
