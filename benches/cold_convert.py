"""How long a cold `rftconf convert` takes, as a ratio to what else could read the same config, in one run.

Against `hydra.compose` of veRL's own trainer config with the same overrides (what veRL does before anything else), and
against check-jsonschema validating the YAML that came out. Every run is a fresh process; runs are interleaved, so a
busy machine slows all of them alike. Medians; ratios are of medians.

    python benches/cold_convert.py --verl .conformance/releases/verl-0.9.1 --save
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOAL = 0.5
"""Of `hydra.compose`."""

COMPOSE = """
import sys
from hydra import compose, initialize_config_dir
with initialize_config_dir(config_dir=sys.argv[1], version_base=None):
    config = compose(sys.argv[2], overrides=sys.argv[3:])
assert config.trainer is not None
"""
STARTED = "import rftconf.cli.app as app; app.run(['explain', 'KEY001'])"


def overrides_of(script: Path) -> list[str]:
    """The overrides that bash gives the launch in `script`, by a stub in place of python3."""
    with tempfile.TemporaryDirectory() as folder:
        stub = Path(folder) / "python3"
        stub.write_text('#!/bin/sh\nprintf \'%s\\0\' "$@" > "$DUMP"\n')
        stub.chmod(0o755)
        dump = Path(folder) / "argv"
        env = {"PATH": f"{folder}:{os.environ['PATH']}", "HOME": "/root", "DUMP": str(dump)}
        subprocess.run(["bash", str(script)], env=env, check=True, capture_output=True)
        words = dump.read_text().split("\0")
    return [word for word in words if "=" in word and not word.startswith("--")]


def seconds(command: Sequence[str], env: Mapping[str, str], fine: Sequence[int] = (0,)) -> float:
    """Wall time of one process. Raises CalledProcessError when it ends otherwise: a crash is no measurement."""
    started = time.perf_counter()
    done = subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
    taken = time.perf_counter() - started
    if done.returncode not in fine:
        raise subprocess.CalledProcessError(done.returncode, command)
    return taken


def commands(args: argparse.Namespace, config: Path) -> dict[str, list[str]]:
    """What is compared, by name."""
    rftconf = str(Path(sys.executable).with_name("rftconf"))
    convert = [rftconf, "convert", str(args.script), "--to", "trinity", "--set", "HOME=/root"]
    commands_by_name = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "rftconf explain": [sys.executable, "-c", STARTED],
        "rftconf check": [rftconf, "check", str(args.script), "--quiet"],
        "rftconf convert": convert,
    }
    if args.verl:
        folder = Path(args.verl).resolve() / "verl" / "trainer" / "config"
        commands_by_name["hydra.compose"] = [
            *(sys.executable, "-c", COMPOSE, str(folder), "ppo_trainer"),
            *overrides_of(args.script),
        ]
    if args.check_jsonschema:
        schema = config.with_name("schema.json")
        schema.write_text(json.dumps({"type": "object"}))
        commands_by_name["check-jsonschema"] = [args.check_jsonschema, "--schemafile", str(schema), str(config)]
    converted = subprocess.run(convert, check=True, capture_output=True)
    config.write_bytes(converted.stdout)
    return commands_by_name


def measure(commands_by_name: dict[str, list[str]], runs: int, bytecode: Path) -> dict[str, list[float]]:
    """Seconds of every run; one round more than counted warms the file cache.

    That round also compiles everything into `bytecode`, as installing a package does, whatever the environment says.
    """
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(bytecode)
    times: dict[str, list[float]] = {name: [] for name in commands_by_name}
    for index in range(runs + 1):
        for name, command in commands_by_name.items():
            taken = seconds(command, env, (0, 1) if name == "rftconf check" else (0,))
            if index:
                times[name].append(taken)
    return times


def result(times: dict[str, list[float]], script: Path, overrides: int) -> dict[str, object]:
    """Medians, quartiles and the ratios to them, as JSON data."""
    convert = statistics.median(times["rftconf convert"])
    rows = {
        name: {
            "median_ms": round(statistics.median(all_) * 1000, 1),
            "fastest_ms": round(min(all_) * 1000, 1),
            "slowest_ms": round(max(all_) * 1000, 1),
            "convert_is": round(convert / statistics.median(all_), 3),
        }
        for name, all_ in times.items()
    }
    return {
        "date": datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat(),
        "script": str(script.resolve().relative_to(ROOT)) if script.resolve().is_relative_to(ROOT) else script.name,
        "overrides": overrides,
        "runs": len(times["rftconf convert"]),
        "python": platform.python_version(),
        "cpus": os.cpu_count(),
        "load_before": round(os.getloadavg()[0], 2),
        "commands": rows,
    }


def table(data: dict[str, object]) -> str:
    """The result for people."""
    rows = data["commands"]
    assert isinstance(rows, dict)
    lines = [f"{data['script']}: {data['overrides']} overrides, median of {data['runs']} interleaved cold runs"]
    lines.append(f"  {'':18}{'median':>10}{'fastest':>10}{'convert / this':>16}")
    for name, row in rows.items():
        lines.append(f"  {name:18}{row['median_ms']:7.1f} ms{row['fastest_ms']:7.1f} ms{row['convert_is']:14.2f} x")
    if "hydra.compose" in rows:
        ratio = rows["hydra.compose"]["convert_is"]
        lines.append(f"  goal: at most {GOAL} x hydra.compose: {'met' if ratio <= GOAL else 'missed'} ({ratio:.2f})")
    return "\n".join(lines)


def main() -> None:
    """Measure, print a table, save on request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--script", type=Path, default=ROOT / "benches" / "grpo_60.sh", help="a veRL launch script")
    parser.add_argument(
        "--verl", help="the folder that holds the published verl package; hydra.compose is left out without"
    )
    parser.add_argument("--check-jsonschema", help="the check-jsonschema command; left out without")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--save", action="store_true", help="also write benches/results/DATE.json")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands_by_name = commands(args, Path(folder) / "out.yaml")
        times = measure(commands_by_name, args.runs, Path(folder) / "bytecode")
    data = result(times, args.script, len(overrides_of(args.script)))
    print(json.dumps(data, indent=2) if args.json else table(data))
    if args.save:
        target = ROOT / "benches" / "results" / f"{data['date']}.json"
        target.parent.mkdir(exist_ok=True)
        target.write_text(json.dumps(data, indent=2) + "\n")


if __name__ == "__main__":
    main()
