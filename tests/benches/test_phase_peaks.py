"""Peaks by phase, from a stand-in for the GPU, and the account beside them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from benches.phase_peaks import ACCOUNTED, Peaks, account_of, beside, used_bytes
from rftconf.budget.facts.gpus import gpu_named
from rftconf.budget.phases import Phase
from rftconf.budget.price import price
from rftconf.budget.roles.setup import BudgetRequest, setup_of
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import open_source

GOLDEN = Path(__file__).resolve().parents[2] / "golden"


class Card:
    """Two GPUs, of which others have 5 and 3 bytes."""

    def __init__(self) -> None:
        self.used = [5, 3]

    def __call__(self) -> list[int]:
        return [*self.used]


def test_the_most_of_a_phase_is_kept() -> None:
    card = Card()
    peaks = Peaks(card)
    peaks.enter("generate")
    card.used = [45, 3]
    until = time.monotonic() + 10
    while peaks.of_phase["generate"] != 40 and time.monotonic() < until:  # its thread looks by itself
        time.sleep(0.01)
    card.used = [5, 13]
    peaks.enter("update")
    card.used = [5, 33]
    peaks.enter("sync")
    assert peaks.of_phase == {"generate": 40, "update": 30, "sync": 30}


def test_without_a_gpu_nothing_is_measured() -> None:
    peaks = Peaks(list)
    peaks.enter("generate")
    assert peaks.of_phase == {}


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="there is a GPU")
def test_a_machine_without_one_is_no_error() -> None:
    assert used_bytes() == []


class Pool:
    def __init__(self, *phases: Phase) -> None:
        self.phases = phases


def test_an_account_stands_beside_each_peak(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"rollout": 100, "old log-probs": 30, "actor update": 50, "load": 900}
    monkeypatch.setattr(Phase, "size", property(lambda self: sizes[self.name]))
    pools = [Pool(*(Phase(name, "", (), doubt=10) for name in sizes))]
    values = beside({"generate": 80, "update": 40}, pools)
    assert values["generate"] == {"peak": 80, "said": 100, "low": 90, "high": 110, "error": 0.25}
    assert values["update"] == {"peak": 40, "said": 50, "low": 40, "high": 60, "error": 0.25}
    assert set(values) == {"generate", "update"}


def test_every_phase_of_a_run_has_an_account() -> None:
    loaded = load(read(open_source(str(GOLDEN / "convert" / "readme" / "input.sh"))))
    pools = price(setup_of(loaded.plan, BudgetRequest()), gpu_named("h100-80g")).pools
    reply = {phase: account_of(phase, pools) for phase in ACCOUNTED}
    assert all(entry is not None and 0 < entry[1] <= entry[0] <= entry[2] for entry in reply.values()), reply
    assert account_of("nothing", pools) is None
