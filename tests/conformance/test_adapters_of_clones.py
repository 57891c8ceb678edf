"""Converted data and rewards in ROLL and ChatLearn, which publish no packages: `ROLL_SRC`, `CHATLEARN_SRC` name clones."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from rftconf.convert.adapters.folder import write
from tests.conformance.environment import JUDGES, ROOT, folder
from tests.conformance.test_adapters import FUNCTION, RESPONSES, VERL_ROWS
from tests.convert.adapters.samples import adapters, module, put, run_of, run_script

PACKAGES = {"roll": "roll", "chatlearn": "chatlearn"}
WORKERS = {"roll": "converted_reward.ConvertedRewardWorker", "chatlearn": "converted_reward.ConvertedReward"}
SCORES = {
    "roll": [{"5": 2.25, "five": 2.25}, {"5": 0.0, "five": 0.0}],
    # its pipeline hands on no extra_info, where the second right answer stands
    "chatlearn": [{"5": 2.25, "five": 0.25}, {"5": 0.0, "five": 0.0}],
}


def clone(name: str) -> Path:
    """The clone of a framework; skips the test where there is none."""
    variable = f"{name.upper()}_SRC"
    path = Path(os.environ.get(variable, ""))
    if not os.environ.get(variable) or not (path / PACKAGES[name]).is_dir():
        pytest.skip(f"{variable} names no clone of {name}")
    return path


def judged(name: str, case: dict[str, Any], scratch: Path) -> list[dict[str, Any]]:
    """What the framework's own code makes of a case."""
    places = [str(place) for place in (JUDGES, ROOT / "scripts", clone(name))]
    environment = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    environment |= {"PYTHONPATH": os.pathsep.join(places), "RFTCONF_TINY_MODEL": str(folder() / "tiny_model")}
    environment |= {"HOME": str(scratch), "HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
    program = [str(folder() / "venv" / "bin" / "python"), str(JUDGES / f"{name}_rows.py")]
    done = subprocess.run(
        program, input=json.dumps(case), env=environment, cwd=scratch, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    data: list[dict[str, Any]] = json.loads(done.stdout)
    return data


@pytest.mark.parametrize("target", ["roll", "chatlearn"])
def test_verl_s_rows_and_reward(target: str, tmp_path: Path) -> None:
    clone(target)
    (tmp_path / "mine.py").write_text(FUNCTION)
    rows = put(tmp_path / "sums" / "train.parquet", VERL_ROWS)
    reward = {"function_path": str(tmp_path / "mine.py"), "function_name": "judge", "function_args": {"weight": 2.0}}
    values = run_of("verl", str(rows)) | {f"stage.reward.{name}": value for name, value in reward.items()}
    new_adapters = adapters("verl", target, values, tmp_path / "ad")
    write(tmp_path / "ad", new_adapters.files)
    run_script(module(new_adapters.files["convert_data.py"]))
    file = new_adapters.values["stage.data.train[0].uri"]
    case = {"file": file, "worker": WORKERS[target], "path": [str(tmp_path / "ad")], "responses": RESPONSES}
    new_values = judged(target, case, tmp_path)
    chats = ["<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+3?<|im_end|>\n<|im_start|>assistant\n"]
    chats += ["<|im_start|>user\nHello <b>\"'<|im_end|>\n<|im_start|>assistant\n你好<|im_end|>\n<|im_start|>user\n4+5?"]
    assert [row["asked"][: len(chat)] for row, chat in zip(new_values, chats, strict=True)] == chats
    assert [row["truth"] for row in new_values] == ["5", "9"]
    assert [row["scores"] for row in new_values] == SCORES[target]
    assert {row.get("domain") for row in new_values} == ({"converted"} if target == "roll" else {None})
