"""Forks of veRL that count in another way: noticed, explained, and converted only once a person says what is meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import gcd
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.codecs import Codec, Number, Put, SameType, counts
from rftconf.mappers.context import ReadContext
from rftconf.mappers.episodes import assumed, counts_steps, in_episodes
from rftconf.mappers.rates import data_parallel
from rftconf.mappers.rows import Dialect
from rftconf.plan.units import Unit
from rftconf.schemas import catalogue

BATCH, MINI = "data.train_batch_size", "actor_rollout_ref.actor.ppo_mini_batch_size"
GROUP = "actor_rollout_ref.rollout.n"
DYNAMIC = "stage.batch.micro.dynamic"
PERIOD, RESPONSES = "stage.batch.prompts_per_rollout", "stage.batch.responses_per_prompt"
_GROUP_KEY = re.compile(r"(?:^|\.)(?:n_agents?|group_size|num_generations)$").search
_EVALUATION = re.compile(r"(?:^|[._])(?:val|eval|test)(?:[._]|$)").search


def _is_capped(context: Any) -> bool:
    """True where a period that is smaller than an update is one: a fork is said to do so, and veRL's dp_actor.update_policy
    does where nothing stops it before. Rules see what is written."""
    known = all(isinstance(context.plan(path), int) for path in (PERIOD, RESPONSES))
    word = assumed(context, "mini_batch")
    splits = word in (None, "samples") and _updates_on_less(context) and not context.as_written
    return known and (word == "capped" or splits)


def _updates_on_less(context: Any) -> bool:
    """0.2.0 compares nothing; later releases look with static micro-batches alone (ray_trainer._validate_config, since
    0.6.1 ActorConfig.validate), and since 0.9.0 rows of zero mask fill the update up."""
    return not context.since("0.3.0") or (context.plan(DYNAMIC) is True and not context.since("0.9.0"))


class _MiniBatch(Codec[float, Number]):
    """Prompts, as upstream counts them; samples where the person says that the fork does, and where 0.2.0 does."""

    def __init__(self, *, of_critic: bool = False) -> None:
        self._of_critic = of_critic

    def _counts_sequences(self, context: Any) -> bool:
        """0.2.0 multiplies by rollout.n in fsdp_workers' actor alone, not in its critic and not in megatron_workers."""
        return not context.since("0.3.0") and (self._of_critic or context.backend == "megatron")

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        """Sequences of one update; no more than a period's, where a fork makes one update of it."""
        if counts_steps(context):
            return in_episodes(value, context)
        if assumed(context, "mini_batch") == "parts":
            return _part_of_period(value, context, unit)
        in_sequences = assumed(context, "mini_batch") == "samples" or self._counts_sequences(context)
        update = counts(Unit.SEQUENCES if in_sequences else Unit.PROMPTS).get(value, context, unit)
        period = context.plan(PERIOD) * context.plan(RESPONSES) if _is_capped(context) else update
        update = min(update, period) if isinstance(update, int) and isinstance(period, int) else update
        return update if self._of_critic else shared(update, context)

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        """Always in prompts, for upstream; a period too small for one update is padded, or refused (H63)."""
        if self._counts_sequences(context):
            return counts(Unit.SEQUENCES).put(value, context, unit)
        put = counts(Unit.PROMPTS).put(value, context, unit)
        if put.state is State.ROUNDED:
            put = _that_starts(put, value, context)
        prompts = context.values.get("stage.batch.prompts_per_rollout")
        if not isinstance(prompts, int) or not isinstance(put.value, int) or put.value <= prompts:
            return put
        if not context.same_framework and context.plan(DYNAMIC) is not True and context.since("0.3.0"):
            raise RefusedError(
                f"an update takes {put.value} prompts, a period yields {prompts}: with static micro-batches veRL stops at once (H63)",
                choices=("updates of no more than a period", "dynamic batches, for which it does not look"),
            )
        what = "veRL stops, or updates on what there is"
        if context.since("0.9.0"):
            what = "rows of zero mask fill it up"
        elif not context.since("0.3.0"):  # 0.2.0, ray_trainer._validate_config does not compare them
            what = "veRL updates on what there is, and divides the gradient as for a whole update"
        note = f"an update takes {put.value} prompts, a period yields {prompts}: {what} (H63)"
        return Put(put.value, State.NARROWED, note)


def _part_of_period(value: Any, context: Any, unit: Unit | None) -> Any:
    """A period in as many equal updates as mini-batches fit into its prompts, one at least; the rest of a division is theirs too."""
    prompts, n = context.plan(PERIOD), context.plan(RESPONSES)
    if not all(isinstance(size, int) and size > 0 for size in (prompts, n, value)):
        return counts(Unit.PROMPTS).get(value, context, unit)
    updates = max(1, prompts // value)
    return -(-prompts * n // updates)


def shared(update: Any, context: Any) -> Any:
    """Return the update that ranks make of one they cannot share (H8): up to 0.7 each takes the whole part of its share
    (fsdp_workers, megatron_workers: `//=`). Where no period is a number of such updates, the update stays as written."""
    period = [context.plan(path) for path in (PERIOD, RESPONSES)]
    if context.as_written or context.since("0.8.0") or not all(isinstance(v, int) for v in (update, *period)):
        return update
    try:
        ranks = data_parallel(context, megatron=context.backend == "megatron")
    except KeyError:
        return update
    if isinstance(ranks, Expr) or ranks < 1 or update % ranks == 0:
        return update
    whole = int(update // ranks * ranks)
    if not whole or period[0] * period[1] % whole:
        return update
    context.note(
        f"{update} sequences an update are not a whole number on each of {ranks} ranks: veRL takes {whole}, and so does the plan (H8)"
    )
    return whole


def _that_starts(put: Put, update: Any, context: Any) -> Put:
    """The next number of whole prompts that veRL also starts with: G is shared by all ranks (H8, H9), and where batches
    are not padded the period is a whole number of updates."""
    prompts, n = (context.plan(f"stage.batch.{name}") for name in ("prompts_per_rollout", "responses_per_prompt"))
    if context.plan("stage.placement.actor.gpus") is None or not isinstance(prompts, int):
        return put
    ranks = data_parallel(context, megatron=context.backend == "megatron")
    if isinstance(ranks, Expr) or ranks.denominator != 1:
        return put
    own_pool = context.plan("stage.placement.layout") != "colocated"
    whole = own_pool or not context.since("0.9.0") if context.since("0.8.0") else False
    step = int(ranks) // gcd(n, int(ranks))
    first = -(-put.value // step) * step
    fits = next((m for m in range(first, prompts + 1, step) if not whole or prompts % m == 0), None)
    exact = f"{update} sequences an update are {float(Fraction(update) / n):g} prompts of {n} answers"
    if fits is None:
        raise RefusedError(
            f"{exact}: veRL counts whole prompts, and none of their numbers that {int(ranks)} ranks share cuts {prompts} prompts",
            choices=(f"sequences an update that are a multiple of {step * n}",),
        )
    return Put(fits, State.ROUNDED, f"{exact}; wrote {fits}", put.how)


class _Group(SameType):
    """Responses per prompt; a person may know better where a fork keeps the number elsewhere."""

    def get(self, value: Any, context: Any, unit: Unit | None) -> Any:
        """Read the value as it is written, or as it is assumed."""
        word = assumed(context, "responses_per_prompt")
        return int(word) if word is not None else value

    def put(self, value: Any, context: Any, unit: Unit | None) -> Put:
        """Write the value as it is."""
        return Put(value)


MINI_BATCH, CRITIC_MINI_BATCH, GROUP_SIZE = _MiniBatch(), _MiniBatch(of_critic=True), _Group()


def dialect(r: ReadContext) -> Dialect | None:
    """Return what shows that a fork counts otherwise, unless the person said what is meant; else None."""
    return next(_other_countings(r), None)


def _other_countings(r: ReadContext) -> Iterator[Dialect]:
    prompts, n = (r.plan(f"stage.batch.{field}") for field in ("prompts_per_rollout", "responses_per_prompt"))
    mini = r.native(MINI)
    known = all(isinstance(value, int) and not isinstance(value, bool) for value in (prompts, mini, n))
    if known and mini > prompts and r.since("0.3.0") and assumed(r, "mini_batch") is None:
        if r.written(MINI):
            yield _larger(r, prompts, mini, n)
        elif _refuses_less(r):
            yield _stops(r, prompts, mini)
    if n == 1 and not r.written(GROUP) and assumed(r, "responses_per_prompt") is None:
        yield from _group_of_fork(r)


def _larger(r: ReadContext, prompts: int, mini: int, n: int) -> Dialect:
    total = prompts * n
    updates = "" if total % mini else f", {total // mini} update{'s' if total // mini > 1 else ''} a period"
    fits = f"{mini} of {prompts} x {n} = {total}{updates}"
    why = (
        f"this seems to be a fork's config: {MINI}={mini} is larger than {BATCH}={prompts}. veRL counts both in prompts"
        f"{_with_small_batches(r)}; forks count the mini-batch "
        f"in samples ({fits})"
    )
    return Dialect(
        why,
        (
            "--assume mini_batch=samples, if this is such a fork",
            "--assume mini_batch=capped, if it makes one update of a period that has fewer prompts",
            "--assume mini_batch=prompts, if upstream is meant",
        ),
    )


def _stops(r: ReadContext, prompts: int, mini: int) -> Dialect:
    """Explain that a value which the file leaves to the release's config makes the release stop."""
    why = (
        f"veRL {r.release} itself stops at {BATCH}={prompts}: an update of {mini} prompts ({MINI}, its default) would be more than "
        "a period yields"
    )
    choices = (
        f"--set {MINI}=N, with no more than {prompts}",
        "--base FILE, where a config of your own says another number",
    )
    return Dialect(why, (*choices, "--assume mini_batch=capped, if a fork makes one update of such a period"))


def _refuses_less(r: ReadContext) -> bool:
    """True where veRL compares the two and stops: with static micro-batches, since 0.3.0."""
    return r.since("0.3.0") and r.plan(DYNAMIC) is not True


def _with_small_batches(r: ReadContext) -> str:
    if _refuses_less(r):
        return " and refuses that"
    return " and fills such a batch up (H63)" if r.since("0.9.0") else " and updates on what there is"


def _group_of_fork(r: ReadContext) -> Iterator[Dialect]:
    known = catalogue.load(r.source.framework, None, r.source.trainer)
    for key, leaf in r.source.leaves():
        named = _GROUP_KEY(key) or GROUP.endswith(f".{key}")  # a profile of its own may cut the section short
        grouped = named and not _EVALUATION(key) and key not in known
        if grouped and not isinstance(leaf.value, Expr) and isinstance(leaf.value, int) and leaf.value > 1:
            why = f"this seems to be a fork's config: {leaf.key}={leaf.value} looks like a group size that this fork keeps elsewhere; {GROUP} says 1"
            yield Dialect(why, (f"--assume responses_per_prompt={leaf.value}", "--assume responses_per_prompt=1"))
