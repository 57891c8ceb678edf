"""A successful conversion says on one screen what a person needs, in the order in which it is needed."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

import pytest

from rftconf.cli.app import run
from rftconf.diff.measured_difference import Tier
from rftconf.report.ledger import ledger_text
from rftconf.report.screen import Screen
from tests.corpus_conversions import FRAMEWORKS, of_sample, sample

EVERY = 5
"""Every fifth config of the corpus, for all targets."""
CITED = re.compile(r"\((?:rows? )?(?:[HD]\d+|\d+(?:\.\d+)+)[,)]")
WORDS_OF_THE_PLAN = re.compile(r"recompute_at_|rollout_engine\b|drop_g[te]|mask_dummy|micro_batch_(?:mean|sum)")


@pytest.fixture(scope="module")
def reports() -> dict[str, str]:
    values = of_sample(EVERY)
    if not values:
        pytest.skip("no corpus lies beside this project")
    return {f"{real.name} to {to}": ledger_text(done.ledger, Screen(100)) for real, to, done in values}


def test_the_median_report_is_one_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the command says: what the file was read as, the account, the file, the next command."""
    monkeypatch.setenv("COLUMNS", "100")
    lines = []
    for real in sample(2 * EVERY):
        file = str(real.write(tmp_path))
        for to in FRAMEWORKS:
            capsys.readouterr()
            if to != real.framework and run(["convert", file, "--to", to, "-o", str(tmp_path / "out")]) == 0:
                output = capsys.readouterr().err
                assert "read as " in output
                assert "written to " in output
                lines.append(len(output.splitlines()))
    if not lines:
        pytest.skip("no corpus lies beside this project")
    assert median(lines) <= 40, (median(lines), max(lines))


def test_decisions_come_before_the_learning_and_that_before_counts(reports: dict[str, str]) -> None:
    for name, text in reports.items():
        marks = ("You must decide", "What changes the learning", " read: ")
        values = [text.index(mark) for mark in marks if mark in text]
        assert values == sorted(values), name
        assert " read: " in text or " read\n" in text, name


def test_nobody_is_told_of_rows_hazards_or_words_of_the_plan(reports: dict[str, str]) -> None:
    reply = {name: CITED.findall(text) + WORDS_OF_THE_PLAN.findall(text) for name, text in reports.items()}
    assert {name: values for name, values in reply.items() if values} == {}


def test_every_decision_says_how_it_is_answered() -> None:
    for real, to, done in of_sample(EVERY):
        for decision in done.ledger.decisions:
            assert decision.choices, (real.name, to, decision)


def test_the_largest_effect_stands_first() -> None:
    tiers = [tier.name.lower() for tier in Tier]
    for real, to, done in of_sample(EVERY):
        order = [tiers.index(change.tier) for change in done.ledger.learning]
        assert order == sorted(order), (real.name, to)
