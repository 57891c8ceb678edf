"""The name of the output says which form is written, where the target has that form."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.cli.app import run
from rftconf.schemas.registry import framework
from rftconf.text.read.read import form_of
from rftconf.text.source import from_bytes
from rftconf.verbs.output_form import form_of_output
from tests.cli.scripts import written

RUN = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct"
    " actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8"
    " trainer.n_gpus_per_node=8 trainer.total_training_steps=10 "
    "actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
)
SCRIPTS, YAMLS = (".sh", ".bash", ".SH", ".sbatch"), (".yaml", ".yml")
HAS_SCRIPT = ("verl", "chatlearn")
TARGETS = ("verl", "trinity", "roll", "chatlearn")


@pytest.mark.parametrize("suffix", [*SCRIPTS, *YAMLS])
@pytest.mark.parametrize("to", TARGETS)
def test_the_suffix_chooses_the_form_or_is_refused(
    to: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"out{suffix}"
    code = run(["convert", written(tmp_path, RUN), "--to", to, "-q", "-o", str(out)])
    output = capsys.readouterr().err
    if suffix in SCRIPTS and to not in HAS_SCRIPT:
        assert code == 2
        assert not out.exists()
        assert "is written as YAML, and not a script (name it out.yaml)" in output
        return
    assert (code, output) == (0, "")
    # under a name that says nothing the text itself tells the reader what it is
    text = out.read_text()
    assert form_of(from_bytes("out", text.encode())) == ("shell" if suffix in SCRIPTS else "yaml")
    assert bool(out.stat().st_mode & 0o100) == (suffix in SCRIPTS)


@pytest.mark.parametrize("suffix", [".json", ".toml", ".py"])
@pytest.mark.parametrize("to", TARGETS)
def test_a_suffix_of_another_kind_of_text_is_refused(
    to: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"out{suffix}"
    assert run(["convert", written(tmp_path, RUN), "--to", to, "-q", "-o", str(out)]) == 2
    assert f"and not {suffix} (name it out" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    ("form", "suffix"), [("yaml", ".sh"), ("sh", ".yaml"), ("overrides", ".yaml"), ("overrides", ".sh")]
)
def test_a_form_that_is_asked_for_under_the_name_of_another_is_refused(
    form: str, suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / f"out{suffix}"
    assert run(["convert", written(tmp_path, RUN), "--to", "verl", "-q", "--as", form, "-o", str(out)]) == 2
    assert f"--as {form} writes" in capsys.readouterr().err
    assert not out.exists()


def test_a_name_that_says_nothing_leaves_the_usual_form() -> None:
    for name, usual in (("verl", None), ("trinity", None), ("roll", None), ("chatlearn", None)):
        target = framework(name)
        for output in (None, Path("out"), Path("run.v2"), Path("/dev/stdout"), Path("run.conf")):
            assert form_of_output(output, None, target) is usual
            assert form_of_output(output, target.forms[-1], target) == target.forms[-1]


def test_plain_text_is_override_lines_where_the_target_has_them(tmp_path: Path) -> None:
    assert form_of_output(Path("out.txt"), None, framework("verl")) == "overrides"
    assert form_of_output(Path("out.txt"), "sh", framework("verl")) == "sh"
    assert form_of_output(Path("out.txt"), None, framework("roll")) is None
    folder = tmp_path / "runs.yaml"
    folder.mkdir()
    assert form_of_output(folder, None, framework("verl")) is None


def test_a_new_config_is_refused_under_the_name_of_another_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = ["new", "--model", "qwen2.5-7b", "--algorithm", "grpo", "--gpus", "8", "--gpu", "h100-80g", "-q"]
    for to, suffix, code in (
        ("chatlearn", ".sh", 2),
        ("chatlearn", ".yaml", 0),
        ("verl", ".yaml", 2),
        ("verl", ".sh", 0),
    ):
        out = tmp_path / f"{to}{suffix}"
        assert (to, suffix, run([*base, "--framework", to, "-o", str(out)])) == (to, suffix, code), (
            capsys.readouterr().err
        )
        assert out.exists() == (code == 0)
