"""A digest is of numbers, places and shape, and of nothing else: not of how a tensor is cut, nor of the device's order."""

from __future__ import annotations

import hashlib

import pytest

pytest.importorskip("vllm", reason="needs the runner's environment (make runner-env)")
import itertools

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rftconf_runner import weight_digest
from rftconf_runner.weight_digest import BLOCK_WORDS, LANES, LARGE_BYTES, digest, digests, sums

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int64, torch.uint8, torch.bool)
MODULUS = 1 << 64


def multiplier(counter: int) -> int:
    """Splitmix64 as its authors write it, in Python's whole numbers."""
    mixed = (counter + 1) * 0x9E3779B97F4A7C15 % MODULUS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % MODULUS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % MODULUS
    return mixed ^ mixed >> 31 | 1


def reckoned(tensor: torch.Tensor) -> str:
    """The digest of a tensor without zeros that have a sign, word by word."""
    own = tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes()
    lanes = [0] * LANES
    for number, start in enumerate(range(0, len(own), 8)):
        block, place = divmod(number, BLOCK_WORDS)
        signed = int.from_bytes(own[start : start + 8].ljust(8, b"\0"), "little", signed=True)
        for lane, word in enumerate((signed, signed + (signed >> weight_digest.FOLD))):
            factor = multiplier(place * LANES + lane) * multiplier(weight_digest.OF_BLOCK + block * LANES + lane)
            lanes[lane] = (lanes[lane] + word * factor) % MODULUS
    numbers = [lane - MODULUS if lane >> 63 else lane for lane in lanes]
    return hashlib.sha256(f"{tuple(tensor.shape)} {tensor.dtype} {numbers}".encode()).hexdigest()


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_digest_is_the_sum_that_its_module_describes(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    for shape in ((3,), (5, 7), (2 * BLOCK_WORDS + 3, 5)):
        tensor = (torch.randn(shape) * 50 + 100).to(dtype)
        assert digest(tensor) == reckoned(tensor)


@given(st.integers(1, 90), st.integers(1, 700), st.lists(st.integers(1, 40), max_size=6), st.sampled_from(DTYPES))
@settings(max_examples=60, deadline=None)
def test_however_a_tensor_is_cut_its_digest_is_the_same(
    rows: int, columns: int, cuts: list[int], dtype: torch.dtype
) -> None:
    tensor = (torch.randn(rows, columns) * 9).to(dtype)
    ends = sorted({min(end, rows) for end in cuts} | {0, rows})
    parts = [tensor[begin:end] for begin, end in itertools.pairwise(ends)]
    assert digest(*parts) == digest(tensor) == digest(tensor.t().contiguous().t())
    in_any_order = [sums(part, begin * columns) for part, begin in zip(parts, ends, strict=False)][::-1]
    assert torch.equal(sum(in_any_order, torch.zeros(LANES, dtype=torch.int64)), sums(tensor))


def test_as_many_blocks_at_once_as_a_device_has_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tensor = torch.randn(9 * BLOCK_WORDS + 77)
    own = digest(tensor)
    for most in (1, 3, 256):
        monkeypatch.setattr(weight_digest, "BLOCKS_AT_ONCE", {"cpu": most})
        assert digest(tensor) == own


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_digest_is_of_numbers_and_shape(dtype: torch.dtype) -> None:
    """Tensors that are fused count as one, and 0 and -0 count as one number."""
    tensor = torch.randn(3 * BLOCK_WORDS // 256 + 5, 256).to(dtype)
    assert digest(tensor) == digest(*tensor.split(100))
    others = (tensor, tensor.t(), tensor.flatten(), tensor[1:], tensor.double(), tensor.flip(0), tensor.roll(1, 1))
    assert len({digest(entry) for entry in others}) == len(others)
    negative = tensor.clone()
    negative[7, 9], tensor[7, 9] = -0.0, 0.0
    assert digest(negative) == digest(tensor)
    swapped = tensor.clone()
    swapped[[3, 8]] = tensor[[8, 3]]
    assert digest(swapped) != digest(tensor)
    assert digest(torch.tensor(1.0)) != digest(torch.tensor([1.0]))
    empty = [digest(torch.zeros(shape, dtype=dtype)) for shape in ((0,), (0, 4), (4,), (4, 4))]
    assert len(set(empty)) == len(empty)


@pytest.mark.parametrize(("dtype", "whole"), [(torch.float32, torch.int32), (torch.bfloat16, torch.int16)])
def test_any_bit_that_is_flipped_shows(dtype: torch.dtype, whole: torch.dtype) -> None:
    """A whole word of numbers, bit after bit; the signs of two numbers that are each the last of a word too, which one lane cannot see."""
    tensor = torch.randn(64).to(dtype)
    known, own = {digest(tensor)}, tensor.view(whole)
    bits = 8 * tensor.element_size()
    for number in range(64 // bits):
        for bit in range(bits):
            changed = own.clone()
            changed[number] ^= torch.tensor(1 << bit if bit < bits - 1 else -(1 << bit)).to(whole)
            known.add(digest(changed.view(dtype)))
    assert len(known) == 65
    each, signs = 64 // bits, tensor.clone()
    signs[[each - 1, 2 * each - 1]] *= -1
    assert digest(signs) not in known


def test_large_tensors_are_digested_at_once_and_each_has_its_own() -> None:
    tensors = [(str(index), [torch.full((LARGE_BYTES // 4 + index,), float(index))]) for index in range(12)]
    tensors += [("small", [torch.ones(2), torch.zeros(3)])]
    assert digests(tensors) == {name: digest(*parts) for name, parts in tensors}
    assert digests([]) == {}
