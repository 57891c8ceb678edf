"""Extract every key, type and default of the published frameworks into rftconf/schemas/*/keys/*.json.

The packages are unpacked side by side, without their dependencies:

    pip install --no-deps --target DIR/verl-0.9.1 verl==0.9.1
    pip install --no-deps --target DIR/trinity-0.6.0 trinity-rft==0.6.0
    pip install --no-deps --target DIR/megatron-core megatron-core==0.16.1
    pip install --no-deps --target DIR/trl-1.16.0 trl==1.16.0
    pip install --no-deps --target DIR/transformers-5.20.2 transformers==5.20.2
    pip install --no-deps --target DIR/openrlhf-0.11.2 openrlhf==0.11.2

each catalogued release so, and veRL 0.7.0 as well (Trinity 0.4.1 runs on it); the sources of TRL and OpenRLHF are read
and not imported. The interpreter given with --python needs
what their config modules import: torch, hydra-core, omegaconf, ray, transformers, tensordict, datasets, peft.
A framework that publishes no package is read from a clone of its repository, given with --clone NAME=FOLDER, at the
revisions that the registry names; without one it is left out. --check writes nothing and fails when a committed file
differs from what the packages say.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

from generated import clones_of, keep_and_tell, parser_of  # noqa: E402

from rftconf.schemas.framework import Framework  # noqa: E402
from rftconf.schemas.registry import variants  # noqa: E402

_EXTRAS = ("interpolation", "choices", "open", "automatic", "plus_only")
_TRAINER_CONFIG_FROM = {"0.6.0": "0.7.1"}
"""Trinity 0.6.0 types `trainer.trainer_config` only when it runs on a veRL before 0.8."""


def catalogues(releases: Sequence[str]) -> Iterator[tuple[Framework, str, str]]:
    """Framework, release and trainer of every catalogue, or of those of the `releases` frameworks."""
    for framework in variants():
        if not releases or framework.name in releases:
            for release in framework.releases:
                for trainer in framework.trainers_of(release):
                    yield framework, release, trainer


def target(framework: Framework, release: str, trainer: str) -> Path:
    """Where a catalogue is committed."""
    stem = f"{release}-{trainer}" if trainer else release
    return ROOT / "rftconf" / "schemas" / framework.name / "keys" / f"{stem}.json"


def extract(
    release: str, described: Sequence[tuple[Framework, str]], packages: Path, python: str
) -> dict[Path, dict[str, Any]]:
    """What the catalogues of one package hold, by where they are committed: `keys` to rows and `names` to what is
    registered; of a recipe only what differs from the trainer below it. `described` are the frameworks that live in
    this package, with their trainers. Raises CalledProcessError."""
    dumped = _dumped(release, described, packages, python)
    dumps = {(known.name, trainer): each for (known, trainer), each in zip(described, dumped, strict=True)}
    texts = {}
    for known, trainer in described:
        extracted = dumps[known.name, trainer]
        if trainer in known.recipes:
            below = dumps[known.name, known.backend(trainer)]["keys"]
            own = {key: row for key, row in extracted["keys"].items() if below.get(key) != row}
            extracted = {"keys": own, "names": {}}
        texts[target(known, release, trainer)] = extracted
    return texts


def _dumped(
    release: str, described: Sequence[tuple[Framework, str]], packages: Path, python: str
) -> list[dict[str, Any]]:
    """What a process that imports this package says of each of these."""
    name = described[0][0].family
    if name in ("trl", "openrlhf"):
        return [_dumped_from_sources(release, described[0][0], packages)]
    command = [python, str(ROOT / "scripts" / f"dump_{name}.py"), str(packages / f"{name}-{release}")]
    paths = [packages / "megatron-core"]
    for framework, trainer in described:
        if name == "verl":
            recipe = framework.recipes.get(trainer)
            folder = recipe.config_folder if recipe else "verl/trainer/config"
            choices = framework.config_groups.get(trainer, ())
            command.append(json.dumps([folder, framework.config_names[trainer], choices]))
        else:
            pinned = _TRAINER_CONFIG_FROM.get(release, framework.pins[release][0])
            paths.insert(0, packages / f"verl-{pinned}")
    for path in paths:
        command += ["--path", str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    extracted: list[dict[str, Any]] = json.loads(done.stdout)
    return extracted


def _dumped_from_sources(release: str, framework: Framework, packages: Path) -> dict[str, Any]:
    """Read the keys from the sources of a package, and for TRL of the transformers that it stands on."""
    from dump_trl import transformers_of

    folders = [f"{framework.name}-{release}"]
    if framework.name == "trl":
        folders.append(f"transformers-{transformers_of(release, framework.releases)}")
    script = Path(__file__).resolve().parent / f"dump_{framework.name}.py"
    command = [sys.executable, str(script), *(str(packages / folder) for folder in folders)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    dumped: dict[str, Any] = json.loads(done.stdout)
    return dumped


def extract_from_clone(framework: Framework, release: str, trainer: str, clone: Path) -> dict[str, Any]:
    """The same from a clone: the revision's files are unpacked aside, the clone stays as it is."""
    archive = ["git", "-C", str(clone), "archive", framework.revisions[release]]
    files = subprocess.run(archive, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(files)) as packed:
            packed.extractall(folder, filter="data")
        script = Path(__file__).resolve().parent / f"dump_{framework.name}.py"
        command = [sys.executable, str(script), folder, trainer]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    extracted: dict[str, Any] = json.loads(done.stdout)
    return extracted


def render(framework: str, release: str, trainer: str, extracted: dict[str, Any]) -> str:
    """The catalogue's file: one key per line, `[type, default]` or `[type, default, {what else is known}]`."""
    head = {"framework": framework, "release": release, "trainer": trainer}
    lines = [f"{json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    names = [f"{json.dumps(key)}: {json.dumps(registered)}" for key, registered in extracted["names"].items()]
    body = []
    for key, row in extracted["keys"].items():
        kind = ("~" if row.get("inferred") else "") + row["type"] + ("?" if row["optional"] else "")
        extras = {name: row[name] for name in _EXTRAS if row.get(name)}
        body.append(f"{json.dumps(key)}: {json.dumps([kind, row['default'], *([extras] if extras else [])])}")
    shipped = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in extracted.get("template", {}).items()]
    lines += ['"template": {', ",\n".join(shipped), "},"] if shipped else []
    taken = [
        f"{json.dumps(key)}: {{\n{_lines(named)}\n}}" for key, named in extracted.get("arguments", {}).items() if named
    ]
    lines += ['"arguments": {', ",\n".join(taken), "},"] if taken else []
    any_name = [f"{json.dumps(key)}: {json.dumps(names)}" for key, names in extracted.get("any_name", {}).items()]
    lines += ['"any_name": {', ",\n".join(any_name), "},"] if any_name else []
    lines += ['"names": {', ",\n".join(names), "},", '"keys": {', ",\n".join(body), "}"]
    return "{\n" + "\n".join(lines) + "\n}\n"


def _lines(rows: dict[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in rows.items())


def main() -> int:
    """Write or check the catalogues; 1 when a check finds a difference."""
    parser = parser_of(__doc__, "folder with verl-<release>, trinity-<release>")
    parser.add_argument("--python", default=sys.executable, help="interpreter with the frameworks' dependencies")
    parser.add_argument("frameworks", nargs="*", help="only these frameworks")
    args = parser.parse_args()
    clones = clones_of(args.clone)
    published: dict[tuple[str, str], list[tuple[Framework, str]]] = {}
    for framework, release, trainer in catalogues(args.frameworks):
        if not framework.revisions:
            published.setdefault((framework.family, release), []).append((framework, trainer))
    extracted: dict[Path, dict[str, Any]] = {}
    try:
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            results = pool.map(
                lambda package: extract(package[1], published[package], args.packages.resolve(), args.python), published
            )
            for each in results:
                extracted |= each
        for framework, release, trainer in catalogues(args.frameworks):
            if framework.revisions and framework.name in clones:
                path = target(framework, release, trainer)
                extracted[path] = extract_from_clone(framework, release, trainer, clones[framework.name])
    except subprocess.CalledProcessError as why:
        print(f"{' '.join(why.cmd)}\n{why.stderr[-2000:]}", file=sys.stderr)
        return 2
    differing = 0
    for framework, release, trainer in catalogues(args.frameworks):
        path = target(framework, release, trainer)
        if path not in extracted:
            print(f"{framework.name} {release} {trainer}: left out, no --clone {framework.name}=FOLDER")
            continue
        text = render(framework.name, release, trainer, extracted[path])
        differing += keep_and_tell(path, text, f"{len(extracted[path]['keys'])} keys", check=args.check)
    return int(args.check and differing > 0)


if __name__ == "__main__":
    sys.exit(main())
