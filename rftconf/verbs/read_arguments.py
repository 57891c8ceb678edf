"""Makes a Document of command-line options."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base.errors import UsageError
from rftconf.base.record import record

if TYPE_CHECKING:
    from rftconf.text.read.read_options import Followed


@record
class Reading:
    """The parsed options for reading a file."""

    framework: str | None = None
    release: str | None = None
    bindings: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    args: tuple[str, ...] = ()
    launch: int | None = None
    base: Path | None = None
    sources: tuple[Path, ...] = ()
    followed: Followed | None = None
    """Scripts that were followed already, where a caller asks for several launches of one."""


def reading(
    framework: str | None,
    release: str | None,
    bound: Sequence[str] | None,
    let_in: Sequence[str] | None,
    arguments: str | None,
    launch: int | None,
    base: Path | None,
    sources: Sequence[Path] | None,
) -> Reading:
    """Check the options and bring them together. Raises UsageError for one that means nothing."""
    return Reading(
        _framework(framework),
        release,
        _bindings(bound or ()),
        _environment(let_in or ()),
        _split(arguments),
        launch,
        base,
        tuple(sources or ()),
    )


def framework_name(name: str) -> str:
    """The name rftconf uses for a framework. Raises UsageError, with the nearest known name, for any other."""
    from rftconf.schemas.registry import FRAMEWORKS, framework

    try:
        return framework(name).name
    except UsageError as error:
        from difflib import get_close_matches

        near = get_close_matches(name.lower(), FRAMEWORKS, n=1)
        raise UsageError(f"{error}{f'; did you mean {near[0]}?' if near else ''}") from None


ASSUMPTIONS = {"mini_batch": re.compile("samples|capped|steps|prompts")} | dict.fromkeys(
    ("responses_per_prompt", "steps_per_episode"), re.compile("[1-9][0-9]*")
)
"""What --assume may say, and how."""


def assumptions(texts: Sequence[str] | None) -> dict[str, str]:
    """Return the user's assumptions about a fork. Raises UsageError for a name or a value that means nothing."""
    values: dict[str, str] = {}
    for item in texts or ():
        name, _, value = item.partition("=")
        if name not in ASSUMPTIONS:
            raise UsageError(f"--assume {item}: known are {', '.join(ASSUMPTIONS)}")
        if not ASSUMPTIONS[name].fullmatch(value):
            raise UsageError(f"--assume {name}= takes {ASSUMPTIONS[name].pattern.replace('|', ' or ')}, not {value!r}")
        values[name] = value
    return values


def _framework(name: str | None) -> str | None:
    return None if name is None else framework_name(name)


def _environment(names: Sequence[str]) -> dict[str, str]:
    import os

    for name in names:
        if name not in os.environ:
            raise UsageError(f"--env {name}: no such variable in the environment; give a value with --set {name}=VALUE")
    return {name: os.environ[name] for name in names}


SETTABLE = re.compile(r"[A-Za-z_]\w*(?:(?:\.[\w-]+)|\[\d+\])*", re.ASCII)
"""What --set may name: a shell variable, or a key of the config, dotted, with the number of a list's item in brackets."""


def _bindings(bound: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    for item in bound:
        name, mark, value = item.partition("=")
        if not mark or not SETTABLE.fullmatch(name):
            raise UsageError(
                f"--set takes NAME=VALUE, with the name of a shell variable or a key of the config, not {item!r}"
            )
        values[name] = value
    return values


def with_arguments(how: Reading, arguments: str) -> Reading:
    """Return the options with the script's own arguments."""
    from dataclasses import replace

    return replace(how, args=_split(arguments))


def _split(arguments: str | None) -> tuple[str, ...]:
    if not arguments:
        return ()
    import shlex

    try:
        return tuple(shlex.split(arguments or ""))
    except ValueError as error:
        raise UsageError(f"--args: {str(error).lower()} in {arguments!r}") from None
