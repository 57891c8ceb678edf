"""Log-probs and entropies without copies of the logits: what autograd's own operations give, value and gradient."""

from __future__ import annotations

from functools import partial

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import torch
from rftconf_runner import likelihood, losses
from rftconf_runner.likelihood import log_probs_and_entropy


def drawn(dtype: torch.dtype = torch.float64) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return (3 * torch.randn(3, 5, 17)).to(dtype).requires_grad_(), torch.randint(17, (3, 5))


def plainly(logits: torch.Tensor, tokens: torch.Tensor, temperature: float) -> tuple[torch.Tensor, torch.Tensor]:
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32)) / temperature
    return wide.log_softmax(-1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1), losses.entropy(wide)


@pytest.mark.parametrize("temperature", [1.0, 0.6])
@pytest.mark.parametrize("at_a_time", [1, 40, 1 << 26])
def test_value_and_gradient_are_those_of_plain_operations(
    temperature: float, at_a_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(likelihood, "AT_A_TIME", at_a_time)
    logits, tokens = drawn()
    weights = torch.randn(2, 3, 5, dtype=torch.float64)
    gradients = []
    for of in (plainly, partial(log_probs_and_entropy, entropic=True)):
        result = torch.stack(of(logits, tokens, temperature))
        (gradient,) = torch.autograd.grad((result * weights).sum(), logits)
        gradients.append((result.detach(), gradient))
    (plain, slopes), (own, result) = gradients
    assert torch.allclose(own, plain, atol=1e-12)
    assert torch.allclose(result, slopes, atol=1e-12)
    assert slopes.abs().max() > 0.1


def test_without_entropy_it_is_0_and_teaches_nothing() -> None:
    logits, tokens = drawn()
    own, entropy = log_probs_and_entropy(logits, tokens, 1.0, entropic=False)
    (result,) = torch.autograd.grad((own + 7 * entropy).sum(), logits)
    (plain,) = torch.autograd.grad(plainly(logits, tokens, 1.0)[0].sum(), logits)
    assert not entropy.any()
    assert torch.allclose(result, plain, atol=1e-12)


def test_narrow_logits_are_reckoned_with_in_32_bits() -> None:
    logits, tokens = drawn(torch.bfloat16)
    own, _ = log_probs_and_entropy(logits, tokens, 1.0, entropic=False)
    plain, _ = plainly(logits, tokens, 1.0)
    assert own.dtype == torch.float32
    assert torch.allclose(own, plain, atol=1e-6)
    (result,) = torch.autograd.grad(own.sum(), logits)
    (slopes,) = torch.autograd.grad(plain.sum(), logits)
    assert result.dtype == torch.bfloat16
    assert torch.equal(result, slopes)
