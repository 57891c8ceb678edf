"""Checkpoints: a whole folder or none, with a digest of every file, that a run can go on from."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rftconf_runner import disk

if TYPE_CHECKING:
    from rftconf_runner.drawing import Waiting

DIGESTS, STATE = "digests.json", "run.json"
PARTIAL, GONE = ".partial", "gone-"
"""End of the name of a checkpoint that is being written, beginning of that of one that is being deleted."""
FULL_BYTES = 1 << 20
"""Less free than this is a full disk."""
_PART = 1 << 20
"""Bytes of a file that are read at once."""
CRITIC = "critic"
"""The critic's folder within a checkpoint."""


class CheckpointError(RuntimeError):
    """A checkpoint that is not what was written, or of another run."""


@dataclass(frozen=True, slots=True)
class State:
    """A run's progress: periods done, the coefficient of an adaptive KL penalty, prompts drawn, answers drawn ahead."""

    period: int
    kl_coef: float
    drawn: int
    waiting: Sequence[Waiting] = ()


def save(folder: Path, state: State, write: Callable[[Path], None]) -> None:
    """Write a checkpoint with `write`; the folder gets its final name only when it is whole and on the disk."""
    beside = folder.with_suffix(PARTIAL)
    shutil.rmtree(beside, ignore_errors=True)
    try:
        _write(beside, state, write)
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
        disk.to_disk(folder.parent)
    except OSError as error:
        reason = _reason(beside, error)
        shutil.rmtree(beside, ignore_errors=True)
        raise CheckpointError(f"cannot write {folder}: {reason}") from error


def _reason(beside: Path, error: OSError) -> str:
    """Return the reason in words why writing failed. Libraries that write tensors do not report that a disk is full."""
    full = shutil.disk_usage(beside.parent).free < FULL_BYTES
    return "no space left on the disk" if full else str(error.strerror or error)


def _write(beside: Path, state: State, write: Callable[[Path], None]) -> None:
    beside.mkdir(parents=True)
    write(beside)
    (beside / STATE).write_text(json.dumps(asdict(state)), encoding="utf-8")
    inside = sorted(beside.rglob("*"))
    digests = {str(path.relative_to(beside)): _digest(path) for path in inside if path.is_file()}
    (beside / DIGESTS).write_text(json.dumps(digests), encoding="utf-8")
    for path in (*inside, beside / DIGESTS, beside):
        disk.to_disk(path)


def name(run: Path, period: int) -> Path:
    """The folder of the checkpoint after a period."""
    return run / f"step-{period:06d}"


def newest(run: Path) -> Path | None:
    """The last whole checkpoint of a run. Raises CheckpointError where a file of it is not what was written."""
    path = newest_name(run)
    if path is not None:
        _verify(path)
    return path


def newest_name(run: Path) -> Path | None:
    """The folder of a run's last checkpoint, whose files are not verified; None where there is none."""
    return next(reversed(_whole(run)), None)


def keep_last(run: Path, keep: int) -> None:
    """Delete all but the last `keep` checkpoints, none where that is 0 or less. Each has another name before anything of it
    goes. To be called when the newest is on the disk, as `save` leaves it. Raises CheckpointError where one cannot go."""
    for folder in _whole(run)[:-keep] if keep > 0 else ():
        removed = run / f"{GONE}{folder.name}"
        shutil.rmtree(removed, ignore_errors=True)
        try:
            folder.rename(removed)
            disk.to_disk(run)
        except OSError as error:
            raise CheckpointError(f"cannot delete {folder}: {error.strerror or error}") from error
        shutil.rmtree(removed, ignore_errors=True)


def clean(run: Path) -> None:
    """Remove what a kill left half written or half deleted."""
    for folder in (*run.glob(f"step-*{PARTIAL}"), *run.glob(f"{GONE}step-*")):
        shutil.rmtree(folder, ignore_errors=True)


def _whole(run: Path) -> list[Path]:
    """Checkpoints under their final names, the last period's last."""
    paths = [path for path in run.glob("step-*") if re.fullmatch(r"step-\d+", path.name)]
    return sorted(paths, key=lambda path: int(path.name.removeprefix("step-")))


def state_of(folder: Path) -> State:
    """Return the progress of the run at which the checkpoint was written."""
    return State(**json.loads((folder / STATE).read_text(encoding="utf-8")))


def _verify(folder: Path) -> None:
    try:
        recorded = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
        bad = [file for file, digest in recorded.items() if _digest(folder / file) != digest]
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{folder}: {error}") from error
    if bad:
        raise CheckpointError(
            f"{folder / bad[0]} is not what was written; remove {folder.name} to go on from the one before"
        )


def _digest(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while part := opened.read(_PART):
            digest.update(part)
    return digest.hexdigest()
