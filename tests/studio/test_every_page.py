"""What holds of every page: light, dark and on a phone, by keyboard, with names and contrast, whatever is pasted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from .audits import FAINT, NAMELESS, walk
from .test_pages import EDITOR, SCRIPT, Keep, Open, dropped

FAULTY = SCRIPT.replace("train_batch_size=", "train_bach_size=")
EVIL = '<img src=x onerror="window.bad=1"><script>window.bad=1</script>'


def _convert(page: Any) -> None:
    dropped(page, "input.sh", SCRIPT)
    page.locator(".row.known").first.wait_for()


def _check(page: Any) -> None:
    dropped(page, "run.sh", FAULTY)
    page.locator(".finding").first.wait_for()


def _budget(page: Any) -> None:
    dropped(page, "run.sh", SCRIPT)
    page.locator("svg.front circle").first.wait_for()


def _new(page: Any) -> None:
    page.locator(".new .row").first.wait_for()


def _expert(page: Any) -> None:
    page.locator(".new .row").first.wait_for()
    page.get_by_role("button", name="Every key").click()
    page.locator(".key-row").first.wait_for()
    page.locator(".follows").wait_for()


def _compare(page: Any) -> None:
    page.get_by_role("button", name="Example").click()
    page.locator(".differences td").first.wait_for()


PAGES: dict[str, tuple[str, Callable[[Any], None]]] = {
    "convert": ("convert", _convert),
    "check": ("check", _check),
    "budget": ("budget", _budget),
    "new": ("new", _new),
    "expert": ("new", _expert),
    "compare": ("compare", _compare),
}
SCREENS = {"laptop": (1366, 900), "phone": (390, 844)}


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_readable(opened: Open, keep: Keep, name: str, screen: str, dark: bool) -> None:
    """Nothing wider than the screen, no faint text, a name for every control; and a picture for people to look at."""
    address, prepare = PAGES[name]
    page = opened(address, *SCREENS[screen], dark=dark)
    prepare(page)
    keep(page, f"every-{name}-{screen}-{'dark' if dark else 'light'}")
    assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen][0]
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(FAINT) == []


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_worked_by_keyboard(opened: Open, name: str) -> None:
    """Tab comes to every control and goes on, and each is seen to have the focus."""
    address, prepare = PAGES[name]
    page = opened(address)
    prepare(page)
    assert walk(page) == []


def test_what_is_drawn_anew_keeps_the_keyboards_place(opened: Open) -> None:
    page = opened("convert")
    _convert(page)
    chip = page.locator(".chip", has_text="exact")
    chip.focus()
    page.keyboard.press("Enter")
    assert chip.get_attribute("aria-pressed") == "false"
    assert page.evaluate("document.activeElement.textContent").endswith("exact")
    page.get_by_label("sync form").select_option("B")
    page.get_by_label("sync form").focus()
    page.keyboard.press("ArrowUp")
    page.locator(".command code", has_text="--form A").wait_for()
    assert page.evaluate("document.activeElement.tagName") == "SELECT"


def made_of_text(page: Any) -> tuple[Any, int]:
    """What ran of an input, and how many elements it became: (None, 0) where all of it stayed text."""
    page.wait_for_timeout(300)
    return page.evaluate("window.bad"), page.locator("main img, main script, main iframe").count()


TEXT = SCRIPT.replace(
    "trainer.nnodes=1", f"trainer.nnodes=1 '+trainer.<b>x</b>={EVIL}' 'trainer.project_name={EVIL}' # {EVIL}"
)


@pytest.mark.parametrize("name", ["convert", "check", "budget", "compare"])
def test_markup_in_a_text_is_text(opened: Open, name: str) -> None:
    page = opened(name)
    inputs = page.locator("input[type=file]:not(.extra)")
    for index in range(2 if name == "compare" else 1):
        inputs.nth(index).set_input_files({"name": f"{EVIL}.sh", "mimeType": "text/plain", "buffer": TEXT.encode()})
    page.locator(".trouble, .account tbody tr, .finding, .verdict, .compared h3").first.wait_for()
    assert made_of_text(page) == (None, 0)


@pytest.mark.parametrize("name", ["convert", "check", "budget", "compare"])
def test_a_paste_of_50_mb_is_bounded(opened: Open, tmp_path: Path, name: str) -> None:
    page = opened(name)
    large = tmp_path / "large.sh"
    large.write_bytes(b"a=1\n" * (50 * 1024 * 1024 // 4))
    page.locator("input[type=file]:not(.extra)").first.set_input_files(large)
    page.locator(".trouble", has_text="at most 1 MiB").wait_for()
    assert page.locator(EDITOR).first.input_value() == ""
    page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.setData("text/plain", "x".repeat(50 * 1024 * 1024));
          const paste = new ClipboardEvent("paste", { clipboardData: data, cancelable: true, bubbles: true });
          window.kept = document.querySelector(".editor textarea").dispatchEvent(paste);
        }"""
    )
    assert page.evaluate("window.kept") is False
    page.locator(".how summary").first.click()
    page.locator("input.extra").first.set_input_files(large)
    page.locator(".how summary", has_text="at most 1 MiB").wait_for()


def test_markup_in_the_forms_is_text(opened: Open) -> None:
    page = opened("new")
    _new(page)
    page.get_by_label("Model").fill(EVIL)
    page.locator(".trouble, .new .row").first.wait_for()
    assert made_of_text(page) == (None, 0)
    page.locator(".modes span", has_text="Expert").click()
    page.locator(".key-row").first.wait_for()
    page.get_by_label("Search keys").fill(EVIL)
    page.locator(".keys .none").wait_for()
    page.get_by_label("Search keys").fill("")
    page.get_by_label("Another key").fill(f"trainer.{EVIL}")
    page.get_by_label("Its value").fill(EVIL)
    page.get_by_role("button", name="Add").click()
    page.locator(".new .verdict, .new .trouble").first.wait_for()
    assert made_of_text(page) == (None, 0)
    page.get_by_label("Search keys").fill("project_name")
    page.locator('.key-row[data-key="trainer.project_name"] input').fill("x" * 5_000)
    page.locator(".trouble", has_text="short text").wait_for()


def test_markup_in_how_a_text_is_read_is_text(opened: Open) -> None:
    page = opened("convert")
    _convert(page)
    page.locator(".how summary").first.click()
    page.locator("input.extra").first.set_input_files(
        {"name": f"{EVIL}.sh", "mimeType": "text/plain", "buffer": TEXT.encode()}
    )
    page.get_by_label("arguments").fill(EVIL)
    page.get_by_label("arguments").blur()
    page.get_by_label("its release").fill(EVIL)
    page.get_by_label("its release").blur()
    page.locator(".trouble").first.wait_for()
    assert made_of_text(page) == (None, 0)
