"""Finds the program that a script starts in the script's checkout, and where that program looks for its config."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path, PurePosixPath

from rftconf.base.errors import UnreadableError
from rftconf.text.files_beside import in_checkout
from rftconf.text.python.hydra_main import HydraMain, hydra_main
from rftconf.text.source import open_source

_MOST_KEPT = 16


def main_in_checkout(source: str, program: str) -> HydraMain | None:
    """The `@hydra.main` of the program that the script at `source` starts; None where it is not in the checkout."""
    place = in_checkout(source, f"{_as_path(program)}.py")
    try:
        return None if place is None else _main(str(place), place.stat().st_mtime_ns)
    except (OSError, UnreadableError):
        return None


def config_path(program: str, folder: str, name: str) -> str:
    """The path of a config as seen from where the program is started; the folder is seen from the program's own."""
    return os.path.normpath(PurePosixPath(_as_path(program)).parent / folder / f"{name}.yaml")


def _as_path(program: str) -> str:
    """The program's file without its suffix: `a/b` of `a/b.py` and of the module `a.b`."""
    return program.removeprefix("./").removesuffix(".py") if program.endswith(".py") else program.replace(".", "/")


@lru_cache(maxsize=_MOST_KEPT)
def _main(path: str, _changed: int) -> HydraMain | None:
    return hydra_main(open_source(Path(path)).text)
