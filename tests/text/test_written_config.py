"""A config that a script writes by a here-document is read as the file it becomes, at the script's places."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Severity
from rftconf.base.symbols import Text, Var
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

CONFIG = """\
mode: both
model:
  model_path: ${MODEL_PATH}
  name: $HOME/x
algorithm:
  repeat_times: $N
  kl: [$N, 2]
"""
SCRIPT = f"N=8\ncat > conf/a.yaml <<EOF\n{CONFIG}EOF\ntrinity run --config conf/a.yaml\n"


def of(text: str, **options: object) -> Document:
    return read(Source("run.sh", text), ReadOptions(**options))  # type: ignore[arg-type]


def values(document: Document) -> dict[str, object]:
    return {leaf.key: leaf.value for leaf in document.leaves}


def test_values_and_what_is_not_known() -> None:
    document = of(SCRIPT)
    assert document.readable
    assert values(document) == {
        "mode": "both",
        "model.model_path": Var("MODEL_PATH"),
        "model.name": Text((Var("HOME"), "/x")),
        "algorithm.repeat_times": 8,
        "algorithm.kl": [8, 2],
    }


def test_places_are_the_script_s() -> None:
    document = of(SCRIPT)
    leaf = document.last()["algorithm.repeat_times"]
    span = leaf.place.span
    assert (leaf.place.file, span.line, SCRIPT[span.start : span.end]) == ("run.sh", 8, "$N")
    assert SCRIPT[leaf.key_place.span.start : leaf.key_place.span.end] == "repeat_times"
    assert [(via.name, via.place.span.line) for via in leaf.via] == [("N", 1)]


def test_what_is_given_counts() -> None:
    assert values(of(SCRIPT, bindings={"MODEL_PATH": "/m"}))["model.model_path"] == "/m"


def test_tabs_are_gone_and_places_stay() -> None:
    text = "cat > a.yaml <<-'EOF'\n\tmodel:\n\t  model_path: ${x}\n\tEOF\ntrinity run --config a.yaml\n"
    (leaf,) = of(text).leaves
    assert (leaf.key, leaf.value) == ("model.model_path", "${x}")
    assert (leaf.place.span.line, leaf.place.span.col) == (3, 16)


def test_what_yaml_refuses_is_said_at_the_script_s_line() -> None:
    document = of("cat > a.yaml <<EOF\na: 1\nb: [1\nEOF\ntrinity run --config a.yaml\n")
    (diagnostic,) = [d for d in document.diagnostics if d.severity is Severity.ERROR]
    assert diagnostic.code == "SYN201"
    assert diagnostic.place is not None
    assert (diagnostic.place.file, diagnostic.place.span.line in (3, 4)) == ("run.sh", True)


@pytest.mark.parametrize("line", ["$KEY: 1", "$EXTRA", "  $EXTRA"])
def test_keys_that_are_not_known(line: str) -> None:
    document = of(f"cat > a.yaml <<EOF\na: 1\n{line}\nEOF\ntrinity run --config a.yaml\n")
    (diagnostic,) = [d for d in document.diagnostics if d.code == "SYN508"]
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.place is not None
    assert diagnostic.place.span.line == 3
    name = line.strip().lstrip("$").partition(":")[0]
    assert f"--set {name}=" in diagnostic.help
    assert of(document.text, bindings={name: "b: 2" if ":" not in line else "b"}).readable or "  " in line


WAYS = {
    "trinity": ("a.yaml", "trinity run --config a.yaml"),
    "the module": ("d/a.yaml", "python -m trinity.cli.launcher run --config=./d/a.yaml"),
    "json": ("a.json", "trinity run --config a.json"),
    "roll": ("d/a.yaml", "python examples/start_rlvr_pipeline.py --config_path d --config_name a"),
    "roll beside its program": ("examples/d/a.yaml", "python examples/start_rlvr_pipeline.py --config_path d --config_name a"),
    "chatlearn": ("a.yaml", "python chatlearn/entrypoint.py grpo --config-file a.yaml x.y=1"),
    "verl": ("$PWD/d/a.yaml", "python3 -m verl.trainer.main_ppo --config-path=$PWD/d --config-name=a x.y=1"),
    "verl's own folder": ("verl/trainer/config/a.yaml", "python3 -m verl.trainer.main_ppo --config-name a x.y=1"),
    "verl's checkout": ("$V/verl/trainer/config/a.yaml", "python3 -m verl.trainer.main_ppo --config-name a x.y=1"),
    "a folder for Hydra": ("d/a.yaml", "python3 -m verl.trainer.main_ppo --config-dir d --config-name a.yaml x.y=1"),
    "a path that is not known": ("$OUT/a.yaml", "trinity run --config ${OUT}/a.yaml"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_file_is_found(way: str) -> None:
    path, command = WAYS[way]
    body = '{"q": {"w": 3}}' if path.endswith("json") else "q:\n  w: 3"
    document = of(f"cat > {path} <<EOF\n{body}\nEOF\n{command}\n")
    assert values(document)["q.w"] == 3
    assert not [d for d in document.diagnostics if d.code == "SYN507"]
    assert ("x.y" in values(document)) == ("x.y=1" in command)


def test_a_temporary_file_is_the_same_through_its_variable() -> None:
    write, use = "cat > $C <<EOF\na: 1\nEOF\n", "trinity run --config $C\n"
    assert values(of(f"C=$(mktemp)\n{write}{use}")) == {"a": 1}
    assert not values(of(f"C=$(mktemp)\n{write}C=$(mktemp)\n{use}"))


@pytest.mark.parametrize(
    "between", ["sed -i s/1/2/ a.yaml\n", "echo 'b: 2' >> a.yaml\n", "python edit.py --file a.yaml\n"]
)
def test_a_file_that_is_changed_is_asked_for(between: str) -> None:
    document = of(f"cat > a.yaml <<EOF\na: 1\nEOF\n{between}trinity run --config a.yaml\n")
    (diagnostic,) = [d for d in document.diagnostics if d.code == "SYN507"]
    assert diagnostic.severity is Severity.ERROR
    assert diagnostic.place is not None
    assert diagnostic.place.span.line == 4
    assert between.strip() in diagnostic.message


def test_a_file_of_another_name_is_not_taken() -> None:
    document = of("cat > b.yaml <<EOF\na: 1\nEOF\ntrinity run --config a.yaml\n")
    assert not document.leaves
    assert [d.severity for d in document.diagnostics if d.code == "SYN507"] == [Severity.ERROR]


def test_overrides_stand_on_top() -> None:
    text = "cat > a.yaml <<EOF\nx: {y: 2, z: 3}\nEOF\npython chatlearn/entrypoint.py grpo --config-file a.yaml x.y=1\n"
    assert values(of(text)) == {"x.y": 1, "x.z": 3}


def test_what_is_given_by_hand_comes_first() -> None:
    assert values(of(SCRIPT, base=Source("b.yaml", "mode: train\n"))) == {"mode": "train"}
