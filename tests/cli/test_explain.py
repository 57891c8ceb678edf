"""`rftconf explain`: codes, keys, plan fields, hazards."""

from __future__ import annotations

import json

import pytest

from rftconf.cli.app import run

Captured = pytest.CaptureFixture[str]


def told(capsys: Captured, *words: str) -> str:
    assert run(["explain", *words]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_key_says_what_it_means_and_what_others_have(capsys: Captured) -> None:
    out = told(capsys, "actor_rollout_ref.rollout.n")
    assert out.startswith("actor_rollout_ref.rollout.n: a key of veRL\n")
    assert "0.2.0–0.9.1 int, default 1" in out
    assert "plan       batch.responses_per_prompt" in out
    assert "Trinity-RFT [exact] algorithm.repeat_times" in out
    assert "H13" in out
    assert "BAT011" in out
    assert "\x1b[" not in out


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        ("key001", "KEY001: a key that no release of the framework has"),
        ("+actor_rollout_ref.rollout.n=8", "Trinity-RFT [exact] algorithm.repeat_times"),
        ("buffer.batch_size", "a key of Trinity-RFT"),
        ("actor_rollout_ref.rollout", "actor_rollout_ref.rollout.temperature "),
    ],
)
def test_subjects(subject: str, message: str, capsys: Captured) -> None:
    assert message in told(capsys, subject)


def test_colours_are_only_where_asked_for(capsys: Captured) -> None:
    assert "\x1b[1m" in told(capsys, "trainer.use_v1", "--color", "always")


def test_programs_with_the_same_key_are_named(capsys: Captured) -> None:
    assert "Also a key of: verl_sft" in told(capsys, "data.train_batch_size")
    assert "a key of veRL SFT" in told(capsys, "data.train_batch_size", "--framework", "verl_sft")


def test_a_key_of_several_frameworks_is_listed(capsys: Captured) -> None:
    out = told(capsys, "trainer.balance_batch")
    assert "veRL SFT" in out
    assert [line.split()[:2] for line in out.splitlines()] == [
        ["trainer.balance_batch", "veRL"],
        ["trainer.balance_batch", "Trinity-RFT"],
        ["trainer.balance_batch", "veRL"],
    ]
    assert "a key of Trinity-RFT" in told(capsys, "trainer.balance_batch", "--framework", "trinity")


def test_a_plan_field(capsys: Captured) -> None:
    out = told(capsys, "plan.batch.prompts_per_rollout")
    assert out.startswith("plan.batch.prompts_per_rollout: a field of the plan\n")
    assert "counts     prompts" in out
    assert "veRL [derived] data.train_batch_size" in out


def test_json(capsys: Captured) -> None:
    data = json.loads(told(capsys, "buffer.batch_size", "--json"))
    assert data["framework"] == "trinity"
    assert data["plan"][0]["frameworks"]["verl"]["keys"][0] == "data.train_batch_size"
    assert json.loads(told(capsys, "plan.batch.passes", "--json"))["plan_field"] == "batch.passes"
    assert json.loads(told(capsys, "BAT001", "--json"))["code"] == "BAT001"
    listed = json.loads(told(capsys, "trainer.balance_batch", "--json"))
    assert [entry["framework"] for entry in listed] == ["verl", "trinity", "verl_sft"]
    assert listed[1] == {"key": "trainer.balance_batch", "framework": "trinity", "plan": ["batch.balance_ranks"]}
    several = json.loads(told(capsys, "data.train_batch_size", "--json"))
    assert several["framework"] == "verl"
    assert "verl_sft" in {entry["framework"] for entry in several["also"]}


def test_a_hazard(capsys: Captured) -> None:
    out = told(capsys, "h13")
    assert out.startswith("H13: ChatLearn has the responses per prompt twice")
    assert "batch.responses_per_prompt" in out


def test_one_release(capsys: Captured) -> None:
    out = told(capsys, "actor_rollout_ref.rollout.calculate_log_probs", "--release", "0.8.0")
    assert "0.8.0      bool, default false" in out
    assert "0.9.1" not in out.partition("plan ")[0]


def test_a_value_is_not_repeated(capsys: Captured) -> None:
    assert run(["explain", "monitor.api_kay=sk-1234567890"]) == 2
    assert "1234567890" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "subject", ["*", "[", "[0]", "a[", "+", "~", "=", ".", "..", "**", "?", "\\", "é.ü", "x" * 100_000, "\x1b[31m"]
)
def test_odd_subjects_end_well(subject: str, capsys: Captured) -> None:
    assert run(["explain", subject]) in (0, 2)
    assert "\x1b[31m" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["actor_rollout_ref.rolout.n"], "did you mean actor_rollout_ref.rollout.n"),
        (["data.train_bach_size"], "did you mean data.train_batch_size?"),
        (["buffer.batch_size", "--framework", "verl"], "it is one of Trinity-RFT"),
        (["trainer.use_v1", "--release", "0.4.1"], "it is one of veRL 0.9.0 to 0.9.1"),
        (["buffer.batch_size", "--framework", "nobody"], "no framework is called"),
        (["nothing.*"], "no known key"),
        (["--json"], "need a KEY"),
        (["H99"], "no known key"),
    ],
)
def test_what_does_not_exist_is_an_error(words: list[str], says: str, capsys: Captured) -> None:
    assert run(["explain", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err
    assert "Traceback" not in err
