"""Where checkpoints go: veRL's empty folder is the one in which the run starts, not the file system's root."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.symbols import formula
from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "python3 -m verl.trainer.main_ppo data.train_files=/d/a.parquet trainer.project_name=p trainer.experiment_name=e "
    "algorithm.adv_estimator=grpo actor_rollout_ref.rollout.n=8 actor_rollout_ref.rollout.name=vllm trainer.n_gpus_per_node=8 trainer.default_local_dir={}\n"
)


@pytest.mark.parametrize(
    ("folder", "root"), [("''", "."), ("/ckpt/p/e", "/ckpt"), ("/ckpt/p/e/", "/ckpt"), ("/elsewhere", "/elsewhere")]
)
def test_the_root_of_a_folder(folder: str, root: str) -> None:
    values = load(read(Source("run.sh", RUN.format(folder)))).stages[0].values
    assert values["identity.checkpoint_root"] == root


@pytest.mark.parametrize(
    ("folder", "root"),
    [
        ("/ckpt/p/$RUN", "/ckpt"),
        ("$ROOT/p/$RUN/", "ROOT"),
        ("/ckpt/$RUN", "/ckpt/${RUN}"),
        ("/ckpt/p/$OTHER", "/ckpt/p/${OTHER}"),
    ],
)
def test_the_root_of_a_folder_whose_name_a_variable_holds(folder: str, root: str) -> None:
    script = RUN.format(f'"{folder}"').replace("experiment_name=e", 'experiment_name="$RUN"')
    values = load(read(Source("run.sh", script))).stages[0].values
    assert formula(values["identity.checkpoint_root"]) == root


@pytest.mark.parametrize("to", ["roll", "chatlearn", "trinity"])
def test_no_run_writes_into_the_root_of_the_file_system(to: str) -> None:
    config = yaml.safe_load(convert(read(Source("run.sh", RUN.format("''"))), to).text)
    folder = {
        "roll": lambda: config["checkpoint_config"]["output_dir"],
        "chatlearn": lambda: config["runtime_args"]["output_dir"],
        "trinity": lambda: config["checkpoint_root_dir"],
    }[to]()
    assert folder.startswith(".")
