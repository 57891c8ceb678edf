"""How far what rftconf writes comes: `python -m tests.conformance.started [--thin N] [--all-releases] [--to NAME]... [--from NAME]...`.

Every Nth config of each corpus, converted and put before the start judges of the newest releases: loaded by the target's
own loader, started (all that runs between the loader and the first step), and the same plan when it is read back. What
did not come there stands beside it by reason. `--strangers FOLDER --manifest FILE.jsonl --count N` takes N strangers'
configs below FOLDER instead. Exit 1 where something is wrong; `--runs` remembers outcomes and goes on from there. The
newest results are on docs/conformance.md (scripts/conformance_page.py).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import open_source
from tests.conformance.environment import PARSED_TARGETS, TARGETS, newest_targets
from tests.conformance.outcomes import ACCEPTED, ANOTHER_PLAN, OPEN, REFUSED_HERE, REJECTED, UNREAD, WRONG
from tests.conformance.runs import Run, run_all, wanted
from tests.conformance.sources import sources
from tests.corpus import Real

LOADING = ("import", "compose", "resolve", "keys", "parse", "load")
"""Stages of a judge that its framework's loader has: what stops there was not loaded."""
LONGEST_REASON = 400
AWAITED = re.compile(r'\$\{?(\w+)\}?"? == "?(\w+)')
"""A variable, and the value with which a script starts something."""


def loaded(run: Run) -> bool:
    """Whether the target's loader took what was written."""
    return run.kind in (ACCEPTED, ANOTHER_PLAN) or (run.kind == REJECTED and run.why.partition(":")[0] not in LOADING)


def figures(runs: list[Run]) -> dict[str, dict[str, object]]:
    """Target to its counts, and the reasons of what did not start."""
    values: dict[str, dict[str, object]] = {}
    for target in dict.fromkeys(run.target for run in runs):
        these = [run for run in runs if run.target == target]
        kinds = Counter(run.kind for run in these)
        judged = [run for run in these if run.kind in (ACCEPTED, ANOTHER_PLAN, REJECTED)]
        wrong = [run for run in these if run.kind in WRONG and run.kind != OPEN]
        values[target] = {
            "configs": len(these),
            "judged": len(judged),
            "loaded": sum(map(loaded, judged)),
            "started": kinds[ACCEPTED] + kinds[ANOTHER_PLAN],
            "same plan": kinds[ACCEPTED],
            "refused": kinds[REFUSED_HERE],
            "unreadable": kinds[UNREAD],
            "undecided": kinds[OPEN],
            "wrong": len(wrong),
            "reasons": dict(
                Counter(f"{run.kind}: {run.reason}" for run in these if run.kind != ACCEPTED).most_common()
            ),
            "wrong cases": {f"{run.corpus}/{run.name}": f"{run.kind}: {run.why}" for run in wrong},
        }
    return values


COLUMNS = ("configs", "judged", "loaded", "started", "same plan", "refused", "unreadable", "undecided", "wrong")


def strangers(folder: Path, manifest: Path, count: int) -> dict[str, list[Real]]:
    """`count` configs of the manifest, evenly spread over it, by the framework that rftconf takes them for."""
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    files = [folder / line["path"] for line in lines if line.get("kind", "config") != "base"]
    files = [file for file in files if file.is_file()]
    values: dict[str, list[Real]] = {}
    for index in range(min(count, len(files))):
        file = files[index * len(files) // min(count, len(files))]
        framework = taken_for(file)
        real = Real(
            str(file.relative_to(folder)), framework, "", file.suffix, file.read_text(errors="replace"), file=file
        )
        values.setdefault(f"strangers' {framework or 'unread'} configs", []).append(real)
    return values


def taken_for(file: Path, bindings: Mapping[str, str] | None = None) -> str:
    """The framework of a config, or an empty text where it is not read; a variable that its launch waits for has the value it waits for."""
    try:
        return load(read(open_source(str(file)), ReadOptions(bindings=dict(bindings or {})))).framework
    except Exception as error:  # noqa: BLE001 - what reading it comes to is measured by `run_all`
        waits_for = dict(AWAITED.findall(str(error)))
        return taken_for(file, waits_for) if waits_for and bindings is None else ""


def thinned(corpora: dict[str, list[Real]], every: int, words: Iterable[str]) -> dict[str, list[Real]]:
    """Return every `every`th config of the corpora whose names begin so."""
    return {name: reals[::every] for name, reals in corpora.items() if wanted(name, words)}


def shown(values: dict[str, dict[str, object]]) -> Iterator[str]:
    """The table as lines, each wrong case below it."""
    for target, row in values.items():
        yield f"{target:<28}" + ", ".join(f"{row[column]} {column}" for column in COLUMNS)
        assert isinstance(row["wrong cases"], dict)
        for name, why in row["wrong cases"].items():
            yield f"    {name}: {why[:LONGEST_REASON]}"


def main() -> None:
    """Command line: what is converted, to what, and where figures and page go."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--thin", type=int, default=1, help="every how many configs of each corpus")
    parser.add_argument("--all-releases", action="store_true", help="not the newest release of each framework alone")
    parser.add_argument("--to", action="append", default=[], help="beginning of a target's name, as `verl 0.9`")
    parser.add_argument("--from", dest="of", action="append", default=[], help="beginning of a corpus's name")
    parser.add_argument("--strangers", type=Path, help="a folder of strangers' configs, in place of the corpora")
    parser.add_argument("--manifest", type=Path, help="which files below that folder, one JSON object a line")
    parser.add_argument("--count", type=int, default=40, help="how many of them")
    parser.add_argument("--runs", type=Path, help="each outcome, one JSON object a line; goes on from there")
    parser.add_argument("-o", "--output", type=Path, help="where the figures go, as JSON")
    args = parser.parse_args()
    known = (*TARGETS, *PARSED_TARGETS) if args.all_releases else newest_targets()
    targets = [target for target in known if wanted(str(target), args.to)]
    if args.strangers:
        corpora = strangers(args.strangers, args.manifest, args.count)
        what = f"{args.count} strangers' configs"
    else:
        corpora = thinned(sources(), args.thin, args.of)
        what = f"every {args.thin}. config of each corpus" if args.thin > 1 else "every config of each corpus"
    begun = time.monotonic()
    os.environ["RFTCONF_STARTS"] = "1"
    runs = list(run_all(targets, corpora, args.runs))
    values = figures(runs)
    print("\n".join(shown(values)))
    print(f"{len(runs)} conversions in {time.monotonic() - begun:.0f} s")
    date = time.strftime("%Y-%m-%d")
    if args.output:
        text = json.dumps({"date": date, "what": what, "figures": values}, indent=1)
        # reasons name files: by where they lie below these folders, not by where the folders lie
        text = text.replace(os.environ.get("RFTCONF_CONFORMANCE_DIR") or ".conformance", ".conformance")
        args.output.write_text((text.replace(f"{args.strangers}/", "") if args.strangers else text) + "\n")
    sys.exit(any(row["wrong"] for row in values.values()))


if __name__ == "__main__":
    main()
