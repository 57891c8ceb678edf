"""A script without a run is told what could have been read, and where the reading stopped."""

from __future__ import annotations

from rftconf.schemas.registry import READ
from rftconf.text.read.read import read
from rftconf.text.source import Source


def test_every_framework_that_is_read_is_named_by_its_title() -> None:
    (finding,) = read(Source("run.sh", "echo hello\n")).unreadable_whole
    assert finding.code == "SYN505"
    names = finding.message.partition("(")[2].partition(")")[0].split(", ")
    assert names == [framework.title for framework in READ]
