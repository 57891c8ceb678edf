"""A value that a command prints when the run starts is asked for by the variable that the script gives it to."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

RUN = (
    "export GPUS=$(nvidia-smi -L | wc -l)\nSTAMP=$(date +%m%d)\npython3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo "
    "data.train_files=/d/a.parquet actor_rollout_ref.model.path=org/model actor_rollout_ref.rollout.name=vllm "
    "data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 trainer.n_gpus_per_node=$GPUS "
    "trainer.experiment_name=run-$STAMP\n"
)


@pytest.mark.parametrize("to", ["trinity", "roll"])
def test_the_question_names_the_variable(to: str) -> None:
    choices = {d.key: d.choices for d in convert(read(Source("run.sh", RUN)), to).ledger.decisions}
    gpus = "cluster.gpu_per_node" if to == "trinity" else "num_gpus_per_node"
    assert "--set GPUS=..." in choices[gpus]
    assert choices["name" if to == "trinity" else "exp_name"] == ("--set STAMP=...",)


def test_the_answer_answers_it() -> None:
    document = read(Source("run.sh", RUN), ReadOptions(bindings={"GPUS": "8", "STAMP": "now"}))
    done = convert(document, "roll")
    assert "num_gpus_per_node: 8" in done.text
    assert "exp_name: run-now" in done.text
