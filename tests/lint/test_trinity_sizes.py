"""Trinity-RFT's rules speak of what its trainer and its config_validator.py make of a config, and of nothing that they do not know."""

from __future__ import annotations

import pytest

from rftconf.lint.engine import Options, check
from rftconf.text.read.read import read
from rftconf.text.source import Source

RUN = """mode: both
model: {{model_path: /m, max_model_len: 4096{lengths}}}
algorithm: {{algorithm_type: {kind}, repeat_times: 8{algorithm}}}
buffer:
  batch_size: 32
  train_batch_size: 256
  explorer_input: {{tasksets: [{{name: t, path: /d}}]}}
trainer: {{use_dynamic_bsz: {dynamic}}}
"""


def codes(
    *, release: str = "0.6.0", kind: str = "grpo", lengths: str = "", algorithm: str = "", dynamic: str = "true"
) -> list[str]:
    text = RUN.format(lengths=lengths, kind=kind, algorithm=algorithm, dynamic=dynamic)
    return [d.code for d in check(read(Source("run.yaml", text)), Options("trinity", release))]


@pytest.mark.parametrize(("release", "count"), [("0.6.0", 3), ("0.5.2", 0)])
def test_fixed_micro_batches_want_three_sizes_since_0_6(release: str, count: int) -> None:
    """veRL's init_model asserts those of actor and scoring; ActorConfig asserts the reference's."""
    assert codes(release=release, dynamic="false").count("BAT022") == count


def test_an_algorithm_without_a_reference_wants_two() -> None:
    assert codes(dynamic="false", algorithm=", kl_loss_fn: none").count("BAT022") == 2


@pytest.mark.parametrize(
    ("lengths", "is_cut"),
    [
        (", max_response_tokens: 4096", True),
        (", max_prompt_tokens: 5000", True),
        (", max_response_tokens: 4095", False),
        (", max_response_tokens: 5000, max_prompt_tokens: 10", False),  # refused instead (LEN001)
    ],
)
def test_a_length_that_alone_fills_the_context_is_cut(lengths: str, is_cut: bool) -> None:
    assert ("LEN013" in codes(lengths=lengths)) is is_cut


@pytest.mark.parametrize(
    ("kind", "is_dead"),
    [("grpo", True), ("rloo", False), ("our_own", False), ("{algorithm_type: grpo}", False)],
)
def test_a_kl_in_the_reward_is_dead_only_below_a_known_algorithm(kind: str, is_dead: bool) -> None:
    assert ("DIA104" in codes(kind=kind, algorithm=", kl_penalty_fn: k1")) is is_dead
