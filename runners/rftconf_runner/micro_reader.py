"""This module reads the size of the micro-batches in which a job computes, and chooses one where only memory depends on it."""

from __future__ import annotations

from fractions import Fraction

from rftconf.plan.model import Stage
from rftconf_runner.aggregations import norm_scope
from rftconf_runner.job import Micro
from rftconf_runner.stage_reader import StageReader


def micro_of(read: StageReader, part: str, otherwise: Micro | None = None) -> Micro:
    """Rows are packed where the plan removes padding and counts tokens."""
    path, of = f"batch.{part}.", "critic_" if part.startswith("critic") else ""
    by_tokens = read.value(path + "dynamic", bool(otherwise and otherwise.tokens))
    chosen = _smallest(read, part, by_tokens=by_tokens)
    if by_tokens:
        packs = read.value(f"model_options.{of}remove_padding", False)
        return Micro(
            0, chosen or read.nearest(path + "tokens_per_rank", otherwise.tokens if otherwise else None), packs
        )
    return Micro(chosen or read.nearest(path + "sequences_per_rank", otherwise.sequences if otherwise else None), 0)


def _smallest(read: StageReader, part: str, *, by_tokens: bool) -> int:
    """Return the smallest size, that of one sequence, for micro-batches whose size the plan leaves open and the learning does not
    know: the loss is one mean over the update. Return 0 for all others."""
    algorithm, length = read.stage.algorithm, read.stage.length
    of_whole = norm_scope(algorithm.policy_loss.family, algorithm.loss_norm_scope) == "update"
    if part != "micro" or not of_whole:
        return 0
    if not by_tokens:
        return int(read.stage.batch.micro.sequences_per_rank is None)
    longest = (length.prompt_max_tokens, length.response_max_tokens)
    known = [tokens for tokens in longest if isinstance(tokens, int)]
    open_ = not isinstance(read.stage.batch.micro.tokens_per_rank, (int, float, Fraction))
    return sum(known) if open_ and len(known) == len(longest) else 0


def chosen_micro(stage: Stage, micro: Micro) -> str:
    """Return a sentence on a size that the runner chose; empty where it is the plan's own."""
    read = StageReader(stage)
    if not _smallest(read, "micro", by_tokens=bool(micro.tokens)):
        return ""
    size = f"{micro.tokens} tokens, the longest sequence" if micro.tokens else "one sequence"
    return (
        f"micro-batches of {size}: the plan leaves their size open (stage.batch.micro), and memory alone depends on it"
    )
