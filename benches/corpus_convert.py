"""Converting a folder of real configs in one process, beside OmegaConf loading the same files and nothing more.

python -m benches.corpus_convert ../shared/corpus [--save]

Every config goes to one other framework (veRL's to Trinity-RFT, all others to veRL): read, recognised, understood,
converted, rendered, with the ledger. YAML files are loaded by `OmegaConf.load`; launches of veRL, recorded as their
arguments in JSON lines, by `OmegaConf.from_dotlist`. File by file both take turns, so that a busy machine slows both
alike; times are CPU times of this process, catalogues and tables that the first files load included.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf
from omegaconf.errors import OmegaConfBaseException

from rftconf.base.errors import RftconfError
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source

RESULTS = Path(__file__).parent / "results"
GOAL = 1.0
"""Of the time that OmegaConf takes."""


@dataclass
class Tally:
    """Seconds, and what came of the configs."""

    ours: float = 0.0
    theirs: float = 0.0
    converted: int = 0
    refused: int = 0
    not_loaded: int = 0
    slowest: list[tuple[float, str]] = field(default_factory=list)

    def row(self) -> dict[str, Any]:
        """As JSON data."""
        count = self.converted + self.refused
        return {
            "configs": count,
            "converted": self.converted,
            "refused": self.refused,
            "not_loaded_by_omegaconf": self.not_loaded,
            "configs_per_second": round(count / self.ours, 1),
            "omegaconf_per_second": round(count / self.theirs, 1),
            "rftconf_over_omegaconf": round(self.ours / self.theirs, 3),
        }


def _beside(file: Path) -> dict[str, str]:
    """The files that a config may name; read before the clock runs, as OmegaConf reads none of them."""
    return {str(path): open_source(path).text for path in sorted(file.parent.glob("*.yaml")) if path != file}


def cases(corpus: Path) -> Iterator[tuple[str, str, Callable[[], object], Callable[[], object]]]:
    """Framework, name, our conversion and OmegaConf's loading of each config."""
    for framework in ("trinity", "roll", "chatlearn"):
        for file in sorted((corpus / framework).rglob("*.yaml")):
            options = ReadOptions(sources=_beside(file) if framework == "roll" else {})

            def ours(file: Path = file, options: ReadOptions = options) -> object:
                return convert(read(open_source(file), options), "verl").text

            def theirs(file: Path = file) -> object:
                return OmegaConf.load(file)

            yield framework, file.name, ours, theirs
    for file in sorted((corpus / "verl_argv").glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            words = case["overrides"]
            text = "\n".join(word for word in words if not word.startswith("--")) + "\n"
            plain = [word.lstrip("+") for word in words if not word.startswith(("-", "~"))]

            def ours_too(text: str = text) -> object:
                return convert(read(Source("run.overrides", text)), "trinity", framework="verl").text

            def theirs_too(plain: list[str] = plain) -> object:
                return OmegaConf.from_dotlist(plain)

            yield "verl", f"{file.stem}:{case['id']}", ours_too, theirs_too


def measure(corpus: Path) -> dict[str, Tally]:
    """Every config once, both in turn."""
    tallies: dict[str, Tally] = {}
    for framework, name, ours, theirs in cases(corpus):
        tally = tallies.setdefault(framework, Tally())
        start = time.process_time()
        try:
            ours()
            tally.converted += 1
        except RftconfError:
            tally.refused += 1
        taken = time.process_time() - start
        tally.ours += taken
        tally.slowest = sorted([*tally.slowest, (taken, name)], reverse=True)[:3]
        start = time.process_time()
        try:
            theirs()
        except (OmegaConfBaseException, ValueError):
            tally.not_loaded += 1
        tally.theirs += time.process_time() - start
    return tallies


def result(tallies: dict[str, Tally]) -> dict[str, Any]:
    """All figures, with what they were measured on."""
    whole = Tally()
    for tally in tallies.values():
        for name in ("ours", "theirs", "converted", "refused", "not_loaded"):
            setattr(whole, name, getattr(whole, name) + getattr(tally, name))
    return {
        "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 2),
        "goal": GOAL,
        "all": whole.row(),
        **{framework: tally.row() for framework, tally in sorted(tallies.items())},
    }


def main() -> None:
    """Print the figures as JSON; `--save` also keeps them by date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--save", action="store_true", help="also write benches/results/corpus_convert_DATE.json")
    args = parser.parse_args()
    gc.set_threshold(200_000, 20, 100)  # as the command does; it serves OmegaConf as well
    tallies = measure(args.corpus)
    data = result(tallies)
    print(json.dumps(data, indent=1))
    for framework, tally in tallies.items():
        print(framework, *(f"{taken * 1e3:.0f} ms {name}" for taken, name in tally.slowest), sep="; ")
    if args.save:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"corpus_convert_{data['date']}.json").write_text(
            json.dumps(data, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
