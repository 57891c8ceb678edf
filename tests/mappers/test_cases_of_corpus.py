"""What a round of the whole corpus found: each once, without the corpus."""

from __future__ import annotations

import pytest

from rftconf.base.ledger import State
from rftconf.convert.convert import convert
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.test_targets_say_no import roll, verl
from tests.test_corpus_round_trips import check_there_and_back

BENCH = """\
mode: bench
model: {model_path: m/x, max_prompt_tokens: 64, max_response_tokens: 64}
buffer:
  batch_size: 16
  explorer_input:
    eval_tasksets: [{name: e, path: /d, split: test, format: {prompt_key: question, response_key: answer}}]
"""


def state_of(document: Document, to: str, key: str) -> State:
    lines = convert(document, to).ledger.sources
    return next(line.state for line in lines if line.key == key)


@pytest.mark.parametrize("to", ["verl", "trinity"])
def test_a_deviation_over_the_batch_is_no_part_of_reinforce_elsewhere(to: str) -> None:
    source = roll(adv_estimator="reinforce", norm_mean_type="batch", norm_std_type="batch")
    assert state_of(source, to, "norm_std_type") is State.NO_COUNTERPART


def test_a_recipe_s_own_keys_stay_at_their_release_as_they_were_written() -> None:
    """The reward model's engine is a key of veRL 0.7.1; a recipe of 0.6.1 has it in a file of its own."""
    key = "reward_model.rollout.name"
    script = verl(f"reward_model.enable=True reward_model.model.path=m/r {key}=sglang")
    done = convert(script, "verl", framework="verl", release="0.6.1", to_release="0.6.1")
    assert [line.value for line in done.ledger.targets if line.key == key] == ["sglang"]
    assert next(line.state for line in done.ledger.sources if line.key == key) is State.EXACT


def test_engines_of_an_evaluation_take_the_pool_that_nobody_wrote() -> None:
    """One engine there, all of veRL's 8 GPUs here: no value that both ledgers say is kept may differ."""
    check_there_and_back(read(Source("bench.yaml", BENCH)), "trinity", "0.6.0", "verl")


def test_a_key_that_became_two_comes_back_as_one() -> None:
    """0.5.0's profile_steps also names the profiler of newer releases; written back it is the steps."""
    script = verl("trainer.profile_steps=[1,2,5]")
    done = convert(script, "verl", framework="verl", release="0.5.0", to_release="0.5.0")
    assert [line.value for line in done.ledger.targets if line.key == "trainer.profile_steps"] == [[1, 2, 5]]
