"""Whatever goes wrong, a person sees a sentence, and the exit code says which kind it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from rftconf.base.errors import RefusedError, UnreadableError, UsageError
from rftconf.cli.app import run
from rftconf.verbs import failure


@pytest.mark.parametrize(
    ("error", "code", "output"),
    [
        (UnreadableError("is a directory", file="a.sh", line=3, col=2), 2, "rftconf: a.sh:3:2: is a directory\n"),
        (UsageError("no framework is called 'x'"), 2, "rftconf: no framework is called 'x'\n"),
        (
            RefusedError("no split", choices=("2 + 6", "4 + 4")),
            3,
            "rftconf: no split\n  possible: 2 + 6\n  possible: 4 + 4\n",
        ),
        (KeyboardInterrupt(), 130, ""),
        (click.Abort(), 130, ""),
        (SystemExit(4), 4, ""),
    ],
)
def test_exit_codes(error: BaseException, code: int, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert failure.exit_code(error) == code
    assert capsys.readouterr().err == output


def test_a_defect_is_one_apology_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RFTCONF_TRACEBACK", raising=False)
    assert failure.exit_code(ZeroDivisionError("division\x1b[2J by zero")) == failure.INTERNAL
    output = capsys.readouterr().err
    assert "sorry, this is a defect in rftconf (ZeroDivisionError: division" in output
    assert "Traceback" not in output
    assert "\x1b" not in output
    assert "RFTCONF_TRACEBACK=1" in output


@pytest.mark.parametrize(("show_traceback", "variable"), [(True, ""), (False, "1")])
def test_a_defect_shows_its_traceback_when_asked(
    show_traceback: bool, variable: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RFTCONF_TRACEBACK", variable)
    assert failure.exit_code(ZeroDivisionError("x"), traceback=show_traceback) == failure.INTERNAL
    assert "ZeroDivisionError: x" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["convert", "x.sh"], "Missing option '--to'"),
        (["convert", "x.sh", "--to", "trinty"], "did you mean trinity?"),
        (["convert", "x.sh", "--to", "trinity", "--set", "A"], "--set takes NAME=VALUE"),
        (["convert", "x.sh", "--to", "trinity", "--set", "A-B=1"], "--set takes NAME=VALUE"),
        (["convert", "x.sh", "--to", "trinity", "--env", "NOT_SET_ANYWHERE"], "no such variable"),
        (["convert", "x.sh", "--to", "trinity", "--args", "'"], "--args: no closing quotation"),
        (["convert", "x.sh", "--to", "trinity", "--rows", "0"], "--rows"),
        (["convert", "no-such-file.sh", "--to", "trinity"], "no-such-file.sh: cannot be read: No such file"),
        (["convert", "x.sh", "--to", "trinity", "--as", "sh"], "a trinity config is written as yaml"),
        (["convert", "x.sh", "--to", "verl", "--form", "B"], "--form B is about Trinity-RFT's sync intervals"),
        (["convert", "x.sh", "--to", "trinity", "--to-release", "9"], "x.sh: cannot be read"),
        (["convert", "-", "--to", "trinity", "--certify", "-o", "x.yaml"], "give the source as a file"),
        (["convert", "x.sh", "--to", "trinity", "--certify"], "name it with -o"),
        (["convert", "tests", "--to", "trinity", "--certify", "-o", "x"], "--certify is for one run"),
        (["diff", "-", "-"], "standard input can be read once"),
        (["diff", "a.sh", "b.sh", "--from", "verl", "--from", "roll", "--from", "verl"], "--from is given 3 times"),
        (["diff", "a.sh", "b.sh", "--from", "verll"], "did you mean verl?"),
        (["diff", "a.sh", "b.sh", "--only", "names"], "known are mathematics, measurement, performance, bookkeeping"),
        (["diff", "a.sh"], "Missing argument 'B'"),
        (["diff", "no-such-file.sh", "b.sh"], "no-such-file.sh: cannot be read"),
        (["verify", "no-such-file.json"], "no-such-file.json: cannot be read"),
        (["check", "no-such-file.sh"], "no such file or directory"),
        (["check", "no-such-*.sh"], "nothing matches"),
        (["explain", "no.such.thing"], "no known key"),
        (["conver"], "No such command 'conver'"),
    ],
)
def test_usage_errors(arguments: list[str], output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert output in err
    assert out == ""
    assert "Traceback" not in err


def test_a_closed_pipe_is_silent() -> None:
    script = f"{sys.executable} -m rftconf explain | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert done.stdout.strip() in ("0", str(failure.BROKEN_PIPE))


def test_a_pipe_that_is_closed_before_anything_is_written() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "rftconf", "explain"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert done.returncode == failure.BROKEN_PIPE
    assert done.stderr == b""


@pytest.mark.parametrize("words", ["explain", "--help", "schema plan"])
@pytest.mark.parametrize(
    ("redirection", "why"), [(">/dev/full", "No space left on device"), (">&-", "closed")], ids=["full", "closed"]
)
def test_standard_output_that_takes_nothing_is_an_error(words: str, redirection: str, why: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m rftconf {words} {redirection}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (2, f"rftconf: standard output: {why}\n")


def test_standard_error_may_be_closed() -> None:
    script = f"{sys.executable} -m rftconf schema plan 2>&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("{")


TERMINATED = """
import os, sys, time
os.fsync = lambda _: (print("writing", flush=True), time.sleep(60))
from rftconf.cli.app import main
main()
"""


def test_a_process_that_is_asked_to_end_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    words = ["schema", "plan", "-o", "plan.json"]
    with subprocess.Popen([sys.executable, "-c", TERMINATED, *words], stdout=subprocess.PIPE, cwd=tmp_path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"writing\n"
        assert [file.suffix for file in tmp_path.iterdir()] == [".part"]
        process.terminate()
        assert process.wait(20) == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


INTERRUPTED = """
import os, signal, sys, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # what starts in the background inherits an ignored one
from rftconf.cli.app import run
from rftconf.text.source import open_source

def interrupt(main=threading.get_ident()):
    while sys._current_frames()[main].f_code is not open_source.__code__:  # it waits for its input
        time.sleep(0.05)
    while sys._current_frames()[main].f_code is open_source.__code__:  # another thread's would not end a read that blocks
        signal.pthread_kill(main, signal.SIGINT)
        time.sleep(1)

threading.Thread(target=interrupt, daemon=True).start()
sys.exit(run(["check", "-"]))
"""
"""Sooner, it may come in the midst of an import, where Python drops it now and then."""


def test_an_interrupt_is_silent(tmp_path: Path) -> None:
    pipe = tmp_path / "never"
    os.mkfifo(pipe)
    write_end = os.open(pipe, os.O_RDWR)
    with os.fdopen(write_end, "rb") as stdin:
        done = subprocess.run(
            [sys.executable, "-c", INTERRUPTED], stdin=stdin, capture_output=True, check=False, timeout=60
        )
    assert done.returncode == failure.INTERRUPTED
    assert b"Traceback" not in done.stderr
