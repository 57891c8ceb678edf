"""The user's reward files: how they are loaded, and which numbers they may give."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="needs the runner's environment (make runner-env)")
from rftconf_runner import reward
from rftconf_runner.job_rewards import RewardSource
from rftconf_runner.score_columns import BadRewardError, Score
from rftconf_runner.scoring_requests import ScoringRequest

OWN_TYPES = """
from __future__ import annotations
import dataclasses

SAID = "{said}"


@dataclasses.dataclass
class Found:
    score: float | None = 1.0
    kind: dataclasses.KW_ONLY | None = None


def compute_score(**_):
    return {{"score": Found().score, "said": len(SAID)}}
"""
ASKED = ScoringRequest("", "s", "7", "7", {})


def scorer(*files: Path) -> Any:
    """The actor's class, with a domain for each file."""
    actor: Any = reward.Scorer
    return actor.__ray_metadata__.modified_class([RewardSource(f.stem, str(f), "compute_score", {}) for f in files])


def test_a_file_may_have_data_classes_whose_types_are_text(tmp_path: Path) -> None:
    """They look their own module up while it is loaded; two files are two modules."""
    files = [tmp_path / "one.py", tmp_path / "another.py"]
    for file in files:
        file.write_text(OWN_TYPES.format(said=file.stem))
    instance = scorer(*files)
    values = [instance._score(ScoringRequest(file.stem, "s", "7", "7", {})) for file in files]
    assert values == [Score(1.0, {"score": 1.0, "said": 3.0}), Score(1.0, {"score": 1.0, "said": 7.0})]
    assert all(sys.modules[module.__name__] is module for module in instance.modules.values())


def test_a_file_that_fails_leaves_no_module(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("raise KeyError('at its start')\n")
    before = set(sys.modules)
    with pytest.raises(KeyError):
        scorer(tmp_path / "bad.py")
    assert set(sys.modules) == before


def scored(value: Any) -> Score:
    """What an answer earns whose function gives `value`."""
    instance = scorer()
    instance.rewards = {"": RewardSource("", "given.py", "compute_score", {})}
    instance._called = lambda *_: value
    score: Score = instance._score(ASKED)
    return score


def test_numbers_of_numpy_and_torch_are_numbers() -> None:
    np, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    for value in (np.float32(0.5), np.float16(0.5), np.array(0.5), np.array([0.5]), torch.tensor(0.5)):
        assert scored(value) == Score(0.5, {"acc": 0.5})
    assert scored(np.int64(1)).reward == scored(np.bool_(True)).reward == scored(torch.tensor(True)).reward == 1.0
    metrics = {
        "acc": np.bool_(True),
        "length": np.int64(3),
        "gap": torch.tensor(0.25),
        "two": torch.ones(2),
        "said": "a",
    }
    assert scored({"score": np.float32(2), **metrics}) == Score(
        2.0, {"score": 2.0, "acc": 1.0, "length": 3.0, "gap": 0.25}
    )


def test_what_is_no_number_is_named() -> None:
    np, torch = pytest.importorskip("numpy"), pytest.importorskip("torch")
    nothing = (None, "1", [1.0], {"acc": 1.0}, float("nan"), 10**400, 1j, np.str_("1"))
    for value in (*nothing, np.array([0.5, 1.0]), torch.ones(2), torch.tensor(float("inf"))):
        with pytest.raises(BadRewardError, match="and no finite number"):
            scored(value)


BATCH = """
def compute_score_batch(data_sources, solution_strs, ground_truths, extra_infos, bonus=0):
    assert all(extra["rollout_reward_scores"] == {} for extra in extra_infos)
    whole = len(solution_strs)
    return [{"score": (text == truth) + bonus, "of": whole} for text, truth in zip(solution_strs, ground_truths)]
"""


def batched(file: Path, text: str = BATCH) -> Any:
    file.write_text(text)
    actor: Any = reward.Scorer
    source = RewardSource("", str(file), "compute_score_batch", {"bonus": 2}, batched=True)
    return actor.__ray_metadata__.modified_class([source])


def test_a_batch_is_asked_once(tmp_path: Path) -> None:
    """veRL's BatchRewardManager.verify: lists by these names, and what the rollout scored within each extra_info."""
    answers = [ScoringRequest("", "s", text, "7", {}) for text in "79"]
    values = batched(tmp_path / "batch.py").scores(answers)
    assert values == [Score(3.0, {"score": 3.0, "of": 2.0}), Score(2.0, {"score": 2.0, "of": 2.0})]
    assert batched(tmp_path / "batch.py").scores([]) == []


def test_a_batch_of_too_few_rewards_is_named(tmp_path: Path) -> None:
    short = batched(tmp_path / "short.py", "def compute_score_batch(**_):\n    return [1.0]\n")
    with pytest.raises(BadRewardError, match="gave 1 rewards for 2 answers"):
        short.scores([ASKED, ASKED])
