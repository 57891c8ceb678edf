"""What counts as a value that a person has to fill in, and how it is read where bash and Hydra would refuse it."""

from __future__ import annotations

import pytest

from rftconf.convert.convert import convert
from rftconf.text.document import Document
from rftconf.text.placeholders import find_placeholder, placeholder_end, placeholders_in
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

RUN = """\
MODEL=<your_model_path>
DATA="<path_to_data>"
python3 -m verl.trainer.main_ppo \\
    data.train_files=$DATA/train.parquet \\
    data.val_files=$DATA/test.parquet \\
    data.train_batch_size=64 \\
    actor_rollout_ref.model.path=$MODEL \\
    actor_rollout_ref.actor.ppo_mini_batch_size=32 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=8 \\
    algorithm.adv_estimator=grpo \\
    trainer.default_local_dir=/path/to/checkpoints \\
    trainer.experiment_name=<experiment_name> \\
    trainer.n_gpus_per_node=8
"""


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [
        ("<your_path>", "<your_path>"),
        ("<path to data>", "<path to data>"),
        ("/data/<user>/x.parquet", "<user>"),
        ("<JUDGE_URL>", "<JUDGE_URL>"),
        ("<nproc_per_node>", "<nproc_per_node>"),
        ("/YOUR_MODEL", "YOUR_MODEL"),
        ("your-api-key", "your-api-key"),
        ("/path/to/model", "path/to"),
        ("data/xxx", "xxx"),
        ("TODO", "TODO"),
        ("CHANGE_ME", "CHANGE_ME"),
        ("insert_key_here", "insert_key_here"),
        ("...", "..."),
        ("/data/.../train.parquet", "..."),
        ("{your_home_path}/data", "{your_home_path}"),
        ("/data/{path to model}", "{path to model}"),
        ("{DATA_DIR}", "{DATA_DIR}"),
    ],
)
def test_forms_of_placeholders(text: str, placeholder: str) -> None:
    assert find_placeholder(text) == placeholder


@pytest.mark.parametrize(
    "text",
    ["Qwen/Qwen2.5-7B", "<think>", "<answer>", "<tool_call>", "<|im_end|>", "</answer>", "<model>x</model>", "${HOME}/x",
     "??? ", "mypath/tokens", "gsm8k_todo_list", "yourself", "../data",
     "{question}", "${data.path}", "{path: x}", "{{ path }}", "step_{step}", "Say <your name>\nand more", "max", "path"],
)  # fmt: skip
def test_what_is_no_placeholder(text: str) -> None:
    assert find_placeholder(text) is None


def test_placeholders_inside_lists_and_mappings() -> None:
    assert list(placeholders_in(["/a", {"file": "<your_file>"}, 3, None])) == ["<your_file>"]


@pytest.mark.parametrize(
    ("script", "start", "literal"),
    [
        ("x=<name>\n", 2, True),
        ("x=<name> next", 2, True),
        ("run <name>\n", 4, True),
        ("run <name> <other>\n", 4, True),
        ("sort <in> out\n", 5, False),
        ("sort <in>out\n", 5, False),
        ("sort < in > out\n", 5, False),
        ("cat <<EOF\nx\nEOF\n", 4, False),
        ("diff <(a) <(b)\n", 5, False),
    ],
)
def test_what_bash_can_read_as_a_redirection_stays_one(script: str, start: int, literal: bool) -> None:
    assert (placeholder_end(script, start) is not None) is literal


def read_run(**bindings: str) -> Document:
    return read(Source("run.sh", RUN), ReadOptions(bindings=bindings))


def test_a_script_with_placeholders_is_read() -> None:
    document = read_run()
    assert document.readable
    values = {key: leaf.value for key, leaf in document.last().items()}
    assert values["actor_rollout_ref.model.path"] == "<your_model_path>"
    assert values["data.train_files"] == "<path_to_data>/train.parquet"


def test_each_placeholder_is_asked_for_once() -> None:
    decisions = {d.key: d for d in convert(read_run(), "trinity", rows=6400).ledger.decisions if "placeholder" in d.why}
    assert list(decisions) == ["DATA", "MODEL", "trainer.default_local_dir", "trainer.experiment_name"]
    assert "run.sh:1" in decisions["MODEL"].why
    assert decisions["MODEL"].choices == ("--set MODEL=...",)
    assert decisions["trainer.default_local_dir"].choices == ("--set trainer.default_local_dir=...",)


def test_an_answer_takes_the_question_away() -> None:
    values = {
        "MODEL": "/models/qwen",
        "DATA": "/data",
        "trainer.default_local_dir": "/ck",
        "trainer.experiment_name": "a",
    }
    done = convert(read_run(**values), "trinity", rows=6400)
    assert not [d for d in done.ledger.decisions if "placeholder" in d.why]
    assert "model_path: /models/qwen" in done.text
    assert "checkpoint_root_dir: /ck" in done.text


def test_a_placeholder_in_curly_brackets_is_one_value_of_an_override() -> None:
    text = (
        "export HOME={your_home}\nexport MODEL=$HOME/m\n"
        "python3 -m verl.trainer.main_ppo actor_rollout_ref.model.path=$MODEL"
    )
    document = read(Source("run.sh", text))
    assert document.diagnostics == ()
    assert [leaf.value for leaf in document.leaves] == ["{your_home}/m"]
