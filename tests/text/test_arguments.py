"""Options and overrides of a command."""

from __future__ import annotations

import pytest

from rftconf.base.span import Place, Span
from rftconf.base.symbols import Expr, Text, Value, Var
from rftconf.text.hydra.override_parser import PlacedArgument
from rftconf.text.launch.programs import Style, main_of
from rftconf.text.read.arguments import read_arguments
from rftconf.text.read.command_line import CommandLine


def read(*values: str | Expr, style: Style = Style.HYDRA) -> CommandLine:
    return read_arguments([PlacedArgument(v, Place("f", Span(0, 1, 1, 1)), ()) for v in values], style)


@pytest.mark.parametrize(
    ("values", "options"),
    [
        (("--config-path=/x", "--config-name", "y.yaml"), {"config-path": "/x", "config-name": "y.yaml"}),
        (("-cp", "/x", "-cn=y"), {"config-path": "/x", "config-name": "y"}),
        (("--config-na=y", "--config-dir=z"), {"config-name": "y", "config-dir": "z"}),
        (("--cfg", "job", "--resolve"), {"cfg": "job", "resolve": True}),
        ((Text(("--config-path=", Var("P"), "/c")),), {"config-path": Text((Var("P"), "/c"))}),
        (("hydra.run.dir=/o",), {"hydra.run.dir": "/o"}),
    ],
)
def test_hydra_options(values: tuple[str | Expr, ...], options: dict[str, Value]) -> None:
    line = read(*values[:1], *values[1:], "a.b=1")
    assert line.options == options
    assert [(leaf.key, leaf.value) for leaf in line.leaves] == [("a.b", 1)]


@pytest.mark.parametrize("option", ["--multirun", "-m"])
def test_several_runs_are_refused(option: str) -> None:
    assert [d.code for d in read(option, "a=1").diagnostics] == ["SYN307"]


def test_unknown_options_are_told() -> None:
    line = read("--epochs", "a=1")
    assert [d.code for d in line.diagnostics] == ["SYN308"]
    assert [leaf.key for leaf in line.leaves] == ["a"]


def test_programs_with_flags() -> None:
    line = read("run", "--config", "x.yaml", "--dlc", "--port=80", "runtime_args.a=1", style=Style.FLAGS)
    assert line.options == {"command": "run", "config": "x.yaml", "dlc": True, "port": "80"}
    assert [(leaf.key, leaf.value) for leaf in line.leaves] == [("runtime_args.a", 1)]


@pytest.mark.parametrize("style", Style)
def test_an_argument_that_may_hold_any_keys_is_kept_as_unread(style: Style) -> None:
    line = read("train" if style is not Style.HYDRA else "c.d=1", Var("OPTS"), "a.b=1", style=style)
    assert [unread.value for unread in line.unread] == [Var("OPTS")]
    assert [d.code for d in line.diagnostics] == ["SYN305"]


@pytest.mark.parametrize(
    ("program", "framework", "rl"),
    [
        ("verl.trainer.main_ppo", "verl", True),
        ("verl.experimental.fully_async_policy.fully_async_main", "verl", True),
        ("recipe.dapo.main_dapo", "verl", True),
        ("/opt/verl/verl/trainer/main_ppo.py", "verl", True),
        ("verl.trainer.main_eval", "verl", False),
        ("verl.trainer.main_generation_server", "verl", False),
        ("verl.trainer.fsdp_sft_trainer", "verl", False),
        ("trinity", "trinity", True),
        ("examples/start_rlvr_pipeline.py", "roll", True),
        ("chatlearn/entrypoint.py", "chatlearn", True),
        ("third_party.verl.verl.trainer.main_ppo", "verl", True),
        ("src.verl.recipe.dapo.main_dapo", "verl", True),
        ("deps/verl/verl/trainer/main_generation.py", "verl", False),
        ("deps.verl.verl.trainer.main_eval", "verl", False),
        ("external.Trinity-RFT.trinity.cli.launcher", "trinity", True),
        ("lib.ChatLearn.chatlearn.entrypoint", "chatlearn", True),
    ],
)
def test_programs_that_are_known(program: str, framework: str, rl: bool) -> None:
    main = main_of(program)
    assert main is not None
    assert (main.framework, main.rl) == (framework, rl)


def test_a_fork_inside_another_package_takes_its_arguments_as_the_fork_does() -> None:
    alone, inside = main_of("verl.trainer.main"), main_of("src.EasyR1.verl.trainer.main")
    assert alone is not None
    assert inside is not None
    assert (inside.framework, inside.style) == (alone.framework, alone.style) == ("verl", Style.DOTLIST)


@pytest.mark.parametrize("program", ["verl.model_merger", "train.py", "http.server", "my_main.py", "ray"])
def test_programs_that_are_not(program: str) -> None:
    assert main_of(program) is None
