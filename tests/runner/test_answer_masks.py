"""ROLL's masks of whole answers, by numbers that are worked out by hand from `get_sample_level_mask`."""

from __future__ import annotations

import pytest
from rftconf_runner.answer_masks import AnswerMasks, masks_of
from rftconf_runner.job_reader import job_of
from rftconf_runner.refusals import refusals

from tests.runner.test_after_norm import job, roll

SCORES, LENGTHS = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0], [4, 8, 8, 8, 3, 5]
"""Three groups of two answers, whose means are 0.5, 0.5 and 1."""


def teaching(masks: AnswerMasks, group: int = 2) -> list[int]:
    return [index for index, it in enumerate(masks.teaching(SCORES, LENGTHS, 8, group)) if it]


def test_an_answer_as_long_as_the_limit_is_masked_whatever_it_scored() -> None:
    assert teaching(AnswerMasks(cut=True)) == [0, 4, 5]


def test_a_group_that_is_too_easy_or_too_hard_is_masked_and_bounds_themselves_are_outside() -> None:
    assert teaching(AnswerMasks(between=(0.1, 0.95))) == [0, 1, 2, 3]
    assert teaching(AnswerMasks(between=(0.5, 1.5))) == [4, 5]


def test_groups_of_one_have_no_difficulty() -> None:
    assert teaching(AnswerMasks(between=(0.1, 0.95)), group=1) == [0, 1, 2, 3, 4, 5]


def test_long_wrong_answers_are_masked_and_what_is_neither_right_nor_wrong() -> None:
    assert teaching(AnswerMasks(wrong_below=8)) == [0, 3, 4, 5]
    assert AnswerMasks(wrong_below=8).teaching([0.5, 0.0], [1, 7], 8, 2) == [False, True]


def test_masks_are_those_of_the_config_and_its_bounds_else_rolls_own() -> None:
    assert masks_of({"difficulty_low_threshold": 0.1, "max_len_mask": False}) is None
    assert masks_of({"difficulty_mask": True}) == AnswerMasks(between=(0.0, 1.0))
    lines = (
        "max_len_mask: true\ndifficulty_mask: true\ndifficulty_low_threshold: 0.1\ndifficulty_high_threshold: 0.95\n"
    )
    assert job(lines).masks == AnswerMasks(cut=True, between=(0.1, 0.95))
    assert job("error_max_len_clip: true\nerror_max_len_threshold: 12\n").masks == AnswerMasks(wrong_below=12)
    assert job_of(roll()).masks is None


def paths(more: str) -> set[str]:
    return {refusal.path for refusal in refusals(roll(more))}


@pytest.mark.parametrize(
    "lines", ["max_len_mask: true", "difficulty_mask: true\ndifficulty_low_threshold: 0.1", "error_max_len_clip: true"]
)
def test_no_mask_is_refused(lines: str) -> None:
    assert not {path for path in paths(lines + "\n") if "mask" in path or "max_len" in path or "difficulty" in path}


def test_masks_beside_an_entropy_term_are_refused() -> None:
    """ROLL's entropy term counts masked answers too (`actor_worker.py: loss_func`)."""
    assert "extensions.roll.max_len_mask" in paths("max_len_mask: true\nentropy_loss_coef: 0.01\n")
