"""Types of numbers: veRL's trainers look a name up, and one that they do not have ends the run when the model is built."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import MISSING
from rftconf.convert.convert import convert
from rftconf.schemas.closed_words import takes_word, words_of
from rftconf.text.read.read import read
from rftconf.text.source import Source

AUTO = "num_generations: 8\nmax_completion_length: 512\nnum_processes: 4\n{key}: auto\n"
ACTOR = "actor_rollout_ref.actor.fsdp_config.model_dtype"


@pytest.mark.parametrize(
    ("to", "release", "key"),
    [
        ("verl", "0.9.1", ACTOR),
        ("verl", "0.5.0", ACTOR),
        ("trinity", "0.6.0", f"trainer.trainer_config.{ACTOR}"),
    ],
)
@pytest.mark.parametrize("written", ["dtype", "torch_dtype"])
def test_the_type_that_a_models_files_say_is_asked_for(to: str, release: str, key: str, written: str) -> None:
    """`auto` is a word of transformers; PrecisionType.to_dtype raises on it."""
    converted = convert(read(Source("a.yaml", AUTO.format(key=written))), to, to_release=release)
    (line,) = (line for line in converted.ledger.targets if line.key.lstrip("+") == key)
    (question,) = (decision for decision in converted.ledger.decisions if decision.key.lstrip("+") == key)
    assert line.value == MISSING
    assert question.choices == ("fp32", "bf16", "fp16")
    assert "auto" in question.why
    assert question.has == f"{written}=auto"


@pytest.mark.parametrize("word", ["fp32", "float32", "32", "bf16", "bfloat16", "fp16", "float16", "16", "null"])
def test_a_type_has_several_names(word: str) -> None:
    """verl/utils/torch_dtypes.py: HALF_LIST, FLOAT_LIST and BFLOAT_LIST."""
    assert takes_word(words_of("verl", "0.9.1", ACTOR), ACTOR, word)
    assert not takes_word(words_of("verl", "0.9.1", "algorithm.rollout_correction.rollout_is"), "rollout_is", "32")
