"""Options of TRL's command: one word or several, switches, the file of defaults, and what the launcher is started with."""

from __future__ import annotations

import pytest

from rftconf.base.span import Place, Span
from rftconf.base.symbols import Expr, Text, Value, Var, formula
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.hydra.override_parser import PlacedArgument
from rftconf.text.launch.programs import Style, launch_of
from rftconf.text.read.arguments import read_arguments
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source


def options(*values: str | Expr) -> dict[str, Value]:
    line = read_arguments([PlacedArgument(v, Place("f", Span(0, 1, 1, 1)), ()) for v in values], Style.ARGPARSE, "trl")
    return {leaf.key: leaf.value for leaf in line.leaves}


@pytest.mark.parametrize(
    ("words", "leaves"),
    [
        (("--beta", "0.1"), {"beta": "0.1"}),
        (("--beta=0.1",), {"beta": "0.1"}),
        (("--num-generations", "8"), {"num_generations": "8"}),
        (("--use_vllm",), {"use_vllm": True}),
        (("--use_vllm", "False"), {"use_vllm": "False"}),
        (("--no_shuffle_dataset",), {"shuffle_dataset": False}),
        (("--no_cuda",), {"no_cuda": True}),
        (("--max_steps", "-1"), {"max_steps": "-1"}),
        (("--reward_funcs", "a", "b", "--seed", "1"), {"reward_funcs": ["a", "b"], "seed": "1"}),
        (("--num_train_epoch", "6"), {"num_train_epochs": "6"}),
        (("--no_shuffle_data",), {"shuffle_dataset": False}),
        (("--model", "m"), {"model": "m"}),
        (("--beta", "1"), {"beta": "1"}),
        ((Text(("--output_dir=", Var("OUT"), "/x")),), {"output_dir": Text((Var("OUT"), "/x"))}),
        (("--output_dir", Var("OUT")), {"output_dir": Var("OUT")}),
    ],
)
def test_what_the_parser_of_transformers_takes(words: tuple[str | Expr, ...], leaves: dict[str, Value]) -> None:
    """HfArgumentParser: bool is a switch with an optional value, its opposite begins with no_, lists take several words.

    The beginning of one option stands for it (argparse: allow_abbrev), of several for none."""
    assert options(*words) == leaves


@pytest.mark.parametrize(
    ("choice", "value"),
    [
        ("if [ $N -lt 0 ]; then N=0; fi", '0 if [ "$(($(nproc) - 1))" -lt 0 ] else $(nproc) - 1'),
        ("if [ -f big ]; then N=$(cat big); fi", "$(cat big) if [ -f big ] else $(nproc) - 1"),
        ("if [ -f big ]; then N=8; else N=$(nproc); fi", "8 if [ -f big ] else $(nproc)"),
        ("if [ -f big ]; then N=$(nproc); else N=8; fi", "$(nproc) if [ -f big ] else 8"),
        (
            "if [ -f big ]; then N=8; elif [ -f small ]; then N=2; fi",
            "8 if [ -f big ] else (2 if [ -f small ] else $(nproc) - 1)",
        ),
    ],
)
def test_an_unquoted_value_that_a_condition_chooses_is_one_value(choice: str, value: str) -> None:
    script = f"N=$(( $(nproc) - 1 ))\n{choice}\ntrl grpo --num_generations $N --max_completion_length 8 --beta 0.1\n"
    document = read(Source("run.sh", script))
    values = {leaf.key: leaf.value for leaf in document.leaves}
    assert formula(values["num_generations"]) == f"({value})"
    assert (values["max_completion_length"], values["beta"], document.unread) == ("8", "0.1", ())


def test_the_file_of_defaults_is_no_key() -> None:
    line = read_arguments(
        [PlacedArgument(v, Place("f", Span(0, 1, 1, 1)), ()) for v in ("grpo", "--config", "a.yaml")], Style.ARGPARSE
    )
    assert line.options == {"command": "grpo", "config": "a.yaml"}
    assert line.leaves == ()


FLAGS = ["--num_generations", "8", "--max_completion_length", "512"]


@pytest.mark.parametrize(
    ("program", "arguments", "framework"),
    [
        ("trl", ["grpo", "--config", "a.yaml"], "trl"),
        ("trl.scripts.grpo", ["--config", "a.yaml"], "trl"),
        ("src/open_r1/grpo.py", ["--config", "a.yaml"], "trl"),
        ("train.py", FLAGS, "trl"),
        ("train.py", [*FLAGS, "--rlhf_type", "grpo"], None),
        ("main/main_grpo_tool.py", FLAGS, "trl"),
        ("main/main_grpo_tool.py", ["data.train_batch_size=8"], ""),
        ("verl.trainer.main_ppo", FLAGS, "verl"),
        ("grpo.py", [], None),
        ("train.py", ["--num_generations", "8"], None),
    ],
)
def test_which_programs_start_it(program: str, arguments: list[str], framework: str | None) -> None:
    main = launch_of(program, arguments)
    assert (main.framework if main else None) == framework


def script(text: str, **files: str) -> Document:
    sources = {f"{name}.yaml": content for name, content in files.items()}
    return read(Source("run.sh", text), ReadOptions(sources=sources))


def values(document: Document) -> dict[str, Value]:
    return {leaf.key: leaf.value for leaf in document.leaves}


ZERO3 = (
    "distributed_type: DEEPSPEED\nnum_processes: 16\nnum_machines: 2\ndebug: true\ndeepspeed_config:\n  zero_stage: 3\n"
)


def test_the_launchers_file_its_options_and_the_programs_own_lie_one_on_another() -> None:
    """accelerate launch: its command line wins over its file (accelerate/commands/launch.py)."""
    leaves = values(
        script(
            "accelerate launch --config_file zero3.yaml --num_processes 8 -m trl.scripts.grpo --config mine.yaml --beta 0.1\n",
            zero3=ZERO3,
            mine="beta: 0.2\nnum_generations: 4\n",
        )
    )
    assert leaves["num_processes"] == "8"
    assert leaves["num_machines"] == 2
    assert leaves["zero_stage"] == 3
    assert (leaves["beta"], leaves["num_generations"]) == ("0.1", 4)
    assert "debug" not in leaves


def test_trls_own_command_hands_the_launchers_options_on() -> None:
    leaves = values(script("trl grpo --num_generations 4 --accelerate_config zero3.yaml\n", zero3=ZERO3))
    assert (leaves["num_processes"], leaves["zero_stage"], leaves["num_generations"]) == (16, 3, "4")


def test_an_argument_that_may_hold_options_is_said() -> None:
    document = script("trl grpo --num_generations 4 $MORE\n")
    assert [unread.value for unread in document.unread] == [Var("MORE")]
    assert "SYN305" in [finding.code for finding in document.diagnostics]


def test_a_command_line_gives_the_schedules_arguments_as_json() -> None:
    text = "trl grpo --num_generations 8 --lr_scheduler_type cosine_with_min_lr --lr_scheduler_kwargs '{\"min_lr\": 1e-7}'\n"
    plan = load(script(text)).stages[0].values
    assert (plan["stage.optim.actor.schedule"], plan["stage.optim.actor.min_lr"]) == ("cosine", 1e-7)


def test_processes_and_the_servers_gpus_may_be_given() -> None:
    """The answers that a conversion offers: --set WORLD_SIZE=8 --set VLLM_SERVER_GPUS=8."""
    source = Source("a.yaml", "num_generations: 8\nuse_vllm: true\nvllm_mode: server\n")
    bindings = dict.fromkeys(("WORLD_SIZE", "VLLM_SERVER_GPUS"), "8")
    plan = load(read(source, ReadOptions(bindings=bindings)), framework="trl").stages[0].values
    assert (plan["stage.placement.actor.gpus"], plan["stage.placement.rollout.gpus"]) == (8, 8)
    assert plan["stage.batch.sequences_per_update"] == 64


SERVED = """\
{server}
accelerate launch --num_processes 4 train.py --model_name_or_path org/small --dataset_name rows --num_generations 8 \\
    --max_completion_length 64 --reward_funcs accuracy_reward --use_vllm --vllm_mode server --output_dir out
"""
SERVER_4_BY_2 = "trl vllm-serve --model org/small --tensor_parallel_size 4 --data-parallel-size=2 &"


def engines_of(server: str) -> tuple[object, object]:
    """The engines' GPUs and their tensor-parallel size, as a script says them that starts the server so."""
    loaded = load(
        read(Source("run.sh", SERVED.format(server=server)), ReadOptions()), framework="trl", release="1.16.0"
    )
    values = loaded.stages[0].values
    return values["stage.placement.rollout.gpus"], values["stage.placement.rollout.tp"]


@pytest.mark.parametrize(
    ("server", "engines"),
    [
        (SERVER_4_BY_2, (8, 4)),
        ("CUDA_VISIBLE_DEVICES=0 nohup env A=1 trl vllm-serve --model org/small > log 2>&1 &", (1, 1)),
        ("python -m trl.scripts.vllm_serve --model org/small --tensor_parallel_size 2 &", (2, 2)),
        ("python /code/trl/scripts/vllm_serve.py --model org/small --tensor_parallel_size 2 &", (2, 2)),
        (f"{SERVER_4_BY_2}\n{SERVER_4_BY_2}", (8, 4)),
        ("", (Var("VLLM_SERVER_GPUS"), 1)),
        (f"{SERVER_4_BY_2}\ntrl vllm-serve --model org/small &", (Var("VLLM_SERVER_GPUS"), 1)),
        ('if [ "$(date +%u)" = 1 ]; then\n' + SERVER_4_BY_2 + "\nfi", (Var("VLLM_SERVER_GPUS"), 1)),
    ],
    ids=["sizes", "wrapped", "module", "file", "twice the same", "no server", "two that differ", "on a condition"],
)
def test_a_server_that_the_script_starts_says_the_engines_gpus(server: str, engines: tuple[object, object]) -> None:
    assert engines_of(server) == engines


def test_a_server_of_engines_is_no_launch() -> None:
    assert launch_of("trl", ["vllm-serve", "--model", "org/small", "--num_generations", "8"]) is None
    document = read(Source("run.sh", f"{SERVER_4_BY_2}\n"), ReadOptions())
    assert document.launch is None
