"""A script with several launches is followed for each text that it is or may become, not for each launch of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.text.read import read_shell

LAUNCH = (
    "python3 -m verl.trainer.main_ppo data.train_batch_size=%d actor_rollout_ref.rollout.mode=async trainer.nnodes=1\n"
)


def test_no_text_is_followed_for_each_of_its_launches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    follow = vars(read_shell)["read_script"]

    def counted(name: str, text: str, **more: object) -> object:
        texts.append(text)
        return follow(name, text, **more)

    monkeypatch.setattr(read_shell, "read_script", counted)
    script = tmp_path / "run.sh"
    script.write_text("".join(LAUNCH % (64 * number) for number in range(1, 6)))
    assert run(
        ["migrate", str(script), "--from-release", "0.6.1", "--to-release", "0.9.1", "-o", str(tmp_path / "new.sh")]
    ) in (0, 3)
    assert len(texts) >= 2, "the file, and what it becomes"
    assert max(Counter(texts).values()) <= 2
