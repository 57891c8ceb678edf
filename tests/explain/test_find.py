"""What a text on the command line may mean."""

from __future__ import annotations

import pytest

from rftconf.explain.find import below, matches, unknown
from rftconf.schemas import registry

VERL, TRINITY = registry.framework("verl"), registry.framework("trinity")


@pytest.mark.parametrize(
    "subject",
    [
        "buffer.batch_size",
        "+buffer.batch_size",
        "++buffer.batch_size=256",
        "~buffer.batch_size",
        "buffer.batch_size=${B}",
    ],
)
def test_override_marks_are_left_out(subject: str) -> None:
    assert [(m.framework, m.name) for m in matches(subject)] == [(TRINITY, "buffer.batch_size")]


@pytest.mark.parametrize(
    "subject",
    [
        "plan.batch.prompts_per_rollout",
        "batch.prompts_per_rollout",
        "stage.batch.prompts_per_rollout",
        "plan.stages[0].batch.prompts_per_rollout",
    ],
)
def test_plan_fields_have_several_spellings(subject: str) -> None:
    assert [(m.framework, m.name) for m in matches(subject)] == [(None, "stage.batch.prompts_per_rollout")]


def test_items_of_plan_lists_take_any_index() -> None:
    assert [m.name for m in matches("plan.data.train[1].uri")] == ["stage.data.train[].uri"]


def test_a_framework_leaves_the_others_out() -> None:
    assert {m.title for m in matches("trainer.save_freq", VERL)} == {"veRL", "veRL SFT", "veRL FSDP SFT"}
    assert matches("trainer.save_freq", TRINITY) == []
    assert [m.title for m in matches("data.train_batch_size", registry.framework("verl_sft"))] == ["veRL SFT"]


def test_a_release_leaves_out_what_it_has_not() -> None:
    assert matches("trainer.use_v1", None, "0.4.1") == []
    assert [m.title for m in matches("trainer.use_v1", None, "0.9.1")] == ["veRL"]


def test_a_star_stands_for_anything() -> None:
    names = {(m.title, m.name) for m in matches("*.sync_interval")}
    assert ("Trinity-RFT", "synchronizer.sync_interval") in names
    assert {m.name for m in matches("buffer.*batch_size", TRINITY)} >= {"buffer.batch_size", "buffer.train_batch_size"}
    assert ("the plan", "stage.batch.passes") in {(m.title, m.name) for m in matches("plan.batch.*")}
    assert matches("nothing.at.all.*") == []


def test_a_node_lists_what_is_below() -> None:
    assert "actor_rollout_ref.rollout.n" in {m.name for m in below("actor_rollout_ref.rollout")}
    assert {m.name for m in below("plan.batch.micro")} == {
        f"stage.batch.micro.{name}" for name in ("dynamic", "sequences_per_rank", "tokens_per_rank")
    }


def test_an_unknown_name_is_told_what_it_may_be() -> None:
    assert "did you mean actor_rollout_ref.rollout.n" in str(unknown("actor_rollout_ref.rolout.n"))
    assert "did you mean plan.batch.passes?" in str(unknown("plan.batch.pases"))
    assert "it is one of Trinity-RFT 0.3.3 to 0.6.0" in str(unknown("buffer.batch_size", VERL))
    assert "rftconf explain lists the codes" in str(unknown("qqqqqqqqqqqq"))
