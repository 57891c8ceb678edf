"""DeepSpeed's JSON beside a run: what it says counts, what it lacks stays open, what contradicts the arguments is found."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rftconf.base.symbols import OpenKey, Value
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

ZERO3: dict[str, Any] = {
    "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "none"}},
    "gradient_accumulation_steps": "auto",
    "gradient_clipping": "auto",
    "bf16": {"enabled": "auto"},
}
FORMS = {
    "run.sh": "trl grpo --num_generations 8 --gradient_accumulation_steps 4 --deepspeed ds.json\n",
    "run.yaml": "num_generations: 8\ngradient_accumulation_steps: 4\ndeepspeed: ds.json\n",
    "run.py": "from trl import GRPOConfig\na = GRPOConfig(num_generations=8, gradient_accumulation_steps=4, deepspeed='ds.json')\n",
}


def document(name: str, config: dict[str, Any] | None, **more: str) -> Document:
    sources = {f"{file}.yaml": text for file, text in more.items()}
    if config is not None:
        sources["ds.json"] = json.dumps(config, indent="\t")
    return read(Source(name, FORMS.get(name, "")), ReadOptions(sources=sources))


def plan(of: Document) -> dict[str, Value]:
    values = load(of, framework="trl").stages[0].values
    return {name: values[f"stage.placement.actor.{name}"] for name in ("backend", "offload.optimizer", "offload.param")}


@pytest.mark.parametrize("name", FORMS)
def test_its_stage_and_what_it_moves_count_in_every_form(name: str) -> None:
    of = document(name, ZERO3)
    assert of.diagnostics == ()
    leaf = of.last()["zero_stage"]
    assert (leaf.value, leaf.place.file) == (3, "ds.json")
    assert plan(of) == {"backend": "deepspeed", "offload.optimizer": True, "offload.param": False}


@pytest.mark.parametrize("name", FORMS)
def test_what_a_file_says_that_is_not_here_is_open(name: str) -> None:
    of = document(name, None)
    assert [finding.code for finding in of.diagnostics] == ["SYN507"]
    assert plan(of) == {
        "backend": "deepspeed",
        "offload.optimizer": OpenKey("offload_optimizer_device"),
        "offload.param": OpenKey("offload_param_device"),
    }


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("steps", "codes"), [("auto", []), (4, []), (8, ["SYN804"])])
def test_a_value_that_is_not_the_arguments_is_found(name: str, steps: Value, codes: list[str]) -> None:
    of = document(name, ZERO3 | {"gradient_accumulation_steps": steps})
    assert [finding.code for finding in of.diagnostics] == codes


def test_a_mapping_in_a_launcher_is_read_alike() -> None:
    text = FORMS["run.py"].replace("'ds.json'", repr(ZERO3))
    of = read(Source("run.py", text))
    assert plan(of) == {"backend": "deepspeed", "offload.optimizer": True, "offload.param": False}


def test_the_launchers_file_may_name_it() -> None:
    accelerate = "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n"
    text = "accelerate launch --config_file a.yaml -m trl.scripts.grpo --num_generations 8\n"
    of = read(Source("run.sh", text), ReadOptions(sources={"a.yaml": accelerate, "ds.json": json.dumps(ZERO3)}))
    assert of.last()["zero_stage"].value == 3


def test_a_broken_file_is_said() -> None:
    of = read(Source("run.yaml", FORMS["run.yaml"]), ReadOptions(sources={"ds.json": "{"}))
    assert [finding.place and finding.place.file for finding in of.diagnostics] == ["ds.json"]


def test_a_section_of_that_name_elsewhere_is_no_file() -> None:
    of = read(Source("a.yaml", "deepspeed_zero3: {zero_optimization: {stage: 3}}\n"))
    assert [leaf.key for leaf in of.leaves] == ["deepspeed_zero3.zero_optimization.stage"]
