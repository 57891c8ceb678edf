"""Files as sides of a comparison."""

from __future__ import annotations

from pathlib import Path

from rftconf.diff.compare import Comparison, compare
from rftconf.diff.sides import Side, side
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source, open_source
from tests.sources import ROOT

GOLDEN = ROOT / "golden" / "convert"


def side_of(file: Path, rows: int | None = None, framework: str | None = None, release: str | None = None) -> Side:
    return side(file.name, load(read(open_source(file)), rows=rows, framework=framework, release=release))


def side_of_text(text: str, name: str = "a.sh", rows: int | None = None, release: str | None = None) -> Side:
    return side(name, load(read(Source(name, text)), rows=rows, release=release))


def compared(a: str, b: str, rows: int | None = None) -> Comparison:
    """Two files below golden/convert."""
    return compare(side_of(GOLDEN / a, rows), side_of(GOLDEN / b, rows))
