"""Names of runs and where their numbers go."""

from __future__ import annotations

from rftconf.lint.rule import INFO, WARNING, Family, Findings, finding, verl
from rftconf.lint.subject import Subject

FAMILY = Family("LOG")
rule = FAMILY.rule
KNOWN = frozenset(
    {"console", "wandb", "tensorboard", "mlflow", "swanlab", "vemlp_wandb", "clearml", "trackio", "file", "stdout", "none", "tracking"}
)  # fmt: skip


def _loggers(s: Subject) -> list[str]:
    got = s.value("identity.loggers")
    return [str(name) for name in got] if isinstance(got, list) else [got] if isinstance(got, str) else []


@rule(
    1, INFO, "a run without a name of its own",
    bad=verl("~trainer.experiment_name"), good=verl("trainer.experiment_name=first"),
    advice="name project and experiment", source="veRL ppo_trainer.yaml", frameworks=("verl",),
)  # fmt: skip
def _nameless(s: Subject) -> Findings:
    """Checkpoints go to checkpoints/<project>/<experiment>, and a run resumes from what it finds there: two runs with the
    default names go on from each other's weights."""
    for key in ("trainer.project_name", "trainer.experiment_name"):
        if not s.written(key):
            yield finding(f"{key} is not given: the run shares the default's folder", key)


@rule(
    2, WARNING, "a tracker that does not exist",
    bad=verl("trainer.logger=[console,tensorbord]"), good=verl("trainer.logger=[console,tensorboard]"),
    advice=f"one of {', '.join(sorted(KNOWN))}", source="veRL utils/tracking.py",
)  # fmt: skip
def _unknown(s: Subject) -> Findings:
    """The trainer asserts that it knows each name, after models were loaded."""
    for name in _loggers(s):
        if name not in KNOWN and "$" not in name:
            yield finding(f"there is no tracker {name}", "identity.loggers")


@rule(
    3, INFO, "numbers that are only printed",
    bad=verl("trainer.logger=[console]"), good=verl("trainer.logger=[console,tensorboard]"),
    advice="add tensorboard or wandb", source="veRL utils/tracking.py", frameworks=("verl",),
)  # fmt: skip
def _only_printed(s: Subject) -> Findings:
    """The curves are gone when the terminal is."""
    if _loggers(s) in (["console"], ["stdout"]) and s.written("identity.loggers"):
        yield finding(f"{s.says('identity.loggers')} keeps no numbers", "identity.loggers")


@rule(
    4, WARNING, "a tracker twice",
    bad=verl("trainer.logger=[wandb,wandb]"), good=verl("trainer.logger=[console,wandb]"),
    advice="name it once", source="veRL utils/tracking.py",
)  # fmt: skip
def _twice(s: Subject) -> Findings:
    """The second one replaces the first, or starts a second record of the same run."""
    names = _loggers(s)
    if len(set(names)) < len(names):
        yield finding(f"{s.says('identity.loggers')} names one twice", "identity.loggers")
