"""`rftconf check` beside check-jsonschema and PyYAML's C loader, in one run on one machine; ratios are what counts.

python -m benches.check --check-jsonschema .venv/bin/check-jsonschema
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml

from rftconf.lint.editor import framework_schema
from rftconf.lint.rule import trinity
from tests.lint.bases import as_yaml

ROOT = Path(__file__).resolve().parents[1]
LOOP = 20
"""Files that check-jsonschema is started on one by one; the rest is extrapolated."""


def best_of(times: int, command: list[str]) -> float:
    """The shortest of several runs of a process, in seconds."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False, cwd=ROOT)
        found.append(time.perf_counter() - start)
    return min(found)


def cold(folder: Path, peer: str, rounds: int) -> dict[str, float]:
    """One YAML file, a new process each time."""
    file, schema = folder / "one.yaml", folder / "schema.json"
    file.write_text(as_yaml(trinity()))
    schema.write_text(json.dumps(framework_schema("trinity")))
    ours = [sys.executable, "-m", "rftconf", "check", str(file), "--from", "trinity", "--from-release", "0.6.0"]
    bare = best_of(rounds, [sys.executable, "-c", "pass"])
    imports = best_of(
        rounds, [sys.executable, "-c", "import rftconf.cli.checking, rftconf.lint.registry as r; r.rules()"]
    )
    mine = best_of(rounds, ours)
    theirs = best_of(rounds, [peer, "--schemafile", str(schema), str(file)])
    return {
        "interpreter": bare,
        "imports and rules": imports,
        "check": mine,
        "check-jsonschema": theirs,
        "ratio": mine / theirs,
    }


def many(folder: Path, peer: str, count: int, jobs: int) -> dict[str, float]:
    """Many files in one run, cache off."""
    texts = folder / "many"
    texts.mkdir()
    base = as_yaml(trinity())
    for number in range(count):
        (texts / f"{number:04}.yaml").write_text(base.replace("name: first", f"name: run{number}"))
    start = time.perf_counter()
    for file in sorted(texts.glob("*.yaml")):
        yaml.load(file.read_text(), Loader=yaml.CSafeLoader)
    loader = time.perf_counter() - start
    command = [sys.executable, "-m", "rftconf", "check", str(texts), "-q", "--jobs", str(jobs)]
    mine = best_of(1, [*command, "--from", "trinity", "--from-release", "0.6.0"])
    schema = folder / "schema.json"
    loop = sum(best_of(1, [peer, "--schemafile", str(schema), str(f)]) for f in sorted(texts.glob("*.yaml"))[:LOOP])
    loop *= count / LOOP
    return {
        "C loader": loader,
        "check": mine,
        "loop": loop,
        "over loader": mine / loader,
        "faster than loop": loop / mine,
    }


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check-jsonschema", default="check-jsonschema")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    with TemporaryDirectory() as name:
        folder = Path(name)
        one = cold(folder, asked.check_jsonschema, asked.rounds)
        rest = many(folder, asked.check_jsonschema, asked.files, asked.jobs)
    print(json.dumps({"cold [s]": one, f"{asked.files} files [s]": rest}, indent=1))


if __name__ == "__main__":
    main()
