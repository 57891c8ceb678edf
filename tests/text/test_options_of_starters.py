"""Options of torchrun and its like, before the program, whose value is an argument of the script."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import ShellOnly, Value
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

RUN = "torchrun --nnodes=1 {option} -m verl.trainer.fsdp_sft_trainer data.train_files=/d/a.parquet model.path=m data.x=1\n"


def processes(option: str, args: tuple[str, ...] = ()) -> Value:
    launch = read(Source("run.sh", RUN.format(option=option)), ReadOptions(args=args)).launch
    assert launch is not None
    return launch.starter.get("nproc_per_node")


@pytest.mark.parametrize("option", ["--nproc_per_node=$1", "--nproc-per-node=${1}", '--nproc_per_node="$1"'])
def test_an_argument_that_nobody_gave_is_waited_for(option: str) -> None:
    """Bash leaves `--nproc_per_node=`, which torchrun takes for an empty number and never for the next word."""
    assert processes(option) == ShellOnly("${1}", ("1",))
    assert processes(option, ("4",)) == 4


def test_the_next_word_is_the_value_where_no_equals_sign_stands() -> None:
    assert processes("--nproc_per_node 8") == 8
    assert processes("--nproc_per_node=") == ""
