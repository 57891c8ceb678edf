"""A script that starts a launcher in Python beside it: the launcher is followed with the arguments the script gives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.symbols import Var
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source

LAUNCHER = """\
import argparse
from trl import GRPOConfig, GRPOTrainer

parser = argparse.ArgumentParser()
parser.add_argument("--learning_rate", "--lr", type=float, default=1e-6)
parser.add_argument("--batch", type=int, default=4)
parser.add_argument("--weights", type=float, nargs="+", default=None)
args = parser.parse_args()
config = GRPOConfig(
    learning_rate=args.learning_rate, per_device_train_batch_size=args.batch, reward_weights=args.weights
)
GRPOTrainer(model="m", args=config).train()
"""
SCRIPT = "accelerate launch --num_processes 8 train.py --lr {} --batch 2\n"


def document(tmp_path: Path, script: str, launcher: str = LAUNCHER) -> Document:
    (tmp_path / "run.sh").write_text(script)
    (tmp_path / "train.py").write_text(launcher)
    return read(open_source(tmp_path / "run.sh"), ReadOptions())


def values(of: Document) -> dict[str, object]:
    return {leaf.key: leaf.value for leaf in of.leaves}


def test_the_launcher_is_followed_with_the_arguments_of_the_script(tmp_path: Path) -> None:
    of = document(tmp_path, SCRIPT.format("3e-6"))
    assert values(of)["learning_rate"] == 3e-6
    assert values(of)["per_device_train_batch_size"] == 2
    assert of.name.endswith("run.sh")
    stage = load(of).stages[0].values
    assert stage["stage.placement.actor.gpus"] == 8
    assert stage["stage.model.path"] == "m"


def test_options_that_trl_has_as_well_do_not_hide_what_the_launcher_makes_of_them(tmp_path: Path) -> None:
    text = LAUNCHER.replace('"--batch"', '"--num_generations"').replace("args.batch", "args.num_generations")
    text += 'parser.add_argument("--beta", default=0.1)\n'
    script = "python train.py --learning_rate 1e-5 --num_generations 2 --beta 0.2 --bf16 --max_steps 5\n"
    assert values(document(tmp_path, script, text))["per_device_train_batch_size"] == 2


def test_a_value_of_the_script_stays_an_expression(tmp_path: Path) -> None:
    assert values(document(tmp_path, SCRIPT.format("$RATE")))["learning_rate"] == Var("RATE")
    assert values(document(tmp_path, "python train.py --lr=$RATE\n"))["learning_rate"] == Var("RATE")


@pytest.mark.parametrize(
    ("words", "weights"), [("--weights 1.0 0.5", [1.0, 0.5]), ("--weights 1 2 --weights 3 4 5", [3, 4, 5])]
)
def test_several_values_are_a_list_and_the_last_option_wins(tmp_path: Path, words: str, weights: list[float]) -> None:
    assert values(document(tmp_path, f"python train.py {words} --batch 2\n"))["reward_weights"] == weights


def test_a_launcher_that_is_not_here_is_named() -> None:
    (finding,) = read(Source("run.sh", "python train.py --a 1\n")).diagnostics
    assert finding.code == "SYN505"
    assert "train.py" in finding.message


@pytest.mark.parametrize("way", ["exec bash other.sh", "bash other.sh"])
def test_a_script_that_may_end_at_a_missing_file_is_not_the_one_that_holds_no_launch(way: str) -> None:
    """Nobody knows here whether the file is there, so that what the script runs behind the test is what to read."""
    for test in ('[[ ! -s "$CACHE" ]]', "[[ ! -s /data/cache.json ]]"):
        (finding,) = (
            d
            for d in read(Source("run.sh", f"if {test}; then\n  exit 1\nfi\n{way}\n")).diagnostics
            if d.code == "SYN505"
        )
        assert "runs `other.sh`" in finding.message
