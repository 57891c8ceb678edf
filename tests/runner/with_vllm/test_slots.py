"""Which processes share a GPU, what a run says that does not find its places, and where ranks meet."""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import ray
from rftconf_runner import slots
from rftconf_runner.job import Job
from rftconf_runner.job_reader import job_of
from rftconf_runner.job_rewards import Grader
from rftconf_runner.rendezvous import interface, meeting
from rftconf_runner.slots import Layout, NoPlaceError, Slots, layout_of

from tests.runner.test_job import EVERYTHING, plan
from tests.runner.with_vllm import session
from tests.runner.with_vllm.test_demo import planned, python

pytestmark = pytest.mark.filterwarnings("default")


def job(**changes: str) -> Job:
    return job_of(plan(trainer__n_gpus_per_node="2", **changes))


def test_colocated_roles_share_a_bundle() -> None:
    layout = layout_of(job())
    assert layout == Layout((0, 1), (), (0, 1))
    assert (layout.bundles, layout.share(0)) == (2, 0.5)
    with_critic = layout_of(job(**EVERYTHING))
    assert with_critic == Layout((0, 1), (0, 1), (0, 1))
    assert with_critic.share(1) == pytest.approx(1 / 3)


def test_disaggregated_roles_do_not() -> None:
    layout = layout_of(replace(job(), colocated=False, engines=3))
    assert layout == Layout((0, 1), (), (2, 3, 4))
    assert (layout.bundles, layout.share(4)) == (5, 1.0)


def test_a_model_that_scores_shares_an_engines_place_or_has_its_own() -> None:
    """Colocated ones go round the engines."""
    grader = Grader("judge", "", "/j", copies=1, apart=True, dtype="auto", memory_fraction=0.0, longest=0)
    guests = replace(grader, copies=3, apart=False)
    layout = layout_of(replace(job(), graders=(grader, guests, grader)))
    assert layout == Layout((0, 1), (), (0, 1), (2, 0, 1, 0, 3))
    assert layout.bundles == 4
    assert [layout.share(index) for index in range(4)] == [1 / 4, 1 / 3, 1.0, 1.0]


def test_fewer_engines_than_ranks() -> None:
    layout = layout_of(replace(job(), engines=1))
    assert (layout.bundles, layout.share(0), layout.share(1)) == (2, 0.5, 1.0)


def test_ranks_of_an_engine_have_bundles_of_one_node() -> None:
    """Each engine's are a group of its own, which Ray may not spread; trainer ranks share them where they are colocated."""
    divided = layout_of(replace(job(), ranks=4, engines=2, tp=2))
    assert (divided.engines, divided.of_engines) == ((0, 1, 2, 3), [(0, 1), (2, 3)])
    assert divided.groups == [((0, 1), "STRICT_PACK"), ((2, 3), "STRICT_PACK")]
    assert [divided.share(index) for index in range(4)] == [0.5] * 4
    layout = layout_of(replace(job(), colocated=False, ranks=3, engines=1, tp=2))
    assert layout.groups == [((3, 4), "STRICT_PACK"), ((0, 1, 2), "PACK")]
    fewer = layout_of(replace(job(), ranks=3, engines=1, tp=2))
    assert fewer.groups == [((0, 1), "STRICT_PACK"), ((2,), "PACK")]
    assert layout_of(job()).groups == [((0, 1), "PACK")]


def test_bundles_are_asked_of_ray_as_the_layout_has_them() -> None:
    session.connected()
    new_slots = Slots(Layout((0, 1, 2), (), (0, 1), tp=2))
    new_slots.wait()
    table = [ray.util.placement_group_table(group) for group in new_slots.groups]
    assert [(entry["strategy"], len(entry["bundles"])) for entry in table] == [("STRICT_PACK", 2), ("PACK", 1)]
    places = [new_slots.of(index)["scheduling_strategy"] for index in range(3)]
    assert [(p.placement_group.id, p.placement_group_bundle_index) for p in places] == [
        (new_slots.groups[0].id, 0), (new_slots.groups[0].id, 1), (new_slots.groups[1].id, 0),
    ]  # fmt: skip
    for group in new_slots.groups:
        ray.util.remove_placement_group(group)


def test_places_that_a_cluster_does_not_have(monkeypatch: pytest.MonkeyPatch) -> None:
    session.connected()
    monkeypatch.setattr(slots, "WAIT_SECONDS", 0.2)
    monkeypatch.setattr(slots, "SAY_SECONDS", 0.2)
    messages: list[str] = []
    count = session.LOGICAL + 1
    many = Slots(Layout(tuple(range(count)), (), ()))
    with pytest.raises(NoPlaceError, match=rf"the plan needs {count} CPUs; [\d.]+ are free on 1 nodes"):
        many.wait(messages.append)
    assert messages[0].startswith(f"{count} CPUs that are not all there")
    for group in many.groups:
        ray.util.remove_placement_group(group)


def test_a_meeting_is_at_the_nodes_own_address() -> None:
    session.connected()
    new_meeting = meeting()
    assert new_meeting.host == ray.util.get_node_ip_address()
    with socket.create_connection(new_meeting.address, 5):
        pass


def test_the_interface_of_an_address() -> None:
    assert interface("127.0.0.1") == "lo"
    with pytest.raises(OSError, match=r"no network interface of .* has the address 192\.0\.2\.1"):
        interface("192.0.2.1")


def test_a_cluster_that_is_not_there(demo: Path) -> None:
    file = planned(demo, "elsewhere", trainer__total_training_steps="1")
    done = python("-m", "rftconf_runner", str(file), "--out", str(demo / "elsewhere"), "--address", "127.0.0.1:9")
    assert done.returncode == 1
    assert "stopped: --address 127.0.0.1:9: " in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("starts", "exists"), [(1, True), (2, True), (3, False)])
def test_a_ray_that_does_not_start_is_tried_once_more(
    starts: int, exists: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bare exception of Ray's, as it was seen on a busy machine."""
    tried = []

    def init(**_: object) -> None:
        tried.append(1)
        if len(tried) < starts:
            raise Exception("The current node timed out during startup.\nMore.")  # noqa: TRY002

    monkeypatch.setattr(ray, "init", init)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    monkeypatch.setattr(slots, "share_processors", lambda _: None)
    if exists:
        slots.connect(job_of(plan()), None)
    else:
        with pytest.raises(NoPlaceError, match=r"does not start on this machine: The current .* startup\.$"):
            slots.connect(job_of(plan()), None)
    assert len(tried) == min(starts, 2)
