"""`rftconf diff --html` in a real browser: readable on a laptop and a phone, light and dark, and hostile text stays text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from tests.sources import ROOT
from tests.studio.audits import FAINT
from tests.studio.conftest import ARTEFACTS

GUIDE = ROOT / "golden" / "convert" / "grpo-guide" / "input.sh"
BACK = ROOT / "golden" / "convert" / "grpo-guide-back" / "input.yaml"
HOSTILE = "<img src=x onerror=document.title=1><script>document.title=2</script>&amp;\"'"
LONG = "a" * 300
YAML = f"""\
data:
  train_files: /d/{{name}}.parquet
  train_batch_size: 64
actor_rollout_ref:
  model:
    path: '{HOSTILE.replace("'", "''")}{{name}}'
  actor:
    ppo_mini_batch_size: 64
  rollout:
    name: vllm
trainer:
  project_name: '</table></body>{LONG}{{name}}'
  n_gpus_per_node: 8
"my<b>own": "<i>{{name}}"
"""


NARROW = """() => [...document.querySelectorAll('td, th')].filter((cell) => cell.checkVisibility()
  && cell.textContent.trim().length > 2 && cell.clientWidth < 60).map((cell) => cell.textContent)"""
"""Cells with text that have no room for a word."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published pair of GRPO guides."""
    file = tmp_path_factory.mktemp("diff") / "guides.html"
    assert run(["diff", str(GUIDE), str(BACK), "--quiet", "--html", str(file)]) == 1
    return file


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two configs with markup in names, keys and values."""
    folder = tmp_path_factory.mktemp("hostile")
    files = [folder / f"<b>{name}.yaml" for name in ("one", "two")]
    for file in files:
        file.write_text(YAML.replace("{name}", file.stem[3:]))
    path = folder / "told.html"
    assert run(["diff", *map(str, files), "--from", "verl", "--quiet", "--html", str(path)]) == 1
    return path


def shown(browser: Any, file: Path, width: int, *, dark: bool) -> Any:
    """The page; whoever else is asked for anything is an error."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", java_script_enabled=True
    )
    opened = context.new_page()
    opened.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    opened.on("request", lambda request: None if request.url.startswith("file:") else pytest.fail(request.url))
    opened.goto(file.as_uri())
    return opened


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1366, 390], ids=["laptop", "phone"])
@pytest.mark.parametrize("which", ["guides", "hostile"])
def test_it_can_be_read(browser: Any, page: Path, hostile: Path, which: str, width: int, dark: bool) -> None:
    opened = shown(browser, page if which == "guides" else hostile, width, dark=dark)
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    kind = f"{'laptop' if width > 800 else 'phone'}-{'dark' if dark else 'light'}"
    opened.screenshot(path=str(ARTEFACTS / f"diff-{which}-{kind}.png"), full_page=True)
    assert opened.evaluate(FAINT) == []
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    narrow = opened.evaluate(NARROW)
    assert narrow == []
    opened.context.close()


def test_hostile_text_is_text(browser: Any, hostile: Path) -> None:
    opened = shown(browser, hostile, 1366, dark=False)
    assert opened.evaluate("document.querySelectorAll('script, img, i, b, body > td').length") == 0
    assert opened.title().endswith("two.yaml")
    answer = opened.inner_text("body")
    for text in (HOSTILE + "one", "</table></body>" + LONG, "my<b>own", "<b>one.yaml"):
        assert text in answer, text
    opened.context.close()
