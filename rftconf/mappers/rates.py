"""Arithmetic that every framework's counters share: what a prompt, a rollout period and a rank are worth."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError, UncountableError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, Var, arith, formula, names_in
from rftconf.mappers.context import Context, WriteContext
from rftconf.plan.kinds import WITHOUT_ROLLOUTS
from rftconf.plan.origin import Kind
from rftconf.plan.ranks import FSDP_RANK, MEGATRON_RANK
from rftconf.plan.units import Unit, exact_quotient

RANK_SIZES = dict.fromkeys((*FSDP_RANK, *MEGATRON_RANK))
"""Sizes whose product is the GPUs of one data-parallel rank, of any back end."""


def ratio(top: Any, bottom: Any) -> Any:
    """`top / bottom`: exact for known numbers, an expression otherwise."""
    if isinstance(top, Expr) or isinstance(bottom, Expr):
        return exact_quotient(top, bottom)
    return Fraction(top) / Fraction(bottom)


def known_plan_value(context: Context, path: str, name: str) -> Any:
    """The plan value at `path`. Raises UncountableError with the native `name` when it is not there."""
    value = context.plan(path)
    if value is None:
        raise UncountableError(name)
    return value


def sequences_per_rollout(context: Context) -> Any:
    """Return the sequences of one rollout period: S = B*n."""
    prompts = known_plan_value(context, "stage.batch.prompts_per_rollout", "the prompts of a rollout period")
    return prompts * known_plan_value(context, "stage.batch.responses_per_prompt", "the responses per prompt")


def sequences_per_period(context: Context) -> Any:
    """Return what one period consumes: prompts of a rollout, or samples of an update where nothing is rolled out."""
    if context.plan("stage.kind") in WITHOUT_ROLLOUTS:
        return context.plan("stage.batch.sequences_per_update")
    return context.plan("stage.batch.prompts_per_rollout")


def longest_sample(context: Context) -> int | None:
    """Return the tokens of the longest prompt and the longest answer together; None where one is no known number."""
    lengths = [context.plan(f"stage.length.{part}_max_tokens") for part in ("prompt", "response")]
    return sum(lengths) if all(isinstance(length, int) for length in lengths) else None


def divisor_of(whole: Any, wish: Any) -> Any:
    """Return the largest divisor of a known number above 0 that is not above the wish; the wish where one is not known."""
    if not isinstance(wish, int | float | Fraction | None):
        return wish
    wish = max(1, int(wish or 1))
    if not isinstance(whole, int) or whole <= 0:
        return wish
    return next(size for size in range(min(wish, whole), 0, -1) if whole % size == 0)


def rows_of_run(context: Context) -> Any:
    """Return the rows of the training set, or a name for their number where nobody says it."""
    rows = context.facts.rows if context.writes else context.rows()
    return Var("ROWS") if rows is None else rows


def length_that_is_open(length: Any) -> str:
    """Return what a length of the run hangs on that nobody has said, and what says it."""
    if length is None or "ROWS" in names_in(length):
        return "hangs on the number of rows: pass --rows N"
    return f"is {formula(length)}: give the values of its names"


def periods_of_epochs(context: Context, rows: Any, *, drops: bool = False) -> Any:
    """Rollout periods of the run's epochs over so many rows; None where nobody tells them.

    The last batch of an epoch is carried over where the plan says so, unless a framework `drops` it, whatever the plan says.
    """
    run = "stage.run_length."
    epochs, period = context.plan(run + "epochs"), sequences_per_period(context)
    if epochs is None or period is None:
        return None
    if context.plan(run + "last_partial") == "carry" and not drops:
        return arith("//", arith("*", rows, epochs), period)
    return arith("*", arith("//", rows, period), epochs)


def worth_supervised(context: Context, unit: Unit) -> Any:
    """Return the worth of one `unit` in a supervised run: every step of every counter is one update of G samples."""
    match unit:
        case Unit.SEQUENCES | Unit.PROMPTS | Unit.TOKENS_PER_RANK:
            return 1
        case Unit.ROLLOUTS | Unit.UPDATES | Unit.LR_TICKS | Unit.TRAIN_STEPS:
            return known_plan_value(context, "stage.batch.sequences_per_update", "the samples of an update")
        case Unit.SEQUENCES_PER_RANK:
            return data_parallel(context, megatron=context.plan("stage.placement.actor.backend") == "megatron")
        case Unit.TOKENS_PER_GPU:
            return sequence_gpus(context, megatron=context.plan("stage.placement.actor.backend") == "megatron")
    raise KeyError(f"the worth of {unit}")


def worth_with_rollouts(context: Context, unit: Unit, answers: str, update: str, passes: str) -> Any:
    """Return what one `unit` is worth in a run that generates; the texts name missing answers, samples and passes."""
    match unit:
        case Unit.SEQUENCES | Unit.TOKENS_PER_RANK:
            return 1
        case Unit.PROMPTS:
            return known_plan_value(context, "stage.batch.responses_per_prompt", answers)
        case Unit.ROLLOUTS:
            return sequences_per_rollout(context)
        case Unit.UPDATES | Unit.LR_TICKS:
            samples = known_plan_value(context, "stage.batch.sequences_per_update", update)
            return ratio(samples, known_plan_value(context, "stage.batch.passes", passes) if passes else 1)
        case Unit.SEQUENCES_PER_RANK:
            return data_parallel(context, megatron=context.plan("stage.placement.actor.backend") == "megatron")
        case Unit.TOKENS_PER_GPU:
            return context.plan("stage.placement.actor.sp") or 1
    raise KeyError(f"the worth of {unit}")


def size_of(context: Context, role: str, size: str) -> Any:
    """A parallel size of a role: the actor's, where the role has none of its own."""
    return context.plan(f"stage.placement.{role}.{size}") or context.plan(f"stage.placement.actor.{size}") or 1


def sequence_gpus(context: Context, *, megatron: bool, role: str = "actor") -> Any:
    """GPUs that share the tokens of one sequence: Ulysses SP, or Megatron's CP."""
    return size_of(context, role, "megatron.cp" if megatron else "sp")


def data_parallel(context: Context, *, megatron: bool, role: str = "actor") -> Any:
    """Count a role's data-parallel ranks on the trainer's GPUs: these over Ulysses SP, or over TP*PP*CP."""
    gpus = known_plan_value(context, "stage.placement.actor.gpus", "the trainer's GPUs")
    for size in MEGATRON_RANK if megatron else FSDP_RANK:
        gpus = ratio(gpus, size_of(context, role, size))
    return gpus


def torn_ranks(context: Context, gpus: int, ranks: int | Fraction, role: str = "actor") -> str:
    """Explain that a data-parallel rank takes more GPUs than divide those of a role; empty where ranks are whole."""
    if Fraction(ranks).denominator == 1 and ranks >= 1:
        return ""
    names = {field.rpartition(".")[2]: context.plan(f"stage.placement.{role}.{field}") for field in RANK_SIZES}
    sizes = " x ".join(f"{name} {size}" for name, size in names.items() if size not in (None, 1))
    per = Fraction(gpus) / Fraction(ranks) if ranks else Fraction(0)
    return f"{gpus} GPUs train the {role}, and a data-parallel rank takes {per} ({sizes}): that is no whole number of ranks"


def refuse_torn_ranks(context: Context, gpus: int, ranks: int | Fraction, role: str = "actor") -> None:
    """Raise RefusedError where a role has no whole number of data-parallel ranks, with GPUs that would be."""
    why = torn_ranks(context, gpus, ranks, role)
    if why:
        per = int(Fraction(gpus) / ranks) if ranks else 0
        near = (gpus // per * per, (gpus // per + 1) * per) if per else ()
        raise RefusedError(why, choices=(*(f"{some} GPUs" for some in near if some), "smaller parallel sizes"))


PERIOD = tuple(
    f"stage.batch.{name}" for name in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update")
)


def numbers_of_period(context: Context) -> tuple[Any, Any, Any]:
    """Prompts of a rollout period, answers to each, and sequences of an update; all None where one is no known number."""
    prompts, n, update = (context.plan(path) for path in PERIOD)
    known = all(isinstance(number, int) for number in (prompts, n, update))
    return (prompts, n, update) if known else (None, None, None)


def one_update(context: Context) -> bool:
    """True where a rollout period is one optimizer update: then mini-batches have no order, and updates no scope."""
    prompts, n, update = numbers_of_period(context)
    return prompts is not None and bool(prompts * n == update)


def updates_per_tick(context: Context, role: str = "actor") -> Any:
    """Return a role's updates at one learning rate; None where it never moves, or updates are all there is (H44)."""
    prefix = f"stage.optim.{role}."
    still = context.plan(prefix + "schedule") in ("constant", None) and context.plan(prefix + "warmup_updates") in (
        0,
        None,
    )
    if still or context.plan("stage.kind") in WITHOUT_ROLLOUTS:
        return None
    try:
        return context.convert(1, Unit.LR_TICKS, Unit.UPDATES)
    except KeyError:
        return None


def critics_updates_per_tick(context: Context) -> Any:
    """The same of the critic's rate; None without a critic."""
    return updates_per_tick(context, "critic") if context.plan("stage.algorithm.critic.enabled") is True else None


def pass_order(context: Context, mine: str) -> Any:
    """Return the order of E passes over the mini-batches: `mine`, or the plan's with one pass or one mini-batch."""
    path, passes = "stage.batch.pass_order", context.plan("stage.batch.passes")
    if passes in (1, None) or one_update(context):
        return context.values.get(path) or "sweep"
    return mine


def advantage_scope(context: Context, mine: str) -> Any:
    """Over what values and whitening are computed: `mine`, or what the plan says where both are the same (H42)."""
    return (context.values.get("stage.algorithm.advantage_scope") if one_update(context) else None) or mine


def where_divided(context: Context, mine: float) -> float | None:
    """Return `mine`, what belongs to a deviation that rewards are divided by; None where they are divided by none."""
    return mine if context.plan("stage.algorithm.std_scope") in ("group", "batch") else None


def tail(context: Context, mine: str) -> str:
    """Return the fate of an incomplete last mini-batch: `mine`, or the plan's word where there never is one (H7)."""
    prompts, n, update = map(context.values.get, PERIOD)
    if isinstance(prompts, int) and isinstance(n, int) and isinstance(update, int) and prompts * n % update == 0:
        return context.values.get("stage.batch.uneven_tail") or mine
    return mine


def beside_a_length(w: WriteContext) -> tuple[State, str]:
    """Return the fate of epochs where periods end the run: they follow, or might have ended it earlier (H68)."""
    path, rollouts = "stage.run_length.epochs", w.plan("stage.run_length.rollouts")
    origin, ends = w.origins.get(path), f"the run ends after {formula(rollouts)} rollout periods"
    both = w.plan("stage.run_length.last_partial") in ("drop", "carry") and w.facts.rows is None
    if both and origin is not None and origin.kind is Kind.WRITTEN and not w.same_framework:
        return State.NARROWED, f"{ends}; --rows N tells whether {formula(w.plan(path))} epochs end it earlier (H68)"
    return State.DERIVED, ends


def settle_unbounded(w: WriteContext) -> None:
    """Answers whose age nothing bounds are not kept by a trainer that bounds it (H3)."""
    path = "stage.sync.run_ahead_rollouts"
    if path in w.values and w.plan(path) is None and w.plan("stage.sync.driver") is not None and not w.same_framework:
        w.lose(path, State.NARROWED, "nothing bounds how old an answer of the source may be")


def divides_logits(context: Context, mine: bool) -> bool:
    """True where the trainer divides logits by the temperature; at 1.0 it is the same, and the plan decides (H28)."""
    stated = context.values.get("stage.algorithm.divide_logits_by_temperature")
    plain = context.plan("stage.sampling.train.temperature") in (1, 1.0)
    return bool(stated) if plain and stated is not None else mine


def sizes_of_larger_update(context: Context) -> tuple[int, int] | None:
    """Sequences of an update and of a rollout period, where one update takes more than a period yields."""
    prompts, n, update = numbers_of_period(context)
    return (update, prompts * n) if prompts is not None and 0 < prompts * n < update else None
