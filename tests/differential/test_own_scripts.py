"""Scripts of our own, one per construct: what is read is what bash does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rftconf.base.span import Place
from rftconf.base.symbols import Expr
from rftconf.text.shell import read_script
from tests.differential.harness import arguments, check
from tests.differential.oracle import BASH, Oracle

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.sh"))

pytestmark = pytest.mark.skipif(not Path(BASH).exists() or shutil.which("bash") is None, reason="bash is not installed")


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    new_oracle = Oracle()
    yield new_oracle
    new_oracle.close()


def test_every_construct_has_its_script() -> None:
    assert len(SCRIPTS) >= 40


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_reading_equals_running(oracle: Oracle, path: Path) -> None:
    tally, _ = check(oracle, path)
    assert tally is not None, "bash starts nothing in this script"
    assert tally.wrong == []
    if not path.read_text().startswith("# unknowns"):
        assert tally.machine == 0
    assert tally.equal > 0


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_places_hold_what_they_claim(path: Path) -> None:
    """A literal argument stands where its place says; so does what every variable it went through was assigned."""
    text = path.read_text()
    sources = {p.name: p.read_text() for p in path.parent.glob("*.inc")}
    script = read_script(path.name, text, args=arguments(text), sources=sources)
    texts = {path.name: text, **sources, "--args": " ".join(arguments(text))}
    for command in script.commands:
        for word in command.argv:
            written = _at(texts, word.place)
            attributed = word.source.origin is None and not any(piece[3] for piece in word.pieces)
            if isinstance(word.value, str) and attributed and written.isalnum():
                assert written == word.value
            assert written.strip("\n") != "" or word.value == ""
            for via in word.via:
                assert 0 <= via.place.span.start <= via.place.span.end <= len(texts[via.place.file])
            if not isinstance(word.value, Expr):
                for offset in range(len(word.value)):
                    _at(texts, word.span_at(offset, offset + 1))
                    _at(texts, word.origin_at(offset))


def _at(texts: dict[str, str], place: Place) -> str:
    text, span = texts[place.file], place.span
    assert 0 <= span.start <= span.end <= len(text)
    assert text.count("\n", 0, span.start) + 1 == span.line
    assert span.start - (text.rfind("\n", 0, span.start) + 1) + 1 == span.col
    return text[span.start : span.end]
