"""Budget, New and Compare in a real browser, with a picture of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run

from .test_pages import GOLDEN, SCRIPT, Keep, Open, dropped


def priced(page: Any) -> None:
    """A run on the budget page, drawn."""
    dropped(page, "run.sh", SCRIPT)
    page.locator("svg.front circle").first.wait_for()


def test_a_slider_asks_the_account_again(opened: Open, keep: Keep) -> None:
    page = opened("budget", 1366, 1100)
    priced(page)
    keep(page, "budget")
    before = page.locator(".verdict .says").first.inner_text()
    slider = page.get_by_role("slider", name="share of a GPU for the engine")
    slider.focus()
    page.keyboard.press("End")
    page.locator(".verdict .bad, .verdict .warn").first.wait_for()
    assert page.locator(".verdict .says").first.inner_text() != before
    page.get_by_role("button", name="As in the file").click()
    page.locator(".verdict .good").first.wait_for()
    assert page.locator(".verdict .says").first.inner_text() == before


def test_the_drawing_shows_every_gpu_and_the_limit(opened: Open) -> None:
    page = opened("budget")
    priced(page)
    assert page.locator("svg.gpus .frame").count() == 8
    assert page.locator("svg.bars .limit").count() == 1
    assert page.locator("svg.bars rect").count() > 20
    page.locator(".form input[type=text]").first.fill("2")
    page.locator("svg.gpus text", has_text="node 1").wait_for()
    assert page.locator("svg.gpus .frame").count() == 16


def test_the_drawing_is_by_role_and_phase(opened: Open, keep: Keep) -> None:
    """Where the roles have GPUs of their own, one side waits while the other works."""
    page = opened("budget", 1366, 1100)
    dropped(page, "run.yaml", (GOLDEN / "readme" / "expected.yaml").read_text())
    page.locator("svg.gpus .frame").first.wait_for()
    assert page.locator("svg.bars").count() == 2
    page.get_by_role("radiogroup", name="Phase").get_by_text("rollout", exact=True).click()
    page.locator("svg.gpus .frame.waits").first.wait_for()
    assert page.locator("svg.gpus .frame.waits").count() == 4
    keep(page, "budget-rollout-of-a-split-run")
    drawn = page.locator("svg.gpus").get_attribute("aria-label")
    assert "waiting" in drawn
    page.get_by_role("slider", name="share of a GPU for the engine").focus()
    page.keyboard.press("ArrowLeft")
    page.locator(f"svg.gpus:not([aria-label='{drawn}'])").wait_for()
    assert "rollout:" in page.locator("svg.gpus").get_attribute("aria-label"), "the phase was not kept"


def test_every_slider_that_is_asked_for_is_there(opened: Open) -> None:
    page = opened("budget")
    priced(page)
    names = page.locator(".sliders").inner_text()
    for name in ("token cap", "tensor parallel size", "share of a GPU", "wait in host memory"):
        assert name in names
    dropped(page, "run.sh", SCRIPT.replace("use_dynamic_bsz=True", "use_dynamic_bsz=False"))
    page.get_by_role("slider", name="micro-batch per GPU").wait_for()


def test_a_slider_is_written_into_the_file(opened: Open, tmp_path: Path) -> None:
    page = opened("budget")
    priced(page)
    page.get_by_role("checkbox", name="actor's weights wait in host memory").check()
    button = page.get_by_role("button", name="Write into the file")
    with page.expect_download() as waiting:
        button.click()
    waiting.value.save_as(tmp_path / "run.sh")
    assert "fsdp_config.param_offload=True" in (tmp_path / "run.sh").read_text()


@pytest.mark.parametrize("framework", ["veRL", "Trinity-RFT", "ROLL", "ChatLearn"])
def test_a_beginner_gets_what_the_command_line_writes(opened: Open, keep: Keep, tmp_path: Path, framework: str) -> None:
    page = opened("new")
    page.locator(".new .row").first.wait_for()
    page.locator(".guide .segments span", has_text=framework).click()
    page.locator(".code .row", has_text=f"with {framework}").first.wait_for()
    if framework == "veRL":
        keep(page, "new-beginner")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download").click()
    waiting.value.save_as(tmp_path / "page")
    words = ["--algorithm", "grpo", "--model", "Qwen/Qwen2.5-7B-Instruct", "--gpus", "8", "--gpu", "h100-80g", "-q"]
    run(["new", "--framework", framework, *words, "-o", str(tmp_path / "cli")])
    assert (tmp_path / "page").read_bytes() == (tmp_path / "cli").read_bytes()


def test_a_beginner_may_say_more(opened: Open) -> None:
    page = opened("new")
    page.locator(".new .row").first.wait_for()
    page.locator(".guide summary", has_text="More values").click()
    page.locator('.further input[data-key="trainer.project_name"]').fill("mine")
    page.locator(".code .row", has_text="trainer.project_name=mine").wait_for()
    page.locator('.further input[data-key="actor_rollout_ref.rollout.n"]').fill("1")
    result = page.locator(".verdict .says", has_text="BAT011")
    result.wait_for()
    assert result.count() == 1
    assert "trainer.project_name=mine" in page.locator(".code").inner_text()


def test_an_expert_finds_every_key_and_is_checked(opened: Open, keep: Keep) -> None:
    page = opened("new")
    page.locator(".modes span", has_text="Expert").click()
    page.locator(".keys details").first.wait_for()
    page.get_by_label("Search keys").fill("train_batch_size")
    field = page.locator('.key-row[data-key="data.train_batch_size"] input')
    field.fill("many")
    page.locator(".verdict .says", has_text="data.train_batch_size expects int").wait_for()
    field.fill("512")
    page.locator(".code .row", has_text="data.train_batch_size=512").wait_for()
    assert "data.train_batch_size" in page.locator(".about").inner_text()
    keep(page, "new-expert")


def test_a_key_that_does_nothing_says_so(opened: Open) -> None:
    """Visibility by the tables' own conditions: the coefficient of a KL loss that is off."""
    page = opened("new")
    page.locator(".modes span", has_text="Expert").click()
    page.locator(".keys details").first.wait_for()
    page.get_by_label("Search keys").fill("actor.use_kl_loss")
    page.locator('.key-row[data-key="actor_rollout_ref.actor.use_kl_loss"] select').select_option("false")
    page.get_by_label("Search keys").fill("actor.kl_loss_coef")
    row = page.locator('.key-row[data-key="actor_rollout_ref.actor.kl_loss_coef"]')
    row.locator(".note", has_text="use_kl_loss").wait_for()
    assert "idle" in (row.get_attribute("class") or "")
    page.get_by_label("hide what does nothing").check()
    row.wait_for(state="hidden")
    page.get_by_label("hide what does nothing").uncheck()
    row.wait_for()


@pytest.mark.parametrize(
    ("framework", "switch", "value", "key"),
    [
        ("trinity", "algorithm.algorithm_type", "grpo", "algorithm.advantage_fn_args.lam"),
        ("roll", "adv_estimator", "grpo", "critic.training_args.learning_rate"),
        ("chatlearn", "models.policy_trainer.packing", "false", "models.policy_trainer.max_token_in_packing"),
        ("verl", "algorithm.adv_estimator", "grpo", "critic.optim.lr"),
    ],
)
def test_conditions_follow_the_form_while_one_types(
    opened: Open, keep: Keep, framework: str, switch: str, value: str, key: str
) -> None:
    """The row stays where it is, says why it does nothing, and acts again when its condition holds."""
    page = opened("new", 1366, 1100)
    page.locator(".modes span", has_text="Expert").click()
    page.locator(".key-row").first.wait_for()
    page.get_by_role("combobox", name="framework").select_option(framework)
    page.locator(
        ".keys + .soft", has_text={"verl": "veRL", "trinity": "Trinity", "roll": "ROLL"}.get(framework, "ChatLearn")
    ).wait_for()
    page.get_by_label("Search keys").fill(f"{switch.rpartition('.')[2]}")
    field = page.locator(f'.key-row[data-key="{switch}"] .input').locator("input, select").first
    field.wait_for()
    if field.evaluate("(node) => node.tagName") == "SELECT":
        field.select_option(value)
    else:
        field.fill(value)
    page.get_by_label("Search keys").fill(key)
    row = page.locator(f'.key-row[data-key="{key}"]')
    row.locator(".note:not(:empty)").wait_for()
    assert "idle" in (row.get_attribute("class") or "")
    keep(page, f"new-expert-{framework}")


def test_the_common_keys_are_sorted_by_topic(opened: Open) -> None:
    page = opened("new")
    page.locator(".modes span", has_text="Expert").click()
    page.locator(".key-row").first.wait_for()
    titles = page.locator(".keys details > summary b").all_inner_texts()
    assert titles[:4] == ["Run", "Cluster", "Model", "Data"]
    page.locator(".keys summary", has_text="No key of veRL").click()
    assert page.locator(".lacking li").count() > 10
    page.get_by_role("radiogroup", name="Which keys").get_by_text("Every key").click()
    assert page.locator(".keys details > summary code").count() > 50


def test_two_configs_are_compared(opened: Open, keep: Keep) -> None:
    page = opened("compare", 1366, 1100)
    inputs = page.locator("input[type=file]:not(.extra)")
    second = (GOLDEN / "readme" / "expected.yaml").read_text().replace("lr: 1.0e-06", "lr: 2.0e-06")
    for index, (name, text) in enumerate([("run.sh", SCRIPT), ("run.yaml", second)]):
        inputs.nth(index).set_input_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})
    row = page.locator(".differences tr", has_text="optim.actor.lr")
    row.wait_for()
    assert "Different runs" in page.locator(".compared .says").inner_text()
    row.click()
    assert page.locator(".stripe.lit").count() == 2
    keep(page, "compare")


@pytest.mark.parametrize("name", ["budget", "new", "compare"])
@pytest.mark.parametrize("dark", [False, True])
def test_every_page_is_readable_on_a_phone(opened: Open, keep: Keep, name: str, dark: bool) -> None:
    page = opened(name, 390, 844, dark=dark)
    if name == "budget":
        priced(page)
    elif name == "compare":
        page.get_by_role("button", name="Example").click()
        page.locator(".differences td").first.wait_for()
    else:
        page.locator(".new .row").first.wait_for()
    keep(page, f"{name}-phone-{'dark' if dark else 'light'}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, f"{name} is wider than a phone"


def test_the_keyboard_is_enough(opened: Open) -> None:
    """From the first Tab to a conversion, without a pointer."""
    page = opened("convert")
    page.locator(".editor").first.wait_for()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("document.activeElement.textContent.trim() || document.activeElement.ariaLabel || ''")
        )
        if reached[-1] == "Example":
            break
    assert reached[0] == "Skip to the page"
    page.keyboard.press("Enter")
    page.locator(".row.known").first.wait_for()
    page.keyboard.press("Tab")
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "the focus is not seen"
