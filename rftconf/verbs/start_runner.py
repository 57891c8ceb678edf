"""Starting the runner: a program of its own, in this environment or in one that is named."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf.base import files as atomic
from rftconf.base.errors import UsageError
from rftconf.base.secrets import masked

if TYPE_CHECKING:
    from rftconf.report.screen import Screen

RUNNER = "rftconf_runner"
BEGIN = (
    "import sys; sys.path[:] = [entry for entry in sys.path if entry]; import runpy; "
    f"runpy.run_module({RUNNER!r}, run_name='__main__', alter_sys=True)"
)
"""Does what `-m` does, but for looking in the working directory first; `-P` is not known to Python 3.10."""
PLAN = "plan.asked.json"
"""What the runner is given; it keeps the plan that a run was begun with as plan.json."""


def interpreter(named: str | None) -> str:
    """The Python that has the runner. Raises UsageError with what to do when there is none."""
    if named is not None:
        return named
    if find_spec(RUNNER) is None or find_spec("ray") is None:
        raise UsageError(
            "the runner is not installed beside this rftconf; `make runner-env` of the sources makes an "
            "environment for it: then --python .runner/bin/python"
        )
    return sys.executable


CURVE = "curve.html"


def plot(folder: Path, screen: Screen | None) -> None:
    """The reward on `screen`, where there is one, and all metrics as a page in the folder; nothing before the first period."""
    from rftconf.runs.curve import curve_text, curves_html
    from rftconf.verbs import output as out
    from rftconf.verbs.run_folders import run_seen

    run = run_seen(folder)
    if not run.metrics:
        return
    out.product(curves_html(run.name, {run.name: run.series()}, {run.name: run.validation_series()}), folder / CURVE)
    if screen is not None:
        out.product(curve_text("reward", run.series().get("reward", []), screen) + f"more in {folder / CURVE}\n")


def start(python: str, plan: str, folder: Path, more: Sequence[str]) -> int:
    """Run the runner on `plan` and give its exit code. An interrupt reaches it too: it ends with the period and saves."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from error
    file = folder / PLAN
    atomic.write(file, masked(plan))
    try:
        process = subprocess.Popen([python, "-c", BEGIN, str(file), "--out", str(folder), *more])  # noqa: S603 - who runs it named it
    except OSError as error:
        raise UsageError(f"{python}: {error.strerror or error}") from error
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue
