"""A safe fix changes nothing that its finding did not name, and never what the file is taken for."""

from __future__ import annotations

import pytest

from rftconf.base.diagnostics import Diagnostic, Fix, Severity
from rftconf.lint import engine, fixing
from rftconf.lint.unchanged import changed_keys, keeps_the_run
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

LAUNCH = "python3 -m verl.trainer.main_ppo data.train_files=/d/a.parquet actor_rollout_ref.rollout.name=vllm"


def script(*words: str) -> Document:
    return read(Source("run.sh", " ".join((LAUNCH, *words)) + "\n"))


def finding(code: str, *keys: str, safe: bool = True) -> Diagnostic:
    return Diagnostic(code, Severity.WARNING, "said", fix=Fix("change", (), safe, keys), key=keys[0])


def test_a_key_that_was_said_to_do_nothing_must_do_nothing() -> None:
    before, after = script("actor_rollout_ref.rollout.n=8"), script()
    assert not keeps_the_run(before, after, finding("KEY011", "actor_rollout_ref.rollout.n"), "verl", "0.9.1")
    assert keeps_the_run(before, after, finding("BAT001", "actor_rollout_ref.rollout.n"), "verl", "0.9.1")


def test_a_change_of_another_key_is_no_fix() -> None:
    before = script("actor_rollout_ref.rollout.n=8", "data.train_batch_size=64")
    after = script("actor_rollout_ref.rollout.n=4", "data.train_batch_size=32")
    assert changed_keys(before, after) == {"actor_rollout_ref.rollout.n", "data.train_batch_size"}
    assert not keeps_the_run(before, after, finding("BAT001", "data.train_batch_size"), "verl", "0.9.1")
    named = finding("BAT001", "data.train_batch_size", "actor_rollout_ref.rollout.n")
    assert keeps_the_run(before, after, named, "verl", "0.9.1")
    assert keeps_the_run(before, after, finding("BAT001", "data.train_batch_size", safe=False), "verl", "0.9.1")


def test_a_guessed_release_stays() -> None:
    before, after = script("trainer.use_legacy_worker_impl=enable"), script()
    diagnostic = finding("KEY012", "trainer.use_legacy_worker_impl")
    assert not keeps_the_run(before, after, diagnostic, None, None)
    assert not keeps_the_run(before, after, finding("KEY012", "trainer.use_legacy_worker_impl", safe=False), None, None)


@pytest.mark.parametrize(
    "word",
    [
        "model_engine=veomni actor_rollout_ref.actor.veomni.expert_parallel_size=8",
        "model_engine=torchtitan actor_rollout_ref.actor.torchtitan.tensor_parallel_size=2",
        "model_engine=mindspeed",
        "hydra.searchpath=[pkg://verl_mlite.config] actor@actor_rollout_ref.actor=mlite_actor actor_rollout_ref.actor.engine.tp=2",
    ],
)
def test_a_word_that_chooses_a_part_of_the_config_is_never_taken_out(word: str) -> None:
    document = script(word)

    def again(text: str) -> tuple[Document, list[Diagnostic]]:
        fresh = read(Source("run.sh", text))
        return fresh, engine.check(fresh)

    diagnostics = engine.check(document)
    assert not [d for d in diagnostics if d.severity is Severity.ERROR and d.key.startswith(("model_engine", "actor@"))]
    fixed = read(Source("run.sh", fixing.fix(document, diagnostics, again, unsafe=True).text))
    assert changed_keys(document, fixed).isdisjoint(part.partition("=")[0] for part in word.split())
