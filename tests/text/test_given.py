"""Keys of a config that are given by `--set key=value`, in scripts and in YAML."""

from __future__ import annotations

import pytest

from rftconf.text.document import Document, Mode
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

SCRIPT = "python3 -m verl.trainer.main_ppo trainer.nnodes=1 +trainer.extra=a data.train_batch_size=64\n"
YAML = "pretrain: /path/to/model\nactor_train:\n  device_mapping: list(range(0,8))\n  files: [a, b]\n"


def document_of(name: str, text: str, **bindings: str) -> Document:
    return read(Source(name, text), ReadOptions(bindings=bindings))


def test_a_key_of_a_script() -> None:
    document = document_of("run.sh", SCRIPT, **{"trainer.nnodes": "4", "trainer.new": "[1,2]"})
    leaves = document.last()
    assert (leaves["trainer.nnodes"].value, leaves["trainer.nnodes"].place.file) == (4, "--set")
    assert (leaves["trainer.new"].value, leaves["trainer.new"].mode) == ([1, 2], Mode.FORCE)
    assert leaves["data.train_batch_size"].value == 64


def test_the_way_a_key_was_written_stays() -> None:
    leaf = document_of("run.sh", SCRIPT, **{"trainer.extra": "b"}).last()["trainer.extra"]
    assert (leaf.value, leaf.mode) == ("b", Mode.ADD)


def test_a_key_of_a_yaml() -> None:
    leaves = document_of("run.yaml", YAML, **{"pretrain": "/m", "actor_train.files": "[c]"}).last()
    assert (leaves["pretrain"].value, leaves["actor_train.files"].value) == ("/m", ["c"])


def test_a_section_is_replaced_as_a_whole() -> None:
    leaves = document_of("run.yaml", YAML, **{"actor_train.nested.a": "1"}).last()
    assert leaves["actor_train.nested.a"].value == 1
    assert leaves["actor_train.device_mapping"].value == "list(range(0,8))"


def test_a_plain_name_in_a_yaml_that_has_no_such_key_is_a_variable() -> None:
    document = document_of("run.yaml", YAML, HOME="/h")
    assert "HOME" not in document.last()
    assert document.environment["HOME"] == "/h"


@pytest.mark.parametrize("value", ["[1,", "1,2"])
def test_a_value_that_is_broken_is_a_finding(value: str) -> None:
    document = document_of("run.sh", SCRIPT, **{"trainer.nnodes": value})
    finding = next(d for d in document.diagnostics if d.place and d.place.file == "--set")
    assert finding.code in ("SYN302", "SYN303")
