"""A studio for tests: the application in this process, and one that really listens, before a real browser."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSER = next((path for b in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(b))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-dev-shm-usage",
]
ARTEFACTS = Path(os.environ.get("RFTCONF_ARTEFACTS") or Path(__file__).resolve().parents[2] / ".artefacts") / "studio"
"""Where pictures of the pages are kept."""
TOKEN, HOST = "secret-of-this-start", "127.0.0.1:7367"


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A studio in a process of its own; its address."""
    pytest.importorskip("uvicorn", reason="needs the extra studio")
    command = [sys.executable, "-m", "rftconf", "studio", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The distribution's Chromium."""
    if BROWSER is None:
        pytest.skip("needs Chromium, to use the pages as people will: apt-get install chromium")
    sync = pytest.importorskip("playwright.sync_api")
    with sync.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Callable[..., Any]]:
    """Opens a page of the studio; at the end nothing may have gone wrong in it, and nobody else may have been asked."""
    contexts, wrong, options = [], [], []

    def open_page(name: str, width: int = 1366, height: int = 900, *, dark: bool = False) -> Any:
        scheme = "dark" if dark else "light"
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, accept_downloads=True
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(45_000)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "console", lambda answer: wrong.append(answer.text) if "Content Security Policy" in answer.text else None
        )
        page.on("request", lambda request: options.append(request.url))
        page.goto(f"{address}#/{name}")
        # modules come after the document: what does not wait for an element itself must find the page there
        page.locator("#page[data-page] > *").first.wait_for()
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []
    assert [url for url in options if not url.startswith((address, "blob:", "data:"))] == []


@pytest.fixture
def keep() -> Callable[[Any, str], None]:
    """Keeps a picture of a page."""

    def kept(page: Any, name: str) -> None:
        ARTEFACTS.mkdir(parents=True, exist_ok=True)
        file = ARTEFACTS / f"{name}.png"
        page.screenshot(path=file)
        assert file.stat().st_size > 10_000, "the picture is empty"

    return kept
