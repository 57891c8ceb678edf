"""Which of two keys says a value, where a fork has a name of its own for one of the framework's."""

from __future__ import annotations

from pathlib import Path

from rftconf.load.load import load
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

BASE = """
data: {rollout_batch_size: 512, train_files: t.parquet, val_files: v.parquet}
worker:
  actor: {global_batch_size: 128, model: {model_path: /m}}
  rollout: {n: 5}
"""


def prompts(folder: Path, *settings: str) -> object:
    (folder / "config.yaml").write_text(BASE, encoding="utf-8")
    run = folder / "run.sh"
    run.write_text("python3 -m verl.trainer.main config=config.yaml " + " ".join(settings) + "\n", encoding="utf-8")
    loaded = load(open_document(str(run), Reading()), rows=1000)
    assert loaded.guess.dialect == "easyr1"
    return loaded.stages[0].values["stage.batch.prompts_per_rollout"]


def test_what_the_script_writes_goes_before_the_config_below_it(tmp_path: Path) -> None:
    assert prompts(tmp_path) == 512
    assert prompts(tmp_path, "data.rollout_batch_size=96") == 96
    assert prompts(tmp_path, "data.train_batch_size=96") == 96
    assert prompts(tmp_path, "data.rollout_batch_size=64", "data.train_batch_size=96") == 64
