"""Talking to a judge: one process per target, started when first asked, kept for all further cases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from tests.conformance.environment import JUDGES, ROOT, Target, folder


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a framework said. `config` is what it resolved; `notes` what the judge had to replace."""

    ok: bool
    stage: str
    error: str
    notes: tuple[str, ...]
    config: Any

    def __str__(self) -> str:
        """`accepted`, or the stage it came to and the framework's own words."""
        return "accepted" if self.ok else f"refused at {self.stage}: {self.error}"


def command(target: Target) -> list[str]:
    """The judge's command line."""
    program = JUDGES / f"{target.framework}_judge.py"
    return [str(folder() / "venv" / "bin" / "python"), str(program), target.release, *filter(None, [target.beside])]


def surroundings(target: Target) -> dict[str, str]:
    """The judge's environment: nothing of ours but PATH and HOME, no hub, the packages of this target only."""
    releases = [str(folder() / "releases" / package) for package in target.packages]
    saved = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    return saved | {
        "PYTHONPATH": os.pathsep.join([str(JUDGES), str(ROOT / "scripts"), *releases]),
        "RFTCONF_TINY_MODEL": str(folder() / "tiny_model"),
        "RFTCONF_JUDGE_TRACEBACK": os.environ.get("RFTCONF_JUDGE_TRACEBACK", ""),
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_VERBOSITY": "error",
        "TOKENIZERS_PARALLELISM": "false",
        "HYDRA_FULL_ERROR": "1",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
        "OMP_NUM_THREADS": "1",
    }


class Judge:
    """A running judge; `close` ends it. Its stderr goes to `judge-<target>.log` in the environment's folder."""

    def __init__(self, target: Target) -> None:
        name = str(target).replace(" ", "-")
        self.log = folder() / f"judge-{name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command(target),
                env=surroundings(target),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        if not self._answer().get("ready"):
            raise RuntimeError(f"judge {target} did not start: see {self.log}")

    def _answer(self) -> dict[str, Any]:
        line = cast("IO[str]", self.process.stdout).readline()
        if not line:
            raise RuntimeError(f"the judge ended: see {self.log}")
        return cast("dict[str, Any]", json.loads(line))

    def ask(self, case: dict[str, Any]) -> Verdict:
        """The verdict on one case: `overrides` for veRL, `file` for Trinity."""
        stdin = cast("IO[str]", self.process.stdin)
        stdin.write(json.dumps({"id": "case", **case}) + "\n")
        stdin.flush()
        reply = self._answer()
        error = f"{reply.get('type', '')}: {reply.get('error', '')}"
        return Verdict(reply["ok"], reply["stage"], error, tuple(reply["notes"]), reply.get("config"))

    def close(self) -> None:
        """End the process and wait for it."""
        cast("IO[str]", self.process.stdin).close()
        cast("IO[str]", self.process.stdout).close()
        self.process.wait(timeout=60)


class Bench:
    """All judges of a test session."""

    def __init__(self) -> None:
        self.judges: dict[Target, Judge] = {}

    def ask(self, target: Target, case: dict[str, Any]) -> Verdict:
        """Ask the judge of `target`, starting it if this is its first case."""
        if target not in self.judges:
            self.judges[target] = Judge(target)
        return self.judges[target].ask(case)

    def close(self) -> None:
        """End every judge that was started."""
        for judge in self.judges.values():
            judge.close()


def main() -> None:
    """By hand: `python -m tests.conformance.judging FRAMEWORK RELEASE[+VERL] FILE.jsonl`."""
    framework, releases, file = sys.argv[1:4]
    release, _, beside = releases.partition("+")
    judge = Judge(Target(framework, release, beside))
    accepted = total = 0
    for line in Path(file).read_text().splitlines():
        case = json.loads(line)
        verdict = judge.ask(case)
        total, accepted = total + 1, accepted + verdict.ok
        if not verdict.ok:
            sys.stdout.write(f"{case['id']}: {str(verdict)[:300]}\n")
    judge.close()
    sys.stdout.write(f"{accepted}/{total} accepted\n")


if __name__ == "__main__":
    main()
