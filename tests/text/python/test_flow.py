"""Statements of a launcher: functions, branches, loops, later assignments, parsers. What nothing decides stays open."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.symbols import Value, Var
from rftconf.text.read.read_options import ReadOptions
from tests.text.python.launchers import HEAD, config, launcher, opened, values

TRAINS = "GRPOTrainer(model='m', args=args)\n"


def beta(body: str, options: ReadOptions | None = None) -> Value:
    return values(body, options)["beta"]


@pytest.mark.parametrize(
    "later",
    [
        "args.beta = 0.1",
        "setattr(args, 'beta', 0.1)",
        "args = replace(args, beta=0.1)",
        "other = args\nother.beta = 0.1",
    ],
)
def test_what_is_assigned_later_counts(later: str) -> None:
    assert beta(f"from dataclasses import replace\nargs = GRPOConfig(beta=0.2)\n{later}\n{TRAINS}") == 0.1


def test_what_is_assigned_later_has_its_own_place() -> None:
    leaf = launcher(f"args = GRPOConfig(beta=0.2)\nargs.beta = 0.1\n{TRAINS}").last()["beta"]
    assert (leaf.place.span.line, leaf.key_place.span.line) == (4, 4)


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("b = 0.1\nif DEBUG:\n    b = 0.2\nargs = GRPOConfig(beta=b)", opened("beta")),
        ("if DEBUG:\n    b = 0.1\nelse:\n    b = 0.1\nargs = GRPOConfig(beta=b)", 0.1),
        ("DEBUG = False\nb = 0.1\nif DEBUG:\n    b = 0.2\nargs = GRPOConfig(beta=b)", 0.1),
        ("n = 8\nif n > 4:\n    b = 0.1\nelse:\n    b = 0.2\nargs = GRPOConfig(beta=b)", 0.1),
        ("args = GRPOConfig(beta=0.1)\nif DEBUG:\n    args.beta = 0.2", opened("beta")),
        ("args = GRPOConfig()\nif DEBUG:\n    args.beta = 0.2", opened("beta")),
        ("b = 0.1\nif DEBUG:\n    raise SystemExit\nargs = GRPOConfig(beta=b)", 0.1),
        ("b = 0.1\nif DEBUG:\n    b = 0.2\n    sys_exit()\nargs = GRPOConfig(beta=b)", opened("beta")),
        ("import sys\nb = 0.1\nif DEBUG:\n    b = 0.2\n    sys.exit()\nargs = GRPOConfig(beta=b)", 0.1),
        ("b = 0.1\ntry:\n    import wandb\nexcept ImportError:\n    b = 0.2\nargs = GRPOConfig(beta=b)", opened("beta")),
        ("b = 0.1\ntry:\n    import wandb\nexcept ImportError:\n    raise\nargs = GRPOConfig(beta=b)", 0.1),
        ("b = 0.1\nwith open('x') as f:\n    b = 0.2\nargs = GRPOConfig(beta=b)", 0.2),
        ("b = 0.1\nfor i in range(3):\n    b = b * 2\nargs = GRPOConfig(beta=b)", opened("beta")),
        ("for b in (0.1, 0.2):\n    args = GRPOConfig(beta=b)", opened("beta")),
        ("b = 0.1\nwhile True:\n    b += 1\n    break\nargs = GRPOConfig(beta=b)", opened("beta")),
        ("b = 0.1\nb *= 2\nargs = GRPOConfig(beta=b)", 0.2),
        ("a, b = 1, 0.1\nargs = GRPOConfig(beta=b)", 0.1),
        ("def f():\n    return 0.1\nargs = GRPOConfig(beta=f())", 0.1),
        ("def f(x, y=2):\n    return x * y\nargs = GRPOConfig(beta=f(0.05))", 0.1),
        ("def f(x):\n    if x:\n        return 1\n    return 2\nargs = GRPOConfig(beta=f(unknown()))", opened("beta")),
        ("def f(x):\n    return f(x)\nargs = GRPOConfig(beta=f(1))", opened("beta")),
        ("b = 0.2\ndef main():\n    b = 0.1\n    return GRPOConfig(beta=b)\nargs = main()", 0.1),
        ("b = 0.1\ndef main():\n    return GRPOConfig(beta=b)\nb = 0.2\nargs = main()", 0.2),
        ("if __name__ == '__main__':\n    args = GRPOConfig(beta=0.1)", 0.1),
        ("if __name__ != '__main__':\n    raise SystemExit\nargs = GRPOConfig(beta=0.1)", 0.1),
    ],
)  # fmt: skip
def test_a_value_holds_on_every_way_or_is_open(body: str, value: Value) -> None:
    assert beta(f"{body}\n") == value


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ("def main(b=0.1):\n    args = GRPOConfig(beta=b)\nmain()", 0.1),
        ("def main(b=0.1):\n    args = GRPOConfig(beta=b)\nmain(b=0.2)", 0.2),
        ("def main(b=0.1):\n    args = GRPOConfig(beta=b)", Var("b")),
        ("import fire\ndef main(b=0.1):\n    args = GRPOConfig(beta=b)\nfire.Fire(main)", 0.1),
        ("def main(**kw):\n    args = GRPOConfig(**kw)\nmain(beta=0.1)", 0.1),
        ("class Run:\n    def __init__(self):\n        self.b = 0.1\n    def go(self):\n        args = GRPOConfig(beta=self.b)", 0.1),
    ],
)  # fmt: skip
def test_functions_that_make_the_config(body: str, value: Value) -> None:
    """A parameter of a function that nothing calls is a symbol: its default is what some other file may not take."""
    assert beta(f"{body}\n") == value


PARSER = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--my-beta', type=float, default={0})\na = p.parse_args()\n"


@pytest.mark.parametrize(
    ("default", "arguments", "value"),
    [
        ("0.1", (), 0.1),
        ("'0.1'", (), 0.1),
        ("0.1", ("--my-beta", "0.3"), 0.3),
        ("0.1", ("--my_beta=0.3",), 0.3),
        ("load()", (), opened("beta")),
    ],
)
def test_a_parsers_default_counts_until_the_argument_is_given(
    default: str, arguments: tuple[str, ...], value: Value
) -> None:
    body = PARSER.format(default) + "args = GRPOConfig(beta=a.my_beta)\n"
    assert beta(body, ReadOptions(args=arguments)) == value


def test_an_argument_without_a_default_is_a_symbol_and_a_switch_is_off() -> None:
    body = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', required=True)\np.add_argument('--vllm', action='store_true')\n"
    keys = values(f"{body}a = p.parse_args()\nargs = GRPOConfig(learning_rate=a.lr, use_vllm=a.vllm)\n")
    assert keys == {"learning_rate": Var("lr"), "use_vllm": False}


@pytest.mark.parametrize(
    "parser",
    [
        "from transformers import HfArgumentParser\na = HfArgumentParser(Own).parse_args_into_dataclasses()[0]",
        "from transformers import HfArgumentParser as P\na, = P((Own,)).parse_args_into_dataclasses()",
        "from trl import TrlParser\na, rest = TrlParser(dataclass_types=[Own, GRPOConfig]).parse_args_and_config()",
    ],
)
def test_fields_of_a_class_that_a_parser_fills_are_options(parser: str) -> None:
    own = "from dataclasses import dataclass, field\n@dataclass\nclass Own:\n    lr: float\n    my_beta: float = field(default=0.1)\n"
    body = f"{own}{parser}\nargs = GRPOConfig(learning_rate=a.lr, beta=a.my_beta)\n"
    assert values(body) == {"learning_rate": Var("lr"), "beta": 0.1}
    assert values(body, ReadOptions(args=("--lr", "1e-6", "--my_beta", "0.2"))) == {"learning_rate": 1e-6, "beta": 0.2}


def test_a_symbol_may_be_given_and_a_key_may() -> None:
    body = "def main(b):\n    args = GRPOConfig(beta=b, epsilon=f())\n"
    assert values(body, ReadOptions(bindings={"b": "0.1", "epsilon": "0.3"})) == {"beta": 0.1, "epsilon": 0.3}


def test_nothing_of_a_launcher_is_run(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    body = f"open({str(mark)!r}, 'w')\nexec('raise SystemExit')\nargs = GRPOConfig(run_name=open({str(mark)!r}, 'w').name)\n"
    assert values(body) == {"run_name": opened("run_name")}
    assert not mark.exists()


def test_several_trainers_are_listed_and_one_is_chosen() -> None:
    body = "a = GRPOConfig(beta=0.1)\nb = GRPOConfig(beta=0.2)\nGRPOTrainer(model='m', args=a)\nGRPOTrainer(model='m', args=b)\n"
    assert [finding.code for finding in launcher(body).diagnostics] == ["SYN506"]
    assert (beta(body), beta(body, ReadOptions(launch=2))) == (0.1, 0.2)
    assert not launcher(body, ReadOptions(launch=3)).readable


def test_a_trainer_in_a_branch_keeps_what_its_branch_assigned() -> None:
    body = f"args = GRPOConfig(beta=0.2)\nif MODE:\n    args.beta = 0.1\n    {TRAINS}else:\n    pass\n"
    assert beta(body) == opened("beta")


def test_what_python_2_and_broken_files_give() -> None:
    for body, line, col in (("print 'a'\n", 3, 1), ("args = GRPOConfig(beta=0.1\n", 3, 18), ("def f(:\n", 3, 7)):
        document = launcher(body)
        finding = document.diagnostics[0]
        assert finding.place is not None
        assert (finding.code, finding.place.span.line, finding.place.span.col) == ("SYN801", line, col)


DEEP = {
    "parentheses": "(" * 5_000,
    "signs": "x = " + "-" * 50_000 + "1",
    "a sum": "x = " + "1 + " * 20_000 + "1",
    "attributes": "x = a" + ".b" * 20_000,
    "calls": "x = a" + "()" * 20_000,
    "negations": "x = " + "not " * 20_000 + "1",
    "lambdas": "x = " + "lambda: " * 20_000 + "1",
    "choices": "x = " + "a if b else " * 20_000 + "c",
    "arms": "if a:\n  pass\n" + "elif a:\n  pass\n" * 20_000,
    "blocks": "".join(f"{' ' * n}if a:\n" for n in range(1_000)) + " " * 1_000 + "pass",
    "an f-string": 'x = f"{' + "-" * 50_000 + '1}"',
    "statements": "x = 1\n" * 100_000,
    "digits": "x = " + "9" * 10_000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_deep_and_large_files_end_with_a_place(text: str) -> None:
    document = launcher(f"{text}\nargs = GRPOConfig(beta=0.1)\n")
    finding = document.diagnostics[0]
    assert finding.code in ("SYN801", "SYN802")
    assert finding.place is not None
    assert not document.readable


def test_functions_that_call_two_each_end() -> None:
    lines = "".join(f"def f{n + 1}():\n    f{n}()\n    return f{n}()\n" for n in range(40))
    document = launcher(f"def f0():\n    return 1\n{lines}args = GRPOConfig(beta=f40())\n")
    assert document.diagnostics[0].code in ("SYN802", "SYN803")


def test_a_text_from_standard_input_is_known_by_its_imports() -> None:
    from rftconf.text.read.read import read
    from rftconf.text.source import Source

    document = read(Source("<stdin>", f"{HEAD}args = GRPOConfig(beta=0.1)\n"))
    assert (document.form, [leaf.key for leaf in document.leaves]) == ("python", ["beta"])


def test_the_environment_of_the_caller_is_let_in() -> None:
    assert config("beta=os.environ['B']", options=ReadOptions(environment={"B": "0.1"})) == {"beta": "0.1"}
