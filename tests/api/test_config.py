"""`import rftconf`: what it gives is what the command line says, typed, and nothing is printed."""

from __future__ import annotations

import doctest
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import rftconf

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "golden" / "convert" / "readme" / "input.sh"
SECRET = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"


@pytest.fixture(scope="module")
def run() -> rftconf.Config:
    return rftconf.read(README, rows=7473)


@pytest.mark.parametrize("page", ["docs/api.md", "rftconf/__init__.py"])
def test_examples_are_true(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("HOME", "/root")
    text = (ROOT / page).read_text(encoding="utf-8") if page.endswith(".md") else str(rftconf.__doc__)
    examples = doctest.DocTestParser().get_doctest(text, {}, page, page, 0)
    assert len(examples.examples) >= 3
    assert doctest.DocTestRunner(optionflags=doctest.REPORT_NDIFF).run(examples).failed == 0


def test_every_stable_name_is_there_and_is_documented() -> None:
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in rftconf.__all__:
        assert getattr(rftconf, name)
    for name in ("RefusedError", "UnreadableError", "UsageError", "RftconfError"):
        assert name in page
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        rftconf.reed  # noqa: B018


def test_importing_it_loads_next_to_nothing() -> None:
    program = "import sys, rftconf; print(*(name for name in sys.modules if name.startswith(('rftconf.', 'pydantic'))))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["rftconf._version"]


def test_text_and_path_are_read_alike(run: rftconf.Config, capfd: pytest.CaptureFixture[str]) -> None:
    again = rftconf.read(README.read_text(encoding="utf-8"), name="input.sh", rows=7473)
    assert again.diff(run).same
    assert (again.framework, again.release, again.confidence) == (run.framework, run.release, run.confidence)
    assert capfd.readouterr() == ("", "")


def test_the_conversion_is_what_the_command_line_writes(run: rftconf.Config, tmp_path: Path) -> None:
    saved = run.convert("trinity").save(tmp_path / "saved.yaml")
    written = tmp_path / "written.yaml"
    command = [
        sys.executable,
        "-m",
        "rftconf",
        "convert",
        str(README),
        "--to",
        "trinity",
        "--rows",
        "7473",
        "-o",
        str(written),
    ]
    wide = {**os.environ, "COLUMNS": "100"}
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=wide)
    assert saved.read_text() == written.read_text()
    assert str(run.convert("trinity")) in result.stderr


def test_answers_of_a_file_count(run: rftconf.Config, tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text("version: 1\nanswers:\n  explorer.rollout_model.engine_num: 6\n  $HOME: /home/me\n")
    before, after = run.convert("trinity"), run.convert("trinity", answers=answers)
    assert ("engine_num: 2" in before.text, "engine_num: 3" in after.text) == (True, True)
    assert ("/home/me/data" in before.text, "/home/me/data" in after.text) == (False, True)
    assert len(after.decisions) == len(before.decisions) - 2
    answers.write_text("version: 1\nanswers:\n  no.such.question: 1\n")
    with pytest.raises(rftconf.UsageError, match=r"no\.such\.question"):
        run.convert("trinity", answers=answers)


def test_findings_are_those_of_check() -> None:
    text = README.read_text(encoding="utf-8").replace("MINI=128", "MINI=130")
    findings = rftconf.read(text, name="input.sh").check()
    assert [diagnostic.code for diagnostic in findings] == ["DAT003", "OPT015", "BAT002"]
    assert (findings.clean, findings.errors, len(findings), findings[2].code) == (False, (), 3, "BAT002")
    assert all(diagnostic.place is not None and diagnostic.place.file == "input.sh" for diagnostic in findings)
    printed = subprocess.run(
        [sys.executable, "-m", "rftconf", "check", "-", "--severity", "info", "--json"],
        input=text, capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert [entry["code"] for entry in json.loads(printed.stdout)] == [diagnostic.code for diagnostic in findings]


def test_codes_and_severities_are_chosen(run: rftconf.Config) -> None:
    assert [diagnostic.code for diagnostic in run.check()] == ["DAT003", "OPT015"]
    assert [diagnostic.code for diagnostic in run.check(select=["OPT"])] == ["OPT015"]
    assert [diagnostic.code for diagnostic in run.check(ignore=["OPT"])] == ["DAT003"]
    assert str(run.check(severity="warning")) == "Nothing is wrong."


def test_a_comment_silences_a_finding() -> None:
    silent = README.read_text(encoding="utf-8").replace("python3 -m", "# rftconf: ignore[OPT015]\npython3 -m", 1)
    assert [diagnostic.code for diagnostic in rftconf.read(silent).check()] == ["DAT003"]


def test_a_budget_says_bytes(run: rftconf.Config) -> None:
    budget = run.budget("h100-80g")
    assert budget.peak_bytes + budget.headroom_bytes == budget.budget.gpu.usable
    assert (budget.fits, budget.verdict) == (True, "fits")
    assert run.budget("small:24").verdict == "does not fit"
    with pytest.raises(rftconf.UsageError, match="h100-80g"):
        run.budget("no-such-gpu")


def test_what_cannot_be_read_is_raised_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(rftconf.UnreadableError, match="no/such/file: cannot be read"):
        rftconf.read("no/such/file")
    with pytest.raises(rftconf.UnreadableError) as ended:
        rftconf.read("nothing\nat all\n", name="notes.txt")
    assert (ended.value.file, ended.value.line) == ("notes.txt", 1)
    with pytest.raises(rftconf.UsageError, match="did you mean verl"):
        rftconf.read(README, framework="verll")
    with pytest.raises(rftconf.UsageError):
        rftconf.read(README, assume={"no_such": "thing"})
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: \0")
    with pytest.raises(rftconf.UnreadableError, match="NUL"):
        rftconf.read(binary)


def test_what_the_target_cannot_hold_is_refused_with_choices(run: rftconf.Config) -> None:
    ppo = rftconf.read(README.read_text().replace("adv_estimator=grpo", "adv_estimator=gae"))
    with pytest.raises(rftconf.RefusedError):
        ppo.convert("chatlearn")


def test_reports_are_text_colours_and_html_without_secrets() -> None:
    run = rftconf.read(README.read_text() + f"# {SECRET}\nexport HF_TOKEN={SECRET}\n", name="input.sh")
    console = pytest.importorskip("rich.console")
    for output in (run, run.check(), run.convert("roll"), run.budget("h100-80g"), run.diff(run)):
        text, html = str(output), output._repr_html_()
        assert text
        assert html.startswith("<pre>")
        assert "\x1b" not in text
        terminal = io.StringIO()
        console.Console(width=100, file=terminal, force_terminal=True).print(output)
        assert terminal.getvalue().strip()
        assert SECRET not in text + html + repr(output) + terminal.getvalue()
