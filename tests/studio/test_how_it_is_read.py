"""What the command line has options for and the page has controls for: launch, arguments, other files, what a fork counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from rftconf.cli.app import run

from .test_answers import GOLDEN, README, ask, refused
from .test_pages import Open, dropped

ONE = README.replace("N=8\n", "source env.sh\n")
TWO = ONE + ONE[ONE.index("python3 -m") :].replace("trainer.nnodes=1", "trainer.nnodes=2")
BASE = "actor_rollout_ref:\n  actor:\n    optim:\n      weight_decay: 0.05\n"


def test_files_beside_and_below_are_read_as_the_command_line_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"run.sh": ONE, "env.sh": "N=16\n", "base.yaml": BASE}.items():
        Path(name).write_text(text)
    fields: dict[str, Any] = {
        "text": ONE,
        "name": "run.sh",
        "to": "trinity",
        "rows": 7473,
        "sources": [{"name": "env.sh", "text": "N=16\n"}],
        "base": {"name": "base.yaml", "text": BASE},
    }
    data = ask("convert", **fields)
    text = data["files"][0]["text"]
    assert "repeat_times: 16" in text
    assert "weight_decay: 0.05" in text
    words = data["command"].split()
    assert run([*words[1:], "-q"]) == 0
    assert Path(words[-1]).read_text() == text
    assert ask("check", **fields)["source"]["title"] == "veRL"
    assert refused("convert", **{**fields, "base": [1]})["message"] == "base should be an object"
    assert "there is no text" in refused("convert", **{**fields, "base": {"name": "b.yaml"}})["message"]


def test_what_a_fork_counts_is_said_on_every_page() -> None:
    text = (GOLDEN / "fork-samples" / "input.sh").read_text()
    fields: dict[str, Any] = {"text": text, "name": "run.sh"}
    assume = {"mini_batch": "samples"}
    assert refused("convert", **fields, to="trinity")["exit"] == 3
    assert "--assume mini_batch=samples" in ask("convert", **fields, to="trinity", assume=assume)["command"]
    side = {**fields, "assume": assume}
    assert ask("diff", sides=[side, side])["verdict"] == "same"
    assert "mini_batch" in refused("convert", **fields, to="trinity", assume={"mini_batch": "rows"})["message"]


def test_the_page_has_the_controls(opened: Open) -> None:
    page = opened("convert")
    dropped(page, "run.sh", TWO)
    page.locator(".told .says", has_text="launch 1 is read").wait_for()
    page.locator(".how summary").first.click()
    page.get_by_label("launch", exact=True).fill("2")
    page.get_by_label("launch", exact=True).blur()
    page.locator(".code .row", has_text="node_num: 2").wait_for()
    page.get_by_label("A file that the script sources or reads (--source)").set_input_files(
        {"name": "env.sh", "mimeType": "text/plain", "buffer": b"N=16\n"}
    )
    page.locator(".code .row", has_text="repeat_times: 16").wait_for()
    page.get_by_label("A fork's own trainer YAML, below the overrides (--base)").set_input_files(
        {"name": "base.yaml", "mimeType": "text/plain", "buffer": BASE.encode()}
    )
    page.locator(".code .row", has_text="weight_decay: 0.05").wait_for()
    command = page.locator(".command code")
    assert "--launch 2" in command.inner_text()
    assert "--base base.yaml --source env.sh" in command.inner_text()
    page.goto(page.url.replace("#/convert", "#/check"))
    page.locator(".check-page .how summary", has_text="launch 2; above base.yaml; beside env.sh").click()
    page.get_by_label("Leave out base base.yaml").click()
    page.locator(".how .chip", has_text="base.yaml").wait_for(state="detached")


def test_a_fork_is_told_what_it_counts(opened: Open) -> None:
    page = opened("convert")
    dropped(page, "run.sh", (GOLDEN / "fork-samples" / "input.sh").read_text())
    page.locator(".trouble", has_text="Refused").wait_for()
    page.locator(".how summary").first.click()
    page.get_by_label("mini-batch counts").select_option("samples")
    page.locator(".row.known").first.wait_for()
    assert "--assume mini_batch=samples" in page.locator(".command code").inner_text()
