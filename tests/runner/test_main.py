"""The command before anything is started: which folder a run may have."""

from __future__ import annotations

from pathlib import Path

from rftconf_runner import __main__

from tests.runner.test_job import plan


def test_a_run_that_goes_on_leaves_its_plan_alone(tmp_path: Path) -> None:
    """A kill while it is written again would leave a run that nothing goes on from."""
    new_plan, new_path = plan(), tmp_path / "plan.json"
    assert __main__._not_ours(new_plan, tmp_path, resume=True) == []
    first = new_path.stat()
    assert __main__._not_ours(new_plan, tmp_path, resume=True) == []
    again = new_path.stat()
    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    other_plan = plan(actor_rollout_ref__actor__optim__lr="1e-5")
    assert "another plan" in __main__._not_ours(other_plan, tmp_path, resume=True)[0]
    assert __main__._not_ours(other_plan, tmp_path, resume=False) == []
    assert new_path.read_text() == other_plan.model_dump_json(indent=1)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]
