"""Every bad input ends in one clear complaint with a place, soon, in little memory, and nothing is executed."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.base.errors import UnreadableError
from rftconf.text import source as source_module
from rftconf.text.omegaconf.interpolation import resolve_leaves
from rftconf.text.read.read import MAX_VALUES, read
from rftconf.text.source import MAX_BYTES, from_bytes, open_source
from tests.bad_input.corpus import CORPUS, SOUND, Bad, build

MEMORY_BYTES = 500 * 1024 * 1024
SECONDS = 2.0
WORST = [
    bad
    for bad in CORPUS
    if bad.name.partition("_")[0] in {"large.yaml", "deep", "alias", "merge", "huge", "binary.yaml"}
]


@pytest.mark.parametrize("bad", CORPUS, ids=lambda bad: bad.name)
def test_bad_input_is_told(bad: Bad, tmp_path: Path) -> None:
    path = build(bad, tmp_path)
    started = time.monotonic()
    if not bad.code:
        with pytest.raises(UnreadableError) as caught:
            read(open_source(path))
        assert bad.words in caught.value.message
        assert caught.value.file == str(path)
        assert caught.value.line == bad.line
    else:
        errors = [d for d in read(open_source(path)).diagnostics if d.severity is Severity.ERROR]
        diagnostics = [d for d in errors if d.code == bad.code]
        assert diagnostics, errors
        assert any(bad.words in d.message for d in diagnostics), diagnostics
        assert all(d.place is not None and d.place.file == str(path) for d in diagnostics)
        if bad.line:
            assert diagnostics[0].place is not None
            assert diagnostics[0].place.span.line == bad.line
    assert time.monotonic() - started < SECONDS


@pytest.mark.parametrize("odd", SOUND, ids=lambda bad: bad.name)
def test_odd_input_is_read(odd: Bad, tmp_path: Path) -> None:
    document = read(open_source(build(odd, tmp_path)))
    assert document.readable
    assert {leaf.key: leaf.value for leaf in document.leaves}.items() <= {"a": 1, "b.c": "x"}.items()
    assert any(odd.words in d.message for d in document.diagnostics) or not odd.words
    for leaf in document.leaves:
        span = leaf.place.span
        assert document.text[span.start : span.end] == leaf.raw == str(leaf.value)


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


@pytest.mark.parametrize("bad", WORST, ids=lambda bad: bad.name)
def test_the_worst_need_little_memory(bad: Bad, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from rftconf.base.errors import UnreadableError\n"
        "from rftconf.text.read.read import read\n"
        "from rftconf.text.source import open_source\n"
        "try:\n"
        "    sys.exit(0 if read(open_source(sys.argv[1])).readable else 2)\n"
        "except UnreadableError:\n"
        "    sys.exit(2)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(build(bad, tmp_path))],
        preexec_fn=limited,
        capture_output=True,
        timeout=10,
        check=False,
    )
    assert done.returncode in (0, 2), done.stderr.decode()  # what costs one key alone is read
    assert done.stderr == b""


def test_a_script_is_not_run(tmp_path: Path) -> None:
    canary = tmp_path / "canary"
    canary.write_text("alive")
    script = tmp_path / "run.sh"
    script.write_text(
        f"rm -rf {canary}\nX=$(rm -rf {canary})\n`rm -rf {canary}`\nY=$((0 + $(rm {canary})))\n"
        f"trap 'rm -rf {canary}' EXIT\neval rm -rf {canary}\n: <(rm {canary}) > {canary}\n"
        "python3 -m verl.trainer.main_ppo data.train_batch_size=8 data.x=$X\n"
    )
    document = read(open_source(script))
    assert canary.read_text() == "alive"
    assert document.last()["data.train_batch_size"].value == 8


def test_a_tag_builds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "x.yaml"
    path.write_text("a: !!python/object/apply:os.system ['touch canary']\n")
    document = read(open_source(path))
    assert [d.code for d in document.diagnostics] == ["SYN208"]
    assert not (tmp_path / "canary").exists()


def test_an_interpolation_cycle_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: ${b}\nb: ${a}\n")
    _, diagnostics = resolve_leaves(read(open_source(path)).leaves)
    assert [d.code for d in diagnostics] == ["SYN401", "SYN401"]


@pytest.mark.parametrize("change", ["grow", "shrink", "touch"])
def test_a_file_that_changes_while_it_is_read(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n" * 10)
    real = source_module.read_all

    def slow(file: io.BufferedReader, most: int) -> bytes:
        data = real(file, most)
        if change == "touch":
            os.utime(path, ns=(1, 1))
        else:
            path.write_text("a: 1\n" * (20 if change == "grow" else 5))
        return data

    monkeypatch.setattr(source_module, "read_all", slow)
    with pytest.raises(UnreadableError, match="changed while it was being read"):
        open_source(path)


def test_standard_input_has_the_same_limit() -> None:
    program = "from rftconf.text.source import open_source\nopen_source('-')\n"
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-c", program],
            stdin=endless,
            capture_output=True,
            timeout=10,
            check=False,
            preexec_fn=limited,
        )
    assert f"larger than {MAX_BYTES:,} bytes" in done.stderr.decode()


def test_the_largest_input_is_still_read() -> None:
    line = b"k%06d: 1\n"
    data = b"".join(line % i for i in range(MAX_VALUES))
    assert len(read(from_bytes("x.yaml", data)).leaves) == MAX_VALUES
    document = read(from_bytes("x.yaml", data + line % MAX_VALUES))
    assert not document.leaves
    assert [d.code for d in document.diagnostics] == ["SYN510"]


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_impossible_names(name: str) -> None:
    with pytest.raises(UnreadableError):
        open_source(name)


def test_devices_are_refused() -> None:
    with pytest.raises(UnreadableError, match="is a device"):
        open_source("/dev/zero")
