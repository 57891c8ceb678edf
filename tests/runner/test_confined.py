"""Code that a model wrote ends within bounds, whatever it does; what it writes fills no memory but its own."""

from __future__ import annotations

import resource

import pytest
from rftconf_runner.scores import confined

pytestmark = pytest.mark.skipif(
    bool(confined.unusable()), reason=confined.unusable() or "bubblewrap confines code here"
)
ENDLESS = "while True: print('a' * 1_000_000)"


def test_a_program_prints_what_it_reads() -> None:
    assert confined.printed("print(int(input()) + 1)", "41", 10) == "42\n"


def test_no_output_without_an_end_fills_this_process() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert confined.printed(ENDLESS, "", 10) is None
    assert not confined.exits_well(ENDLESS, 10)
    grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown_kib * 1024 < 4 * confined.FILE_BYTES


@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "import socket; socket.create_connection(('127.0.0.1', 22), timeout=1)",
        "bytearray(8 << 30)",
        "while True: pass",
        "import sys; sys.exit(3)",
    ],
)
def test_what_reaches_out_or_takes_too_much_does_not_exit_well(code: str) -> None:
    assert not confined.exits_well(code, 5)


def test_asserts_pass_or_fail() -> None:
    assert confined.passes("assert 1 + 1 == 2", 10)
    assert not confined.passes("assert 1 + 1 == 3", 10)
