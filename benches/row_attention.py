"""The runner's attention over a row of sequences on this machine's GPU: one call for the row beside a call for each sequence.

Both are compared with each sequence's attention in 64 bits, so that a difference is known to be rounding: `benches.learner_gpu` runs it.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any

import torch
from rftconf_runner import packed_attention
from torch import Tensor

HEADS, KEY_HEADS, WIDTH, WINDOW = 12, 2, 128, 128
WARM, CALLS = 3, 10


def inputs(lengths: Sequence[int], device: str) -> list[Tensor]:
    """Random queries, keys and values [1, heads, tokens, width] that want gradients."""
    torch.manual_seed(0)
    return [
        torch.randn(1, heads, sum(lengths), WIDTH, device=device, dtype=torch.bfloat16, requires_grad=True)
        for heads in (HEADS, KEY_HEADS, KEY_HEADS)
    ]


def attend(values: Sequence[Tensor], window: int | None, *, in_one_call: bool) -> list[Tensor]:
    """Return the outputs of the row [1, tokens, heads, width], and the gradients of their squares' sum by `values`."""

    class Module:
        num_key_value_groups = HEADS // KEY_HEADS
        is_causal = True

    more: dict[str, Any] = {"sliding_window": window, "scaling": WIDTH**-0.5}
    lengths = tuple(packed_attention._LENGTHS)
    output = (
        packed_attention._of_row(values[0], values[1], values[2], lengths, more)
        if in_one_call
        else packed_attention._one_by_one(Module(), values[0], values[1], values[2], None, more)
    )
    return [output, *torch.autograd.grad(output.double().square().sum(), values)]


def error(computed: Sequence[Tensor], exact: Sequence[Tensor]) -> float:
    """Return the largest difference as a share of the largest exact number, over outputs and gradients."""
    return max(
        float((value.detach().double() - other.detach()).abs().max() / other.detach().abs().max())
        for value, other in zip(computed, exact, strict=True)
    )


def milliseconds(call: Callable[[], object]) -> float:
    """Return the median of some calls, each waited for."""
    taken = list[float]()
    for number in range(WARM + CALLS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        if number >= WARM:
            taken.append(begin.elapsed_time(end))
    return round(statistics.median(taken), 3)


def compared(lengths: Sequence[int], window: int | None) -> dict[str, float]:
    """Rounding and time, forward and backward, of both ways on one row."""
    packed_attention.set_lengths(lengths)
    values = inputs(lengths, "cuda")
    doubled = [value.detach().double().requires_grad_() for value in values]
    exact = attend(doubled, window, in_one_call=False)
    figures = dict[str, float]()
    for name, in_one_call in (("one call", True), ("a call each", False)):
        computed = attend(values, window, in_one_call=in_one_call)
        figures[f"{name}: error"] = round(error(computed, exact), 6)
        figures[f"{name}: ms"] = milliseconds(lambda way=in_one_call: attend(values, window, in_one_call=way))  # type: ignore[misc]
    packed_attention.set_lengths(())
    return figures


def rows() -> dict[str, dict[str, float]]:
    """Eight sequences of an update's lengths, 64 short ones, and the eight with a window."""
    draw = random.Random(0)
    few, many = ([draw.randint(*size) for _ in range(count)] for count, size in ((8, (512, 1280)), (64, (40, 240))))
    return {
        "8 sequences of 512 to 1,280 tokens": compared(few, None),
        "64 sequences of 40 to 240 tokens": compared(many, None),
        f"8 sequences under a window of {WINDOW}": compared(few, WINDOW),
    }
