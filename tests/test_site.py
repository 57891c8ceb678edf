"""The documentation builds into a site whose links lead somewhere, and which asks nobody else for anything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path

import pytest

from rftconf.lint.registry import FAMILIES
from tests.sources import ROOT

BUILDS = find_spec("mkdocs") is not None and find_spec("material") is not None
pytestmark = pytest.mark.skipif(not BUILDS, reason="`make install-dev` installs mkdocs-material; CI builds with it")
ASKS = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; with every proxy at a closed port, so that a build that asks the network would fail."""
    folder = tmp_path_factory.mktemp("site") / "site"
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return folder


class Asked(HTMLParser):
    """What a browser fetches for a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of scripts, styles, images and frames."""
        values = dict(attrs)
        if tag == "link" and values.get("rel") in ("canonical", "next", "prev", "edit"):
            return
        self.found += [values[ASKS[tag]] or ""] if ASKS.get(tag) in values else []


def asked(page: Path) -> Iterator[str]:
    """Addresses that a page fetches."""
    parser = Asked()
    parser.feed(page.read_text(encoding="utf-8"))
    yield from parser.found


def outside(address: str) -> bool:
    """True for what is not a file beside the page."""
    return re.match(r"(?i)^(\w+:)?//|^\w+:(?!image/)", address) is not None and not address.startswith("data:")


def test_no_page_fetches_anything_from_outside(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 60
    names = {f"{page.relative_to(site)}: {address}" for page in pages for address in asked(page) if outside(address)}
    assert names == set()


def test_what_a_page_fetches_is_there(site: Path) -> None:
    missing = set()
    for page in site.rglob("*.html"):
        if page.name == "404.html":  # a server's page, with absolute addresses
            continue
        for address in asked(page):
            path = address.partition("?")[0].partition("#")[0]
            if path and not address.startswith("data:") and not (page.parent / path).exists():
                missing.add(f"{page.relative_to(site)}: {address}")
    assert missing == set()


def test_styles_fetch_nothing_from_outside(site: Path) -> None:
    names = {
        f"{style.relative_to(site)}: {address}"
        for style in site.rglob("*.css")
        for address in re.findall(r"(?:url\(|@import\s+)['\"]?([^'\")\s]+)", style.read_text(encoding="utf-8"))
        if outside(address)
    }
    assert names == set()


def test_a_search_needs_no_server(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = {entry["title"] for entry in index["docs"]}
    assert {"BAT001", "Quickstart", "Concepts"} <= titles


def test_every_family_and_decision_has_its_page(site: Path) -> None:
    assert {name.lower() for name in FAMILIES} == {page.stem for page in (site / "rules").glob("*.html")}
    decisions = {page.stem for page in (ROOT / "docs" / "adr").glob("*.md")}
    assert decisions == {page.stem for page in (site / "adr").glob("*.html")}


def test_drawings_are_plain_pictures(site: Path) -> None:
    """They ask for nothing, run nothing, and bring their own background."""
    drawings = list((site / "img").glob("*.svg"))
    assert len(drawings) == 3
    for drawing in drawings:
        text = drawing.read_text(encoding="utf-8")
        assert "<script" not in text
        assert re.findall(r"(?:href|src)=", text) == []
        assert "fill='#fbfcfe'" in text
