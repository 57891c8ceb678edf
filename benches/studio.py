"""How long the studio takes: from its start to an address, to the first view, and from a slider's move to the drawing.

Run with `python -m benches.studio`; needs the extra, Playwright and the distribution's Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = ("readme/input.sh", "grpo-guide/input.sh")
"""Whose models the memory account knows: without one there are no bars to draw."""
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
VIEWS, MOVES = 5, 20


def main() -> None:
    """Measure and print; `-o` keeps the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path)
    args = parser.parse_args()
    figures = measured()
    text = json.dumps(figures, indent=2) + "\n"
    sys.stdout.write(text)
    if args.output:
        args.output.write_text(text)


def measured() -> dict[str, Any]:
    """All figures, in seconds and milliseconds."""
    from playwright.sync_api import sync_playwright

    browser_path = next(path for name in ("chromium", "google-chrome") if (path := shutil.which(name)))
    start = time.perf_counter()
    command = [sys.executable, "-m", "rftconf", "studio", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            listening = time.perf_counter() - start
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
                first = [_view(browser, address) for _ in range(VIEWS)]
                sliders = {name: _sliders(browser, address, ROOT / "golden" / "convert" / name) for name in CONFIGS}
                browser.close()
        finally:
            process.terminate()  # else leaving the block waits for a server that nobody ends
    return {
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        "start_to_address_s": round(listening, 2),
        "first_view_s": {"first": round(first[0], 2), "median": round(statistics.median(first), 2)},
        "slider_to_drawing_ms": sliders,
    }


def _view(browser: Any, address: str) -> float:
    """Seconds from the address to a page whose controls are there, in a browser that has nothing of it."""
    page = browser.new_context().new_page()
    start = time.perf_counter()
    page.goto(address, wait_until="load")
    page.get_by_role("button", name="Example").wait_for()
    taken = time.perf_counter() - start
    page.context.close()
    return taken


def _sliders(browser: Any, address: str, source: Path) -> dict[str, float]:
    """Milliseconds from a move to the drawing, measured in the page, one move after the other."""
    page = browser.new_context().new_page()
    page.goto(f"{address}#/budget")
    page.locator("input[type=file]:not(.extra)").first.set_input_files(source)
    page.locator(".bars").first.wait_for()
    page.wait_for_timeout(4_000)
    slider = page.locator("input[type=range]").last
    slider.focus()
    times = []
    for index in range(MOVES):
        page.evaluate("document.querySelector('.budget').dataset.ms = ''")
        page.keyboard.press("ArrowLeft" if index % 2 else "ArrowRight")
        page.locator('.budget:not([data-ms=""])').wait_for()
        times.append(float(page.locator(".budget").get_attribute("data-ms") or "nan"))
        page.wait_for_timeout(100)
    page.context.close()
    times.sort()
    return {"median": times[len(times) // 2], "p95": times[int(len(times) * 0.95)], "max": times[-1]}


if __name__ == "__main__":
    main()
