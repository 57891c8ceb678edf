"""The ledger's report: decisions first, counts, then only what did not stay as it was; secrets never."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf

import pytest

from rftconf.base.ledger import Basis, Change, Decision, Ledger, SourceLine, State, TargetLine
from rftconf.base.span import Place, Span
from rftconf.base.symbols import Arith, Text, Var
from rftconf.report.ledger import ledger_json, ledger_text
from rftconf.report.screen import Screen, columns_of

PLACE = Place("run.sh", Span(10, 20, 4, 3))
LEDGER = Ledger(
    "verl",
    "0.9.1",
    "trinity",
    "0.6.0",
    sources=(
        SourceLine("data.train_batch_size", 64, PLACE, State.EXACT, ("buffer.batch_size",)),
        SourceLine(
            "actor_rollout_ref.actor.ppo_mini_batch_size",
            Arith("*", Var("BS"), 4),
            PLACE,
            State.ROUNDED,
            ("buffer.train_batch_size",),
            reason="800 sequences per update are no multiple of 6 GPUs; 798 was written",
        ),
        SourceLine("trainer.api_key", "sk-very-secret", PLACE, State.WITHHELD, (), reason="looks like a secret"),
        SourceLine("critic.ulysses", 2, None, State.NO_COUNTERPART, (), reason="no critic here\x1b[2J"),
    ),
    targets=(
        TargetLine("buffer.batch_size", 64, Basis.WRITTEN, "data.train_batch_size=64", ("data.train_batch_size",)),
        TargetLine(
            "monitor.key", "sk-very-secret", Basis.WRITTEN, "trainer.api_key=sk-very-secret", ("trainer.api_key",)
        ),
        TargetLine("model.path", Text((Var("HOME"), "/m")), Basis.WRITTEN),
        TargetLine("x", float("inf"), Basis.DEFAULT),
    ),
    decisions=(Decision("cluster.gpu_per_node", "8 GPUs cannot be shared", ("2 + 6", "4 + 4"), "2 + 6"),),
    notes=("H21: steps count updates in Trinity",),
)
LEARNING = (
    Change("KL in the loss", "objective", "The KL term is gone", inf),
    Change("gradient scale", "scale", "The gradient is ×4", 2.0, "it adds micro-batches up (H25)", "set clip=4"),
    Change("order", "chance", "The order of rows", 0.0),
)


def test_decisions_stand_last_where_a_terminal_scrolls() -> None:
    ledger = replace(LEDGER, learning=LEARNING)
    piped = ledger_text(ledger, Screen(80))
    lines = len(piped.splitlines())
    assert ledger_text(ledger, Screen(80, height=lines + 4)) == piped
    scrolled = ledger_text(ledger, Screen(80, height=lines + 3))
    assert scrolled.endswith("answers: 2 + 6 | 4 + 4\n")
    assert sorted(scrolled.splitlines()) == sorted(piped.splitlines())
    assert scrolled.splitlines()[0] == piped.splitlines()[0]


def test_decisions_come_first_then_learning_then_counts() -> None:
    text = ledger_text(replace(LEDGER, learning=LEARNING), Screen(80))
    marks = [
        "veRL 0.9.1 → Trinity-RFT 0.6.0",
        "You must decide (1)",
        "What changes the learning (2, the largest effect first; 1 left to chance: order)",
        "  1. The KL term is gone.",
        "  2. The gradient is ×4. It adds micro-batches up.",
        "     → set clip=4",
        "4 keys read",
        "also not kept in full: ",
        "1 note on speed",
    ]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "  1. cluster.gpu_per_node = 2 + 6" in text
    assert "answers: 2 + 6 | 4 + 4" in text
    assert "1 exact · 1 rounded · 1 no-counterpart · 1 withheld" in text


def test_all_is_listed_when_all_is_asked_for() -> None:
    text = ledger_text(replace(LEDGER, learning=LEARNING), Screen(80), full=True)
    marks = ["  3. The order of rows.", "no-counterpart (1)", "rounded (1)", "Notes", "steps count updates"]
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "H21" not in text


def test_a_key_that_a_change_speaks_of_is_not_named_again() -> None:
    named = ledger_text(replace(LEDGER, learning=LEARNING), Screen(80))
    assert "critic.ulysses" in named
    report = (replace(LEARNING[0], keys=("critic.ulysses",)),)
    assert "critic.ulysses" not in ledger_text(replace(LEDGER, learning=report), Screen(80))


def test_nothing_but_chance_is_said_so() -> None:
    text = ledger_text(replace(LEDGER, learning=LEARNING[2:]), Screen(80))
    assert "Nothing here changes what is learned on average" in text


def test_variables_that_the_run_reads_are_one_entry() -> None:
    decisions = tuple(
        Decision(f"${n}", f"${n} is read when the run starts (x)", (f"--set {n}=... writes its value",)) for n in "AB"
    )
    text = ledger_text(replace(LEDGER, decisions=(*decisions, *LEDGER.decisions)), Screen(80))
    assert "You must decide (3)\n1-2. $A, $B are read when the run starts\n" in text
    assert "  3. cluster.gpu_per_node" in text


def test_learning_as_json_keeps_citations_and_infinite_sizes() -> None:
    data = ledger_json(replace(LEDGER, learning=LEARNING))["learning"]
    assert [entry["doublings"] for entry in data] == [{"$float": "inf"}, 2.0, 0.0]
    assert data[1]["why"] == "it adds micro-batches up (H25)"
    assert data[0]["remedy"] is None


def test_exact_lines_only_when_all_are_asked_for() -> None:
    assert "data.train_batch_size=64" not in ledger_text(LEDGER, Screen(80))
    assert "data.train_batch_size=64" in ledger_text(LEDGER, Screen(80), full=True)


def test_lines_that_count_as_losses_say_so() -> None:
    text = ledger_text(LEDGER, Screen(80), full=True)
    assert "rounded (1) kept, but rounded (loss)" in text
    assert "withheld (1) secrets, not copied\n" in text


@pytest.mark.parametrize("width", [40, 80, 109, 110, 140])
def test_nothing_but_a_long_word_is_wider_than_the_screen(width: int) -> None:
    longest_word = max(len(f"  {line.key}=") for line in LEDGER.sources) + 10
    for text in ledger_text(LEDGER, Screen(width), full=True).splitlines():
        assert columns_of(text) <= max(width, longest_word)
        assert text == text.rstrip()


def test_no_secret_and_no_control_character_is_printed() -> None:
    for screen in (Screen(80), Screen(140)):
        text = ledger_text(LEDGER, screen, full=True)
        assert "very-secret" not in text
        assert "\x1b" not in text
    assert "very-secret" not in json.dumps(ledger_json(LEDGER))


def test_colours_only_when_asked() -> None:
    assert "\x1b[1m" in ledger_text(LEDGER, Screen(80, colour=True))


def test_json_form() -> None:
    data = ledger_json(LEDGER)
    assert data["source"] == {"framework": "verl", "release": "0.9.1"}
    assert data["counts"] == {"exact": 1, "rounded": 1, "no-counterpart": 1, "withheld": 1}
    assert data["sources"][1] == {
        "key": "actor_rollout_ref.actor.ppo_mini_batch_size",
        "value": {"$expr": "BS * 4", "shell": "$((BS * 4))", "names": ["BS"]},
        "place": {"file": "run.sh", "line": 4, "col": 3},
        "state": "rounded",
        "targets": ["buffer.train_batch_size"],
        "plan": [],
        "reason": "800 sequences per update are no multiple of 6 GPUs; 798 was written",
    }
    assert data["sources"][2]["value"] is None
    assert data["sources"][3]["place"] is None
    assert [line["value"] for line in data["targets"]] == [
        64,
        None,
        {"$expr": "${HOME}/m", "shell": "${HOME}/m", "names": ["HOME"]},
        {"$float": "inf"},
    ]
    assert data["decisions"][0]["chosen"] == "2 + 6"
    assert json.loads(json.dumps(data, allow_nan=False)) == data


def test_a_ledger_without_losses_says_so() -> None:
    ledger = Ledger("verl", "0.9.1", "trinity", "0.6.0", sources=LEDGER.sources[:1])
    assert ledger_text(ledger, Screen(80)).endswith("1 key read: 1 exact\n  nothing was lost\n")


def test_a_forks_own_keys_that_act_are_all_named() -> None:
    """Keys that are off, and keys that the release has, are only counted after the first."""
    acting = [SourceLine(f"algorithm.mine_{n}", n + 1, PLACE, State.UNKNOWN, ()) for n in range(9)]
    off = [
        SourceLine("algorithm.off", False, PLACE, State.UNKNOWN, ()),
        SourceLine("data.seed", 1, PLACE, State.UNKNOWN, ()),
    ]
    text = " ".join(ledger_text(replace(LEDGER, sources=(*off, *acting)), Screen(100)).split())
    assert f"are left out: {', '.join(line.key for line in acting)} and 2 more" in text
