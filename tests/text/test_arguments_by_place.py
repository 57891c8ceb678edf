"""Scripts whose values are arguments of their own: what bash makes of one that was written, and what is read of it."""

from __future__ import annotations

import subprocess

import pytest

from rftconf.base.ledger import Basis, TargetLine
from rftconf.base.symbols import ShellOnly, Text, Var
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.text.write.emit_shell import emit

LINES = [
    TargetLine("trainer.default_local_dir", Text((ShellOnly("${2}", ("2",)), "/x")), Basis.WRITTEN),
    TargetLine("trainer.nnodes", 1, Basis.WRITTEN),
]
PROCESSES = Text(("--nproc=", ShellOnly("${1}", ("1",))))


def test_arguments_that_are_values_are_no_overrides() -> None:
    script = emit(LINES, program=["printf", r"%s\0"], options=(PROCESSES,))
    done = subprocess.run(["bash", "-s", "8", "/save", "a=1"], input=script.encode(), capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == [
        "--nproc=8", "trainer.default_local_dir=/save/x", "trainer.nnodes=1", "a=1",
    ]  # fmt: skip


def test_what_was_written_is_read_as_waiting_for_its_arguments() -> None:
    """`set -u` stops where an argument is missing, so that none of them is empty."""
    script = emit(LINES, program=["python3", "-m", "verl.trainer.main_ppo"])
    document = read(Source("run.sh", script))
    values = {leaf.key: leaf.value for leaf in document.leaves}
    assert values == {line.key: line.value for line in LINES}
    assert not [diagnostic for diagnostic in document.diagnostics if diagnostic.code == "SYN509"]


def test_a_variable_of_another_name_takes_no_place() -> None:
    script = emit([TargetLine("a", Var("N2"), Basis.WRITTEN)], program=["python3"])
    assert script.endswith('"$@"\n')


OPENRLHF = "python3 -m openrlhf.cli.train_ppo_ray --flash_attn"


@pytest.mark.parametrize(
    "script",
    [
        f"NODES=$1\n{OPENRLHF} --actor_num_nodes ${{NODES}} --vllm_num_engines 2\n",
        f'NODES=$1\n{OPENRLHF} --actor_num_nodes "$NODES" --vllm_num_engines 2\n',
        f"{OPENRLHF} --actor_num_nodes $1 --vllm_num_engines 2\n",
        f'A=(--actor_num_nodes $1)\n{OPENRLHF} "${{A[@]}}" --vllm_num_engines 2\n',
    ],
)
def test_an_option_waits_for_the_argument_that_is_its_value(script: str) -> None:
    """Bash drops the empty word, so that the option would be a switch; whoever starts the script gives the argument."""
    document = read(Source("run.sh", script))
    values = {leaf.key: leaf.value for leaf in document.leaves}
    assert values == {"flash_attn": True, "actor_num_nodes": ShellOnly("${1}", ("1",)), "vllm_num_engines": "2"}
    assert [diagnostic.code for diagnostic in document.diagnostics] == ["SYN509"]


def test_an_argument_that_stands_for_itself_is_dropped_as_bash_does() -> None:
    document = read(Source("run.sh", f"{OPENRLHF} --vllm_num_engines 2 $1 $2\n"))
    assert {leaf.key: leaf.value for leaf in document.leaves} == {"flash_attn": True, "vllm_num_engines": "2"}
