"""A head that is asked instead of read: log-probs, entropies and gradients of logits that are never all there."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import chunked_head, likelihood
from rftconf_runner.chunked_head import Head, Question, head_of, prepare_head
from rftconf_runner.job import Offload
from rftconf_runner.lessons import Sample
from rftconf_runner.sequences import table
from rftconf_runner.sharded import shard
from rftconf_runner.ulysses import Sequences

pytestmark = pytest.mark.filterwarnings("default")
VOCABULARY = 71
SIZES = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 128, "pad_token_id": 0,
}  # fmt: skip
SAMPLES = [
    Sample(tuple(range(3, 3 + size)), tuple(range(9, 9 + answer)), 0, index)
    for index, (size, answer) in enumerate(((4, 9), (7, 3), (2, 12)))
]


def qwen(*, tied: bool) -> Any:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    torch.manual_seed(0)
    return Qwen3ForCausalLM(Qwen3Config(tie_word_embeddings=tied, **SIZES)).double()


def gemma() -> Any:
    """A model that squeezes its head's logits."""
    from transformers import Gemma2Config, Gemma2ForCausalLM

    torch.manual_seed(0)
    return Gemma2ForCausalLM(Gemma2Config(final_logit_softcapping=0.5, **SIZES)).double()


def few(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Have the head work on three places at a time where there are more than so many logits."""
    monkeypatch.setattr(chunked_head, "MOST", most)
    monkeypatch.setattr(likelihood, "AT_A_TIME", 3 * VOCABULARY)


def learned(model: Any, *, packs: bool, entropic: bool = True) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Return log-probs and entropies of the answers' tokens, and every gradient of a sum of them."""
    rows = table(SAMPLES, packs=packs)
    spread = Sequences(0, 1, 1)
    of_places, to_answers = spread.answer(model, rows, Question(rows.following, 0.7, entropic))
    numbers = torch.stack([to_answers(values) * rows.mask for values in of_places])
    weights = torch.linspace(0.5, 2, numbers.numel(), dtype=torch.float64).view_as(numbers)
    model.zero_grad()
    (numbers * weights).sum().backward()
    gradients = [parameter.grad for parameter in model.parameters()]
    whole = [getattr(value, "full_tensor", lambda value=value: value)() for value in gradients if value is not None]
    return numbers.detach(), [value.clone() for value in whole]


def same(first: Any, second: Any, within: float = 1e-12) -> None:
    assert torch.allclose(first[0], second[0], atol=within)
    assert max(float(gradient.abs().max()) for gradient in first[1]) > 1e-3
    assert len(first[1]) == len(second[1])
    assert all(torch.allclose(*pair, atol=within) for pair in zip(first[1], second[1], strict=True))


@pytest.mark.parametrize("entropic", [True, False])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("packs", [True, False])
def test_value_and_gradient_are_those_of_logits_that_are_there(
    tied: bool, packs: bool, entropic: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, own = qwen(tied=tied), prepare_head(qwen(tied=tied))
    expected = learned(plain, packs=packs, entropic=entropic)
    few(monkeypatch, 1 << 31)
    same(expected, learned(own, packs=packs, entropic=entropic), within=0.0)
    few(monkeypatch, 0)
    widths, plainly = set[int](), torch.nn.functional.linear

    def noted(hidden: torch.Tensor, *more: Any) -> torch.Tensor:
        widths.add(len(hidden))
        return plainly(hidden, *more)

    monkeypatch.setattr(chunked_head, "linear", noted)
    same(expected, learned(own, packs=packs, entropic=entropic))
    assert max(widths) == 3  # no more places at once, forwards or back


def test_under_fsdp_the_weight_is_whole_where_the_head_is_asked(alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.distributed.device_mesh import init_device_mesh

    few(monkeypatch, 0)
    expected = learned(qwen(tied=True), packs=True)
    mesh = init_device_mesh("cpu", (1,))
    model = shard(prepare_head(qwen(tied=True)), mesh, "float64", checkpointing=True, offload=Offload()).train()
    assert head_of(model) is not None
    same(expected, learned(model, packs=True))


def test_a_model_that_changes_its_heads_logits_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch, 0)
    own = prepare_head(gemma())
    same(learned(gemma(), packs=False), learned(own, packs=False), within=0.0)
    assert isinstance(own.lm_head, Head)
    assert head_of(own) is None  # and is not asked in vain again


def test_sums_of_squares_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, model = table(SAMPLES, packs=True), prepare_head(qwen(tied=False))
    answers = []
    for most in (1 << 31, 0):
        few(monkeypatch, most)
        with torch.no_grad():
            answers.append(Sequences(0, 1, 1).answer(model, rows, Question(rows.following, 0.7, squared=True))[0])
    for whole, parts in zip(*answers, strict=True):
        assert torch.allclose(whole, parts, atol=1e-12)
    assert 0 < float(answers[0][1].min()) < 1


def test_a_narrow_heads_gradient_is_added_up_in_32_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient of a head in chunks is as near to that in 64 bits as the gradient of one product in 16 bits is."""
    torch.manual_seed(0)
    hidden, weight = torch.randn(300, 16), torch.randn(VOCABULARY, 16)
    tokens, gaps = torch.randint(VOCABULARY, (300,)), []

    def gradient(dtype: torch.dtype, most: int) -> torch.Tensor:
        few(monkeypatch, most)
        head = torch.nn.Linear(16, VOCABULARY, bias=False, dtype=dtype)
        head.__class__ = Head
        head.weight.data = weight.to(torch.bfloat16).to(dtype)
        head.question = Question(tokens[None], 1.0)
        head(hidden.to(torch.bfloat16).to(dtype)[None].requires_grad_())[..., 0].sum().backward()
        return head.weight.grad.double()

    exact = gradient(torch.float64, 1 << 31)
    gaps = [float((gradient(torch.bfloat16, most) - exact).abs().mean()) for most in (1 << 31, 0)]
    assert gaps[1] <= 1.2 * gaps[0]
