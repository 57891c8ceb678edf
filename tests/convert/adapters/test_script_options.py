"""The command line of a generated data script, and where it finds rows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from rftconf.base.symbols import Text, Var
from tests.convert.adapters.samples import ROWS, data_module, got, put, run_of, run_script

HOME = Text((Var("DATA"), "/gsm8k/train.parquet"))


def test_what_the_config_does_not_tell_has_to_be_given(tmp_path: Path) -> None:
    script = data_module("verl", "roll", run_of("verl", HOME), tmp_path / "out")
    with pytest.raises(SystemExit) as ended:
        run_script(script)
    assert str(ended.value) == "--input train=... is missing; the config says: ${DATA}/gsm8k/train.parquet"
    file = put(tmp_path / "rows.parquet", ROWS["verl"])
    run_script(script, "--input", f"train={file}", "--output", f"train={tmp_path / 'x.jsonl'}")
    assert len(got(tmp_path / "x.jsonl")) == 2


def test_a_system_prompt_that_the_workflow_hides_has_to_be_given(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", ROWS["trinity"])
    script = data_module("trinity", "verl", run_of("trinity", str(file), workflow="math_workflow"), tmp_path / "out")
    with pytest.raises(
        SystemExit, match=r"--set train\.system_prompt=\.\.\. is missing; the config says: none, so that"
    ):
        run_script(script)
    run_script(script, "--set", "train.system_prompt=Think.")
    rows = got(next((tmp_path / "out").rglob("train.parquet")))
    assert rows[0]["prompt"] == [{"role": "system", "content": "Think."}, {"role": "user", "content": "2+3?"}]
    run_script(script, "--set", "train.system_prompt=")
    rows = got(next((tmp_path / "out").rglob("train.parquet")))
    assert rows[0]["prompt"] == [{"role": "user", "content": "2+3?"}]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--input", "train"),
        ("--input", "nobody=x"),
        ("--set", "train.nothing=x"),
        ("--set", "train=x"),
        ("--output", "=x"),
    ],
)
def test_options_that_name_nothing(arguments: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=f"{arguments[0]} wants NAME.*one of the data sets train, not"):
        run_script(data_module("verl", "roll", run_of("verl", "/x"), tmp_path / "out"), *arguments)


def test_a_folder_stands_for_the_files_of_its_split(tmp_path: Path) -> None:
    first, second = ROWS["trinity"]
    put(tmp_path / "set" / "train-00000-of-00002.parquet", [first])
    put(tmp_path / "set" / "train-00001-of-00002.parquet", [second])
    put(tmp_path / "set" / "test.parquet", [first])
    put(tmp_path / "set" / "trainer.parquet", [first])
    values = run_of("trinity", str(tmp_path / "set"), split="train")
    run_script(data_module("trinity", "verl", values, tmp_path / "out"))
    assert [row["reward_model"]["ground_truth"] for row in got(next((tmp_path / "out").rglob("train.parquet")))] == [
        "5",
        "9",
    ]
    with pytest.raises(SystemExit, match="no validation file"):
        run_script(data_module("trinity", "verl", values, tmp_path / "out"), "--set", "train.split=validation")


def test_a_hub_data_set_without_datasets_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    script = data_module("trinity", "verl", run_of("trinity", "openai/gsm8k", split="train"), tmp_path / "out")
    with pytest.raises(SystemExit, match="openai/gsm8k is no file or folder here"):
        run_script(script)


def test_a_json_list_is_read_as_rows(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(ROWS["trinity"]))
    run_script(data_module("trinity", "roll", run_of("trinity", str(file)), tmp_path / "out"))
    assert len(got(next((tmp_path / "out").rglob("train.jsonl")))) == 2


@pytest.mark.parametrize("content", ["", "\n\n"])
@pytest.mark.parametrize("target", ["verl", "roll"])
def test_no_rows_are_an_error(target: str, content: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(content)
    with pytest.raises(SystemExit, match=r"rows\.jsonl: there are no rows"):
        run_script(data_module("trinity", target, run_of("trinity", str(file)), tmp_path / "out"))
    assert not list((tmp_path / "out").rglob("*.*"))


def test_the_source_is_never_written_over(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", ROWS["verl"])
    script = data_module("verl", "roll", run_of("verl", str(file)), tmp_path / "out")
    with pytest.raises(SystemExit, match="this is the file that is read"):
        run_script(script, "--output", f"train={file}")
    assert got(file) == ROWS["verl"]


def test_an_output_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", ROWS["verl"])
    with pytest.raises(SystemExit, match=r"has to end with \.jsonl"):
        run_script(data_module("verl", "roll", run_of("verl", str(file)), "out"), "--output", "train=x.csv")


def test_rows_keep_apart_when_rewards_go_by_data_set(tmp_path: Path) -> None:
    """Two task sets with rewards of their own: the rows' own names step aside for the set's."""
    first, new_second = (put(tmp_path / f"{name}.jsonl", [{**ROWS["trinity"][0], "data_source": "x"}]) for name in "ab")
    values = run_of("trinity", str(first), reward="math_reward")
    second = run_of("trinity", str(new_second), reward="format_reward")
    values |= {path.replace("train[0]", "train[1]"): value for path, value in second.items()}
    run_script(data_module("trinity", "verl", values, tmp_path / "out"))
    new_row = {file.parent.name: got(file)[0] for file in (tmp_path / "out" / "data").rglob("*.parquet")}
    assert {name: row["data_source"] for name, row in new_row.items()} == {"a": "a", "b": "b"}
    assert new_row["a"]["extra_info"]["data_source"] == "x"


def test_a_column_of_another_name_can_be_given(tmp_path: Path) -> None:
    """Up to veRL 0.6 a key could name another column than data_source."""
    rows = [{**{k: v for k, v in row.items() if k != "data_source"}, "origin": "o"} for row in ROWS["verl"]]
    file = put(tmp_path / "rows.jsonl", rows)
    script = data_module("verl", "chatlearn", run_of("verl", str(file)), tmp_path / "out")
    with pytest.raises(SystemExit, match="row 1: there is no column 'data_source'; it has 'prompt'"):
        run_script(script)
    run_script(script, "--set", "train.source_key=origin")
    assert got(next((tmp_path / "out").rglob("train.jsonl")))[0]["data_source"] == "o"


def test_only_converts_what_it_names(tmp_path: Path) -> None:
    file = put(tmp_path / "rows.jsonl", ROWS["verl"])
    values = run_of("verl", HOME) | {"stage.data.eval[0].uri": str(file), "stage.data.eval[0].keys.prompt": "prompt"}
    run_script(data_module("verl", "chatlearn", values, tmp_path / "out"), "--only", "eval")
    assert [file.name for file in (tmp_path / "out" / "data").rglob("*.*")] == ["test.jsonl"]
