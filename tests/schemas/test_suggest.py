from __future__ import annotations

import random
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rftconf.schemas import catalogue, suggest


def typo(source: random.Random, key: str, edits: int) -> str:
    """`key` after some slips of the finger: a letter too many, too few, wrong, or two swapped."""
    for _ in range(edits):
        index, char = source.randrange(len(key)), source.choice(string.ascii_lowercase + "_")
        match source.randrange(4):
            case 0:
                key = key[:index] + char + key[index:]
            case 1:
                key = key[:index] + key[index + 1 :]
            case 2:
                key = key[:index] + char + key[index + 1 :]
            case _:
                key = key[:index] + key[index + 1 : index + 2] + key[index : index + 1] + key[index + 2 :]
    return key


@pytest.mark.parametrize("framework", ["verl", "trinity"])
def test_the_right_key_comes_first_for_one_or_two_slips(framework: str) -> None:
    known, source = catalogue.load(framework), random.Random(20260729)
    names = [name for name in known.keys if "[]" not in name and "<*>" not in name]
    right = count = 0
    while count < 1000:
        key = source.choice(names)
        typed = typo(source, key, source.choice((1, 2)))
        if typed in known:
            continue
        count += 1
        right += suggest.nearest(known, typed)[:1] == (key,)
    assert right >= 0.97 * count, f"{right} of {count}"


def slow(left: str, right: str) -> int:
    """Optimal string alignment, the textbook's table."""
    rows = [[i + j if i * j == 0 else 0 for j in range(len(right) + 1)] for i in range(len(left) + 1)]
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            swap = i > 1 and j > 1 and left[i - 1] == right[j - 2] and left[i - 2] == right[j - 1]
            rows[i][j] = min(
                rows[i - 1][j] + 1,
                rows[i][j - 1] + 1,
                rows[i - 1][j - 1] + (left[i - 1] != right[j - 1]),
                rows[i - 2][j - 2] + 1 if swap else 99,
            )
    return rows[-1][-1]


@given(st.text("ab_.", max_size=8), st.text("ab_.", max_size=8), st.integers(1, 3))
def test_distance_is_the_textbooks_up_to_its_limit(left: str, right: str, limit: int) -> None:
    assert suggest.distance(left, right, limit) == min(slow(left, right), limit + 1)


def test_indices_are_kept() -> None:
    known = catalogue.load("trinity")
    assert (
        suggest.nearest(known, "buffer.explorer_input.tasksets[2].pth")[0] == "buffer.explorer_input.tasksets[2].path"
    )


def test_a_key_in_the_wrong_place_is_found_by_its_last_name() -> None:
    known = catalogue.load("verl")
    assert suggest.nearest(known, "actor_rollout_ref.actor.lr")[0] == "actor_rollout_ref.actor.optim.lr"
    assert (
        suggest.nearest(known, "rollout.gpu_memory_utilization")[0]
        == "actor_rollout_ref.rollout.gpu_memory_utilization"
    )
    assert suggest.nearest(known, "completely.different_thing") == ()


def test_explain_names_the_other_framework_or_the_nearest_key() -> None:
    known = catalogue.load("trinity")
    names = {"actor_rollout_ref.rollout.n": "algorithm.repeat_times"}
    assert suggest.explain(known, "actor_rollout_ref.rollout.n", names, "veRL") == (
        "that is veRL's name; here it is algorithm.repeat_times"
    )
    assert suggest.explain(known, "algorithm.repeat_time", names, "veRL") == "did you mean algorithm.repeat_times?"
    assert suggest.explain(known, "zzz") == ""
