"""What spares a check the memory account must never spare it a finding, nor a shorter search a secret."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rftconf.budget.roles.layout_rules import problems
from rftconf.budget.roles.pools import pools
from rftconf.lint import engine
from rftconf.lint import recognise_config as config_of
from rftconf.lint.account_shortcuts import all_gpus_used, surely_divided
from rftconf.lint.rule import Example, verl
from rftconf.lint.subject import Cluster, Subject, subjects
from rftconf.text.document import Document
from tests.corpus import corpora
from tests.lint.bases import documents

ROLLOUT, ACTOR = "actor_rollout_ref.rollout.", "actor_rollout_ref.actor."
SMALL = "actor_rollout_ref.model.path=Qwen/Qwen2.5-0.5B-Instruct"


def subjects_of(document: Document) -> Iterator[Subject]:
    best = config_of.recognised(document, None, None)
    if best is not None:
        yield from subjects(document, best, Cluster())


def subject(example: Example) -> Subject:
    return next(subjects_of(documents(example)[0]))


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        (verl(SMALL, f"{ROLLOUT}tensor_model_parallel_size=2"), True),  # 14 heads, 2 of keys and values
        (verl(SMALL, f"{ROLLOUT}tensor_model_parallel_size=4"), False),
        (verl(SMALL, f"{ROLLOUT}tensor_model_parallel_size=1", f"{ACTOR}ulysses_sequence_parallel_size=4"), False),
        (verl("actor_rollout_ref.model.path=/models/mine", f"{ROLLOUT}tensor_model_parallel_size=2"), False),
        (verl("actor_rollout_ref.model.path=/models/mine", f"{ROLLOUT}tensor_model_parallel_size=1"), True),
    ],
)
def test_sizes_that_surely_divide_the_model(example: Example, expected: bool) -> None:
    assert surely_divided(subject(example)) is expected


@pytest.mark.parametrize("overrides", ["{1:2}", "[pipeline]", "pipeline"])
@pytest.mark.parametrize("path", ["[a,b]", "{a:1}", "7"])
@pytest.mark.parametrize("size", ["[1,2]", "{a:1}", "many", "2.5", "-2", "2"])
def test_values_of_another_kind_end_no_check(path: str, size: str, overrides: str) -> None:
    """Whatever stands there, every rule goes on: the size's kind is told, and a model that is no text divides nothing."""
    megatron = f"+{ACTOR}megatron.override_transformer_config={overrides}"
    example = verl(f"actor_rollout_ref.model.path={path}", f"{ROLLOUT}tensor_model_parallel_size={size}", megatron)
    for document in documents(example):
        codes = {diagnostic.code for diagnostic in engine.check(document, engine.Options("verl"))}
        assert size in ("2", "-2") or codes & {"KEY001", "KEY004"}
        assert path != "[a,b]" or not any(map(surely_divided, subjects_of(document)))


def test_a_trainer_of_every_gpu_leaves_none_idle() -> None:
    assert all_gpus_used(subject(verl("trainer.nnodes=2", "trainer.n_gpus_per_node=8")))
    assert not all_gpus_used(subject(verl("trainer.nnodes=$NODES")))


def test_what_is_spared_the_account_has_nothing_to_find_there() -> None:
    if not any(corpora().values()):
        pytest.skip("the corpus of real configs is not here")
    questions = {"divided": 0, "used": 0}
    for real in (real for reals in corpora().values() for real in reals):
        for s in subjects_of(real.document()):
            if s.setup is None:
                continue
            if surely_divided(s):
                questions["divided"] += 1
                assert not [problem for problem in problems(s.setup) if problem.sizes], real.name
            if all_gpus_used(s):
                questions["used"] += 1
                assert sum(pool.count for pool in pools(s.setup)) + s.setup.unpriced >= s.setup.total, real.name
    assert min(questions.values()) > 100, questions
