"""Any form of config to a Document."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.base.symbols import Text, Value, Var
from rftconf.text.document import Document
from rftconf.text.read.read import form_of, read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source
from rftconf.text.yaml.loader_dialects import ScalarRules

SCRIPT = """\
#!/usr/bin/env bash
set -x
BS=${BS:-64}
export WANDB_MODE=offline
python3 -m verl.trainer.main_ppo --config-name=my_trainer \\
    algorithm.adv_estimator=grpo \\
    data.train_batch_size=$BS \\
    data.train_files="$HOME/data/train.parquet" \\
    trainer.logger='["console","wandb"]' \\
    trainer.nnodes=1 "$@" 2>&1 | tee run.log
"""


def values(document: Document) -> dict[str, Value]:
    return {key: leaf.value for key, leaf in document.last().items()}


def codes(document: Document) -> list[str]:
    return [d.code for d in document.diagnostics if d.severity is not Severity.INFO]


@pytest.mark.parametrize(
    ("name", "text", "form"),
    [
        ("a.sh", "x", "shell"),
        ("a", "#!/bin/bash\n", "shell"),
        ("a", "#! /usr/bin/env -S bash -e\n", "shell"),
        ("<stdin>", SCRIPT.partition("\n")[2], "shell"),
        ("<stdin>", "python -m verl.trainer.main_ppo a=1\n", "shell"),
        ("<stdin>", "X=1\ntrainer --n $X \\\n  a=1\n", "shell"),
        ("a.yml", "a=1", "yaml"),
        ("<stdin>", "a: 1\n", "yaml"),
        ("<stdin>", "# c\na:\n  b: x=1\n", "yaml"),
        ("<stdin>", '{"a": 1}', "yaml"),
        ("<stdin>", "a.b=1\n# c\n\n+c=[1, 2]\n~d\n", "overrides"),
        ("a.txt", "a@b.c=x\n", "overrides"),
        ("a.txt", "a.b=1\n+0.6=true\n", "overrides"),
        ("a.txt", "a.b=1\n0.6\n", "yaml"),
        ("a.txt", "a.b=1\n6=true\n", "yaml"),
        ("<stdin>", "cmd: |\n  python3 -m x.y \\\n    z\na: ${b:-c}\n", "yaml"),
        ("<stdin>", "", "yaml"),
    ],
)
def test_the_form(name: str, text: str, form: str) -> None:
    assert form_of(Source(name, text)) == form


def test_a_launch_script() -> None:
    document = read(Source("run.sh", SCRIPT), ReadOptions(bindings={"BS": "32"}))
    assert values(document) == {
        "algorithm.adv_estimator": "grpo",
        "data.train_batch_size": 32,
        "data.train_files": Text((Var("HOME"), "/data/train.parquet")),
        "trainer.logger": ["console", "wandb"],
        "trainer.nnodes": 1,
    }
    assert document.launch is not None
    assert document.launch.program == "verl.trainer.main_ppo"
    assert document.launch.options == {"config-name": "my_trainer"}
    assert document.launch.env["WANDB_MODE"] == "offline"
    assert document.launches == (document.launches[0],)
    batch = document.last()["data.train_batch_size"]
    assert (batch.via[0].name, batch.place.span.line, batch.place.span.col) == ("BS", 7, 27)
    assert SCRIPT[batch.place.span.start : batch.place.span.end] == "$BS"
    files = document.last()["data.train_files"]
    assert SCRIPT[files.place.span.start : files.place.span.end] == "$HOME/data/train.parquet"
    assert SCRIPT[files.key_place.span.start : files.key_place.span.end] == "data.train_files"
    logger = document.last()["trainer.logger"]
    assert SCRIPT[logger.key_place.span.start : logger.key_place.span.end] == "trainer.logger"


def test_arguments_of_the_script() -> None:
    document = read(Source("run.sh", SCRIPT), ReadOptions(args=("trainer.nnodes=4", "+x.y=a b")))
    assert values(document)["trainer.nnodes"] == 4
    assert values(document)["x.y"] == "a b"
    assert "SYN301" in codes(document)


def test_the_config_that_the_command_names() -> None:
    base = "trainer:\n  nnodes: 8\n  save_freq: 5\ndata: {train_files: x, sizes: {a: 1}}\n"
    document = read(Source("d/run.sh", SCRIPT), ReadOptions(sources={"d/config/my_trainer.yaml": base}))
    assert values(document)["trainer.nnodes"] == 1
    assert values(document)["trainer.save_freq"] == 5
    assert document.last()["trainer.save_freq"].place.file == "d/config/my_trainer.yaml"
    missing = read(Source("run.sh", SCRIPT))
    assert any(d.code == "SYN507" and "my_trainer.yaml" in d.message for d in missing.diagnostics)


def test_a_program_whose_config_is_a_file() -> None:
    source = Source("run.sh", "python examples/start_rlvr_pipeline.py --config_path qwen --config_name rlvr\n")
    alone = read(source)
    assert [(d.code, d.severity) for d in alone.diagnostics] == [("SYN507", Severity.ERROR)]
    document = read(source, ReadOptions(sources={"examples/qwen/rlvr.yaml": "exp_name: x\n"}))
    assert values(document) == {"exp_name": "x"}
    assert not document.diagnostics


def test_a_launch_without_overrides_is_a_run() -> None:
    document = read(Source("run.sh", "python3 -m verl.trainer.main_ppo\n"))
    assert document.readable
    assert not document.leaves


def test_a_base_has_the_lowest_priority() -> None:
    base = Source("base.yaml", "a:\n  b: 1\n  c: {d: 2}\nx: 5\n")
    document = read(Source("o.txt", "a.b=3\na.c=null\n"), ReadOptions(base=base))
    assert values(document) == {"a.b": 3, "a.c": None, "x": 5}
    assert not document.diagnostics


TWO = """\
python3 -m verl.trainer.main_generation a=1
python3 -m verl.trainer.main_ppo b=1
if [ "$X" = 1 ]; then
  python3 -m recipe.dapo.main_dapo c=1
fi
"""


@pytest.mark.parametrize(
    ("launch", "keys", "new_values"),
    [(None, ["b"], ["SYN506"]), (1, ["a"], []), (3, ["c"], []), (4, [], ["SYN506"]), (0, [], ["SYN506"])],
)
def test_several_launches(launch: int | None, keys: list[str], new_values: list[str]) -> None:
    document = read(Source("run.sh", TWO), ReadOptions(launch=launch))
    assert [leaf.key for leaf in document.leaves] == keys
    assert codes(document) == new_values
    if launch is None:
        (diagnostic,) = [d for d in document.diagnostics if d.code == "SYN506"]
        assert "--launch N" in diagnostic.help
        assert [label.place.span.line for label in diagnostic.related] == [1, 2, 4]
        assert [launch.program for launch in document.launches][1] == "verl.trainer.main_ppo"


def test_the_only_training_is_chosen_without_a_warning() -> None:
    document = read(Source("run.sh", TWO.partition("if")[0]))
    assert [leaf.key for leaf in document.leaves] == ["b"]
    assert codes(document) == []


def test_a_fork_is_known_by_its_overrides() -> None:
    text = "python3 train_rl.py data.a=1 trainer.b=2 actor.c.d=3\npython3 prepare.py --out=x\n"
    document = read(Source("run.sh", text))
    assert values(document) == {"data.a": 1, "trainer.b": 2, "actor.c.d": 3}


def test_what_a_known_variable_holds_is_split() -> None:
    text = 'O="\n a.b=1 a.c=$HOME/x \\\n a.d=[1,2]"\npython3 -m verl.trainer.main_ppo $O\n'
    assert values(read(Source("run.sh", text))) == {"a.b": 1, "a.c": Text((Var("HOME"), "/x")), "a.d": [1, 2]}


def test_override_lines() -> None:
    text = "# pasted\r\n  a.b=1 \\\r\n+c={x: 'y z'}\r\n\r\n~d\r\n"
    document = read(Source("o.txt", text))
    assert values(document) == {"a.b": 1, "c.x": "y z", "d": None}
    assert [text[leaf.place.span.start : leaf.place.span.end] for leaf in document.leaves] == ["1", "'y z'", "d"]


def test_hydras_list_of_overrides() -> None:
    text = "- a.b=1\n- '+c=\"x y\"'\n- ~d\n"
    document = read(Source(".hydra/overrides.yaml", text))
    assert document.form == "overrides"
    assert values(document) == {"a.b": 1, "c": "x y", "d": None}
    assert [text[leaf.place.span.start : leaf.place.span.end] for leaf in document.leaves] == ["1", '"x y"', "d"]


def test_a_weights_and_biases_record() -> None:
    text = (
        "_wandb:\n  value: {cli_version: 0.1}\nwandb_version: 1\n"
        "algorithm:\n  desc: null\n  value:\n    gamma: 1.0\n    kl_ctrl: {type: fixed}\nlr:\n  value: 1e-6\n"
    )
    document = read(Source("config.yaml", text))
    assert values(document) == {"algorithm.gamma": 1.0, "algorithm.kl_ctrl.type": "fixed", "lr": 1e-6}
    assert str(document.last()["algorithm.gamma"].place) == "config.yaml:7:12"
    assert [d.code for d in document.diagnostics] == ["SYN503", "SYN503"]


def test_json() -> None:
    assert values(read(Source("a.json", '{\n\t"a": {"b": [1.5, null], "c": "\\u00e9"}\n}\n'))) == {
        "a.b": [1.5, None],
        "a.c": "é",
    }


def test_a_config_that_only_looks_like_one() -> None:
    assert values(read(Source("a.yaml", "a: {value: 1}\nb: {value: 2}\n"))) == {"a.value": 1, "b.value": 2}


def test_hydras_own_sections_are_told() -> None:
    document = read(Source("a.yaml", "defaults:\n  - x: y\n  - _self_\nhydra: {run: {dir: x}}\na: 1\n"))
    assert values(document) == {"a": 1}
    assert [d.code for d in document.diagnostics] == ["SYN520", "SYN504"]


def test_the_loader_decides_what_a_scalar_is() -> None:
    source = Source("a.yaml", "a: 1e-6\n")
    assert values(read(source)) == {"a": 1e-6}
    assert values(read(source, ReadOptions(rules=ScalarRules.PYYAML))) == {"a": "1e-6"}


MAIN = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo trainer.nnodes=1"


@pytest.mark.parametrize(
    ("script", "args", "lacking"),
    [
        (f"{MAIN} data.train_files=$1", "", ["2:97"]),
        (f'LR=$2\nN="${{1##*/}}"\n{MAIN} actor.lr=$LR data.n="$N"', "", ["3:4"]),
        (f"LR=x_$2\n{MAIN} actor.lr=$LR", "one", ["2:6"]),
        (f"LR=$1\nLR=${{LR:-1}}\n{MAIN} actor.lr=$LR actor.n=${{2:-8}}", "", []),
        (f"LR=$1\n{MAIN} actor.lr=1", "", []),
        (f"LR=$1\n{MAIN} actor.lr=$LR", "2", []),
        (f"f() {{ LR=$1; }}\nf\n{MAIN} actor.lr=$LR", "", []),
        (f'{MAIN} "$@"', "", []),
    ],
)
def test_an_argument_that_the_script_is_not_given(script: str, args: str, lacking: list[str]) -> None:
    document = read(Source("run.sh", f"set -x\n{script}\n"), ReadOptions(args=tuple(args.split())))
    diagnostics = [d for d in document.diagnostics if d.code == "SYN509"]
    assert [str(d.place).removeprefix("run.sh:") for d in diagnostics] == lacking


def test_several_arguments_that_are_not_given_are_one_finding() -> None:
    document = read(Source("run.sh", f"A=$2\nB=${{10}}\n{MAIN} actor.lr=$A actor.n=$B data.train_files=$1\n"))
    (finding,) = (d for d in document.diagnostics if d.code == "SYN509")
    assert "none of its arguments 1, 2, 10" in finding.message
    assert "--args" in finding.help


def test_what_is_handed_on_for_long_is_not_followed_to_its_end() -> None:
    script = "A=$1\n" + 'A="$A"\necho k$A\n' * 4000 + f"{MAIN} actor.lr=x$A\n"
    document = read(Source("run.sh", script))
    assert values(document)["actor.lr"] == "x"
    assert "SYN509" not in {d.code for d in document.diagnostics}


def test_hydras_own_record_of_a_run_has_its_overrides() -> None:
    text = "hydra:\n  run: {dir: outputs}\n  overrides:\n    hydra: [hydra.mode=RUN]\n    task:\n    - trainer.nnodes=2\n    - +data.x=1\n"
    document = read(Source(".hydra/hydra.yaml", text))
    assert (document.form, {leaf.key: leaf.value for leaf in document.leaves}) == (
        "overrides",
        {"trainer.nnodes": 2, "data.x": 1},
    )
    assert document.leaves[0].place.span.line == 6
    none = read(Source("hydra.yaml", "hydra: {run: {dir: outputs}}\n"))
    assert not none.leaves


LAUNCH = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo"


@pytest.mark.parametrize(
    "script",
    [
        f'echo "${{oc.env:X}}"\n{LAUNCH}\n',
        f'if [ -n "$DEBUG" ]; then echo "${{a.b}}"; fi\n{LAUNCH}\n',
        f'usage() {{ echo "${{a.b}}"; }}\nusage\n{LAUNCH} trainer.nnodes=1\n',
    ],
)
def test_a_command_beside_the_launch_that_bash_drops_is_warned_of(script: str) -> None:
    document = read(Source("run.sh", script))
    assert document.readable
    assert [(d.code, d.severity) for d in document.diagnostics if d.code == "SYN153"] == [("SYN153", Severity.WARNING)]


@pytest.mark.parametrize("script", [f'{LAUNCH} "trainer.x=${{a.b}}"\n', f'P="${{a.b}}"\n{LAUNCH} trainer.x=/d/$P\n'])
def test_a_launch_that_bash_drops_is_an_error(script: str) -> None:
    document = read(Source("run.sh", script))
    assert not document.readable
    assert "SYN153" in {d.code for d in document.diagnostics if d.severity is Severity.ERROR}
