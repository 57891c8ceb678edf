"""No verb shows or writes a secret, whatever form it has and wherever a config holds it."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rftconf.base.secrets import forget
from rftconf.cli.app import run
from rftconf.studio.answers import answer
from rftconf.verbs import start_runner as running
from tests.base.secrets.detector import detected
from tests.base.secrets.detector_forms import DETECTOR_FORMS
from tests.base.secrets.forms import FORMS, Planted
from tests.base.secrets.provider_forms import PROVIDER_FORMS
from tests.base.secrets.scripted_forms import SCRIPTED, as_script
from tests.sources import ROOT

AT_ONCE = 31
GROUPS = [*(FORMS[start : start + AT_ONCE] for start in range(0, len(FORMS), AT_ONCE)), DETECTOR_FORMS, PROVIDER_FORMS]
SETTINGS = {
    "algorithm.adv_estimator": "grpo",
    "data.train_files": "/d/train.parquet",
    "data.val_files": "/d/test.parquet",
    "data.train_batch_size": "64",
    "data.max_prompt_length": "512",
    "data.max_response_length": "1024",
    "actor_rollout_ref.model.path": "Qwen/Qwen2.5-7B-Instruct",
    "actor_rollout_ref.actor.ppo_mini_batch_size": "64",
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu": "1",
    "actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu": "1",
    "actor_rollout_ref.rollout.name": "vllm",
    "actor_rollout_ref.rollout.n": "8",
    "actor_rollout_ref.rollout.tensor_model_parallel_size": "1",
    "trainer.nnodes": "1",
    "trainer.n_gpus_per_node": "8",
    "trainer.total_epochs": "1",
}


def _command(words: list[str]) -> str:
    return " \\\n    ".join(["python3 -m verl.trainer.main_ppo", *words]) + "\n"


def _settings(**more: str) -> list[str]:
    return [f"{key}={value}" for key, value in {**SETTINGS, **more}.items()]


def as_override(group: tuple[Planted, ...]) -> str:
    """Each as a key of its own, quoted for Hydra."""
    own = [shlex.quote(f"+custom.{p.name}='{p.value}'") for p in group]
    return _command([*_settings(), *own])


def _variable(planted: Planted) -> str:
    return planted.name.upper().replace("-", "_")


def as_exported(group: tuple[Planted, ...]) -> str:
    """Each as a variable of its own name that another key repeats a part of."""
    lines = [f"export {_variable(p)}={shlex.quote(p.value)}" for p in group]
    used = [f"\"+custom.note{n}='before ${{{_variable(p)}}} behind'\"" for n, p in enumerate(group)]
    return "\n".join([*lines, _command([*_settings(), *used])])


def as_known_key(group: tuple[Planted, ...]) -> str:
    """Each as a default of `${NAME:-…}`, and the first as the name of the run."""
    lines = [f"{_variable(p)}=${{{_variable(p)}:-{shlex.quote(p.value)}}}" for p in group]
    settings = [*_settings(), f'"trainer.experiment_name=${{{_variable(group[0])}}}"']
    return "\n".join([*lines, _command(settings)])


def as_yaml(group: tuple[Planted, ...]) -> str:
    """A Trinity-RFT config that has each as an argument of its monitor."""
    own = "\n".join(f"    {p.name}: {_quoted(p.value)}" for p in group)
    return f"""project: p
name: run
mode: both
algorithm: {{algorithm_type: grpo, repeat_times: 8}}
model: {{model_path: Qwen/Qwen2.5-7B-Instruct, max_prompt_tokens: 512, max_response_tokens: 1024}}
cluster: {{node_num: 1, gpu_per_node: 8}}
buffer:
  batch_size: 64
  total_steps: 100
  explorer_input:
    taskset: {{name: t, path: /d, storage_type: file, split: train}}
explorer:
  rollout_model: {{engine_num: 2}}
monitor:
  monitor_type: wandb
  monitor_args:
{own}
"""


def as_comment(group: tuple[Planted, ...]) -> str:
    """Each in a comment, some beside a line that something is said of."""
    lines = [f"# {p.name}={p.value}" for p in group]
    return "\n".join(
        [*lines, _command([*_settings(), "data.sead=1"]).rstrip() + f"  # {group[0].name}={group[0].value}", ""]
    )


def as_here_document(group: tuple[Planted, ...]) -> str:
    """Each as a line of a file that the script writes, and of one that it reads as its own arguments."""
    lines = "\n".join(f"{p.name}={p.value}" for p in group)
    message = "\n".join(f"+custom.{p.name}={p.value}" for p in group)
    return f"cat > .env <<'EOF'\n{lines}\nEOF\nread -r -d '' MORE <<'EOF'\n{message}\nEOF\n{_command([*_settings(), '$MORE'])}"


def as_json(group: tuple[Planted, ...]) -> str:
    """All as entries of a JSON text: as one variable, and as the value of one key."""
    text = json.dumps({p.name: p.value for p in group})
    line = f"{shlex.quote('+custom.options=' + shlex.quote(text))}"
    return f"export OPTIONS={shlex.quote(text)}\n{_command([*_settings(), line])}"


def as_address(group: tuple[Planted, ...]) -> str:
    """Each as a part of an address and as an argument of another command."""
    lines = [f"curl {shlex.quote(f'https://example.org/v1?{p.name}={p.value}&seed=1')}" for p in group]
    own = [shlex.quote(f"+custom.url{n}='https://example.org/v1?{p.name}={p.value}'") for n, p in enumerate(group)]
    return "\n".join([*lines, _command([*_settings(), *own])])


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


PLACES: dict[str, tuple[str, str, Callable[[tuple[Planted, ...]], str]]] = {
    "override": ("a.sh", "verl", as_override),
    "exported": ("a.sh", "verl", as_exported),
    "default": ("a.sh", "verl", as_known_key),
    "yaml": ("a.yaml", "trinity", as_yaml),
    "comment": ("a.sh", "verl", as_comment),
    "here-document": ("a.sh", "verl", as_here_document),
    "json": ("a.sh", "verl", as_json),
    "address": ("a.sh", "verl", as_address),
}
OTHER = {"verl": "trinity", "trinity": "verl"}
OLDER = {"verl": "0.8.0", "trinity": "0.5.2"}


def commands(file: str, of: str) -> list[list[str]]:
    """Every verb that reads a config, in every form that it prints."""
    to = OTHER[of]
    return [
        ["plan", file],
        ["plan", file, "--json"],
        ["plan", file, "--origins"],
        ["convert", file, "--to", to],
        ["convert", file, "--to", to, "--json", "--verbose"],
        ["convert", file, "--to", of, "--json"],
        ["convert", file, "--to", "roll", "-o", "roll.yaml", "--ledger", "ledger.json", "--certify"],
        ["convert", file, "--to", to, "-o", "out.out", "--certify", "--adapters", "adapters"],
        ["check", file, "--severity", "info"],
        *(["check", file, "--format", form, "--severity", "info"] for form in ("json", "sarif", "github", "gitlab", "junit", "concise")),
        ["check", file, "--fix", "--diff", "--unsafe-fixes"],
        ["migrate", file, "--to-release", OLDER[of], "--diff"],
        ["migrate", file, "--to-release", OLDER[of], "--check", "--json"],
        ["diff", file, "plain.sh"],
        ["diff", file, "plain.sh", "--json"],
        ["diff", file, "plain.sh", "--html", "diff.html"],
        ["budget", file, "--gpu", "H100"],
        ["budget", file, "--gpu", "H100", "--json"],
        ["run", file, "--dry-run", "--gpu", "h100-80g", "--python", sys.executable],
        ["run", file, "-o", "run", "--python", sys.executable, "--no-trackers"],
        ["launch", file, "--on", "slurm", "--folder", "/runs"],
        ["launch", file, "--on", "kuberay", "--folder", "/runs", "--image", "i", "--claim", "c"],
    ]  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("group", GROUPS, ids=[group[0].name for group in GROUPS])
def test_no_output_of_any_verb_holds_a_secret(
    place: str,
    group: tuple[Planted, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "runners"))))
    name, framework, written = PLACES[place]
    Path(name).write_text(written(group))
    Path("plain.sh").write_text(_command(_settings()))
    secrets = {planted.name: planted.secret for planted in group}
    output, printed = _shown_by_verbs(name, framework, secrets, tmp_path, capfd)
    assert output == {}
    assert (tmp_path / "run" / running.PLAN).exists()
    if find_spec("detect_secrets") is not None:
        assert detected("\n".join(printed)) == set()


def test_no_output_of_any_verb_holds_what_a_script_makes_of_a_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((str(ROOT), str(ROOT / "runners"))))
    Path("a.sh").write_text(as_script(_settings()))
    Path("plain.sh").write_text(_command(_settings()))
    secrets = {case: planted.secret for case, planted in SCRIPTED.items()}
    output, _ = _shown_by_verbs("a.sh", "verl", secrets, tmp_path, capfd)
    assert output == {}


def test_a_process_that_read_no_file_shows_no_secret_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One of several jobs reads and another one reports; findings are kept and come back without a reading."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    lines, word, secret = SCRIPTED["replaced"]
    for number in range(16):
        Path(f"{number}.sh").write_text(lines + _command([*_settings(), f'"data.train_batch_size={word}"']))
    for _ in range(2):
        forget()
        run(["check", ".", "--jobs", "2", "--format", "json"])
        output = capfd.readouterr().out
        assert "train_batch_size" in output
        assert secret not in output


def _shown_by_verbs(
    name: str, framework: str, secrets: dict[str, str], folder: Path, capfd: pytest.CaptureFixture[str]
) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The secrets that a verb showed or wrote, and every line that one did, each with the commands."""
    output: dict[str, set[str]] = {}
    printed: dict[str, set[str]] = {}
    for words in commands(name, framework):
        forget()
        before = {file: file.stat().st_mtime_ns for file in folder.rglob("*") if file.is_file()}
        code = run(words)
        out, err = capfd.readouterr()
        assert code in (0, 1, 3) or words[0] in ("launch", "run"), (words, code, err)
        new = [f for f in folder.rglob("*") if f.is_file() and before.get(f) != f.stat().st_mtime_ns]
        everything = "\n".join([out, err, *(file.read_text(errors="replace") for file in new)])
        for title, secret in secrets.items():
            if any(part in everything for part in parts(secret)):
                output.setdefault(title, set()).add(" ".join(words))
        for line in everything.splitlines():
            printed.setdefault(line, set()).add(" ".join(words))
    return output, printed


def test_the_maintained_detector_sees_secrets_where_they_are_shown() -> None:
    """Else it would be no judge of what is not."""
    pytest.importorskip("detect_secrets")
    visible_forms = [secret.name for secret in FORMS if detected(f"{secret.name}: '{secret.value}'")]
    assert len(visible_forms) > len(FORMS) / 4


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("group", GROUPS, ids=[group[0].name for group in GROUPS])
def test_no_answer_of_the_studio_holds_a_secret(place: str, group: tuple[Planted, ...]) -> None:
    name, framework, written = PLACES[place]
    new_questions = {"text": written(group), "name": name, "to": OTHER[framework], "gpu": "H100"}
    plain = {"text": _command(_settings()), "name": "plain.sh"}
    questions: dict[str, dict[str, Any]] = dict.fromkeys(("convert", "ledger", "check", "budget"), new_questions)
    questions["diff"] = {"a": new_questions, "b": plain}
    output = set()
    for verb, fields in questions.items():
        body = answer(verb, fields).body.decode()
        output |= {(verb, secret.name) for secret in group for part in parts(secret.secret) if part in body}
    assert output == set()


def test_a_fix_keeps_what_the_file_itself_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The text goes back to where it came from: a fix that put stars there would break the file."""
    secret = FORMS[0]
    file = tmp_path / "a.sh"
    words = _settings(**{"trainer.nnodes": "1.0"})
    file.write_text(f"export {secret.name}={secret.value}\n{_command(words)}")
    run(["check", str(file), "--fix"])
    run(["migrate", str(file), "--to-release", "0.8.0"])
    assert f"export {secret.name}={secret.value}\n" in file.read_text()
    assert secret.value not in "".join(capsys.readouterr())


def parts(secret: str) -> list[str]:
    """What counts as shown: any twelve characters of a long secret, a short one whole."""
    return [secret[index : index + 12] for index in range(max(1, len(secret) - 11))]
