"""What real bash starts when every program is a stub that writes its arguments down. For trusted scripts only."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

BASH = "/bin/bash"
RECORDING = (
    "python", "python3", "python3.11", "torchrun", "accelerate", "deepspeed", "ray", "uv", "nohup", "env", "srun",
    "timeout", "mpirun", "numactl", "conda", "sudo",
)  # fmt: skip
# `python3 -c` fails, as it does where the module it asks for is not installed.
STUB = """#!/bin/bash
[ "$1" = "-c" ] && exit 1
{ printf '%s\\0' "${0##*/}" "$@"; printf '\\n\\0'; } >> "$RFTCONF_RECORD"
exit 0
"""
QUIET = """
command_not_found_handle() { return 0; }
source() { if [ -f "$1" ]; then builtin source "$@"; fi; }
basename() { local p=${1%/}; echo "${p##*/}"; }
dirname() { case $1 in */*) echo "${1%/*}" ;; *) echo . ;; esac; }
cat() { local line; [ $# -gt 0 ] || while IFS= read -r line || [ -n "$line" ]; do printf '%s\\n' "$line"; done; }
kill() { :; }
ulimit() { :; }
"""
CLUSTER = {
    "RANK": "0", "WORLD_SIZE": "1", "NNODES": "1", "NODE_RANK": "0", "SLURM_JOB_NUM_NODES": "1", "HDFS_ROOT": "/tmp",
    "MASTER_ADDR": "127.0.0.1", "SLURM_JOB_ID": "1", "DATA_ROOT": "/tmp",
}  # fmt: skip
PYTHON = re.compile(r"(?:.*/)?python[\d.]*").fullmatch


@dataclass(frozen=True)
class Run:
    """Arguments of every recorded program, in order, and the environment that was given."""

    records: list[list[str]]
    environment: dict[str, str]
    status: int | None


class Oracle:
    """A folder of stubs, a home and a working directory, made once and thrown away."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="shell-oracle-")
        self.root = Path(self._folder.name)
        for name in ("bin", "home", "work"):
            (self.root / name).mkdir()
        for name in RECORDING:
            stub = self.root / "bin" / name
            stub.write_text(STUB)
            stub.chmod(0o755)
        (self.root / "bin" / "bash").symlink_to(BASH)
        (self.root / "quiet").write_text(QUIET)

    def environment(self, extra: dict[str, str] | None = None) -> dict[str, str]:
        """What the script may see of the machine: nothing but this."""
        base = {"PATH": str(self.root / "bin"), "HOME": str(self.root / "home"), "LANG": "C.UTF-8"}
        return {**base, **(extra or {})}

    def provide(self, folder: Path) -> None:
        """Put files that the folder's scripts source into the working directory."""
        for path in folder.glob("*.inc"):
            (self.root / "work" / path.name).write_bytes(path.read_bytes())

    def run(self, script: Path, args: tuple[str, ...] = (), extra: dict[str, str] | None = None) -> Run:
        """Run `script` and collect what it started; `status` is None when it took too long."""
        record = self.root / "record"
        record.write_bytes(b"")
        environment = self.environment(extra)
        hidden = {"RFTCONF_RECORD": str(record), "BASH_ENV": str(self.root / "quiet")}
        try:
            done = subprocess.run(
                [BASH, str(script.resolve()), *args], cwd=self.root / "work", env={**environment, **hidden},
                stdin=subprocess.DEVNULL, capture_output=True, timeout=10, check=False,
            )  # fmt: skip
            status: int | None = done.returncode
        except subprocess.TimeoutExpired:
            status = None
        known = {**environment, "PWD": str(self.root / "work")}
        del known["PATH"]
        return Run(parse(record.read_bytes().decode(errors="surrogateescape")), known, status)

    def close(self) -> None:
        """Remove everything."""
        self._folder.cleanup()


def parse(text: str) -> list[list[str]]:
    """The records that the stubs wrote."""
    return [record.split("\0")[:-1] for record in text.split("\n\0") if record]


def starts_program(argv: list[str]) -> int:
    """Index of the module or file that a recorded command runs; -1 when it runs none."""
    for index, word in enumerate(argv[:-1]):
        if word == "-m" and (any(map(PYTHON, argv[:index])) or argv[0] in ("torchrun", "accelerate")):
            return index + 1
    for index, word in enumerate(argv):
        if index and word.endswith(".py") and "=" not in word:
            return index
    return -1
