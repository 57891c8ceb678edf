"""What only one of several releases that fit has, is no error, and changes no file by itself."""

from __future__ import annotations

from rftconf.base.diagnostics import Diagnostic, Severity
from rftconf.lint.engine import Options, check
from rftconf.text.read.read import read
from rftconf.text.source import Source

LAUNCH = """python3 -m verl.trainer.main_ppo \\
    data.train_batch_size=8 \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=4 \\
"""


def found(*overrides: str, release: str | None = None) -> dict[str, Diagnostic]:
    text = LAUNCH + " \\\n".join(f"    {override}" for override in overrides) + "\n"
    return {diagnostic.code: diagnostic for diagnostic in check(read(Source("run.sh", text)), Options(release=release))}


def test_an_error_of_some_releases_is_a_warning_that_names_them() -> None:
    """`reward_model.strategy` went with 0.7.1, `critic.fsdp` came with 0.8.0: no release has both."""
    pair = ("reward_model.strategy=fsdp", "critic.fsdp.param_offload=True")
    loose = [diagnostic for diagnostic in found(*pair).values() if diagnostic.code == "KEY003"]
    assert loose
    assert all(
        diagnostic.severity is not Severity.ERROR and (diagnostic.fix is None or not diagnostic.fix.safe)
        for diagnostic in loose
    )


def test_a_named_release_is_taken_at_its_word() -> None:
    pair = ("reward_model.strategy=fsdp", "critic.fsdp.param_offload=True")
    named = found(*pair, release="0.9.1")["KEY003"]
    assert named.severity is Severity.ERROR
    assert "fits as well" not in named.message


def test_what_every_release_refuses_stays_an_error() -> None:
    diagnostic = found("trainer.no_such_key_anywhere=1")["KEY001"]
    assert diagnostic.severity is Severity.ERROR
    assert "fits as well" not in diagnostic.message


def test_a_name_between_two_releases_is_an_error_only_of_a_named_release() -> None:
    """veRL's own scripts for asynchronous training had rollout.total_epochs for some weeks, and their authors ran them."""
    guessed, named = found("rollout.total_epochs=10"), found("rollout.total_epochs=10", release="0.9.1")
    assert guessed["KEY003"].severity is Severity.WARNING
    assert named["KEY003"].severity is Severity.ERROR
    assert "KEY001" not in guessed
