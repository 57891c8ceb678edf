"""Each page's main path in a real browser, with a picture of each."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "convert"
SCRIPT = (GOLDEN / "readme" / "input.sh").read_text()
Open = Callable[..., Any]
Keep = Callable[[Any, str], None]
EDITOR = ".editor textarea"


def dropped(page: Any, name: str, text: str) -> None:
    """A file given to the page's editor."""
    page.locator("input[type=file]:not(.extra)").first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": text.encode()}
    )


@pytest.mark.parametrize("case", ["grpo-guide", "readme"])
def test_a_script_becomes_a_trinity_file_byte_for_byte(opened: Open, keep: Keep, tmp_path: Path, case: str) -> None:
    """The whole way of a person: give the script, answer what is asked, download; the command line writes the same.

    The GRPO pair of Trinity-RFT's guide to aligning with veRL, and the first screen's script.
    """
    page = opened("convert")
    dropped(page, "input.sh", (GOLDEN / case / "input.sh").read_text())
    page.get_by_text("You must decide").wait_for()
    page.get_by_label("rows of the training set").fill("7473")
    page.locator(".command code", has_text="--rows 7473").wait_for()
    keep(page, "convert" if case == "readme" else f"convert-{case}")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download").click()
    waiting.value.save_as(tmp_path / "page.yaml")
    source = str(GOLDEN / case / "input.sh")
    assert run(["convert", source, "--to", "trinity", "--rows", "7473", "-o", str(tmp_path / "cli.yaml"), "-q"]) == 0
    assert (tmp_path / "page.yaml").read_bytes() == (tmp_path / "cli.yaml").read_bytes()
    assert waiting.value.suggested_filename == "input.yaml"


def test_a_file_may_be_dropped_or_text_pasted(opened: Open) -> None:
    page = opened("convert")
    page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.sh", { type: "text/plain" }));
          document.querySelector(".editor").dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true, bubbles: true }));
        }""",
        SCRIPT,
    )
    page.locator(".row.known").first.wait_for()
    assert "convert dropped.sh" in page.locator(".command code").inner_text()
    page.get_by_role("button", name="Clear").click()
    page.locator(".blank").wait_for()
    page.locator(EDITOR).focus()
    page.keyboard.insert_text(SCRIPT)
    page.locator(".row.known").first.wait_for()


def test_a_page_that_is_drawn_late_is_waited_for(opened: Open, browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The document is there before its modules have run: what these tests do at once must find the page."""
    context_of = browser.new_context

    def late(route: Any) -> None:
        result = route.fetch()
        route.fulfill(response=result, body=f"await new Promise((go) => setTimeout(go, 1500));\n{result.text()}")

    def slow(**how: Any) -> Any:
        context = context_of(**how)
        context.route("**/convert.js", late)
        return context

    monkeypatch.setattr(browser, "new_context", slow)
    assert opened("convert").evaluate("document.querySelectorAll('.editor').length") > 0


def test_a_line_of_the_target_lights_its_source(opened: Open) -> None:
    page = opened("convert")
    dropped(page, "input.sh", SCRIPT)
    page.locator(".row", has_text="repeat_times").first.hover()
    lit = page.locator(".stripe.lit")
    lit.first.wait_for()
    assert lit.count() == 2
    assert "actor_rollout_ref.rollout.n" in page.locator(".status").inner_text()
    before = page.locator(".status").inner_text()
    page.locator(".code").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.locator(".status").inner_text() != before


def test_the_account_is_filtered(opened: Open) -> None:
    page = opened("convert")
    dropped(page, "input.sh", SCRIPT)
    rows = page.locator(".account tbody tr")
    rows.first.wait_for()
    everything = rows.count()
    page.get_by_label("Filter the account").fill("train_batch_size")
    assert 0 < rows.count() < everything
    page.get_by_label("Filter the account").fill("")
    page.locator(".chip", has_text="exact").click()
    assert rows.count() < everything
    assert "exact" not in [state.inner_text() for state in page.locator(".account .state").all()]


def test_check_finds_and_fixes(opened: Open, keep: Keep) -> None:
    page = opened("check")
    dropped(page, "run.sh", SCRIPT.replace("train_batch_size=", "train_bach_size="))
    page.locator(".finding", has_text="KEY001").click()
    page.locator(".rule", has_text="a key that no release of the framework has").wait_for()
    assert page.locator(".stripe.mark.error").count() >= 1
    keep(page, "check")
    page.get_by_role("button", name="write data.train_batch_size").click()
    page.locator(".finding", has_text="KEY001").wait_for(state="detached")
    assert page.locator(EDITOR).input_value() == SCRIPT


def test_a_finding_stands_in_the_text_with_its_fix(opened: Open) -> None:
    page = opened("check")
    dropped(page, "run.sh", SCRIPT.replace("train_batch_size=", "train_bach_size="))
    note = page.locator(".note-line", has_text="KEY001")
    note.wait_for()
    line = 1 + SCRIPT[: SCRIPT.index("data.train_batch_size")].count("\n")
    assert note.evaluate("(node) => getComputedStyle(node).getPropertyValue('--line')") == str(line - 1)
    note.get_by_text("has no key").click()
    page.locator(".rule", has_text="a key that no release of the framework has").wait_for()
    note.get_by_text("Fix", exact=True).click()
    note.wait_for(state="detached")
    assert page.locator(EDITOR).input_value() == SCRIPT


def test_a_decision_changes_the_output_and_the_bundle_has_adapters(opened: Open, tmp_path: Path) -> None:
    page = opened("convert")
    dropped(page, "input.sh", SCRIPT)
    page.locator(".row.known").first.wait_for()
    assert page.locator(".row .t-comment", has_text="# actor_rollout_ref.rollout.n=8").count() == 1, "no provenance"
    page.get_by_label("split of the GPUs").select_option("6")
    page.locator(".code .row", has_text="engine_num: 3").wait_for()
    page.get_by_label("$HOME").fill("/home/me")
    page.locator(".code .row", has_text="/home/me/data/gsm8k").first.wait_for()
    page.locator(".told summary", has_text="notes").click()
    assert page.locator(".told li").count() > 2
    page.get_by_label("adapters").check()
    page.get_by_role("tab", name="adapters/convert_data.py").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Bundle").click()
    waiting.value.save_as(tmp_path / "input.zip")
    names = set(zipfile.ZipFile(tmp_path / "input.zip").namelist())
    assert {"input.yaml", "ledger.json", "adapters/convert_data.py"} <= names
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Ledger").click()
    assert waiting.value.suggested_filename == "input.ledger.json"


def test_markup_in_an_input_is_text(opened: Open) -> None:
    """Keys, values, names: nothing of them is markup, and nothing runs."""
    page = opened("convert")
    evil = '<img src=x onerror="window.bad=1"><script>window.bad=1</script>'
    text = SCRIPT.replace(
        "trainer.nnodes=1", f"trainer.nnodes=1 '+trainer.<b>x</b>={evil}' 'trainer.project_name={evil}'"
    )
    dropped(page, "<img src=x onerror=window.bad=1>.sh", text)
    page.locator(".account tbody tr, .trouble").first.wait_for()
    page.goto(page.url.replace("#/convert", "#/check"))
    page.locator(".findings li").first.wait_for()
    assert page.evaluate("window.bad") is None
    assert page.locator("main img, main script").count() == 0


def test_a_file_of_50_mb_is_not_even_read(opened: Open, tmp_path: Path) -> None:
    page = opened("convert")
    large = tmp_path / "large.sh"
    large.write_bytes(b"a=1\n" * (50 * 1024 * 1024 // 4))
    page.locator("input[type=file]:not(.extra)").first.set_input_files(large)
    page.locator(".trouble", has_text="at most 1 MiB").wait_for()
    assert page.locator(EDITOR).input_value() == ""
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "x".repeat(50 * 1024 * 1024));
          const area = document.querySelector(".editor textarea");
          window.kept = area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, cancelable: true, bubbles: true }));
        }"""
    )
    assert page.evaluate("window.kept") is False


def test_the_page_is_there_on_a_phone_and_in_the_dark(opened: Open, keep: Keep) -> None:
    for name in ("convert", "check"):
        page = opened(name, 390, 844, dark=True)
        dropped(page, "input.sh", SCRIPT)
        page.locator(".row.known, .findings li").first.wait_for()
        keep(page, f"{name}-phone-dark")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"{name} is wider than a phone"
