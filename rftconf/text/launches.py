"""Which commands of a script start a framework, and how their arguments are read. A table and its lookup."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePosixPath


class Style(Enum):
    """How a program takes its arguments."""

    HYDRA = "hydra"
    FLAGS = "flags"
    """`--name value` options, then `key=value`."""


@dataclass(frozen=True, slots=True)
class Main:
    """A program that starts a framework; `rl` when it runs RL training (not SFT, evaluation, merging)."""

    pattern: re.Pattern[str]
    framework: str
    style: Style
    rl: bool


def _main(pattern: str, framework: str, style: Style, *, rl: bool) -> Main:
    return Main(re.compile(pattern), framework, style, rl)


MAINS = (
    _main(r"verl\.trainer\.main_(?:eval|generation\w*)", "verl", Style.HYDRA, rl=False),
    _main(r"(?:.*[./])?(?:fsdp_)?sft_trainer(?:_ray)?(?:\.py)?", "verl", Style.HYDRA, rl=False),
    _main(r"(?:verl|recipe|recipes)\.(?:\w+\.)*(?:\w+_)?main(?:_\w+)?", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?main_ppo(?:_\w+)?\.py", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?(?:verl|recipes?)/(?:.*/)?(?:\w+_)?main(?:_\w+)?\.py", "verl", Style.HYDRA, rl=True),
    _main(r"(?:.*/)?trinity|trinity\.cli\.launcher", "trinity", Style.FLAGS, rl=True),
    _main(r"(?:.*/)?start_\w+_pipeline\.py", "roll", Style.FLAGS, rl=True),
    _main(
        r"(?:.*/)?chatlearn/entrypoint\.py|(?:.*/)?entrypoint\.py|chatlearn\.entrypoint",
        "chatlearn",
        Style.FLAGS,
        rl=True,
    ),
)
"""First match wins."""

STOCK_CONFIGS = frozenset({"ppo_trainer", "ppo_megatron_trainer", "sft_trainer", "config"})
"""Config names that the packages ship: their keys are in the catalogues."""
_PYTHON = re.compile(r"(?:.*/)?(?:python[0-9.]*|pypy[0-9.]*)")
_TAKES_VALUE = frozenset({"-X", "-W", "--check-hash-based-pycs"})


def main_of(program: str) -> Main | None:
    """The table's entry for a module or file, if it starts a framework."""
    return next((main for main in MAINS if main.pattern.fullmatch(program)), None)


def program_at(argv: Sequence[str | None]) -> tuple[str, int]:
    """What a command runs and the index of its first argument; None in `argv` is a word that is not known.

    `python3 -u -m verl.trainer.main_ppo k=v` gives the module and 4. An unknown program is the empty text.
    """
    if not argv or argv[0] is None:
        return "", 0
    if not _PYTHON.fullmatch(argv[0]):
        return argv[0], 1
    at = 1
    while at < len(argv):
        word = argv[at]
        if word is None:
            return "", 0
        if word == "-m":
            return (argv[at + 1] or "", at + 2) if at + 1 < len(argv) else ("", 0)
        if word.startswith("-m") and len(word) > 2:
            return word[2:], at + 1
        if not word.startswith("-") or word == "-":
            return word, at + 1
        if word.startswith("-c"):
            return "", 0
        at += 2 if word in _TAKES_VALUE else 1
    return "", 0


def short(program: str) -> str:
    """A program's name for a message."""
    return PurePosixPath(program).name or "an unknown program"
