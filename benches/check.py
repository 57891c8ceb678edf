"""`rftconf check` beside check-jsonschema and PyYAML's C loader, in one run on one machine; ratios are what counts.

python -m benches.check --check-jsonschema ../peers/bin/check-jsonschema [--corpus ../shared/corpus/trinity] [--save]

Times are CPU times [ms] of whole processes, the fastest of some runs, ours and the peer's in turn; what several processes
work on together is also given by the clock. The peer wants an environment of its own (its click is newer than ours).
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from rftconf.lint.key_help import framework_schema
from rftconf.lint.rule import trinity
from tests.lint.bases import as_yaml

ROOT = Path(__file__).resolve().parents[1]
LOOP = 10
"""Files that check-jsonschema is started on one by one; the rest is extrapolated."""
PARTS = """
import gc, json, sys, time
gc.set_threshold(200_000, 20, 100)
laps, last = {}, time.process_time()
laps["interpreter"] = last
def lap(name):
    global last
    now = time.process_time(); laps[name] = now - last; last = now
import rftconf.cli.app, rftconf.verbs.check_project, rftconf.cli.commands.check, rftconf.text.read.read_yaml
lap("imports")
import yaml._yaml
lap("import of PyYAML")
from rftconf.lint import engine, key_checks, recognise_config, registry
from rftconf.lint.subject import Cluster, subjects
from rftconf.text.read.read import read
from rftconf.text.source import open_source
rules = registry.rules_for("trinity")
lap("import of rules")
document = read(open_source(sys.argv[1]))
lap("parse")
best = recognise_config.recognised(document, None, None)
lap("catalogues and guess")
key_checks.check(document, None, None)
lap("keys and values")
found = list(subjects(document, best, Cluster()))
lap("tables and plan")
[list(rule.find(found[0])) for rule in rules if engine.applies(rule, best)]
lap("rules")
print(json.dumps(laps))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a process took, in milliseconds."""

    cpu: float
    wall: float


def cost_of(command: list[str], env: dict[str, str], fine: tuple[int, ...] = (0,)) -> Cost:
    """One run. Raises CalledProcessError when it ends with a code that is not `fine`: a crash is no measurement."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False, cwd=ROOT, env=env)
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - start
    if done.returncode not in fine:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(cpu * 1e3, wall * 1e3)


def in_turn(commands: dict[str, list[str]], rounds: int, env: dict[str, str]) -> dict[str, float]:
    """CPU time of each command, the least of `rounds`; one round more fills caches."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for index in range(rounds + 1):
        for name, command in commands.items():
            cpu = cost_of(command, env).cpu
            if index:
                times[name].append(cpu)
    return {name: round(min(costs), 1) for name, costs in times.items()}


def cold(folder: Path, peer: str, rounds: int, env: dict[str, str]) -> dict[str, object]:
    """One YAML file, a new process each time, and where the time goes."""
    file, schema, empty = folder / "one.yaml", folder / "schema.json", folder / "empty.json"
    file.write_text(as_yaml(trinity()))
    schema.write_text(json.dumps(framework_schema("trinity")))
    empty.write_text('{"type": "object"}')
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "check": [sys.executable, "-m", "rftconf", "check", str(file)],
        "check, framework named": [
            *(sys.executable, "-m", "rftconf", "check", str(file), "--from", "trinity", "--from-release", "0.6.0"),
        ],
        "check-jsonschema": [peer, "--schemafile", str(schema), str(file)],
        "check-jsonschema, empty schema": [peer, "--schemafile", str(empty), str(file)],
    }
    costs = in_turn(commands, rounds, env)
    laps = [
        json.loads(
            subprocess.run([sys.executable, "-c", PARTS, str(file)], capture_output=True, check=True, env=env).stdout
        )
        for _ in range(rounds)
    ]
    return {
        "cpu_ms": costs,
        "check over check-jsonschema": round(costs["check"] / costs["check-jsonschema"], 3),
        "check over check-jsonschema, empty schema": round(costs["check"] / costs["check-jsonschema, empty schema"], 3),
        "parts_cpu_ms": {name: round(min(lap[name] for lap in laps) * 1e3, 1) for name in laps[0]},
    }


def texts_of(corpus: Path | None, count: int) -> list[str]:
    """`count` texts that differ: one config under many names, or real ones in turn."""
    if corpus is None:
        base = as_yaml(trinity())
        return [base.replace("name: first", f"name: run{number}") for number in range(count)]
    files = sorted(corpus.rglob("*.yaml"))
    return [f"# {number}\n{file.read_text()}" for number, file in enumerate(islice(cycle(files), count))]


def many(folder: Path, peer: str, count: int, corpus: Path | None, env: dict[str, str]) -> dict[str, object]:
    """Many files in one run, cache off."""
    texts = folder / ("many" if corpus is None else "real")
    texts.mkdir()
    for number, text in enumerate(texts_of(corpus, count)):
        (texts / f"{number:04}.yaml").write_text(text)
    files = sorted(texts.glob("*.yaml"))
    load = (
        "import sys, yaml\nfor f in sys.argv[1:]: yaml.load(open(f, encoding='utf-8').read(), Loader=yaml.CSafeLoader)"
    )
    command = [sys.executable, "-m", "rftconf", "check", str(texts), "-q", "--exit-zero"]
    costs_by_name: dict[str, list[Cost]] = {}
    idle = in_turn({"yaml": [sys.executable, "-c", "import yaml"]}, 3, env)["yaml"]
    for _ in range(3):
        for name, line in {
            "C loader": [sys.executable, "-c", load, *map(str, files)],
            "check, one process": [*command, "--jobs", "1"],
            "check": command,
        }.items():
            costs_by_name.setdefault(name, []).append(cost_of(line, env, fine=(0, 2)))
    best = {name: Cost(min(c.cpu for c in costs), min(c.wall for c in costs)) for name, costs in costs_by_name.items()}
    loader = Cost(best["C loader"].cpu - idle, best["C loader"].wall - idle)
    schema = folder / "schema.json"
    loop = [cost_of([peer, "--schemafile", str(schema), str(f)], env, fine=(0, 1)) for f in files[:LOOP]]
    whole = sum(c.wall for c in loop) * count / LOOP
    return {
        "files": count,
        "characters": sum(len(file.read_text()) for file in files),
        "cpu_ms": {"C loader": round(loader.cpu, 1)} | {n: round(c.cpu, 1) for n, c in best.items() if n != "C loader"},
        "wall_ms": {n: round(c.wall, 1) for n, c in best.items()} | {"loop over check-jsonschema": round(whole)},
        "cpu of one process over C loader": round(best["check, one process"].cpu / loader.cpu, 2),
        "wall over C loader": round(best["check"].wall / loader.wall, 2),
        "faster than the loop": round(whole / best["check"].wall, 1),
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check-jsonschema", default="check-jsonschema")
    parser.add_argument("--corpus", type=Path, help="a folder of real configs, checked as well")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--save", action="store_true", help="also write benches/results/check_DATE.json")
    args = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        # compiled once, as installing a package does, whatever the environment says
        env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
        data = {
            "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
            "python": platform.python_version(),
            "PyYAML": yaml.__version__,
            "cpus": os.cpu_count(),
            "load": round(os.getloadavg()[0], 2),
            "cold": cold(folder, args.check_jsonschema, args.rounds, env),
            "one config under many names": many(folder, args.check_jsonschema, args.files, None, env),
        }
        if args.corpus is not None:
            data["real configs"] = many(folder, args.check_jsonschema, args.files, args.corpus, env)
    print(json.dumps(data, indent=1))
    if args.save:
        file = ROOT / "benches" / "results" / f"check_{data['date']}.json"
        file.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
