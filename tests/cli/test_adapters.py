"""`rftconf convert --adapters` as a person uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from rftconf.cli.app import run
from rftconf.convert.adapters.shapes import DATA_FILE, SHAPES
from tests.cli.scripts import GRPO, written
from tests.convert.adapters.samples import ROWS, got, module, put, run_script

TARGETS = sorted(SHAPES.keys() - {"verl"})
REWARD = "    reward.custom_reward_function.path=$CODE/reward.py reward.custom_reward_function.name=judge \\\n"


def convert(source: str, folder: Path, *options: str) -> int:
    return run(["convert", source, "--to", "trinity", "--rows", "7473", "--adapters", str(folder / "ad"), *options])


def with_reward(folder: Path) -> str:
    return written(folder, GRPO.replace("    data.train_files", REWARD + "    data.train_files"))


def test_the_config_names_the_converted_data_and_the_stub(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(with_reward(tmp_path), tmp_path, "-v", "-o", str(tmp_path / "grpo.yaml")) == 0
    taskset = yaml.safe_load((tmp_path / "grpo.yaml").read_text())["buffer"]["explorer_input"]["tasksets"][0]
    assert taskset["path"] == str(tmp_path / "ad" / "data" / "gsm8k")
    assert (taskset["split"], taskset["default_workflow_type"]) == ("train", "converted_workflow")
    assert taskset["format"] == {"prompt_key": "prompt", "response_key": "ground_truth", "messages_key": "messages"}
    output = capsys.readouterr().err
    assert "--input train=" in output.replace("\n    ", " ")
    assert "--plugin-dir" in output
    assert "reward.custom_reward_function.path=${CODE}/reward.py" in output
    stub = (tmp_path / "ad" / "plugin" / "converted_reward.py").read_text()
    assert 'FUNCTION_FILE = FromEnvironment("${CODE}/reward.py")' in stub


def test_no_key_is_lost_to_data_or_reward(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without adapters the reward has no counterpart; with them it is derived, and the ledger says where it is."""
    assert run(["convert", with_reward(tmp_path), "--to", "trinity", "--rows", "7473", "--json", "-q"]) == 0
    before = {line["key"]: line for line in json.loads(capsys.readouterr().out)["ledger"]["sources"]}
    assert convert(with_reward(tmp_path), tmp_path, "--json", "-q") == 0
    after = {line["key"]: line for line in json.loads(capsys.readouterr().out)["ledger"]["sources"]}
    key = "reward.custom_reward_function.path"
    assert (before[key]["state"], after[key]["state"]) == ("no-counterpart", "derived")
    assert after[key]["reason"] == f"in {tmp_path}/ad/plugin/converted_reward.py"
    assert set(before) == set(after)
    changed = {key for key in after if after[key]["state"] != before[key]["state"]}
    assert changed <= {key, "reward.custom_reward_function.name", "data.train_files", "data.val_files"}


def decisions(capsys: pytest.CaptureFixture[str], *arguments: str) -> set[str]:
    assert run(["convert", *arguments, "--rows", "7473", "--json", "-q"]) == 0
    return {request["key"] for request in json.loads(capsys.readouterr().out)["ledger"]["decisions"]}


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_files_settle_is_not_asked(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same questions as without adapters, but those about data and reward."""
    arguments = (with_reward(tmp_path), "--to", target)
    before = decisions(capsys, *arguments)
    after = decisions(capsys, *arguments, "--adapters", str(tmp_path / "ad"))
    assert set(SHAPES[target].answers) <= before
    assert not set(SHAPES[target].answers) & after
    assert after - before == {str(tmp_path / "ad" / name) for name in (DATA_FILE, SHAPES[target].reward_file)}


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_s_config_names_the_converted_rows(
    target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [with_reward(tmp_path), "--to", target, "--rows", "7473", "--adapters", str(tmp_path / "ad"), "--json"]
    assert run(["convert", *arguments, "-q"]) == 0
    report = json.loads(capsys.readouterr().out)
    lines = {line["key"]: line for line in report["ledger"]["sources"]}
    for key in ("data.train_files", "reward.custom_reward_function.path", "reward.custom_reward_function.name"):
        assert lines[key]["state"] == "derived", key
    place = f"{tmp_path}/ad/data/gsm8k"
    assert place in report["text"]
    assert f'output="{place}/train{SHAPES[target].suffix}"' in report["adapters"][DATA_FILE]


def test_json_holds_the_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(written(tmp_path), tmp_path, "--json", "-q") == 0
    report = json.loads(capsys.readouterr().out)["adapters"]
    assert report == {
        name: (tmp_path / "ad" / name).read_text() for name in ("convert_data.py", "plugin/converted_reward.py")
    }


def test_without_the_option_there_are_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["adapters"] == {}


def test_there_and_back_gives_the_rows_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run for Trinity with the adapters' own workflow is read as one that asks `messages`."""
    rows = put(tmp_path / "gsm8k" / "train.parquet", ROWS["verl"])
    source = written(tmp_path, GRPO)
    options = ["-q", "--set", f"DATA={tmp_path}", "-o", str(tmp_path / "there.yaml")]
    assert convert(source, tmp_path, *options) == 0, capsys.readouterr().err
    run_script(module((tmp_path / "ad" / "convert_data.py").read_text()), "--only", "train")
    back = ["convert", str(tmp_path / "there.yaml"), "--to", "verl", "--adapters", str(tmp_path / "back"), "-q"]
    assert run([*back, "-o", str(tmp_path / "back.sh")]) == 0
    run_script(module((tmp_path / "back" / "convert_data.py").read_text()), "--only", "train")
    (path,) = (tmp_path / "back").rglob("train.parquet")
    again = [row | {"extra_info": {k: v for k, v in row["extra_info"].items() if k != "ability"}} for row in got(path)]
    assert again == got(rows)
    assert f"data.train_files={path}" in (tmp_path / "back.sh").read_text()


def test_losses_that_are_errors_write_nothing(tmp_path: Path) -> None:
    lossy = written(
        tmp_path, GRPO.replace("    trainer.total", "    data.filter_overlong_prompts=True \\\n    trainer.total")
    )
    assert convert(lossy, tmp_path, "-q", "--on-loss", "error", "-o", str(tmp_path / "x.yaml")) == 1
    assert not (tmp_path / "ad").exists()
    assert not (tmp_path / "x.yaml").exists()


def test_a_changed_file_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert convert(written(tmp_path), tmp_path, "-q") == 0
    assert convert(written(tmp_path), tmp_path, "-q", "--set", "DATA=/d") == 0
    stub = tmp_path / "ad" / "plugin" / "converted_reward.py"
    stub.write_text(stub.read_text() + "# mine\n")
    capsys.readouterr()
    assert convert(written(tmp_path), tmp_path, "-q") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "was changed since rftconf wrote it" in err
    assert stub.read_text().endswith("# mine\n")


@pytest.mark.parametrize("folder", ["$HOME/ad", "a\nb", "a'b", "${x}"])
def test_a_folder_that_no_config_can_hold(folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "trinity", "--adapters", folder, "-q"]) == 2
    assert "the config names this folder" in capsys.readouterr().err


def test_within_one_framework_it_is_a_usage_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", written(tmp_path), "--to", "verl", "--adapters", str(tmp_path / "ad"), "-q"]) == 2
    assert "source and target are both veRL" in capsys.readouterr().err


def test_a_secret_of_the_reward_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    own = "    +reward.custom_reward_function.reward_kwargs.api_key=sk-12345678901234567890 \\\n"
    own += "    +reward.custom_reward_function.reward_kwargs.weight=2 \\\n"
    script = written(tmp_path, GRPO.replace("    data.train_files", REWARD + own + "    data.train_files"))
    assert convert(script, tmp_path) == 0
    out, err = capsys.readouterr()
    stub = (tmp_path / "ad" / "plugin" / "converted_reward.py").read_text()
    assert 'FUNCTION_ARGS = {"api_key": FromEnvironment("${API_KEY}"), "weight": 2}' in stub
    assert "sk-1234" not in out + err + stub


def test_many_configs_have_no_adapters_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path)
    assert convert(str(tmp_path), tmp_path, "-o", str(tmp_path / "out")) == 2
    assert "--adapters is for one run" in capsys.readouterr().err
