"""A row whose key, field and codec do not go together is an error that mypy finds."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

BEGINS = """
from __future__ import annotations
from typing import TYPE_CHECKING
from rftconf.mappers.codecs import counts, maps, negated, off_as, same, words
from rftconf.mappers.rows import rows_of
from rftconf.plan.units import Unit
if TYPE_CHECKING:
    from rftconf.plan.model import Run
    from rftconf.schemas.verl.model import Verl
row = rows_of["Verl", "Run"]()
"""
RIGHT = """
row(lambda c: c.trainer.experiment_name, lambda p: p.identity.experiment, same, why="")
row(lambda c: c.trainer.experiment_name, lambda p: p.stage.algorithm.std_scope, words({"all": "batch"}), why="")
row(lambda c: c.data.train_batch_size, lambda p: p.stage.batch.prompts_per_rollout, counts(Unit.PROMPTS), why="")
row(lambda c: c.algorithm.gamma, lambda p: p.stage.algorithm.gamma, same, why="", always=True)
row(lambda c: c.actor_rollout_ref.rollout.n, lambda p: p.stage.batch.responses_per_prompt, off_as((0, None)), why="")
"""
WRONG = """
row(lambda c: c.trainer.experiment_name, lambda p: p.stage.batch.responses_per_prompt, same, why="")
row(lambda c: c.algorithm.gamma, lambda p: p.identity.experiment, same, why="")
row(lambda c: c.trainer.experiment_name, lambda p: p.stage.batch.responses_per_prompt, off_as((0, None)), why="")
row(lambda c: c.trainer.project_name, lambda p: p.stage.batch.prompts_per_rollout, counts(Unit.TOKENS), why="")
row(lambda c: c.trainer.project_name, lambda p: p.stage.batch.prompts_per_rollout, negated(), why="")
row(lambda c: c.data.train_batch_size, lambda p: p.stage.algorithm.whiten_advantage, negated(), why="")
row(lambda c: c.data.train_batch_size, lambda p: p.identity.project, words({"a": "b"}), why="")
row(lambda c: c.trainer.project_name, lambda p: p.stage.algorithm.whiten_advantage, words({"a": "b"}), why="")
row(lambda c: c.data.train_batch_size, lambda p: p.stage.batch.responses_per_prompt, maps(len, str), why="")
row(lambda c: c.trainer.no_such_key, lambda p: p.identity.project, same, why="")
row(lambda c: c.trainer.project_name, lambda p: p.identity.no_such_field, same, why="")
row(lambda c: c.trainer.project_name, lambda p: p.identity.project, same)
row(lambda c: c.trainer.project_name, lambda p: p.identity.project, same, why="", sometimes=True)
"""


def test_mypy_finds_every_wrong_row_and_no_other(tmp_path: Path) -> None:
    file = tmp_path / "rows.py"
    file.write_text(BEGINS.strip() + RIGHT + WRONG.lstrip())
    done = subprocess.run([sys.executable, "-m", "mypy", str(file)], capture_output=True, text=True, timeout=600)
    faults = {int(line) for line in re.findall(r"rows\.py:(\d+): error", done.stdout)}
    lines = file.read_text().splitlines()
    wrong = set(WRONG.split("\n")) - {""}
    assert {lines[number - 1] for number in faults} == wrong, done.stdout + done.stderr
