"""Some certificates of golden conversions with every run of the tests, honest and forged; and a judge that can fail."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rftconf.certificate.checks import Check
from tests.fuzz import fuzz_certificates
from tests.fuzz.fuzz_certificates import Conversion, judged
from tests.fuzz.mutations import Start, starts

GOLDEN = [start for start in starts() if start.name.startswith("golden/")]


def drawn() -> list[Conversion]:
    """Four conversions: each framework once as the source, to the next one in the list."""
    by_framework: dict[str, Start] = {start.framework: start for start in reversed(GOLDEN)}
    names = sorted(by_framework)
    return [Conversion(by_framework[name], to) for name, to in zip(names, names[1:] + names[:1], strict=True)]


def test_what_is_written_holds_and_its_forgeries_do_not() -> None:
    ends = Counter[str]()
    assert [
        what for conversion in drawn() for what in judged(conversion, 3, random.Random(str(conversion)), ends)
    ] == []
    assert ends["certified"] >= 2
    assert ends["forged: what was asked"] >= 6
    assert ends["forged: what comes out"] >= 60


def test_a_verify_that_believes_everything_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz_certificates, "checks_of", lambda path, options: ({}, [Check("everything", ())]))
    conversion = next(conversion for conversion in drawn() if conversion.start.framework == "verl")
    assert list(judged(conversion, 1, random.Random(0), Counter()))
