"""How rftconf does on a folder of strangers' configs: what is read, what converts to each framework, and what stands in the way.

python -m benches.real_world FOLDER [--manifest FILE.jsonl] [-o RESULT.json] [--details FILE.jsonl]

Every launch script, YAML and JSON file below FOLDER is read and converted to all four frameworks, each in a time limit.
Nothing of it is executed. A file ends as exactly one of:

read         it became a plan
unreadable   exit 2, though its text carries a mark of one of the four frameworks, or the manifest calls it a config
refused      exit 3 before any target is looked at: rftconf says whose config it is, or what about it cannot be read
passed over  no mark of the four frameworks is in its text, and rftconf calls it no config either
crash, slow  an exception that is not a finding; more seconds than --limit

Converted is counted twice: of all that were read, and of those that the target's own code can run, which leaves out the
refusals that its loader or its sources show (benches/refusal_kinds.py).

A manifest has one JSON object a line: `path` (below FOLDER), `repository`, `commit`, `framework`, `kind`; lines of kind
`base` are files that configs start from, and are read with those only.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from benches.real_world_table import render_table
from benches.refusal_kinds import RefusalKind, kind_of_refusal
from rftconf.base.errors import RefusedError, RftconfError
from rftconf.base.ledger import Ledger, State
from rftconf.convert.convert import Options, convert_loaded
from rftconf.load.fork import is_nobodys
from rftconf.load.load import load
from rftconf.load.loaded import Loaded
from rftconf.mappers.paths import without_indices
from rftconf.schemas.registry import FRAMEWORKS
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

SUFFIXES = frozenset({".sh", ".bash", ".slurm", ".sbatch", ".yaml", ".yml", ".json"})
MARKS = re.compile(
    r"\bmain_(?:ppo|dapo)|\bactor_rollout_ref\b|\b(?:fsdp_)?sft_trainer(?:_ray)?\b|start_(?:rlvr|agentic|sft|dpo|distill)\w*pipeline"
    r"|^actor_train:|\btrinity run\b|^explorer_input:|^synchronizer:|^\s+(?:explorer_input|trainer_input):"
    r"|chatlearn[./]entrypoint|^runtime_args:",
    re.MULTILINE,
)
"""What only a config of the four frameworks, or of a fork of one, has in its text."""
TRANSLATED = (State.EXACT, State.DERIVED, State.DEFAULT, State.ROUNDED, State.NARROWED)
WITHOUT_COUNTERPART = (State.NO_COUNTERPART, State.EXTENSION, State.DEAD_IN_SOURCE, State.DEAD_IN_TARGET)
OPEN = (State.UNRESOLVED, State.WITHHELD)
ASSUMED_ROWS = 10_000
"""Rows of a data set where a target counts in steps and the source in epochs: no config tells them."""


class OutOfTimeError(BaseException):
    """A file took longer than the limit; no `except Exception` may swallow it."""


@dataclass
class FileResult:
    """What became of one file; `targets` maps a framework to `converted` or to the reason of the refusal."""

    path: str
    repository: str = ""
    commit: str = ""
    framework: str = ""
    """The framework that the manifest names; empty without a manifest."""
    outcome: str = ""
    reason: str = ""
    read_as: str = ""
    seconds: float = 0.0
    targets: dict[str, str] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    """Source keys by ledger state, over all conversions to other frameworks (to its own, where no other succeeded)."""
    unknown: list[str] = field(default_factory=list)
    """Keys that ended `unknown`, once a file."""
    asleep: int = 0
    """How many of the lines that ended `unknown` are of keys that the framework has, in whichever release."""


def list_files(folder: Path, manifest: Path | None) -> Iterator[FileResult]:
    """Yield the files to try, in a fixed order."""
    if manifest is None:
        for path in sorted(folder.rglob("*")):
            if path.suffix.lower() in SUFFIXES and path.is_file() and ".git" not in path.parts:
                yield FileResult(str(path.relative_to(folder)))
        return
    for line in manifest.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry.get("kind") != "base" and (folder / entry["path"]).is_file():
            yield FileResult(entry["path"], entry["repository"], entry["commit"], entry["framework"])


def try_file(folder: Path, limit_seconds: int, result: FileResult) -> FileResult:
    """Read one file and convert it to every framework; the result is filled in and returned."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(limit_seconds)
    started = time.perf_counter()
    try:
        _read_and_convert(folder / result.path, result)
    except OutOfTimeError:
        result.outcome, result.reason = "slow", f"more than {limit_seconds} s"
    except Exception as error:  # noqa: BLE001 - a crash is a figure here
        result.outcome, result.reason = "crash", f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    result.seconds = round(time.perf_counter() - started, 3)
    return result


def _read_and_convert(path: Path, result: FileResult) -> None:
    try:
        loaded = _load(path)
    except RefusedError as error:
        result.outcome, result.reason = "refused", str(error).replace(f"{path}", "FILE")
    except RftconfError as error:
        text = path.read_text(encoding="utf-8", errors="replace")
        candidate = result.framework in FRAMEWORKS or (not result.framework and MARKS.search(text) is not None)
        result.outcome = "unreadable" if candidate else "passed over"
        result.reason = str(error).replace(f"{path}", "FILE")
    else:
        result.outcome, result.read_as = "read", f"{loaded.framework} {loaded.release}"
        _convert_to_all(loaded, result)


def _load(path: Path) -> Loaded:
    """The plan of a file, as `rftconf convert FILE` reads it."""
    how = Reading()
    document = open_document(str(path), how)
    return load(document, framework=how.framework, release=how.release, rows=ASSUMED_ROWS)


def _convert_to_all(loaded: Loaded, result: FileResult) -> None:
    own = FRAMEWORKS[loaded.framework].family if loaded.framework in FRAMEWORKS else "verl"
    ledgers: dict[str, Ledger] = {}
    for target in FRAMEWORKS:
        try:
            ledgers[target] = convert_loaded(loaded, target, Options()).ledger
            result.targets[target] = "converted"
        except RftconfError as error:
            result.targets[target] = str(error)
    counted = [ledger for target, ledger in ledgers.items() if target != own] or list(ledgers.values())
    states: Counter[str] = Counter()
    for ledger in counted:
        states.update({state.value: count for state, count in ledger.counts().items()})
    result.states = dict(states)
    lines = [line for ledger in counted for line in ledger.sources if line.state is State.UNKNOWN]
    result.unknown = sorted({without_indices(line.key) for line in lines})
    names = {leaf.key: loaded.name_of(leaf) for leaf in loaded.document.leaves}
    result.asleep = sum(not is_nobodys(loaded.framework, names.get(line.key, line.key).lstrip("+~")) for line in lines)


_NUMBERS = re.compile(r"\d[\d.e+-]*")
_WORLDS = re.compile(r"(?<=the agent acts in ).*(?=, turn by turn)")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")


def shorten_reason(reason: str) -> str:
    """A reason without its place, values and numbers, so that alike ones are counted together."""
    first = reason.splitlines()[0] if reason else ""
    first = re.sub(r"^FILE(?::\d+)*: ", "", first)
    return _NUMBERS.sub("N", _QUOTED.sub("'…'", _WORLDS.sub("…", first)))[:110]


def summarize(results: list[FileResult]) -> dict[str, Any]:
    """All figures of a run, as JSON data."""
    outcomes = Counter(result.outcome for result in results)
    configs = [result for result in results if result.outcome not in ("refused", "passed over")]
    read = [result for result in configs if result.outcome == "read"]
    states = Counter[str]()
    for result in read:
        states.update(result.states)
    keys = sum(states.values())
    unknown = Counter(key for result in read for key in result.unknown)
    return {
        "files": len(results),
        "repositories": len({result.repository for result in results if result.repository}),
        "outcomes": dict(outcomes),
        "configs": len(configs),
        "read_share": _share(len(read), len(configs)),
        "targets": {target: _target_figures(read, target) for target in FRAMEWORKS},
        "read_as": dict(Counter(result.read_as for result in read).most_common()),
        "keys": {
            "occurrences": keys,
            "translated": _share(sum(states[state.value] for state in TRANSLATED), keys),
            "without_counterpart": _share(sum(states[state.value] for state in WITHOUT_COUNTERPART), keys),
            "open": _share(sum(states[state.value] for state in OPEN), keys),
            "unknown": _share(states[State.UNKNOWN.value], keys),
            "unknown_of_the_framework": _share(sum(result.asleep for result in read), keys),
            "unknown_to_everybody": _share(states[State.UNKNOWN.value] - sum(result.asleep for result in read), keys),
            "most_often_unknown": dict(unknown.most_common(30)),
        },
        "unreadable_by_reason": _reasons(result.reason for result in configs if result.outcome != "read"),
        "refused_whole_by_reason": _reasons(result.reason for result in results if result.outcome == "refused"),
        "passed_over_by_reason": _reasons(result.reason for result in results if result.outcome == "passed over"),
        "seconds": round(sum(result.seconds for result in results), 1),
        "slowest": {r.path: r.seconds for r in sorted(results, key=lambda r: -r.seconds)[:3]},
    }


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _reasons(reasons: Iterable[str]) -> dict[str, int]:
    return dict(Counter(map(shorten_reason, reasons)).most_common())


def _target_figures(read: list[FileResult], target: str) -> dict[str, Any]:
    """What a target took: of all that was read, and of what its own code can run."""
    refused = [result.targets[target] for result in read if result.targets.get(target) != "converted"]
    by_kind: dict[RefusalKind, list[str]] = {kind: [] for kind in RefusalKind}
    for sentence in refused:
        by_kind[kind_of_refusal(sentence, target)].append(sentence)
    converted, holds = len(read) - len(refused), len(read) - len(by_kind[RefusalKind.TARGET])
    return {
        "converted": converted,
        "of": len(read),
        "share": _share(converted, len(read)),
        "target_can_hold": holds,
        "share_of_those": _share(converted, holds),
        "refused": {kind.name.lower(): _reasons(sentences) for kind, sentences in by_kind.items() if sentences},
    }


def main() -> None:
    """Try every file, print the table, write what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--manifest", type=Path, help="JSON lines that say which files are meant, and what they are")
    parser.add_argument("-o", "--output", type=Path, help="write the figures there, as JSON")
    parser.add_argument("--details", type=Path, help="write what became of each file there, as JSON lines")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=int, default=60, help="seconds for one file and its conversions")
    args = parser.parse_args()
    if not args.folder.is_dir():
        parser.error(f"{args.folder} is no folder")
    files = list(list_files(args.folder, args.manifest))
    if not files:
        parser.error(f"there is no script, YAML or JSON file in {args.folder}")
    with ProcessPoolExecutor(args.jobs) as pool:
        results = list(pool.map(partial(try_file, args.folder, args.limit), files, chunksize=4))
    figures = summarize(results)
    sys.stdout.write(render_table(figures))
    if args.details:
        rows = (json.dumps(asdict(result), ensure_ascii=False) + "\n" for result in results)
        args.details.write_text("".join(rows), encoding="utf-8")
    if args.output:
        stamp = {
            "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
            "python": platform.python_version(),
        }
        args.output.write_text(json.dumps(stamp | figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
