"""Totals are preserved, or the ledger speaks: random valid runs in all directions.

`python -m tests.laws.totals` does the same for any number of seeded cases; benches/results has the figure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any
from unittest import mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rftconf.base.ledger import State
from rftconf.mappers.codecs import Put
from rftconf.mappers.rates import worth_with_rollouts
from rftconf.plan.units import Unit
from rftconf.schemas import registry
from tests.laws.totals.accounts import ACCOUNTS, ARR
from tests.laws.totals.case import Case, Keys
from tests.laws.totals.drawing import DRAWS
from tests.laws.totals.figures import Figures, Rate, differing
from tests.laws.totals.many import FRAMEWORKS, draw, outcomes, targets
from tests.laws.totals.refusals import unfounded
from tests.laws.totals.rules import RULES
from tests.laws.totals.whole import in_text

RUNS = 15_000 // (len(FRAMEWORKS) * (len(FRAMEWORKS) - 1))
"""Runs of each framework, each into all others: 15,000 cases together, however many frameworks there are."""
LAW = settings(
    max_examples=RUNS, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
)


@st.composite
def runs(draw: Callable[[Any], Any], framework: str) -> tuple[Case, list[Any]]:
    """A run that the framework would start, and where it goes."""

    def pick(options: Sequence[Any], /) -> Any:
        return draw(st.sampled_from(options))

    case = DRAWS[framework](pick)
    return case, targets(pick, case)


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_totals_are_preserved_or_the_ledger_speaks(framework: str) -> None:
    @LAW
    @given(runs(framework))
    def law(run: tuple[Case, list[Any]]) -> None:
        assert [
            breach for outcome in outcomes(*run) for breach in (*outcome.breaches, unfounded(outcome)) if breach
        ] == []

    law()


@pytest.mark.parametrize("number", range(10))
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_totals_of_what_is_written_as_text(framework: str, number: int) -> None:
    """The whole way: a script or YAML in the source's own release, the target's text, its plan."""
    case, ways = draw(framework, f"text/{number}")
    written = [way for way in ways if way[0] in registry.FRAMEWORKS]
    assert [breach for way in written for breach in in_text(case, *way).breaches] == []


WORKED: dict[str, tuple[str, dict[str, Any]]] = {
    "veRL": ("verl", {
        "data.train_batch_size": 1024, ARR + "actor.ppo_mini_batch_size": 256, ARR + "rollout.n": 8, "trainer.save_freq": 20,
        "trainer.test_freq": 5, ARR + "actor.optim.lr_warmup_steps": 10, "trainer.total_epochs": 15, "trainer.nnodes": 1,
    }),
    "Trinity, form A": ("trinity", {
        "buffer.batch_size": 256, "algorithm.repeat_times": 8, "buffer.train_batch_size": 2048, "synchronizer.sync_interval": 4,
        "explorer.eval_interval": 20, "trainer.save_interval": 80, "algorithm.optimizer.lr_warmup_steps": 40, "trainer.total_steps": 420,
        "cluster.node_num": 1, "cluster.gpu_per_node": 8, "explorer.rollout_model.engine_num": 4,
        "buffer.explorer_input.eval_tasksets[0].path": "x", "buffer.total_steps": 420,
    }),
    "Trinity, form B": ("trinity", {
        "buffer.batch_size": 1024, "algorithm.repeat_times": 8, "buffer.train_batch_size": 2048,
        "synchronizer.explorer_sync_interval": 1, "synchronizer.trainer_sync_interval": 4, "explorer.eval_interval": 5,
        "trainer.save_interval": 80, "algorithm.optimizer.lr_warmup_steps": 40, "trainer.total_steps": 420,
        "cluster.node_num": 1, "cluster.gpu_per_node": 8, "explorer.rollout_model.engine_num": 4,
        "buffer.explorer_input.eval_tasksets[0].path": "x", "buffer.total_steps": 105,
    }),
    "ROLL": ("roll", {
        "rollout_batch_size": 1024, "num_return_sequences_in_group": 8, "actor_train.training_args.per_device_train_batch_size": 4,
        "actor_train.training_args.gradient_accumulation_steps": 64, "actor_train.device_mapping": "list(range(0,8))",
        "actor_train.training_args.lr_scheduler_type": "constant_with_warmup", "actor_train.training_args.warmup_steps": 40,
        "max_steps": 105, "save_steps": 20, "eval_steps": 5, "validation.data_args.file_name": ["/v.jsonl"], "actor_train.training_args.learning_rate": 1e-6,
    }),
    "ChatLearn": ("chatlearn", {
        "runtime_args.sample_per_episode": 8192, "runtime_args.train_global_batch_size": 2048, "models.policy.num_inference_per_prompt": 8,
        "runtime_args.num_episode": 105, "runtime_args.save_episode_interval": 20, "runtime_args.eval_episode_interval": 5,
        "models.policy_trainer.num_gpu": 8, "models.policy_trainer.train_micro_batch_size": 4, "models.policy_trainer.optimizer.lr": 1e-6,
    }),
}  # fmt: skip
"""One run with the cadence of H11 and the epochs of H12, in each framework's keys."""


@pytest.mark.parametrize("name", WORKED)
def test_the_accounts_agree_on_the_worked_example(name: str) -> None:
    framework, flat = WORKED[name]
    keys = Keys(flat, (2025,) if framework == "chatlearn" else (0, 9, 1), "fsdp", 7473)
    figures = ACCOUNTS[framework](keys)
    assert [figures.sequences, figures.update, figures.updates, figures.total_updates] == [8192, 2048, 4, 420]
    assert [figures.prompts_per_version, figures.staleness, figures.save, figures.evaluate] == [1024, 0, 20, 5]
    warm = Fraction(0) if framework == "chatlearn" else Fraction(10)
    assert (figures.rate.top, figures.rate.warm, figures.rate.after(105)) == (1e-6, warm, 1e-6)
    assert list(RULES[framework](keys)) == []


def test_figures_that_differ_are_named() -> None:
    first = Figures(
        Fraction(64), 8, Fraction(128), 1, 100, Rate("cosine", 1e-6, Fraction(10), Fraction(100)), save=Fraction(5)
    )
    second = Figures(Fraction(64), 8, Fraction(256), 1, 100, Rate("cosine", 1e-6, Fraction(12), Fraction(100)), every=2)
    assert [*differing(first, second)] == [
        "update",
        "updates",
        "total_updates",
        "rate",
        "prompts_per_version",
        "staleness",
        "save",
    ]


def _unscaled(self: Any, value: Any, source: Unit, target: Unit) -> Any:
    """A converter that forgets that the frameworks count in different units."""
    return value


def _silent(w: Any, schedule: Any) -> None:
    """A mapper that says of a lost schedule that all is well."""
    for name in ("schedule", "warmup_updates", "decay_updates"):
        w.lose(f"stage.optim.actor.{name}", State.DEFAULT, "")


def _of_periods(context: Any, unit: Unit, *words: str) -> Any:
    """A counter that takes an update for a whole period."""
    return worth_with_rollouts(context, Unit.ROLLOUTS if unit is Unit.UPDATES else unit, *words)


MUTANTS: dict[str, tuple[str, Callable[..., Any]]] = {
    "no unit is converted": ("rftconf.plan.units.Rates.convert", _unscaled),
    "ROLL has one rank (H4)": ("rftconf.mappers.roll.folds_batch._ranks", lambda *_: 1),
    "ROLL saves a period late": ("rftconf.mappers.roll.conditions._SavePeriod.get", lambda self, value, context, unit: value + 1),
    "ChatLearn counts prompts (H1)": (
        "rftconf.mappers.chatlearn.conditions._WholePrompts.get", lambda self, value, context, unit: value),
    "ChatLearn hides that it has no schedule": ("rftconf.mappers.chatlearn.folds_algorithm._settle_schedule", _silent),
    "Trinity forgets to divide": ("rftconf.mappers.trinity.folds.arith", lambda op, left, right: left),
    "Trinity validates every k explore steps (H11)": (
        "rftconf.mappers.trinity.conditions._EvalInterval.put", lambda self, value, context, unit: Put(value or 10**9)),
    "TRL's generations are cut into updates": ("rftconf.mappers.trl.folds_batch.arith", lambda op, left, right: left),
    "TRL's steps are periods": ("rftconf.mappers.trl.conditions.worth_with_rollouts", _of_periods),
    "veRL never warms up by a share": ("rftconf.mappers.verl.folds_schedule.from_ratio", lambda r, ratio: 0),
    "veRL ticks once a period in every mode (H62)": ("rftconf.mappers.verl.conditions.local_updates", lambda context: 1),
}  # fmt: skip


@pytest.mark.parametrize("name", MUTANTS)
def test_the_law_sees_a_mapper_that_counts_wrong(name: str) -> None:
    where, wrong = MUTANTS[name]
    with mock.patch(where, wrong):
        result = (
            breach
            for index in range(240)
            for outcome in outcomes(*draw(FRAMEWORKS[index % len(FRAMEWORKS)], f"mutant/{index}"))
            for breach in outcome.breaches
        )
        assert next(result, None) is not None
