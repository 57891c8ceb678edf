"""torchrun's options follow what starts the run, also where a variable holds their number."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = (
    "{before}torchrun --standalone --nnodes=1 --nproc_per_node={number} -m verl.trainer.fsdp_sft_trainer "
    'data.train_files=/d/a.parquet data.val_files=/d/b.parquet model.partial_pretrain=org/model data.train_batch_size=64 "$@"\n'
)


@pytest.mark.parametrize(
    ("before", "number", "option"),
    [
        ("", "4", "--nproc_per_node=4"),
        ("", "$GPUS", '"--nproc_per_node=${GPUS}"'),
        ('if [ "$#" -lt 1 ]; then exit 1; fi\nn=$1\nshift 1\n', "$n", '"--nproc_per_node=${1}"'),
    ],
)
def test_a_number_of_processes(before: str, number: str, option: str) -> None:
    script = RUN.format(before=before, number=number)
    done = convert(read(Source("run.sh", script)), "verl", to_release="0.3.0", rows=1000)
    assert option in done.text
    assert ('"${@:2}"' in done.text) is bool(before)
    again = load(read(Source("run.sh", done.text))).plan.cluster.gpus_per_node
    assert again == load(read(Source("run.sh", script))).plan.cluster.gpus_per_node


@pytest.mark.parametrize("release", ["0.9.1", "0.7.1"])
def test_processes_are_keys_where_no_torchrun_starts_the_run(release: str) -> None:
    """veRL's verl.trainer.sft_trainer_ray (0.7 and newer) takes one GPU unless trainer.n_gpus_per_node says more."""
    script = (
        "torchrun --standalone --nnodes=1 --nproc_per_node=8 -m verl.trainer.sft_trainer data.train_files=/d/a.parquet "
        "data.train_batch_size=96 engine.ulysses_sequence_parallel_size=2 model.path=org/model\n"
    )
    done = convert(read(Source("run.sh", script)), "verl", to_release=release, rows=1000)
    assert "trainer.n_gpus_per_node=8" in done.text
    assert load(read(Source("run.sh", done.text))).plan.cluster.gpus_per_node == 8
