"""A target tunes performance settings itself that nobody wrote, and on which no memory, start or speed hangs.

Everything else whose default differs is written. The account of memory (`rftconf budget`) reads no field of this list; a
test holds that.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from fractions import Fraction
from typing import Any

from rftconf.mappers.outcomes import UNSET
from rftconf.mappers.paths import without_indices
from rftconf.mappers.rows import Row
from rftconf.mappers.supposing import may_hold
from rftconf.mappers.writing import Writing
from rftconf.plan.index import unit_of

LEFT_TO_THE_TARGET = {
    "stage.batch.prompts_per_fetch": "how many prompts one fetch reads changes no batch",
    "stage.batch.balance_ranks": "ranks get sequences of like lengths, in an order of the framework's own",
    "stage.batch.*.dynamic": "it goes with the size of a micro-batch, which is written where somebody wrote it",
    "stage.batch.*.sequences_per_rank": "a size that nobody wrote belongs to the framework's own way to fill micro-batches, unless that takes more",
    "stage.batch.*.tokens_per_rank": "a size that nobody wrote belongs to the framework's own way to fill micro-batches, unless that takes more",
    "stage.sync.transport": "weights travel by the framework's own code",
    "stage.sync.bucket_megabytes": "weights travel by the framework's own code",
    "stage.placement.*.forward_prefetch": "FSDP gathers layers ahead as the framework's own wrapping allows",
    "stage.placement.*.min_wrap_params": "the framework wraps by its own classes of layers",
    "stage.placement.*.use_orig_params": "it belongs to how the framework wraps",
    "stage.placement.*.torch_compile": "each framework compiles what its own functions are written for",
    "stage.placement.*.megatron.use_mbridge": "each framework loads weights into Megatron by its own code",
    "stage.placement.*.megatron.use_dist_checkpointing": "each framework loads weights into Megatron by its own code",
    "stage.placement.*.load_format": "engines get the trainer's weights before the first answer, however they start",
    "stage.placement.*.chunked_prefill": "engines choose it by their own release",
    "stage.data.loader_workers": "processes that read rows change no row",
}
"""Pattern of plan fields to the reason why a default that differs may stay unsaid."""


OFFLOADS = "stage.placement.*.offload.*"
"""States leave the GPUs for engines that share them; a trainer with GPUs of its own keeps them there."""


PADS = ("stage.model_options.remove_padding", "stage.model_options.critic_remove_padding")
"""A source that pads by default pads in no other framework: without padding the same is computed in less memory."""


def left_to_the_target(path: str, value: Any, *, shares_gpus: bool) -> bool:
    """True for a plan field of this list, or whose value only matters where trainer and engines share their GPUs."""
    field = without_indices(path)
    patterns = _PATTERNS if shares_gpus else (*_PATTERNS, OFFLOADS)
    spared = field in PADS and value is False
    return spared or field in LEFT_TO_THE_TARGET or any(fnmatchcase(field, pattern) for pattern in patterns)


def fills_more(writing: Writing, path: str) -> bool:
    """True for a micro-batch that holds more tokens by the target's own defaults than the source's does: memory hangs on it."""
    block, _, last = path.rpartition(".")
    if last not in MICRO:
        return False
    longest = _longest(writing)
    if longest is None:
        return False
    mine = _tokens([writing.plan(f"{block}.{field}") for field in MICRO], longest)
    theirs = _tokens([_default(writing, f"{block}.{field}") for field in MICRO], longest)
    return mine is not None and theirs is not None and theirs > mine


def holds_no_sequence(writing: Writing, path: str) -> bool:
    """True for a cap whose default in the target is shorter than the longest sequence: frameworks that do not derive it stop."""
    longest = _longest(writing)
    cap = _default(writing, path) if longest is not None and path.endswith(".tokens_per_rank") else None
    return longest is not None and isinstance(cap, (int, Fraction)) and cap < longest


def _longest(writing: Writing) -> int | None:
    """Tokens of the longest prompt and answer; None where one is not known."""
    ends = writing.plan("stage.length.prompt_max_tokens"), writing.plan("stage.length.response_max_tokens")
    return sum(ends) if all(isinstance(end, int) for end in ends) else None


def _default(writing: Writing, path: str) -> Any:
    """The target's default of a plan field, in the plan's unit; None where it is not known."""
    rows = [row for row in writing.table.rows if isinstance(row, Row) and row.plan == path]
    acting = (row for row in rows if row.when is None or may_hold(row.when, writing))
    if (row := next(acting, next(iter(rows), None))) is None:
        return _default_of_written(writing, path)
    native = writing.defaults(row.native) if row.default is UNSET or callable(row.default) else row.default
    try:
        return row.codec.get(native, writing, unit_of(path))
    except KeyError:  # it is counted by something that is not known
        return None


def _default_of_written(writing: Writing, path: str) -> Any:
    """The same of a key that a fold wrote: it stands to the plan's number as what is written does."""
    key, out = next(((key, out) for key, out in writing.out.items() if path in out.plans), ("", None))
    if out is None:
        return None
    native = writing.defaults(key) if out.default is UNSET else out.usual(writing)
    numbers = (native, out.value, writing.plan(path))
    if not all(isinstance(number, int) and number for number in numbers):
        return None
    return Fraction(native * writing.plan(path), out.value)


def _tokens(micro: list[Any], longest: int) -> int | None:
    """Tokens of a micro-batch at full length, from the values of `MICRO`; None where they do not tell."""
    dynamic, tokens, rows = micro
    if dynamic is True:
        return max(int(tokens), longest) if isinstance(tokens, (int, Fraction)) else None
    return int(rows * longest) if isinstance(rows, (int, Fraction)) else None


MICRO = ("dynamic", "tokens_per_rank", "sequences_per_rank")
_PATTERNS = tuple(pattern for pattern in LEFT_TO_THE_TARGET if "*" in pattern)
