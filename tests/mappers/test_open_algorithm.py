"""An estimator that the target lacks: what hangs on the answer is neither dropped nor claimed."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import VERL

OWN = (
    "algorithm.adv_estimator=my_own",
    "critic.enable=True",
    "critic.optim.lr=5e-6",
    "critic.model.path=org/critic",
    "critic.ppo_micro_batch_size_per_gpu=1",
)


def script(*more: str) -> str:
    lines = [*(line for line in VERL if not line.startswith("algorithm.adv_estimator")), *more]
    return " \\\n".join(["python3 -m verl.trainer.main_ppo", *lines])


def converted(to: str) -> Conversion:
    return convert(read(Source("run.sh", script(*OWN))), to)


@pytest.mark.parametrize(
    ("to", "estimator", "rate"),
    [
        ("trinity", "algorithm.algorithm_type", "trainer.trainer_config.critic.optim.lr"),
        ("roll", "adv_estimator", "critic.training_args.learning_rate"),
    ],
)
def test_critic_is_written_while_the_algorithm_is_open(to: str, estimator: str, rate: str) -> None:
    ledger = converted(to).ledger
    lines = {line.key: line.value for line in ledger.targets}
    assert (lines[estimator], lines[rate]) == ("???", 5e-6)
    states = {line.key: line.state for line in ledger.sources}
    assert states["critic.optim.lr"] is State.EXACT
    assert not [change for change in ledger.learning if "whiten" in change.says or "ritic" in change.says]


def test_sentence_names_the_algorithm_with_a_critic() -> None:
    reasons = {decision.key: decision.why for decision in converted("trinity").ledger.decisions}
    assert "ppo is the one algorithm with a critic" in reasons["algorithm.algorithm_type"]


@pytest.mark.parametrize(("name", "whitens"), [("my_own", None), ("grpo", False), ("gae", True), ("gdpo", True)])
def test_nobody_knows_whether_an_estimator_of_a_fork_whitens(name: str, whitens: bool | None) -> None:
    values = load(read(Source("run.sh", script(f"algorithm.adv_estimator={name}")))).stages[0].values
    assert values.get("stage.algorithm.whiten_advantage") is whitens


@pytest.mark.parametrize("name", ["???", "${oc.env:ALGORITHM}"])
def test_nobody_knows_whether_an_algorithm_that_is_not_known_has_a_critic(name: str) -> None:
    text = f"mode: both\nalgorithm: {{algorithm_type: '{name}'}}\nmodel: {{model_path: Qwen/Qwen3-4B}}\n"
    values = load(read(Source("run.yaml", text)), framework="trinity").stages[0].values
    assert values["stage.algorithm.critic.enabled"] not in (True, False)
