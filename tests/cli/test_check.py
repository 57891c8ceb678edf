"""`rftconf check` as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rftconf.cli.app import run
from rftconf.lint.rule import trinity, verl
from rftconf.verbs import check_files as checking
from rftconf.verbs import check_project as check_run
from rftconf.verbs.check_files import Checked
from rftconf.verbs.find_files import candidates
from tests.cli.scripts import written
from tests.lint.bases import as_shell, as_yaml

GRPO = as_shell(verl("data.train_batch_size=$BATCH", script="BATCH=256\n"))
BAD = GRPO.replace("data.train_batch_size", "data.train_bach_size")


def test_a_clean_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", written(tmp_path, GRPO)]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "nothing found in 1 file\n"


def test_a_misspelt_key_inside_a_script(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, BAD)
    assert run(["check", script, "--format", "concise", "--from-release", "0.9.1"]) == 1
    assert capsys.readouterr().out == f"{script}:30:5: KEY001 veRL 0.9.1 has no key data.train_bach_size\n"
    assert run(["check", script]) == 1
    out = capsys.readouterr().out
    assert "  30 |     data.train_bach_size=$BATCH\n     |     ^^^^^^^^^^^^^^^^^^^^\n" in out
    assert "did you mean data.train_batch_size?" in out


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", written(tmp_path, BAD), "--json", "--from", "verl", "--from-release", "0.9.1"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    assert (finding["code"], finding["severity"], finding["place"]["line"]) == ("KEY001", "error", 30)


def test_folders_and_patterns_pass_over_other_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "deep" / ".hidden").mkdir(parents=True)
    written(tmp_path / "deep", BAD, "bad.sh")
    written(tmp_path / "deep", "echo hello\n", "other.sh")
    written(tmp_path / "deep", "services:\n  web: {}\n", "compose.yaml")
    written(tmp_path / "deep", "\0\1", "binary.sh")
    written(tmp_path / "deep" / ".hidden", BAD, "unseen.sh")
    assert run(["check", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert out.count("KEY001") == 1
    assert err == "1 error in 1 file (1 note not shown: --severity info)\n"
    assert run(["check", f"{tmp_path}/**/*.sh", "--format", "concise"]) == 1
    assert "bad.sh:30:5" in capsys.readouterr().out


def test_a_named_file_that_is_no_config_is_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hook names whatever was changed in a repository that holds other things too."""
    others = [
        written(tmp_path, "services:\n  web:\n    image: x\n", "compose.yaml"),
        written(tmp_path, "repos:\n  - repo: local\n", ".pre-commit-config.yaml"),
        written(tmp_path, "#!/bin/bash\necho built\n", "tool.sh"),
        written(tmp_path, '{"name": "x", "scripts": {"test": "true"}}', "package.json"),
    ]
    assert run(["check", *others]) == 0
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("is no config of RL training that rftconf knows: it is passed over") == len(others)
    assert run(["check", "--quiet", *others]) == 0
    assert capsys.readouterr().err == ""
    assert run(["check", others[0], written(tmp_path, GRPO)]) == run(["check", str(tmp_path / "run.sh")])


def test_a_framework_that_is_not_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    foreign = written(tmp_path, "gconfig:\n  n_samples: 4\nrollout:\n  max_head_offpolicyness: 2\n", "areal.yaml")
    assert run(["check", foreign]) == 3
    assert "is a config of AReaL (" in capsys.readouterr().err
    assert run(["check", "--mixed", foreign]) == 0
    assert "is a config of AReaL" in capsys.readouterr().err
    assert run(["convert", foreign, "--to", "verl"]) == 3
    assert "rftconf new" in capsys.readouterr().err


def test_a_broken_file_is_passed_over_only_where_others_are_expected(tmp_path: Path) -> None:
    broken = written(tmp_path, "{{ values }\n", "chart.yaml")
    assert run(["check", broken]) == 2
    assert run(["check", "--mixed", broken]) == 0
    assert run(["check", "--mixed", written(tmp_path, "actor_rollout_ref: {{ x }\n", "run.yaml")]) == 2


def test_keys_outweigh_the_settings_of_the_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rftconf.toml").write_text('framework = "verl"\n')
    text = "mode: both\ncluster: {node_num: 1, gpu_per_node: 8}\nalgorithm: {algorithm_type: grpo}\nbuffer: {batch_size: 8}\n"
    run(["check", written(tmp_path, text, "trinity.yaml")])
    output = capsys.readouterr()
    assert "KEY00" not in output.out
    assert "its keys are those of Trinity-RFT, and" in output.err
    assert "says veRL: the keys count" in output.err


def test_a_named_file_must_be_readable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", written(tmp_path, "\0", "binary.sh"), written(tmp_path, GRPO)]) == 2
    assert "NUL byte" in capsys.readouterr().err
    assert run(["check", str(tmp_path / "binary.sh")]) == 2
    assert "nothing found" not in capsys.readouterr().err


def test_a_folder_without_configs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tmp_path)]) == 2
    assert "no config of a known framework" in capsys.readouterr().err


def test_each_file_once_and_named_ones_as_named(tmp_path: Path) -> None:
    script = written(tmp_path, GRPO)
    new_candidates = candidates([str(tmp_path), script, f"{tmp_path}/*.sh"])
    assert [(candidate.path, candidate.named) for candidate in new_candidates] == [(script, True)]


def test_secrets_are_never_echoed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = BAD.replace("set -x", "export WANDB_API_KEY=0123456789abcdef0123").replace(
        "trainer.total_epochs=2", "trainer.wandb_api_ky=0123456789abcdef0123 trainer.api_key=sk-0123456789abcdef0123"
    )
    run(["check", written(tmp_path, text)])
    out, err = capsys.readouterr()
    assert "sk-0123456789" not in out + err


VAL = as_shell(verl("data.val_batch_size=512"))


def test_fix_and_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, VAL)
    assert run(["check", script, "--diff", "--unsafe-fixes"]) == 1
    output = capsys.readouterr().out
    assert "-    data.val_batch_size=512\n" in output
    assert Path(script).read_text() == VAL
    assert run(["check", script, "--fix"]) == 1  # deleting it is not proved to leave the run the same
    assert run(["check", script, "--unsafe-fixes"]) == 0
    assert "data.val_batch_size" not in Path(script).read_text()
    assert "fixed 1 finding in 1 file" in capsys.readouterr().err
    assert run(["check", script]) == 0


def test_a_file_that_changes_while_it_is_fixed_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(as_yaml(trinity()).replace("repeat_times", "repeat_tmes"))
    whole = checking.check_all

    def meanwhile(*arguments: Any) -> Iterator[Checked]:
        done = list(whole(*arguments))
        file.write_text("mode: both\n")
        yield from done

    monkeypatch.setattr(check_run, "check_all", meanwhile)
    assert run(["check", str(file), "--unsafe-fixes"]) == 2
    assert "changed while it was being fixed" in capsys.readouterr().err
    assert file.read_text() == "mode: both\n"
    monkeypatch.undo()
    file.write_text(as_yaml(trinity()).replace("repeat_times", "repeat_tmes"))
    assert run(["check", str(file), "--unsafe-fixes"]) == 0
    assert file.read_text() == as_yaml(trinity())


def test_standard_input_is_not_fixed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "-", "--fix"]) == 2
    assert "standard input cannot be fixed" in capsys.readouterr().err


def test_selection_severity_and_exit_zero(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, VAL)
    assert run(["check", script, "--ignore", "BAT014"]) == 0
    assert run(["check", script, "--select", "KEY,SYN"]) == 0
    assert run(["check", script, "--select", "BAT", "--exit-zero"]) == 0
    assert "BAT014" in capsys.readouterr().out
    assert run(["check", script, "--severity", "error"]) == 0
    assert run(["check", script, "--select", "BTA"]) == 2
    assert "there is no code BTA" in capsys.readouterr().err


def test_statistics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", written(tmp_path, VAL), "--statistics", "-q"]) == 1
    assert capsys.readouterr().out == "    1 BAT014 [*] a validation batch size\n"


def test_several_formats_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, log = written(tmp_path, VAL), tmp_path / "out.sarif"
    assert (
        run(["check", script, "--format", "github", "--output", f"sarif={log}", "-o", f"junit={tmp_path}/j.xml"]) == 1
    )
    assert capsys.readouterr().out.startswith(f"::warning file={script},line=30,col=25,title=BAT014::")
    assert json.loads(log.read_text())["version"] == "2.1.0"
    assert "<failure" in (tmp_path / "j.xml").read_text()
    assert run(["check", script, "-o", "sarif"]) == 2


def test_settings_of_the_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, settings = written(tmp_path, VAL), tmp_path / "rftconf.toml"
    settings.write_text('[per-file-ignores]\n"*.sh" = ["BAT014"]\n')
    assert run(["check", script]) == 0
    settings.write_text("[cluster]\nnodes = 1\ngpus-per-node = 4\n")
    assert run(["check", script]) == 1
    assert "GPU013" in capsys.readouterr().out
    settings.write_text('framwork = "verl"\n')
    assert run(["check", script]) == 2
    assert "did you mean framework?" in capsys.readouterr().err
    settings.unlink()
    (tmp_path / "pyproject.toml").write_text('[tool.rftconf]\nignore = ["BAT"]\nexclude = ["old/*"]\n')
    (tmp_path / "old").mkdir()
    written(tmp_path / "old", "python3 -m verl.trainer.main_ppo a=1\n")
    assert run(["check", str(tmp_path)]) == 0


def test_a_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, accepted = written(tmp_path, VAL), str(tmp_path / "accepted.json")
    assert run(["check", script, "--write-baseline", accepted]) == 0
    assert run(["check", script, "--baseline", accepted]) == 0
    Path(script).write_text("# a comment more\n" + VAL.replace("total_epochs=3", "total_epochs=0"))
    assert run(["check", script, "--baseline", accepted]) == 1
    out = capsys.readouterr().out
    assert "DAT010" in out
    assert "BAT014" not in out
    assert run(["check", script, "--baseline", script]) == 2


def test_comments_silence_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = VAL.replace("python3 -m", "# rftconf: ignore[BAT014] our fork reads it\npython3 -m")
    assert run(["check", written(tmp_path, text)]) == 0
    assert run(["check", written(tmp_path, text.replace("BAT014", "BAT014,BAT003"))]) == 1
    assert "SYN601" in capsys.readouterr().out


def test_results_are_kept_by_content(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = written(tmp_path, VAL)
    (tmp_path / "rftconf.toml").write_text("")
    assert [run(["check", script, "--cache", "--format", "json"]) for _ in range(2)] == [1, 1]
    first, second = capsys.readouterr().out.split("]\n[", 1)
    assert first + "]\n" == "[" + second
    assert list((tmp_path / ".rftconf_cache").glob("*/*.json"))
    written(tmp_path, GRPO)
    assert run(["check", script, "--cache"]) == 0


def test_jobs_find_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(20):
        written(tmp_path, VAL if number % 2 else GRPO, f"run{number:02}.sh")
    outputs = []
    for jobs in ("1", "2"):
        assert run(["check", str(tmp_path), "--format", "concise", "--jobs", jobs]) == 1
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert outputs[0].count("BAT014") == 10


def test_secrets_reach_neither_cache_nor_diff(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    secret = "0123456789abcdef0123456789abcdef01234567"
    script = written(tmp_path, VAL.replace("set -x\n", f"export WANDB_API_KEY={secret}\nset -x\n"))
    (tmp_path / "rftconf.toml").write_text("")
    assert run(["check", script, "--cache"]) == 1
    assert run(["check", script, "--diff", "--unsafe-fixes"]) == 1
    for form in ("json", "sarif", "github", "gitlab", "junit", "concise"):
        assert run(["check", script, "--format", form]) == 1
    out, err = capsys.readouterr()
    assert "SEC001" in out
    assert secret not in out + err
    assert not any(secret in file.read_text() for file in tmp_path.rglob("*.json"))


def test_memory_needs_the_name_of_a_gpu(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = ["actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct", "trainer.n_gpus_per_node=8", "trainer.nnodes=1"]
    keys += [
        "actor_rollout_ref.actor.use_dynamic_bsz=True",
        "data.max_prompt_length=512",
        "data.max_response_length=1024",
        "algorithm.adv_estimator=grpo",
    ]
    file = tmp_path / "run.sh"
    file.write_text(" ".join(["python3 -m verl.trainer.main_ppo", *keys]))
    command = ["check", str(file), "--select", "MEM001", "--format", "concise"]
    assert run(command) == 0
    assert run([*command, "--gpu", "rtx-4090"]) == 1
    assert "MEM001" in capsys.readouterr().out
    assert run([*command, "--gpu", "h2o"]) == 2
    assert "nearest: h20" in capsys.readouterr().err
    (tmp_path / "rftconf.toml").write_text('[cluster]\ngpu = "rtx-4090"\n')
    assert run([*command, "--cache"]) == 1
    (tmp_path / "rftconf.toml").write_text('[cluster]\ngpu = "h200-141g"\n')
    assert run([*command, "--cache"]) == 0
