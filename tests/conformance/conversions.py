"""Conversions through the command line, in this process, and what their outputs mean to rftconf and to a judge."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rftconf.base.symbols import MISSING
from rftconf.cli.app import run
from rftconf.schemas.versions import defaults
from tests.conformance.cases import DECISIONS
from tests.conformance.environment import Target
from tests.conformance.judging import Bench, Verdict
from tests.conformance.launching import bound, launched, numbered
from tests.conformance.readback import differences, differing_arguments, plan_of

UNREADABLE = 2
REFUSED = 3
OWN_CHECK = "its own check finds "
OPEN = re.compile(r"[:= ] *['\"]?\?\?\?")
ENGINES = "explorer.rollout_model.engine_num"
SIZE = re.compile(r" *(node_num|gpu_per_node|tensor_parallel_size): (\d+)")
"""A size of Trinity-RFT's cluster or of its engines, the first of which are the rollout's."""
FLAG = re.compile(r" *--([\w.]+) ")
SUFFIX = {"verl": ".sh", "trinity": ".yaml", "roll": ".yaml", "chatlearn": ".yaml", "trl": ".yaml", "openrlhf": ".sh"}
PARSED = ("trl", "openrlhf")
"""Frameworks whose programs make one flat set of arguments of a config."""


@dataclass(frozen=True, slots=True)
class Converted:
    """What `rftconf convert` did: its exit code, the file it wrote, what it said."""

    code: int
    file: Path
    said: str

    @property
    def reason(self) -> str:
        """Return what the conversion's own check finds in its output, or else the first line of a refusal."""
        lines = [line for line in self.said.splitlines() if line.strip()]
        own = [line.removeprefix("rftconf: ") for line in lines if OWN_CHECK in line]
        return (own or lines or ["no reason given"])[0]


def convert(source: Path, target: Target, folder: Path, options: Sequence[str] = ()) -> Converted:
    """Convert `source` for the target's release into `folder`."""
    file = folder / f"converted{SUFFIX[target.framework]}"
    file.unlink(missing_ok=True)
    if SUFFIX[target.framework] == ".yaml":  # its loader takes the whole config; a script says the same
        options = [word for word in options if word not in ("--as", "sh")]
    expected = ["--to", target.framework, "--to-release", target.release, "-o", str(file)]
    output = io.StringIO()
    with contextlib.redirect_stderr(output), contextlib.redirect_stdout(output):
        code = run(["convert", str(source), *expected, *options])
    return Converted(code, file, output.getvalue())


def decide(target: Target, file: Path, decisions: Mapping[str, str]) -> list[str]:
    """Fill the values left open in `file` from `decisions`; gives the keys that stay open."""
    lines = file.read_text().splitlines()
    if target.framework == "openrlhf":
        keys = [match[1] if (match := FLAG.match(line)) else "" for line in lines]
    else:
        keys = (
            written_keys(lines)
            if SUFFIX[target.framework] == ".yaml"
            else [line.strip().strip("'\"") for line in lines]
        )
    still_open = []
    for index, line in enumerate(lines):
        if OPEN.search(line.partition("  # ")[0]):
            key = keys[index].partition("=")[0].lstrip("+")
            known = half_the_engines(lines) if key == ENGINES else decision(target, key, decisions)
            if target.framework == "openrlhf" and known in ("true", "false"):  # a switch stands there, or it does not
                lines[index] = f"  --{key}" if known == "true" else ""
            elif known is not None:
                lines[index] = line.replace("???", known)
            else:
                still_open.append(key)
    file.write_text("\n".join(lines) + "\n")
    return still_open


def half_the_engines(lines: Sequence[str]) -> str:
    """Return how many engines take half of the cluster that is written there."""
    sizes = {match[1]: int(match[2]) for line in reversed(lines) if (match := SIZE.match(line))}
    gpus = sizes.get("node_num", 1) * sizes.get("gpu_per_node", 8)
    return str(max(1, gpus // 2 // sizes.get("tensor_parallel_size", 1)))


def decision(target: Target, key: str, decisions: Mapping[str, str]) -> str | None:
    """Return a value for an open key: as decided, as for the same setting of another role, or as it is there by default."""
    known = decisions.get(key) or decisions.get(re.sub(r"(?<=^rewards\.)\w+", "*", key))
    setting = key.rpartition(".")[2]
    known = known or next((value for name, value in decisions.items() if name.rpartition(".")[2] == setting), None)
    if known is None:
        value = defaults(target.framework, target.release).get(key)
        known = None if value in (None, "", MISSING) else json.dumps(value).strip('"')
    return known


def written_keys(lines: Sequence[str]) -> list[str]:
    """The dotted key of each line of a block YAML file, from its indentation; list items are not numbered."""
    parents: list[tuple[int, str]] = []
    keys = []
    for line in lines:
        match = re.match(r"( *(?:- )?)([\w-]+):", line)
        if match:
            depth = len(match[1])
            parents = [parent for parent in parents if parent[0] < depth] + [(depth, match[2])]
        keys.append(".".join(name for _, name in parents))
    return keys


def judge(bench: Bench, target: Target, file: Path, scratch: Path) -> Verdict:
    """What the target's loader says of a file rftconf wrote; with RFTCONF_STARTS=1 all that its start judge asks too."""
    starts = {"starts": True} if os.environ.get("RFTCONF_STARTS") == "1" else {}
    if target.framework == "verl":
        program, overrides, processes = launched(file, scratch)
        return bench.ask(target, {"program": program, "overrides": overrides, "processes": processes, **starts})
    if target.framework == "roll":
        file = with_variables(file, scratch)
    return bench.ask(target, {"file": str(file), **starts})


def with_variables(file: Path, scratch: Path) -> Path:
    """The file as in an environment where every variable holds its own name, as the other judges' variables do."""
    named = scratch / "named" / file.name
    named.parent.mkdir(exist_ok=True)
    named.write_text(re.sub(r"\$\{oc\.env:(\w+)\}", r"$\1", file.read_text()))
    return named


def as_named(file: Path, scratch: Path) -> Path:
    """The file as Trinity's judge reads it: a variable that it asks for without a default has a value, and no default."""
    text = file.read_text()
    named = set(re.findall(r"\$\{oc\.env:(\w+)\}", text))
    message = re.sub(
        r"\$\{oc\.env:(\w+),[^}]*\}", lambda match: f"${{oc.env:{match[1]}}}" if match[1] in named else match[0], text
    )
    if message == text:
        return file
    written = scratch / "named" / file.name
    written.parent.mkdir(exist_ok=True)
    written.write_text(message)
    return written


def resolved_by(target: Target, verdict: Verdict) -> Any:
    """The loader's own resolved config, as it would be saved."""
    if target.framework == "chatlearn":  # ChatLearn itself nests the one list of models that share GPUs
        shared = verdict.config["runtime_args"]["colocation"]
        verdict.config["runtime_args"]["colocation"] = [name for group in shared for name in group]
    return verdict.config["loaded"] if target.framework in ("trinity", "roll") else verdict.config


def _as_started(script: Path, scratch: Path) -> Path:
    """The script, or a copy that has the judge's own numbers where it stands for arguments."""
    text = script.read_text()
    if numbered(text) == text:
        return script
    copy = scratch / f"started-{script.name}"
    copy.write_text(numbered(text))
    return copy


def differences_after(
    target: Target, verdict: Verdict, file: Path, scratch: Path, base: Path | None = None
) -> list[str]:
    """Where the plan of what the loader resolved is not the plan of what rftconf wrote; `base`: what that started from."""
    if target.framework in PARSED:
        return list(differing_arguments(file, target, verdict.config["arguments"]))
    resolved = scratch / "resolved.yaml"
    resolved.write_text(yaml.safe_dump(resolved_by(target, verdict), sort_keys=False, allow_unicode=True))
    file = as_named(file, scratch) if target.framework == "trinity" else file
    entries = bound(file, scratch) if file.suffix == ".sh" else {}
    if file.suffix == ".sh":
        file = _as_started(file, scratch)
    written = plan_of(file, target.framework, target.release, bindings=entries, base=base)
    read_back = plan_of(resolved, target.framework, target.release, beside=file, bindings=entries, base=base)
    return list(differences(written, read_back))


def converted_script(text: str, target: Target, folder: Path) -> Path:
    """What rftconf writes for a veRL script; the script has to convert, and every question to have an answer here."""
    source = folder / "run.sh"
    source.write_text(text)
    converted = convert(source, target, folder, ["--from", "verl"])
    assert converted.code == 0, converted.said
    assert not decide(target, converted.file, DECISIONS)
    return converted.file
