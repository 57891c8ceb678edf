"""What goes on after a death, and what is ended with the dead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
from rftconf_runner import supervision
from rftconf_runner.consistency_checks import GateError
from rftconf_runner.job_reader import job_of
from rftconf_runner.places import Places
from rftconf_runner.score_columns import BadRewardError
from rftconf_runner.watch import Watch

from tests.runner.test_job import plan

pytestmark = pytest.mark.filterwarnings("default")


@pytest.fixture
def killed(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    values: list[Any] = []
    monkeypatch.setattr("ray.kill", values.append)
    return values


PLACES = Places(["t0", "t1"], ["c0", "c1"], [["e0"], ["e1"]], "r0")


def test_a_model_that_scores_is_replaced_by_name(killed: list[Any]) -> None:
    """The others, and the one of the same kind that lives, stay."""
    pair = {"judge 0": "j0", "judge 1": "j1"}
    places = replace(PLACES, graders=pair)
    assert supervision._living_places(places, ["judge 0"]) == replace(PLACES, graders={"judge 1": "j1"})
    assert killed == ["j0"]
    assert list(places.named())[-2:] == ["judge 0", "judge 1"]
    assert supervision._living_places(places, ["engine 0"]).graders == pair


@pytest.mark.parametrize(
    ("removed", "places", "ended"),
    [
        (["engine 1"], Places(["t0", "t1"], ["c0", "c1"], [["e0"], None], "r0"), ["e1"]),
        (["reward 0"], Places(["t0", "t1"], ["c0", "c1"], [["e0"], ["e1"]], None), ["r0"]),
        (["trainer 0"], Places([], ["c0", "c1"], [["e0"], ["e1"]], "r0"), ["t0", "t1"]),
        (["critic 1"], Places(["t0", "t1"], [], [["e0"], ["e1"]], "r0"), ["c0", "c1"]),
        (["trainer 1", "engine 1"], Places([], ["c0", "c1"], [["e0"], None], "r0"), ["t0", "t1", "e1"]),
    ],
)
def test_what_lives_stays_in_its_place(removed: list[str], places: Places, ended: list[str], killed: list[Any]) -> None:
    """Ranks of a model go together: one whose peer died would wait for it. An engine's successor has its number."""
    assert supervision._living_places(PLACES, removed) == places
    assert killed == ended


def test_ranks_of_an_engine_go_together(killed: list[Any]) -> None:
    divided = Places(["t0"], [], [["e0", "e0.1"], ["e1", "e1.1"]], None)
    assert list(divided.named()) == ["trainer 0", "engine 0", "engine 0.1", "engine 1", "engine 1.1"]
    assert supervision._living_places(divided, ["engine 1.1"]) == Places(["t0"], [], [["e0", "e0.1"], None], None)
    assert killed == ["e1", "e1.1"]


@pytest.mark.parametrize("error", [BadRewardError("hangs"), GateError("nan")])
def test_what_a_run_is_stopped_by_is_no_death(
    error: Exception, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nobody is asked whether he lives: a function that hangs would not answer for a while."""
    monkeypatch.setattr(supervision, "start_workers", lambda *_: Places([], [], [], None))
    monkeypatch.setattr(supervision, "dead", lambda _: pytest.fail("asked"))
    monkeypatch.setattr("ray.get", lambda _: None)

    def attempt(*_: Any) -> None:
        raise error

    with pytest.raises(type(error), match=str(error)):
        supervision.supervised(job_of(plan()), tmp_path, None, Watch("quiet"), attempt)
