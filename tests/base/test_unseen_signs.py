"""Signs that nobody sees stand in no command, and spelled in what is written."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from rftconf.base.json_text import json_text
from rftconf.base.unseen_signs import UNSEEN
from rftconf.cli.app import run
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.text.write.emit_shell import word

TEXTS = (
    "a\x1b]0;title\x07b",
    "a\u202eb",
    "\x1b[31m1",
    "it's\x1b",
    'a"$b`\\\x9b',
    "\u2066ü\u2069",
    "a\rb",
    "\ufeffa",
    "x\x7f0",
)


@pytest.mark.parametrize("text", TEXTS)
def test_bash_and_the_reader_make_the_same_of_what_is_written(text: str) -> None:
    written = word(text)
    assert not UNSEEN.search(written)
    shell = subprocess.run(["bash", "-c", f"printf %s {written}"], capture_output=True, env={"LC_ALL": "C"}, check=True)
    assert shell.stdout.decode() == text
    document = read(Source("a.sh", f"export X={written}\npython3 -m verl.trainer.main_ppo a.b=1\n"))
    assert document.launch is not None
    assert document.launch.env["X"] == text


@pytest.mark.parametrize("text", TEXTS)
def test_json_has_escapes(text: str) -> None:
    written = json_text({text: [text]})
    assert not UNSEEN.search(written.replace("\n", ""))
    assert json.loads(written) == {text: [text]}


@pytest.mark.parametrize("text", TEXTS)
def test_a_command_with_such_a_sign_is_refused(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "--set", f"NAME={text}", "a.sh"]) == 2
    error = capsys.readouterr().err
    assert "word 3 of the command holds U+" in error
    assert not UNSEEN.search(error.replace("\n", ""))


def test_no_config_steers_a_terminal(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    config = tmp_path / "a.yaml"
    config.write_text(
        'project: "a\\e]0;t\\a\\u202Eb"\nname: "b\\e[2J"\ncheckpoint_root_dir: "/ckpt\\u202E/x"\n'
        "model: {model_path: Qwen/Qwen2.5-7B}\ncluster: {node_num: 1, gpu_per_node: 8}\n"
        "algorithm: {algorithm_type: grpo, repeat_times: 8}\n"
        'buffer: {batch_size: 32, explorer_input: {taskset: {name: "x\\e[1A", path: "/d\\u202E/a"}}}\n'
    )
    for verb in (
        ["convert", "--to", "verl"],
        ["plan"],
        ["plan", "--json"],
        ["check"],
        ["check", "--json"],
        ["explain", "H28"],
    ):
        run([verb[0], *([str(config)] if verb[0] != "explain" else []), *verb[1:]])
        out, err = capfdbinary.readouterr()
        assert out
        assert not UNSEEN.search((out + err).decode().replace("\n", "")), verb
