"""Hydra's defaults lists: files beside the config, in Hydra's order."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.load.recognise import recognise
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source, open_source

ENVS = "max_turns: 5\nenv:\n  kind: maze\n  turns: ${max_turns}\n"


def composed(main: str, **sources: str) -> Document:
    texts = {name.replace("__", "/") + ".yaml": text for name, text in sources.items()}
    return read(Source("run/main.yaml", main), ReadOptions(sources=texts))


def values(document: Document) -> dict[str, object]:
    return {leaf.key: leaf.value for leaf in document.leaves}


def test_the_own_keys_win_over_the_list() -> None:
    document = composed("defaults:\n  - ../config/envs@_here_\nmax_turns: 9\n", config__envs=ENVS)
    assert values(document) == {"max_turns": 9, "env.kind": "maze", "env.turns": "${max_turns}"}
    assert [leaf.place.file for leaf in document.leaves if leaf.key == "env.kind"] == ["config/envs.yaml"]
    assert document.readable


def test_self_before_an_entry_lets_the_entry_win() -> None:
    document = composed("defaults:\n  - _self_\n  - ../config/envs@_here_\nmax_turns: 9\n", config__envs=ENVS)
    assert values(document)["max_turns"] == 5


def test_a_package_and_a_group_put_keys_below_a_section() -> None:
    document = composed(
        "defaults:\n  - ../config/envs@world\n  - size: big\n", config__envs=ENVS, size__big="gpus: 8\n"
    )
    assert values(document) == {
        "world.max_turns": 5,
        "world.env.kind": "maze",
        "world.env.turns": "${max_turns}",
        "size.gpus": 8,
    }


def test_lists_within_lists() -> None:
    document = composed(
        "defaults: [../config/envs@_here_]\na: 1\n", config__envs="defaults: [more@_here_]\nb: 2\n", more="b: 3\nc: 4\n"
    )
    assert values(document) == {"b": 2, "c": 4, "a": 1}


def test_a_circle_is_an_error() -> None:
    document = composed(
        "defaults: [../config/envs@_here_]\na: 1\n", config__envs="defaults: [../config/envs@_here_]\nb: 2\n"
    )
    assert not document.readable
    assert "circle" in document.diagnostics[0].message


def test_a_missing_file_is_said_and_an_optional_one_is_not() -> None:
    (note,) = composed("defaults: [../config/envs@_here_]\na: 1\n").diagnostics
    assert (note.code, "not here" in note.message) == ("SYN520", True)
    assert composed("defaults: ['optional ../config/envs@_here_']\na: 1\n").diagnostics == ()


def test_files_beside_the_config_are_found_on_disk(tmp_path: Path) -> None:
    for name, text in (("run/main.yaml", "defaults:\n  - ../config/envs@_here_\na: 1\n"), ("config/envs.yaml", ENVS)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    document = read(open_source(tmp_path / "run" / "main.yaml"))
    assert values(document) == {"max_turns": 5, "env.kind": "maze", "env.turns": "${max_turns}", "a": 1}


@pytest.mark.parametrize("start", ["python examples/start_rlvr_pipeline.py --config_path run --config_name main"])
def test_a_launch_script_names_its_config(tmp_path: Path, start: str) -> None:
    (tmp_path / "main.yaml").write_text("a: 1\n")
    (tmp_path / "run.sh").write_text(f"#!/bin/bash\nset +x\n{start}\n")
    document = read(open_source(tmp_path / "run.sh"))
    assert values(document) == {"a": 1}
    assert document.launch is not None
    assert document.launch.program == "examples/start_rlvr_pipeline.py"


def test_a_config_says_which_others_it_starts_from() -> None:
    text = "defaults:\n  - ppo_megatron_trainer\n  - group/part\n  - other@_here_\n  - _self_\ndata:\n  train_batch_size: 8\n"
    document = read(Source("own.yaml", text))
    assert document.starts_from == ("ppo_megatron_trainer",)
    assert recognise(document, "verl", "0.5.0").trainer == "megatron"
