"""Values of a launcher's arguments: literals, names, arithmetic, texts, the environment. What is not known stays open."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import Arith, Text, Value, Var
from rftconf.text.read.read_options import ReadOptions
from tests.text.python.launchers import config, launcher, opened


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e-6", 1e-6),
        ("5e-6 * 2", 1e-5),
        ("-1", -1),
        ("2 ** 3 + 1", 9),
        ("8 / 2", 4.0),
        ("8 // 3", 2),
        ("True", True),
        ("not True", False),
        ("None", None),
        ("'a' + 'b'", "ab"),
        ("'a' 'b'", "ab"),
        ("['wandb', 'tensorboard']", ["wandb", "tensorboard"]),
        ("('wandb',)", ["wandb"]),
        ("int('8')", 8),
        ("float('1e-3')", 1e-3),
        ("1 if True else 2", 1),
        ("None or 3", 3),
        ("'Qwen/Qwen3-8B'.split('/')[-1].lower()", "qwen3-8b"),
        ("os.path.join('a', 'b/', 'c')", "a/b/c"),
        ("f'{1}-{0.5:.2f}'", "1-0.50"),
        ("1 / 0", opened("beta")),
        ("lambda: 1", opened("beta")),
        ("[2 * x for x in (1, 2) if x > 1]", [4]),
        ("[x for x in rows]", opened("beta")),
        ("[x for x in (1, 2) if rows]", opened("beta")),
        ("len(['a', 'b']) * 2", 4),
        ("max(1, 3)", 3),
        ("max(1, rows)", opened("beta")),
        ("load('settings.json').beta", opened("beta")),
        ("10 ** 1000", opened("beta")),
        ("f'{1:1000000000}'", opened("beta")),
        ("b'a'", opened("beta")),
        ("1 if unknown() else 2", opened("beta")),
        ("1 if unknown() else 1", 1),
    ],
)
def test_an_argument_is_what_python_makes_of_it_where_the_text_tells(written: str, value: Value) -> None:
    got = config(f"beta={written}")["beta"]
    assert (got, type(got)) == (value, type(value))


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("os.environ.get('LR', '1e-6')", "1e-6"),
        ("os.getenv('LR', 1e-6)", 1e-6),
        ("float(os.environ.get('LR', '1e-6'))", 1e-6),
        ("os.environ.get('LR') or 2", 2),
        ("os.environ['LR']", Var("LR")),
        ("os.environ.get('LR')", Var("LR")),
        ("float(os.environ['LR'])", Var("LR")),
        ("int(os.environ['N']) * 2", Arith("*", Var("N"), 2)),
        ("f'out/{os.environ[\"LR\"]}'", Text(("out/", Var("LR")))),
        ("os.environ[name()]", opened("beta")),
    ],
)
def test_the_environment_is_a_symbol_or_its_default(written: str, value: Value) -> None:
    assert config(f"beta={written}")["beta"] == value


def test_what_the_environment_gives_wins_over_a_default() -> None:
    by_hand = ReadOptions(bindings={"LR": "3e-6"})
    assert config("beta=float(os.environ.get('LR', '1e-6'))", options=by_hand)["beta"] == 3e-6


def test_names_keep_the_place_where_they_got_their_value() -> None:
    document = launcher("LR = 1e-6\nargs = GRPOConfig(\n    learning_rate=LR,\n)\n")
    leaf = document.last()["learning_rate"]
    assert (leaf.value, leaf.place.span.line, leaf.key_place.span.line, leaf.raw) == (1e-6, 5, 5, "LR")
    assert [(via.name, via.place.span.line) for via in leaf.via] == [("LR", 3)]


def test_places_count_characters_where_python_counts_bytes() -> None:
    document = launcher("args = GRPOConfig(run_name='größer', beta=0.1)\n")
    leaf = document.last()["beta"]
    assert document.text[leaf.place.span.start : leaf.place.span.end] == "0.1"
    assert document.text[leaf.key_place.span.start : leaf.key_place.span.end] == "beta"
    assert leaf.place.span.col == 43


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_places_hold_with_other_line_ends(end: str) -> None:
    document = launcher(f"a = 1{end}args = GRPOConfig({end}  beta=0.1){end}")
    leaf = document.last()["beta"]
    assert document.text[leaf.place.span.start : leaf.place.span.end] == "0.1"


@pytest.mark.parametrize(
    "before",
    [
        "import trl\nGRPOConfig = None\nGRPOConfig = trl.GRPOConfig",
        "from trl import GRPOConfig as C\nGRPOConfig = C",
        "import trl as t\nGRPOConfig = t.GRPOConfig",
        "from trl.trainer.grpo_config import GRPOConfig",
        "class Own(GRPOConfig):\n    pass\nGRPOConfig = Own",
    ],
)
def test_the_class_may_go_by_any_name(before: str) -> None:
    assert config("beta=0.1", before) == {"beta": 0.1}


def test_a_subclass_adds_its_defaults() -> None:
    assert config("beta=0.1", "class Own(GRPOConfig):\n    epsilon: float = 0.3\nGRPOConfig = Own") == {
        "epsilon": 0.3,
        "beta": 0.1,
    }


def test_a_class_of_that_name_from_elsewhere_is_not_trls() -> None:
    document = launcher("from mlx_grpo import GRPOConfig, GRPOTrainer\nargs = GRPOConfig(beta=0.1)\n")
    assert [finding.code for finding in document.diagnostics] == ["SYN505"]


@pytest.mark.parametrize(
    ("call", "before"),
    [
        ("**dict(beta=0.1)", ""),
        ("**{'beta': 0.1}", ""),
        ("**base", "base = {'beta': 0.2}\nbase['beta'] = 0.1"),
        ("**{**base, 'beta': 0.1}", "base = {'beta': 0.2}"),
        ("**base", "base = {}\nbase.update(beta=0.1)"),
        ("**(base | {'beta': 0.1})", "base = {'beta': 0.2}"),
        ("**base", "base = {'beta': 0.2}\nbase |= {'beta': 0.1}"),
        ("beta=base['beta']", "base = {'beta': 0.1}"),
        ("beta=base.get('beta', 3)", "base = {'beta': 0.1}"),
        ("beta=base.get('other', 0.1)", "base = {'beta': 1}"),
        ("**{k: v for k, v in base.items() if v is not None}", "base = {'beta': 0.1, 'epsilon': None}"),
        (
            "**{k: v for k, v in base.items() if k in known}",
            "import inspect\nknown = inspect.signature(GRPOConfig).parameters\nbase = {'beta': 0.1}",
        ),
        ("**{k: v for k, v in base.items() if k in GRPOConfig.__dataclass_fields__}", "base = {'beta': 0.1}"),
        ("beta=Config.BETA", "class Config:\n    BETA = 0.1"),
        ("beta=Config().BETA", "class Config:\n    BETA: float = 0.1"),
    ],
)
def test_mappings_and_classes_hold_what_the_text_puts_in(call: str, before: str) -> None:
    assert config(call, before) == {"beta": 0.1}


def test_mappings_below_a_key_are_keys() -> None:
    keys = config("lr_scheduler_kwargs={'min_lr': 1e-7}, datasets=[{'path': 'a'}, {'path': 'b'}], model_init_kwargs={}")
    assert keys == {
        "lr_scheduler_kwargs.min_lr": 1e-7,
        "datasets[0].path": "a",
        "datasets[1].path": "b",
        "model_init_kwargs": {},
    }


def test_what_may_set_any_key_is_said() -> None:
    document = launcher("args = GRPOConfig(beta=0.1, **settings())\n")
    assert [leaf.key for leaf in document.leaves] == ["beta"]
    assert [(unread.value, unread.place.span.line) for unread in document.unread] == [("settings()", 3)]


def test_a_list_that_holds_itself_and_a_mapping_that_does_end() -> None:
    keys = config("report_to=a, optim_args=b", "a = []\na.append(a)\nb = {}\nb['b'] = b")
    assert "report_to" in keys
