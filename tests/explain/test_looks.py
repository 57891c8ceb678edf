"""Which rules look at what. That the file is what rules ask for today is held with the other generated files."""

from __future__ import annotations

from rftconf.explain.looks import load_rule_looks, rules_about
from rftconf.lint import registry


def test_every_rule_is_there_under_its_title() -> None:
    assert {code: title for code, (title, _, _) in load_rule_looks().items()} == {
        r.code: r.title for r in registry.rules()
    }


def test_a_rule_is_found_by_field_and_by_key() -> None:
    assert "BAT011" in dict(rules_about("verl", ("batch.responses_per_prompt",), ()))
    assert "DIA202" in dict(rules_about("chatlearn", (), ("runtime_args.max_replay_episode",)))


def test_rules_of_other_frameworks_stay_away() -> None:
    key = ("runtime_args.max_replay_episode",)
    assert dict(rules_about("", (), key)) == dict(rules_about("chatlearn", (), key))
    assert rules_about("verl", (), key) == ()
