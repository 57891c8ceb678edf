"""TRL's mask of weights and veRL's pair of bounds are one thing: what lies outside has the weight 0."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.source import Source

TRL = "num_generations: 8\nnum_processes: 4\nmodel_name_or_path: m\nuse_vllm: true\nmax_steps: 10\n"
BLOCK = "algorithm.rollout_correction."
THRESHOLD = BLOCK + "rollout_is_threshold"


@pytest.mark.parametrize(
    ("more", "release", "threshold"),
    [
        ("vllm_importance_sampling_mode: sequence_mask\n", "0.9.1", "1e-09_3.0"),
        ("vllm_importance_sampling_clip_min: 0.5\n", "0.9.1", "0.5_3.0"),
        ("vllm_importance_sampling_mode: token_truncate\n", "0.9.1", 3.0),
        ("vllm_importance_sampling_mode: token_mask\n", "0.7.1", 3.0),
    ],
)
def test_the_bounds_of_a_mask(more: str, release: str, threshold: object) -> None:
    """veRL cuts at one number, and since 0.8 masks outside of two (rollout_corr_helper.py: use_icepop)."""
    ledger = convert(
        read(Source("a.yaml", TRL + more)), "verl", to_release=release, framework="trl", release="1.16.0"
    ).ledger
    line = next(line for line in ledger.targets if line.key.lstrip("+") == THRESHOLD)
    assert line.value == threshold


def test_a_cut_in_place_of_a_mask_is_a_change_of_the_learning() -> None:
    document = read(Source("a.yaml", TRL))
    converted = convert(document, "verl", to_release="0.7.1", framework="trl", release="1.16.0")
    assert [change for change in converted.ledger.learning if change.cause == "correction"]


def test_within_trl_a_mask_stays_one() -> None:
    document = read(Source("a.yaml", f"{TRL}vllm_importance_sampling_mode: sequence_mask\n"))
    converted = convert(document, "verl", framework="trl", release="1.16.0")
    (line,) = (line for line in converted.ledger.sources if line.key == "vllm_importance_sampling_mode")
    assert line.state is State.EXACT
