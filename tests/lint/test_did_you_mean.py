"""Misspelt keys and keys of other frameworks: the right key is named first."""

from __future__ import annotations

import pytest

from benches.did_you_mean import Typo, first, typos
from rftconf.lint import key_checks as basic
from rftconf.lint.counterparts import counterparts, name_here
from rftconf.lint.engine import Options, check
from rftconf.lint.rule import Example
from rftconf.mappers.profiles import families, main_keys_of
from rftconf.mappers.rows import Fold
from rftconf.mappers.tables import table_of
from rftconf.schemas import catalogue, registry
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import BASES, documents

PAIRS = [(theirs, ours) for theirs in registry.FRAMEWORKS for ours in registry.FRAMEWORKS if theirs != ours]


def test_the_right_key_is_first() -> None:
    """A sample of what `python -m benches.did_you_mean` counts in full."""
    new_typos = list(typos(600, seed=1))
    wrong = [f"{typo.typed}: {typo.key}, not {first(typo)}" for typo in new_typos if first(typo) != typo.key]
    assert len(wrong) <= 0.03 * len(new_typos), "\n".join(wrong)
    assert {(typo.known.framework, typo.edits) for typo in new_typos} == {
        (f, e) for f in registry.FRAMEWORKS for e in (1, 2)
    }


@pytest.mark.parametrize(("key", "typed"), [("buffer.batch_size", "bufer.bach_size"), ("mode", "mdoe")])
def test_the_sample_can_fail(key: str, typed: str) -> None:
    known = catalogue.load("trinity")
    assert first(Typo(known, key, typed, 2)) == key
    assert first(Typo(known, key, "nothing.like_it", 2)) != key


def test_a_check_says_it() -> None:
    for typo in list(typos(400, seed=2)):
        if typo.known.framework != "verl" or "[" in typo.typed or "<" in typo.typed or "-" in typo.typed:
            continue
        document = read(Source("run.overrides", f"data.train_batch_size=8\n{typo.typed}=1\n"))
        messages = [d.help for d in basic.check(document, "verl", None) if d.key == typo.typed]
        assert messages == [f"did you mean {typo.key}?"], typo


THEIRS = {
    ("verl", "trinity"): ("actor_rollout_ref.rollout.n", "algorithm.repeat_times"),
    ("verl", "chatlearn"): ("actor_rollout_ref.rollout.n", "models.policy.num_inference_per_prompt"),
    ("trinity", "verl"): ("buffer.batch_size", "data.train_batch_size"),
    ("roll", "verl"): ("num_return_sequences_in_group", "actor_rollout_ref.rollout.n"),
    ("roll", "trinity"): ("rollout_batch_size", "buffer.batch_size"),
    ("chatlearn", "trinity"): ("models.policy.num_inference_per_prompt", "algorithm.repeat_times"),
    ("chatlearn", "verl"): ("models.policy_trainer.kl_coef", "actor_rollout_ref.actor.kl_loss_coef"),
}


@pytest.mark.parametrize(("theirs", "ours"), THEIRS)
def test_another_frameworks_key_is_known_again(theirs: str, ours: str) -> None:
    key, place = THEIRS[theirs, ours]
    for document in documents(Example(ours, (f"{key}=8",))):
        (diagnostic,) = (d for d in basic.check(document, ours, None) if d.key == key)
        assert diagnostic.code == "KEY002"
        title, mine = registry.framework(theirs).title, registry.framework(ours).title
        assert diagnostic.help == f"that is {title}'s name; {mine} calls it {place}"


def test_what_has_no_one_name_is_not_called_unknown() -> None:
    assert name_here("synchronizer.sync_style", "trinity", "verl") == "has no one key for it"
    assert name_here("monitor.detailed_stats", "trinity", "verl") == "has nothing like it"


@pytest.mark.parametrize(("theirs", "ours"), PAIRS)
def test_names_are_keys_of_both(theirs: str, ours: str) -> None:
    values = counterparts(theirs, ours)
    assert len(values) > 20
    for native, place in values.items():
        for framework, name in ((theirs, native), (ours, place)):
            trainers = registry.framework(framework).trainers
            pages = [catalogue.load(framework, None, trainer) for trainer in trainers]
            bare = name.removesuffix(".*")
            assert any(bare in page or page.is_node(bare) for page in pages), (framework, name)


@pytest.mark.parametrize("framework", families())
def test_folded_names_are_names_of_a_fold(framework: str) -> None:
    """The list of main keys says nothing that the tables do not."""
    folds = [row for row in table_of(framework).rows if isinstance(row, Fold)]
    for plan, native in main_keys_of(framework).items():
        assert any(plan in fold.plans and native in fold.natives for fold in folds), (plan, native)


def test_every_base_speaks_of_its_own_framework() -> None:
    assert set(BASES) <= {framework.name for framework in registry.READ}


def test_a_key_of_releases_before_all_known_ones_is_no_misspelling() -> None:
    """Trinity-RFT's common/config.py had buffer.max_retry_times before 0.3.3; a buffer's own max_retry_times is another key."""
    text = "mode: both\nmodel: {model_path: /m}\nbuffer: {batch_size: 4, max_retry_times: 3}\nalgorithm: {algorithm_type: grpo}\n"
    diagnostics = check(read(Source("run.yaml", text)), Options("trinity"))
    (own,) = [diagnostic for diagnostic in diagnostics if diagnostic.code.startswith("KEY")]
    assert (own.code, own.help) == ("KEY003", "only releases before 0.3.3 had it: leave it out")
