"""No refusal without a proof: each sentence is shown on the target's own code in tests/conformance, or says why it cannot be."""

from __future__ import annotations

import pytest

from tests.conformance.proofs import NO_JUDGE, refusals
from tests.convert.refusal_sentences import sentences

SENTENCES = sentences()


@pytest.mark.parametrize(
    ("where", "sentence"), SENTENCES, ids=[f"{where}: {sentence[:60]}" for where, sentence in SENTENCES]
)
def test_every_refusal_has_a_proof_or_a_reason(where: str, sentence: str) -> None:
    assert [part for part in refusals() if matches(part, sentence)], f"{where}: {sentence}"


@pytest.mark.parametrize("part", sorted(set(refusals())))
def test_every_proof_is_of_a_refusal(part: str) -> None:
    assert [sentence for _, sentence in SENTENCES if matches(part, sentence)]


def matches(part: str, sentence: str) -> bool:
    """True where the part stands in the sentence; one that is all of a sentence of holes must be all of it."""
    return part == sentence if sum(map(str.isalpha, part)) < 12 else holes(part) in holes(sentence)


def holes(text: str) -> str:
    """Holes of any length look alike."""
    return " ".join(text.split())


def test_what_is_raised_is_found() -> None:
    """The list is read off the sources: it must not be empty, nor miss sentences that stand in variables."""
    sentences = "\n".join(sentence for _, sentence in SENTENCES)
    assert len(SENTENCES) > 45
    for known in (
        "this seems to be a fork's config",
        "mode serve answers requests",
        "leave none of",
        "counts the pairs of a step",
    ):
        assert known in sentences


def test_reasons_say_something() -> None:
    assert [part for part, why in NO_JUDGE.items() if len(why.split()) < 6] == []
