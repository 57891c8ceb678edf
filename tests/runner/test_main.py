"""The command before anything is started: which folder a run may have."""

from __future__ import annotations

from pathlib import Path

from rftconf_runner import __main__

from tests.runner.test_job import plan


def test_a_run_that_goes_on_leaves_its_plan_alone(tmp_path: Path) -> None:
    """A kill while it is written again would leave a run that nothing goes on from."""
    asked, kept = plan(), tmp_path / "plan.json"
    assert __main__._not_ours(asked, tmp_path, resume=True) == []
    first = kept.stat()
    assert __main__._not_ours(asked, tmp_path, resume=True) == []
    again = kept.stat()
    assert (again.st_ino, again.st_mtime_ns) == (first.st_ino, first.st_mtime_ns)
    other = plan(actor_rollout_ref__actor__optim__lr="1e-5")
    assert "another plan" in __main__._not_ours(other, tmp_path, resume=True)[0]
    assert __main__._not_ours(other, tmp_path, resume=False) == []
    assert kept.read_text() == other.model_dump_json(indent=1)
    assert [path.name for path in tmp_path.iterdir()] == ["plan.json"]
