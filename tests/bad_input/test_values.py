"""Values of another type, or of no possible size, are findings at their place; the rest of the file is converted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rftconf.cli.app import run

GOLDEN = Path(__file__).parents[2] / "golden/convert"
ROLL = GOLDEN / "roll-single-to-verl/input.yaml"
DOMAINS = GOLDEN / "roll-domains-to-verl/input.yaml"
CHATLEARN = GOLDEN / "chatlearn-megatron/expected.yaml"
CASES = [
    (ROLL, "rollout_batch_size", [1, "a", None], "chatlearn"),
    (ROLL, "actor_train.training_args.gradient_accumulation_steps", ["a"], "roll"),
    (ROLL, "actor_train.training_args.gradient_accumulation_steps", {"a": {"b": 1}}, "verl"),
    (ROLL, "actor_train.training_args.gradient_accumulation_steps", False, "verl"),
    (ROLL, "rollout_batch_size", 10**18, "trinity"),
    (CHATLEARN, "models.policy_trainer.num_gpu", [[]], "verl"),
    (CHATLEARN, "models.policy_trainer.num_gpu", 0, "verl"),
    (CHATLEARN, "models.policy_trainer.optimizer", "words", "roll"),
]


def changed(source: Path, key: str, value: Any, folder: Path) -> Path:
    tree = yaml.safe_load(source.read_text(encoding="utf-8"))
    *above, last = key.split(".")
    node = tree
    for name in above:
        node = node[name]
    node[last] = value
    file = folder / "run.yaml"
    file.write_text(yaml.safe_dump(tree, sort_keys=False), encoding="utf-8")
    return file


@pytest.mark.parametrize(("source", "key", "value", "to"), CASES)
def test_a_value_that_does_not_fit_is_reported_at_its_place(
    source: Path, key: str, value: Any, to: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The rest is converted, or what is asked for has no target without it."""
    code = run(["convert", str(changed(source, key, value, tmp_path)), "--to", to])
    errors = capsys.readouterr().err
    assert code in (0, 3), errors
    assert "defect" not in errors
    assert "run.yaml:" in errors
    assert key.rsplit(".", 1)[-1] in errors


def test_a_number_as_a_tag_is_taken_as_its_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = changed(DOMAINS, "rewards.math_rule.tag_included", 1e308, tmp_path)
    assert run(["convert", str(file), "--to", "chatlearn", "-v"]) == 0
    assert "rewards.math_rule.tag_included=1e+308  (run.yaml:71)" in capsys.readouterr().err
    assert run(["check", str(file)]) == 1
    assert "KEY004: rewards.math_rule.tag_included expects list[str]" in capsys.readouterr().out


def test_a_trainer_without_a_config_of_its_own_has_the_key(tmp_path: Path) -> None:
    text = CHATLEARN.read_text(encoding="utf-8").replace("train_backend: megatron", "train_backend: fsdp")
    (tmp_path / "run.yaml").write_text(text, encoding="utf-8")
    assert run(["check", str(tmp_path / "run.yaml")]) == 1
