"""What bash makes of a script that rftconf wrote: its overrides, from a `python3` that only prints its arguments."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.conformance.judges.programs import ANSWERS, NUMBER

STUB = """\
#!/bin/bash
printf '%s\\0' "$@" >"$ARGUMENTS"
"""
BASH = "/bin/bash"
TODAY = "today"
CLOCK = re.compile(r"\$\(date [^()]*\)")
"""A call of the one command that scripts take a run's name from, and what it prints here."""
LONGEST_S = 30


def variables(script: str) -> dict[str, str]:
    """A value for each variable of the script: its own text, so that it can be told apart, or a number in `$((…))`."""
    values = {name: f"${name}" for name in re.findall(r"\$\{?([A-Za-z_]\w*)", script)}
    return values | numbers(script)


def numbers(script: str) -> dict[str, str]:
    """The variables that the script calculates with."""
    formulas = re.findall(r"\(\((.*?)\)\)", script)
    return {name: NUMBER for formula in formulas for name in re.findall(r"[A-Za-z_]\w*", formula)}


def positions(script: str) -> list[str]:
    """The arguments that the script takes by their place, each its own text, or a number of processes for torchrun."""
    last = max((int(place) for place in re.findall(r"\$\{?([1-9])", script)), default=0)
    counted = counted_positions(script)
    return [NUMBER if str(place) in counted else f"${place}" for place in range(1, last + 1)]


def counted_positions(script: str) -> set[str]:
    """The places of arguments that are numbers of processes."""
    return set(re.findall(r"n(?:nodes|proc[-_]per[-_]node|_gpus_per_node)[= ][\"']?\$\{?([1-9])", script))


def numbered(script: str) -> str:
    """The script with the number that bash was given in place of each argument that counts processes, and the clock's word."""
    script = CLOCK.sub(TODAY, script)
    for place in counted_positions(script):
        script = re.sub(rf"\$(?:\{{{place}\}}|{place}(?!\d))", NUMBER, script)
    return script


def bound(script: Path, scratch: Path) -> dict[str, str]:
    """What the script's variables held when bash ran it in `scratch`, where that is more than their own text."""
    return numbers(script.read_text()) | {"PWD": str(scratch)}


def overrides_of(script: Path, scratch: Path) -> list[str]:
    """The arguments after `-m verl.trainer...`. Raises when bash fails."""
    return launched(script, scratch)[1]


def launched(script: Path, scratch: Path) -> tuple[str, list[str], int]:
    """The program, its arguments and torchrun's processes (1 under python3).

    The script sees no command but the stubs, and a number for any other; raises when bash fails.
    """
    commands = scratch / "commands"
    commands.mkdir(exist_ok=True)
    for name in ("python3", "torchrun"):
        stub = commands / name
        stub.write_text(STUB)
        stub.chmod(0o755)
    text = script.read_text()
    clock = commands / "date"
    clock.write_text(f"#!/bin/bash\necho {TODAY}\n")
    clock.chmod(0o755)
    arguments = scratch / "arguments"
    arguments.unlink(missing_ok=True)
    environment = variables(text) | {"PATH": str(commands), "ARGUMENTS": str(arguments), **ANSWERS}
    done = subprocess.run(
        [BASH, str(script), *positions(text)],
        env=environment,
        cwd=scratch,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    if done.returncode or not arguments.exists():
        raise AssertionError(f"bash refuses {script.name}: exit {done.returncode}: {done.stderr}")
    words = [os.fsdecode(word) for word in arguments.read_bytes().split(b"\0")[:-1]]
    new_index = next((index for index, word in enumerate(words) if word.startswith("verl.trainer")), None)
    if new_index is None:
        raise AssertionError(f"{script.name} starts no program below verl.trainer")
    return words[new_index], words[new_index + 1 :], _processes(words[:new_index])


def _processes(starter: list[str]) -> int:
    sizes = dict(word.split("=", 1) for word in starter if "=" in word)
    return int(sizes.get("--nnodes", "1")) * int(sizes.get("--nproc_per_node", "1"))
