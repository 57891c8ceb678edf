"""Certificates that ask for much, of any number of entries: one generator for each list and text that a certificate holds."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rftconf.certificate.canonical import canonical, digest_of
from rftconf.cli.app import run
from tests.fuzz.growing import LAUNCH

SOURCE = (
    f"{LAUNCH} data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=32 trainer.n_gpus_per_node=8 "
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.n=4 data.train_files=/d/a.parquet "
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4 actor_rollout_ref.model.path=Qwen/Qwen2.5-7B\n"
)
KEY = "buffer.explorer_input.tasksets[].name"
Data = dict[str, Any]


def _answers(to: str, name: Callable[[int], str], count: int, value: Any = "1") -> Data:
    return {"answers": {f"q{n}": {"to": to, "name": name(n), "value": value} for n in range(count)}}


REQUESTS: dict[str, Callable[[Data, int], Data]] = {
    "bindings": lambda _, n: {"bindings": {f"V{i}": "1" for i in range(n)}},
    "bindings that refer": lambda _, n: {"bindings": {f"V{i + 1}": f"$V{i}" for i in range(n)}},
    "bindings of secrets": lambda _, n: {"bindings": {f"API_KEY{i}": "aB3dE6gH9jK2mN5pQ8sT" for i in range(n)}},
    "assumptions": lambda _, n: {"assume": {f"plan.x{i}": "1" for i in range(n)}},
    "answers to variables": lambda _, n: _answers("set", lambda i: f"V{i}", n),
    "answers to keys": lambda _, n: _answers("key", lambda i: f"data.k{i}", n),
    "answers to one key": lambda _, n: _answers("key", lambda i: KEY, n),
    "answers to keep": lambda _, n: _answers("keep", lambda i: f"data.k{i}", n),
    "an answer to a key of dots": lambda _, n: _answers("key", lambda i: "a." * n + "a", 1),
    "an answer to a key of indices": lambda _, n: _answers("key", lambda i: "a" + "[0]" * n, 1),
    "an answer far into a list": lambda _, n: _answers("key", lambda i: f"a[{n}000]", 1),
    "a long answer": lambda _, n: _answers("key", lambda i: "name", 1, "1" * 50 * n),
    "an answer of a list": lambda _, n: _answers("key", lambda i: "name", 1, [1] * 10 * n),
    "arguments": lambda _, n: {"arguments": [f"data.k{i}=1" for i in range(n)]},
    "sources": lambda d, n: {"sources": [d["source"]] * n},
    "files beside it": lambda d, n: {"also_read": [d["source"]] * n},
    "names of the environment": lambda _, n: {"from_environment": [f"V{i}" for i in range(n)]},
    "one name of the environment": lambda _, n: {"from_environment": ["PATH"] * n},
    "withheld names": lambda _, n: {"withheld": [f"V{i}" for i in range(n)]},
    "rows of many digits": lambda _, n: {"rows": 10 ** min(n, 4_000)},
    "GPUs of many digits": lambda _, n: {"rollout_gpus": 10 ** min(n, 4_000)},
    "a long release": lambda _, n: {"to_release": "1." * n},
    "a long style": lambda _, n: {"style": "y" * n},
}
"""The ways to enlarge a certificate: each takes its data and a number of entries, and gives new data."""
WHOLE: dict[str, Callable[[Data, int], Data]] = {
    "outputs": lambda d, n: {"outputs": d["outputs"] * n},
    "stages": lambda _, n: {"stages_only_in_source": [f"s{i}" for i in range(n)]},
    "invariants": lambda d, n: {"invariants": d["invariants"][:1] * n},
    "differences": lambda d, n: {"differences": d["differences"][:1] * n},
    "lines of the ledger": lambda d, n: {"ledger": {**d["ledger"], "sources": [{"k": i} for i in range(n)]}},
    "parts of the ledger": lambda _, n: {"ledger": {f"k{i}": i for i in range(n)}},
    "unknown entries": lambda _, n: {f"x{i}": i for i in range(n)},
}
SHAPES = (*REQUESTS, *WHOLE)
MOST_USED = {"answers to keys": 900, "bindings": 900, "arguments": 900, "assumptions": 900}
"""Shapes that are asked about once more, with so few entries that a certificate may have as many."""


def certificate(folder: Path) -> Path:
    """A certificate of a small config, with its files in `folder`."""
    source, out = folder / "run.sh", folder / "out.yaml"
    source.write_text(SOURCE)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        options = ["--to", "trinity", "--rows", "7473", "-q", "-o", str(out), "--certify"]
        assert run(["convert", str(source), *options]) == 0
    return out.with_name("out.yaml.certificate.json")


def grown(path: Path, shape: str, count: int) -> str:
    """The text of the certificate at `path` with `count` entries of a shape, its digest put right."""
    data: Data = json.loads(path.read_text())
    if shape in REQUESTS:
        data["request"] |= REQUESTS[shape](data, count)
    else:
        data |= WHOLE[shape](data, count)
    return canonical({**data, "digest": digest_of(data)})
