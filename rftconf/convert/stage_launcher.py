"""The script that runs the stages of a series in order, and hands each checkpoint on to the next run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rftconf.base.symbols import Value
from rftconf.text.write import emit_shell

LAUNCHER = "run.sh"


@dataclass(frozen=True, slots=True)
class Start:
    """One run: its file, how the framework is told to start it, and where it leaves weights for the next one."""

    file: str
    stage: str
    kind: str
    folder: Value
    exported: str
    """Below the newest checkpoint of `folder`: the weights in Hugging Face's format."""
    variable: str
    """The environment variable through which the checkpoint reaches the next run."""


@dataclass(frozen=True, slots=True)
class Way:
    """The way in which one framework's runs are started, with the names of its checkpoints' folders."""

    needs: tuple[str, ...]
    checkpoints: str
    """Arguments of `find` below a run's folder."""
    command: Callable[[Start], str]
    forwards: bool = True
    """Whether the command takes overrides: what the launcher is given then goes to the last run."""
    names_are_folders: bool = True
    """True where a run's name is a folder below the root of its checkpoints."""


def _by_bash(start: Start) -> str:
    return f'bash "$here/{start.file}"'


_PIPELINES = {"sft": "sft", "dpo": "dpo", "rl": "rlvr", "distill": "onpolicy_distill", "eval": "rlvr_rollout"}
"""Kind of run to the start script of its pipeline; those of runs that rftconf writes for ROLL."""


def _by_roll(start: Start) -> str:
    script = f'"$ROLL/examples/start_{_PIPELINES[start.kind]}_pipeline.py"'
    return f'python {script} --config_path "$config" --config_name {start.file.removesuffix(".yaml")}'


WAYS = {
    "verl": Way((), "-maxdepth 1 -type d -name 'global_step_*'", _by_bash),
    "roll": Way(
        (
            ': "${ROLL:?the folder that the sources of ROLL are in}"',
            'config=$(realpath --relative-to="$ROLL/examples" "$here") # Hydra wants it relative to the start script',
            'cd "$ROLL"',
        ),
        "-mindepth 2 -maxdepth 2 -type d -name 'checkpoint-*'",  # below a folder named by the time of the start
        _by_roll,
        forwards=False,
        names_are_folders=False,
    ),
}
"""Frameworks whose runs can follow one another: each reads the next one's weights from an environment variable."""


def script(family: str, starts: Sequence[Start]) -> str:
    """The launcher's text."""
    way = WAYS[family]
    out = [
        "#!/usr/bin/env bash",
        "# Written by rftconf: the stages in order, each from the last checkpoint of the one before.",
        "set -euo pipefail",
        'here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)',
        *way.needs,
        "",
        "newest() { # the last checkpoint below a run's folder",
        f'  find "$1" {way.checkpoints} | sort -V | tail -n 1',
        "}",
        "",
    ]
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        command = way.command(start)
        if following is None:
            out.append(f'{command} "$@"' if way.forwards else command)
            continue
        folder = emit_shell.word(start.folder)
        out += [
            command,
            f"latest=$(newest {folder})",
            f'[[ -n $latest ]] || {{ echo "stage {start.stage} left no checkpoint in" {folder} >&2; exit 1; }}',
            f'export {start.variable}="$latest{"/" + start.exported if start.exported else ""}"',
            "",
        ]
    return "\n".join(out) + "\n"
