"""Trainers differ by release or date in a few numbers that no config tells.

Each number is a count of tensors that some code keeps alive, named for that code. Where a count was chosen because
measured rows agree with it, docs/adr/0010 says so.
"""

from __future__ import annotations

from typing import Literal

from rftconf.base.record import record


@record
class Head:
    """The bytes that a language-model head holds while logits become a loss.

    `full` [B] is alive per token and vocabulary entry, and `hole` [B] is freed too early for later, larger tensors to use:
    the allocator keeps it reserved until memory runs out. A chunked head instead needs `chunk` [B] per token and entry of
    `vocabulary_chunk`, or per entry of `token_chunk` tokens. `entropy` [B] is added where the loss has an entropy term.
    `scored` [B] is alive per token and entry where nothing goes backward, and `worked_on` bytes beside full logits, half of
    them then. Of more than `most` logits (0: of any number) all are there at once; else they are never more than what is worked on.
    """

    name: str
    full: float = 0.0
    hole: float = 0.0
    entropy: float = 0.0
    chunk: float = 0.0
    vocabulary_chunk: int = 0
    token_chunk: int = 0
    why: str = ""
    scored: float | None = None
    worked_on: int = 0
    most: int = 0


TORCH_FP32 = Head(
    "full logits, cross-entropy in fp32",
    full=16.0,
    hole=2.0,
    why="fp32 copy of the logits 4, log-softmax 4, two gradients 8; the bf16 logits before them leave the hole",
)
IN_PLACE_BF16 = Head(
    "full logits, in-place cross-entropy",
    full=4.0,
    entropy=8.0,
    why="bf16 logits 2 and their gradient 2; entropy: fp32 softmax 4, its product with the logits 2, gradient 2",
)
IN_PARTS = Head(
    "full logits in their own type, worked on in parts",
    full=4.0,
    hole=2.0,
    scored=2.0,
    worked_on=1 << 30,
    most=1 << 31,
    why="logits 2 and their gradient 2; beside them four tensors of 2^26 numbers in fp32",
)
VOCABULARY_CHUNKS = Head(
    "logits by chunks of the vocabulary",
    chunk=22.0,
    vocabulary_chunk=2048,
    why="per entry of a chunk: bf16 logits 2, fp32 logits 4, exponent 4, probabilities 4, those of the chunk before 8",
)
TOKEN_CHUNKS = Head(
    "logits by chunks of tokens and vocabulary",
    chunk=22.0,
    vocabulary_chunk=8192,
    token_chunk=1024,
    why="as by vocabulary, for 1024 tokens at a time",
)
FUSED = Head(
    "fused linear cross-entropy",
    chunk=10.03,
    vocabulary_chunk=0,
    token_chunk=2048,
    why="measured at 10.03 B per logit of a chunk beside the head's gradient",
)
MEGATRON_VOCABULARY = Head(
    "vocabulary-parallel cross-entropy",
    full=10.0,
    entropy=4.0,
    why="bf16 logits 2, fp32 copy 4 that becomes the softmax in place, gradient 4; all divided by TP",
)


@record
class Implementation:
    """One trainer at one time. `since` is the first release, or the date, that it holds for.

    `norms`: `eager` ones keep an fp32 copy, the normalised value and the result; `fused` ones (one kernel, written or
    compiled) keep the result.
    `routed` counts copies of the routed hidden states that a mixture layer keeps at its worst moment.
    `foreach` says that Adam works on all parameters at once, with a temporary as large as they are.
    `bucket` [B] is a buffer in which weights go to engines on the same GPU, which copy what is in it.
    `measured` says that somebody has published peaks of it: the interval is narrower then.
    """

    name: str
    since: str
    head: Head
    norms: Literal["eager", "fused"] = "eager"
    routed: int = 10
    foreach: bool = True
    offload_activations: bool = False
    offload_optimizer: bool = False
    adapters: int = 1
    bucket: int = 0
    measured: bool = False
    source: str = ""


PRIME_RL = (
    Implementation(
        "prime-rl",
        "2026-01-15",
        VOCABULARY_CHUNKS,
        adapters=4,
        measured=True,
        source="trainer/models/layers/lm_head.py, moe.py, rms_norm.py and model.py: setup_fsdp, of that date",
    ),
    Implementation(
        "prime-rl",
        "2026-03-09",
        TOKEN_CHUNKS,
        adapters=4,
        measured=True,
        source="the head works on chunks of tokens (its pull request 1987)",
    ),
    Implementation(
        "prime-rl",
        "2026-05-18",
        TOKEN_CHUNKS,
        norms="fused",
        adapters=4,
        measured=True,
        source="dense models of its own that compile without a break (its pull request 2505)",
    ),
    Implementation(
        "prime-rl",
        "2026-06-24",
        TOKEN_CHUNKS,
        norms="fused",
        adapters=4,
        offload_activations=True,
        offload_optimizer=True,
        measured=True,
        source="changed defaults: checkpoints and Adam states wait in host memory (its pull request 2868)",
    ),
)
VERL = (
    Implementation("verl", "0.4.1", IN_PLACE_BF16, source="utils/torch_functional.py: logprobs_from_logits_flash_attn"),
)
MEGATRON = (
    Implementation(
        "megatron",
        "0",
        MEGATRON_VOCABULARY,
        norms="fused",
        routed=6,
        foreach=False,
        source="core/tensor_parallel/cross_entropy.py; fused RMSNorm and Adam of Transformer Engine",
    ),
)
TRL_TILES = Head(
    "logits by tiles of tokens and vocabulary",
    chunk=8.0,
    vocabulary_chunk=8192,
    token_chunk=4096,
    why="a tile in the compute type 2 and its gradient 2, worked on in fp32 4",
)
TRL = (
    Implementation(
        "trl",
        "0.18.0",
        TORCH_FP32,
        foreach=False,
        measured=True,
        source="trl/trainer/grpo_trainer.py: _get_per_token_logps; updates of 1.8.0 were measured on an H100 (benches/results)",
    ),
    Implementation(
        "trl",
        "1.16.0",
        TRL_TILES,
        foreach=False,
        measured=True,
        source="trl/kernels/chunked_logprob.py; updates were measured on an H100 (benches/results)",
    ),
)
GENERIC = (Implementation("generic", "0", TORCH_FP32, source="plain PyTorch and Transformers, nothing fused"),)
RUNNER = Implementation(
    "rftconf run",
    "0",
    IN_PARTS,
    bucket=1 << 28,
    source="rftconf_runner/likelihood.py, chunked_head.py, weight_stream.py; an update and a pass for log-probs were measured on an H100 (benches/results)",
)
SFT_HEAD = TORCH_FP32
ALL = {family[0].name: family for family in (PRIME_RL, VERL, TRL, MEGATRON, GENERIC, (RUNNER,))}


def implementation(name: str, when: str | None = None) -> Implementation:
    """The newest one of that name that is not newer than `when` (a release or an ISO date); the newest without it."""
    family = ALL.get(name, GENERIC)
    if when is None:
        return family[-1]
    return next(
        (implementation for implementation in reversed(family) if _key(implementation.since) <= _key(when)), family[0]
    )


def older(when: str, than: str) -> bool:
    """True when a release or an ISO date comes before another."""
    return _key(when) < _key(than)


def _key(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.replace("-", ".").split(".") if part.isdigit())
