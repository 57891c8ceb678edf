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
        at, char = source.randrange(len(key)), source.choice(string.ascii_lowercase + "_")
        match source.randrange(4):
            case 0:
                key = key[:at] + char + key[at:]
            case 1:
                key = key[:at] + key[at + 1 :]
            case 2:
                key = key[:at] + char + key[at + 1 :]
            case _:
                key = key[:at] + key[at + 1 : at + 2] + key[at : at + 1] + key[at + 2 :]
    return key


@pytest.mark.parametrize("framework", ["verl", "trinity"])
def test_the_right_key_comes_first_for_one_or_two_slips(framework: str) -> None:
    known, source = catalogue.load(framework), random.Random(20260729)
    names = [name for name in known.keys if "[]" not in name and "<*>" not in name]
    right = asked = 0
    while asked < 1000:
        key = source.choice(names)
        typed = typo(source, key, source.choice((1, 2)))
        if typed in known:
            continue
        asked += 1
        right += suggest.nearest(known, typed)[:1] == (key,)
    assert right >= 0.97 * asked, f"{right} of {asked}"


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
