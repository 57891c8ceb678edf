"""A fork's program finds its named config in its own package, and so does rftconf for a script of the same checkout."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.load.load import load
from rftconf.verbs.open_input import open_document
from rftconf.verbs.read_arguments import Reading

RUN = """\
python3 -m myfork.main --config-name=my_trainer data.train_files=a.parquet data.val_files=b.parquet \\
    data.train_batch_size=64 actor_rollout_ref.model.path=org/small actor_rollout_ref.actor.ppo_mini_batch_size=64
"""
CONFIG = "defaults: [more, _self_]\nactor_rollout_ref: {rollout: {n: 8}, actor: {ppo_mini_batch_size: 32}}\n"
MORE = "algorithm: {gamma: 0.5, adv_estimator: gae}\n"


@pytest.mark.parametrize(("folder", "lacks"), [("myfork/config", False), ("myfork", False), ("other/config", True)])
def test_named_config_of_a_package(tmp_path: Path, folder: str, lacks: bool) -> None:
    config = tmp_path / folder
    config.mkdir(parents=True)
    (config / "my_trainer.yaml").write_text(CONFIG)
    (config / "more.yaml").write_text(MORE)
    script = tmp_path / "examples" / "run.sh"
    script.parent.mkdir()
    script.write_text(RUN)
    document = open_document(str(script), Reading())
    assert bool(document.missing) == lacks
    values = load(document, rows=1000).stages[0].values
    assert (values["stage.batch.responses_per_prompt"] == 8) is not lacks
    assert (values["stage.algorithm.gamma"] == 0.5) is not lacks
    assert document.last()["actor_rollout_ref.actor.ppo_mini_batch_size"].value == 64
