"""`python -m rftconf_runner plan.json --out FOLDER`: execute a plan as `rftconf plan --json` prints it."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from rftconf.plan.model import Plan
from rftconf_runner.harmless import validates
from rftconf_runner.job import job_of
from rftconf_runner.refusals import refusals


def main() -> int:
    """0 done, 1 stopped by a gate or a bad reward, 2 a plan that is not executed as it is."""
    parser = argparse.ArgumentParser(prog="python -m rftconf_runner", description=__doc__)
    parser.add_argument("plan", type=Path, help="what `rftconf plan --json` printed")
    parser.add_argument("--out", type=Path, required=True, help="folder for metrics and checkpoints")
    parser.add_argument("--address", help="an existing Ray cluster; a local one when absent")
    parser.add_argument(
        "--reward", metavar="FILE:FUNCTION", help="the reward function, where the config has no place for one"
    )
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint in the folder")
    parser.add_argument("--dry-run", action="store_true", help="say what would be executed, and stop")
    asked = parser.parse_args()
    try:
        plan = _plan(asked.plan)
    except (OSError, ValueError) as error:  # also what pydantic and json raise
        print(f"{asked.plan}: not a plan: {error}", file=sys.stderr)
        return 2
    if asked.reward:
        _with_reward(plan, asked.reward)
    refused = refusals(plan)
    for one in refused:
        print(f"{one.path}: {one.why}", file=sys.stderr)
    if refused:
        return 2
    try:
        job = job_of(plan)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{job.rollouts} periods of {job.prompts} x {job.responses} sequences, updates of {job.update}, "
          f"{job.ranks} trainer ranks, {job.engines} engines, {job.dtype}")  # fmt: skip
    if validates(plan.stages[0]):
        print("left out: validation, which the runner does not do yet")
    return 0 if asked.dry_run else _run(plan, asked.out, asked.address, resume=asked.resume)


def _interrupts() -> Callable[[], bool]:
    """The first interrupt is remembered, so that a period can end and be saved; the second is one."""
    seen: list[int] = []

    def interrupted(number: int, _: object) -> None:
        seen.append(number)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        print("stopping after this period; once more to stop at once", file=sys.stderr, flush=True)

    signal.signal(signal.SIGINT, interrupted)
    return lambda: bool(seen)


def _with_reward(plan: Plan, told: str) -> None:
    path, _, name = told.rpartition(":")
    for stage in plan.stages:
        stage.reward.function_path, stage.reward.function_name = path or name, name if path else "compute_score"
        for one in stage.data.train:  # what names the target's own classes for the same
            one.workflow, one.reward = None, None


def _plan(file: Path) -> Plan:
    data = json.loads(file.read_text(encoding="utf-8"))
    return Plan.model_validate(data.get("plan", data) if isinstance(data, dict) else data)


def _run(plan: Plan, folder: Path, address: str | None, *, resume: bool) -> int:
    import ray

    from rftconf_runner import checkpoint
    from rftconf_runner.driver import train
    from rftconf_runner.gates import GateError
    from rftconf_runner.reward import BadRewardError

    folder.mkdir(parents=True, exist_ok=True)
    kept, text = folder / "plan.json", plan.model_dump_json(indent=1)
    if resume and kept.exists() and kept.read_text(encoding="utf-8") != text:
        print(f"{kept} is another plan than this one; --resume goes on with the same", file=sys.stderr)
        return 2
    if not resume and any(folder.glob("step-*")):
        print(
            f"{folder} holds checkpoints of another run: --resume goes on with it, or name another folder",
            file=sys.stderr,
        )
        return 2
    kept.write_text(text, encoding="utf-8")
    try:
        start = checkpoint.newest(folder) if resume else None
    except checkpoint.CheckpointError as error:
        print(error, file=sys.stderr)
        return 1
    if start:
        print(f"going on from {start}")
    ray.init(address=address, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        train(job_of(plan), folder, start, _interrupts())
    except (GateError, BadRewardError, ValueError) as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 1
    finally:
        ray.shutdown()
    return 0


sys.exit(main())
