"""Launchers in Python before the verbs: checked, fixed, converted, passed over, refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.cli.app import run

HEAD = "from trl import GRPOConfig, GRPOTrainer\n"
ARGUMENTS = "per_device_train_batch_size=8, num_generations=8, gradient_accumulation_steps=4, max_steps=100, vllm_mode='colocate'"
BODY = f"args = GRPOConfig(output_dir='out', {ARGUMENTS})\ntrainer = GRPOTrainer(model='a/b', args=args)\ntrainer.train()\n"
TOKEN = "hf_" + "aB3dE6gH9jK2mN5pQ8sT" + "xYzWvUtSrQpO"


def file(folder: Path, text: str, name: str = "train.py") -> str:
    path = folder / name
    path.write_text(text)
    return str(path)


@pytest.mark.parametrize("target", ["verl", "trinity", "roll", "chatlearn"])
def test_it_is_converted(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", file(tmp_path, HEAD + BODY), "--to", target, "--set", "WORLD_SIZE=4"]) == 0
    assert "a/b" in capsys.readouterr().out


def test_a_key_that_nobody_has_is_found_at_its_argument(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = file(tmp_path, HEAD + BODY.replace("num_generations", "num_generation"))
    assert run(["check", name, "--format", "concise", "--select", "KEY001"]) == 1
    assert capsys.readouterr().out.startswith(f"{name}:2:68: KEY001 ")


def test_a_misspelt_argument_is_renamed_in_place(tmp_path: Path) -> None:
    path = Path(file(tmp_path, HEAD + BODY.replace("num_generations", "num_generation")))
    run(["check", str(path), "--fix", "--unsafe-fixes"])
    assert path.read_text() == HEAD + BODY


def test_what_is_no_launcher_is_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file(tmp_path, "import torch\nprint(torch)\n", "model.py")
    file(tmp_path, "print 'Python 2'\n", "old.py")
    file(tmp_path, "from own import GRPOConfig\nc = GRPOConfig(beta=1)\n", "own.py")
    (tmp_path / "latin.py").write_bytes(b"# \xe4\n")
    file(tmp_path, HEAD + BODY)
    assert run(["check", str(tmp_path), "--select", "KEY"]) == 0
    assert "nothing found in 1 file" in capsys.readouterr().err


def test_a_named_file_that_is_no_launcher_is_passed_over_aloud(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", file(tmp_path, "import torch\n# trl sft and openrlhf/cli/train_ppo_ray\n")]) == 0
    assert "passed over" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (f"{HEAD}print 'a'\nargs = GRPOConfig()\n".encode(), ":2:1: SYN801"),
        (f"{HEAD}args = GRPOConfig(beta=0.1\n".encode(), ":2:18: SYN801"),
        (f"{HEAD}x = {'(' * 500}\n".encode(), ":2:64: SYN802"),
        (HEAD.encode() + b"\0", ":2:1: NUL byte"),
        (HEAD.encode() + b"# \xff", ":2:3: byte 0xff"),
        (b"import torch\n", ":1:1: SYN505"),
    ],
)
def test_what_cannot_be_read_is_said_with_its_place(
    content: bytes, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.py"
    path.write_bytes(content)
    assert run(["convert", str(path), "--to", "verl"]) == 2
    err = capsys.readouterr().err
    _, place, rest = line.partition(line[: line.rindex(":") + 1])
    assert place.strip(":") in err
    assert rest.strip() in err


@pytest.mark.parametrize("verb", ["plan", "convert", "check", "explain"])
def test_a_credential_is_withheld(verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = file(
        tmp_path, HEAD + BODY.replace("output_dir='out'", f"output_dir='out', hub_token='{TOKEN}', run_name='{TOKEN}'")
    )
    run([verb, name, *(["--to", "verl"] if verb == "convert" else []), *(["-v"] if verb == "convert" else [])])
    printed = capsys.readouterr()
    assert TOKEN not in printed.out + printed.err


@pytest.mark.parametrize(
    ("line", "rc"),
    [
        ("HF_TOKEN = os.getenv('HF_TOKEN')", 0),
        ("secret = row['secret'] + str(token)", 0),
        ("print(f'password: {password}')", 0),
        ("if secret == 'sesame':\n    pass", 0),
        ("API_KEY = 'a8Kd02mZq81LxP4c'", 1),
        ("os.environ['WANDB_API_KEY'] = 'a8Kd02mZq81LxP4c'", 1),
        ("os.environ.setdefault('WANDB_API_KEY', 'a8Kd02mZq81LxP4c')", 1),
        (f"login('{TOKEN}')", 1),
        (f"# {TOKEN}", 1),
        (f'login(token="{TOKEN}")', 1),
    ],
)
def test_a_credential_is_what_is_written_and_not_what_code_computes(line: str, rc: int, tmp_path: Path) -> None:
    assert run(["check", file(tmp_path, f"{HEAD}{line}\n{BODY}"), "--select", "SEC001"]) == rc


def test_a_release_is_migrated_in_place(tmp_path: Path) -> None:
    text = HEAD + BODY.replace("output_dir='out'", "output_dir='out', wandb_log_unique_prompts=True")
    path = file(tmp_path, text)
    assert run(["migrate", path, "--from-release", "0.25.1", "--to-release", "0.26.2"]) == 0
    assert Path(path).read_text() == text.replace("wandb_log_unique_prompts", "log_unique_prompts")
