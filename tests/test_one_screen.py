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
def told() -> dict[str, str]:
    found = of_sample(EVERY)
    if not found:
        pytest.skip("no corpus lies beside this project")
    return {f"{real.name} to {to}": ledger_text(done.ledger, Screen(100)) for real, to, done in found}


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
                said = capsys.readouterr().err
                assert "read as " in said
                assert "written to " in said
                lines.append(len(said.splitlines()))
    if not lines:
        pytest.skip("no corpus lies beside this project")
    assert median(lines) <= 40, (median(lines), max(lines))


def test_decisions_come_before_the_learning_and_that_before_counts(told: dict[str, str]) -> None:
    for name, text in told.items():
        marks = ("You must decide", "What changes the learning", " read: ")
        found = [text.index(mark) for mark in marks if mark in text]
        assert found == sorted(found), name
        assert " read: " in text or " read\n" in text, name


def test_nobody_is_told_of_rows_hazards_or_words_of_the_plan(told: dict[str, str]) -> None:
    said = {name: CITED.findall(text) + WORDS_OF_THE_PLAN.findall(text) for name, text in told.items()}
    assert {name: found for name, found in said.items() if found} == {}


def test_every_decision_says_how_it_is_answered() -> None:
    for real, to, done in of_sample(EVERY):
        for decision in done.ledger.decisions:
            assert decision.choices, (real.name, to, decision)


def test_the_largest_effect_stands_first() -> None:
    tiers = [tier.name.lower() for tier in Tier]
    for real, to, done in of_sample(EVERY):
        order = [tiers.index(one.tier) for one in done.ledger.learning]
        assert order == sorted(order), (real.name, to)
