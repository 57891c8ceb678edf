"""The HTML report as a browser shows it."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import zlib
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from rftconf.budget.advice.inverse_questions import answers, front
from rftconf.budget.as_html import COLOURS, WORKS, budget_html
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.price import price
from tests.budget.runs import colocated, setup

BROWSER = next((b for b in ("chromium", "chromium-browser", "google-chrome") if shutil.which(b)), None)
H100 = gpu_named("h100")
WIDTH, HEIGHT = 900, 900


@pytest.fixture(scope="module")
def page() -> str:
    run = setup()
    return budget_html(price(run, H100), answers(run, H100), front(run, (H100, gpu_named("h200"))))


def test_every_tag_is_closed(page: str) -> None:
    open_tags: list[str] = []

    class Balance(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag != "meta":
                open_tags.append(tag)

        def handle_startendtag(self, tag: str, attrs: object) -> None:
            pass

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

    Balance().feed(page)
    assert open_tags == []


def test_what_a_config_says_cannot_become_markup() -> None:
    run = setup(colocated(), model="Qwen/Qwen3-8B")
    noted = replace(run, notes=("<b>&",))
    assert "&lt;b&gt;&amp;" in budget_html(price(noted, H100))


def test_names_of_clusters_do_not_lie_on_each_other(page: str) -> None:
    values = re.findall(r'class="point" x="([\d.]+)" y="([\d.]+)" text-anchor="(\w+)">([^<]+)<', page)
    spans = []
    for x, y, side, text in values:
        wide = 7 * len(text)
        remaining = float(x) if side == "start" else float(x) - wide
        spans.append((remaining, remaining + wide, float(y)))
    assert spans
    for i, (a, b, y) in enumerate(spans):
        assert all(b < c or a > d or abs(y - second) > 12 for c, d, second in spans[i + 1 :])


def pixels(png: bytes) -> set[tuple[int, int, int]]:
    """The colours of an 8-bit RGB or RGBA image."""
    index, data, head = 8, b"", b""
    while index < len(png):
        size, kind = struct.unpack(">I4s", png[index : index + 8])
        body = png[index + 8 : index + 8 + size]
        head, data = (body if kind == b"IHDR" else head), data + (body if kind == b"IDAT" else b"")
        index += 12 + size
    width, height, depth, colour = struct.unpack(">IIBB", head[:10])
    assert depth == 8
    step = {2: 3, 6: 4}[colour]
    raw, row, names = zlib.decompress(data), bytearray(width * step), set()
    for line in range(height):
        start = line * (width * step + 1)
        row = _unfiltered(raw[start], raw[start + 1 : start + 1 + width * step], row, step)
        names |= {(row[i], row[i + 1], row[i + 2]) for i in range(0, len(row), step)}
    return names


def _unfiltered(kind: int, line: bytes, above: bytearray, step: int) -> bytearray:
    row = bytearray(line)
    for i in range(len(row)):
        a, b = row[i - step] if i >= step else 0, above[i]
        c = above[i - step] if i >= step else 0
        if kind == 4:
            p = a + b - c
            near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
        else:
            near = (0, a, b, (a + b) // 2)[kind]
        row[i] = (row[i] + near) & 255
    return row


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium, to look at the report as people will")
@pytest.mark.parametrize(("scheme", "paper"), [(1, "ffffff"), (0, "15181d")], ids=["light", "dark"])
def test_a_browser_shows_bars_in_the_colours_of_the_parts(page: str, tmp_path: Path, scheme: int, paper: str) -> None:
    file, shot = tmp_path / "budget.html", tmp_path / "budget.png"
    file.write_text(page)
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        f"--user-data-dir={tmp_path}",
        # a busy machine: the picture is taken when everything is drawn
        "--run-all-compositor-stages-before-draw",
        "--virtual-time-budget=5000",
        f"--blink-settings=preferredColorScheme={scheme}",
    ]
    command += [f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={shot}", file.as_uri()]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    names = pixels(shot.read_bytes())
    assert tuple(bytes.fromhex(paper)) in names
    for part in ("weights", "optimizer", "activations", "logits", "kv_cache"):
        rgb = tuple(bytes.fromhex(COLOURS[part][1:]))
        assert rgb in names, part
    assert tuple(bytes.fromhex(WORKS[1:])) in names, "who works in which phase"
    assert re.search(r"<title>kv cache: [\d.]+ GiB", page)
