"""Numbers that no run has are findings, and never end a command; a long value does not fill a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from rftconf.base.diagnostics import MOST_CHARACTERS, Diagnostic, Severity, few
from rftconf.base.numbers import MOST_DIGITS, whole
from rftconf.cli.app import run
from tests.fuzz.large_certificates import SOURCE

HUGE = (str(10**400), str(10**299), str(10**59), "1e308", "-" + str(10**59))
KEYS = (
    "actor_rollout_ref.actor.optim.lr",
    "actor_rollout_ref.actor.fsdp_config.fsdp_size",
    "actor_rollout_ref.rollout.max_model_len",
    "actor_rollout_ref.rollout.prompt_length",
    "actor_rollout_ref.actor.ppo_epochs",
    "actor_rollout_ref.model.lora_rank",
)


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("key", KEYS)
def test_a_number_that_no_run_has_is_a_finding(key: str, number: str, tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text(f"{SOURCE.strip()} {key}={number}\n")
    for arguments in (["check"], ["convert", "--to", "trinity"], ["budget", "--gpu", "H100"], ["diff", str(path)]):
        assert run([*arguments, str(path), "-o", str(tmp_path / "out")]) in (0, 1, 2, 3), arguments


@pytest.mark.parametrize("verb", [["convert", "--to", "trinity"], ["diff"]])
def test_so_many_rows_are_no_training_set(verb: list[str], tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_text(SOURCE)
    more = [str(path)] if verb == ["diff"] else []
    assert run([*verb, str(path), *more, "--rows", str(10**400)]) == 2


def test_a_whole_number_has_so_many_digits() -> None:
    assert whole("9" * MOST_DIGITS) == 10**MOST_DIGITS - 1
    with pytest.raises(ValueError, match="60 digits"):
        whole("1" * (MOST_DIGITS + 1))


def test_a_sentence_keeps_beginning_and_end_and_no_secret() -> None:
    token = "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3kL6"
    diagnostic = Diagnostic("KEY004", Severity.WARNING, f"begins {token * 100} ends", help="x" * 5_000)
    (cut,) = few([diagnostic])
    assert len(cut.message) <= MOST_CHARACTERS
    assert len(cut.help) <= MOST_CHARACTERS
    assert cut.message.startswith("begins ")
    assert cut.message.endswith(" ends")
    assert token[4:12] not in cut.message
