"""Which GPUs a run is placed on: those that are named, this machine's, the plan's."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.errors import UsageError
from rftconf.budget.placing.back_end import Gpus
from rftconf.plan.model import Cluster, Plan, Stage
from rftconf.verbs import gpus_here
from rftconf.verbs.gpus_here import gpus_for, visible_gpus

PLAN = Plan(cluster=Cluster(nodes=2, gpus_per_node=8), stages=[Stage()])


@pytest.fixture
def four(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with four H100s."""
    for number in range(4):
        (tmp_path / f"nvidia{number}").touch()
        folder = tmp_path / "gpus" / f"0000:0{number}:00.0"
        folder.mkdir(parents=True)
        (folder / "information").write_text("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 16\n")
    (tmp_path / "nvidiactl").touch()
    monkeypatch.setattr(gpus_here, "DEVICES", tmp_path)
    monkeypatch.setattr(gpus_here, "DRIVER", tmp_path / "gpus")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)


@pytest.fixture
def none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpus_here, "DEVICES", tmp_path / "nowhere")
    monkeypatch.setattr(gpus_here, "DRIVER", tmp_path / "nowhere")


@pytest.mark.usefixtures("four")
def test_this_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert visible_gpus() == (4, "NVIDIA H100 80GB HBM3")
    gpus = gpus_for(PLAN, None, None, cluster=False)
    assert (gpus.nodes, gpus.per_node, gpus.kind and gpus.kind.name) == (1, 4, "h100-80g")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,2")
    assert visible_gpus()[0] == 2
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert gpus_for(PLAN, None, None, cluster=False) == Gpus(2, 8)


@pytest.mark.usefixtures("four")
def test_what_is_named_counts_more() -> None:
    gpus = gpus_for(PLAN, "2x16", "a100-80g", cluster=False)
    assert (gpus.nodes, gpus.per_node, gpus.kind and gpus.kind.name) == (2, 16, "a100-80g")
    assert gpus_for(PLAN, None, None, cluster=True) == Gpus(2, 8), "a cluster's GPUs are not this machine's"


@pytest.mark.usefixtures("none")
def test_without_a_gpu_the_plans_own() -> None:
    assert visible_gpus() == (0, None)
    assert gpus_for(PLAN, None, None, cluster=False) == Gpus(2, 8)
    assert gpus_for(Plan(stages=[Stage()]), None, None, cluster=False) == Gpus(1, 1)


@pytest.mark.parametrize("name", ["0", "x", "2x", "1x0", "-1", "eight"])
def test_what_is_no_number_is_said(name: str) -> None:
    with pytest.raises(UsageError, match="a number of GPUs such as 8"):
        gpus_for(PLAN, name, None, cluster=False)
