"""Takes a case through the mappers into another framework and back to a plan, and judges the figures on all four ways.

Plan-level: rows, folds, placement and release edits run as in a conversion, but only for what the figures depend on,
without the account of every other key and without text. `in_text` is the whole way, from a file to a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import LOSSES
from rftconf.convert import convert as conversions
from rftconf.convert.convert import Options
from rftconf.convert.fit_to_target import fit_to_target
from rftconf.convert.refusals import refuse_dialects
from rftconf.load.effective import effective
from rftconf.load.loaded import Loaded
from rftconf.load.stage import StageRead
from rftconf.mappers.facts import Facts
from rftconf.mappers.native import Native
from rftconf.mappers.outcomes import Out
from rftconf.mappers.reading import Reading
from rftconf.mappers.tables import table_of
from rftconf.mappers.writing import Writing
from rftconf.schemas import registry, versions
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf
from tests.laws.round_trips import HERE
from tests.laws.totals.accounts import ACCOUNTS
from tests.laws.totals.case import Case, Keys
from tests.laws.totals.figures import FIGURES, Figures, Rate, differing
from tests.laws.totals.rules import RULES

B, R, Y, OPTIM, C = "stage.batch.", "stage.run_length.", "stage.sync.", "stage.optim.actor.", "stage.cadence."
COUNTS = (B + "prompts_per_rollout", B + "responses_per_prompt", B + "sequences_per_update", B + "passes")
LENGTH = (R + "rollouts", R + "epochs")
SPEAKS: Mapping[str, tuple[str, ...]] = {
    "sequences": COUNTS[:2],
    "update": COUNTS[2:3],
    "updates": COUNTS,
    "rollouts": LENGTH,
    "total_updates": (*COUNTS, *LENGTH),
    "rate": tuple(OPTIM + f for f in ("lr", "schedule", "warmup_updates", "min_lr_ratio", "min_lr", "decay_updates")),
    "prompts_per_version": (COUNTS[0], Y + "every_rollouts"),
    "staleness": (Y + "every_rollouts", Y + "run_ahead_rollouts", Y + "driver"),
    "save": (C + "save_rollouts",),
    "evaluate": (C + "eval_rollouts",),
}
"""Figure to the plan fields whose loss says that it differs."""
WANTED = tuple(dict.fromkeys(path for name in FIGURES for path in SPEAKS[name]))
PLACED = (
    "stage.kind", "cluster.nodes", "cluster.gpus_per_node",
    *(f"stage.placement.{f}" for f in ("layout", "actor.gpus", "actor.sp", "actor.backend", "rollout.gpus", "rollout.tp",
                                       "actor.megatron.tp", "actor.megatron.pp", "actor.megatron.cp", "reference.gpus")),
    *(f"stage.batch.{f}" for f in ("micro.dynamic", "micro.sequences_per_rank", "uneven_tail")),
    "stage.algorithm.critic.enabled", Y + "in_flight", R + "last_partial", "stage.algorithm.advantage",
)  # fmt: skip
"""What the placement of the run, and with it its figures, depends on besides."""


@dataclass(frozen=True)
class Outcome:
    """One case and one target: breaches of the law, or the sentence by which it was refused."""

    case: Case
    to: str
    breaches: tuple[str, ...] = ()
    refused: str = ""
    said: tuple[str, ...] = field(default=())
    """Figures that differ and of which the ledger speaks."""


def of_plan(values: Mapping[str, Any]) -> Figures:
    """The figures as the plan has them; a learning rate in optimizer updates becomes one in periods."""
    prompts, n, update, passes = (values[path] for path in COUNTS)
    rollouts, top = values.get(R + "rollouts"), values[OPTIM + "lr"]
    updates = Fraction(passes or 1) * prompts * n / Fraction(update)
    floor, share = values.get(OPTIM + "min_lr"), values.get(OPTIM + "min_lr_ratio")
    lowest = floor if floor is not None else (share or 0.0) * top
    decay, warm = values.get(OPTIM + "decay_updates"), values.get(OPTIM + "warmup_updates") or 0
    horizon = None if rollouts is None else Fraction(rollouts)
    rate = Rate(
        values.get(OPTIM + "schedule") or "constant",
        top,
        Fraction(warm) / updates,
        Fraction(decay) / updates if decay is not None else horizon,
        lowest,
    )
    ahead, save, evaluate = (
        values.get(p) for p in (Y + "run_ahead_rollouts", C + "save_rollouts", C + "eval_rollouts")
    )
    return Figures(
        prompts=Fraction(prompts),
        responses=n,
        update=Fraction(update),
        passes=passes or 1,
        rollouts=rollouts,
        rate=rate,
        every=values.get(Y + "every_rollouts") or 1,
        ahead=None if ahead is None else Fraction(ahead).limit_denominator(10**6),
        save=None if save is None else Fraction(save),
        evaluate=None if evaluate is None else Fraction(evaluate),
    )


def keys_of(release: str, trainer: str, flat: Mapping[str, Any], rows: int) -> Keys:
    """What an account reads."""
    return Keys(flat, tuple(int(part) for part in release.split(".")), trainer, rows)


def read(native: Native, rows: int) -> Reading:
    """The plan values that figures and placement depend on; rows run on demand."""
    reading = Reading(table_of(native.framework), native)
    reading.facts = Facts(rows=rows, rows_asked=True)
    for path in (*WANTED, *PLACED):
        reading.plan(path)
    return reading


def write(reading: Reading, to: str, release: str, options: Options) -> Writing:
    """Place and write as a conversion does. Raises RefusedError."""
    source = reading.source
    guess = Guess(source.framework, source.release, source.trainer, (), certain=True)
    stage = StageRead(None, reading)
    loaded = Loaded(Document("law", "", "yaml", ()), guess, reading.table, [stage])
    values, origins, target = dict(stage.values), dict(stage.origins), registry.framework(to)
    refuse_dialects(reading)
    fit_to_target(target, release, values, origins, rollout_gpus=options.rollout_gpus)
    return conversions._write(loaded, stage, to, release, values, origins, options)


@dataclass(frozen=True)
class _Slot:
    value: Any


def native_of(framework: str, release: str, trainer: str, flat: Mapping[str, Any]) -> Native:
    """A config of a release, under its own names, as reading takes it."""
    leaves = {key: Leaf(key, value, HERE, HERE, str(value)) for key, value in flat.items()}
    return effective(Guess(framework, release, trainer, (), certain=True), leaves).native


def down(framework: str, release: str, trainer: str, flat: Mapping[str, Any]) -> dict[str, Any]:
    """Newest names as those of a release; what it lacks is left out."""
    slots = {key: _Slot(value) for key, value in flat.items() if value is not None}
    older = versions.downgrade(framework, slots, release, trainer=trainer).flat
    return {key: slot.value for key, slot in older.items()}


def up(framework: str, release: str, trainer: str, flat: Mapping[str, Any]) -> dict[str, Any]:
    """Names of a release as the newest ones, for the accounts."""
    slots = {key: _Slot(value) for key, value in flat.items()}
    newest = versions.upgrade(framework, slots, release, trainer=trainer).flat
    return {key: slot.value for key, slot in newest.items()}


@dataclass(frozen=True)
class Source:
    """A case as read, for any number of targets."""

    case: Case
    reading: Reading
    own: Figures


def source_of(case: Case) -> Source:
    """Read a case."""
    key = (case.framework, case.release, case.trainer)
    reading = read(native_of(*key, down(*key, case.whole)), case.rows)
    reading.values.setdefault("stage.data.eval[0].uri", "/data/eval")  # every base evaluates on something
    own = ACCOUNTS[case.framework](keys_of(case.release, case.trainer, case.whole, case.rows))
    return Source(case, reading, own)


def in_plan(source: Source, to: str, release: str, options: Options) -> Outcome:
    """From a case's plan to the target's keys, to a plan again; all figures are computed on both sides."""
    case, reading, own = source.case, source.reading, source.own
    try:
        writing = write(reading, to, release, options)
    except RefusedError as refusal:
        return Outcome(case, to, refused=str(refusal))
    new_key = (to, release, writing.trainer)
    written = {key.lstrip("+"): out for key, out in writing.out.items()}
    flat = down(*new_key, {key: out.value for key, out in written.items()})
    keys = keys_of(release, writing.trainer, up(*new_key, flat), case.rows)
    theirs = ACCOUNTS[to](keys)
    back = of_plan(read(native_of(*new_key, flat), case.rows).values)
    plan, reply = of_plan(reading.values), _narrowed(reading)
    wrong = [name for name in differing(own, plan) if not any(path in reply for path in SPEAKS[name])]
    breaches = [f"{case.framework} is read wrong: {pair(name, own, plan)}" for name in wrong]
    breaches += [f"{to} is read wrong: {pair(name, theirs, back)}" for name in differing(theirs, back)]
    for path, outcome in writing.outcomes.items():
        if outcome.state in LOSSES and outcome.note:
            reply[path] = outcome.note
    reply |= _unknown(new_key, written)
    second = tuple(differing(own, theirs))
    silent = [name for name in second if not any(path in reply for path in speaks(name, second))]
    breaches += [f"{to} would not start: {broken}" for broken in RULES[to](keys)]
    breaches += [f"{name} differs and nothing says so: {pair(name, own, theirs)}" for name in silent]
    return Outcome(case, to, tuple(breaches), said=second)


def speaks(name: str, differs: tuple[str, ...]) -> Iterator[str]:
    """Plan fields whose loss explains a figure; a rate ends elsewhere where the run has another length."""
    yield from SPEAKS[name]
    if name == "rate" and "total_updates" in differs:
        yield from SPEAKS["total_updates"]


def pair(name: str, new_first: Figures, second: Figures) -> str:
    """Both values of a figure, for a message."""
    if name == "rate":
        ends = sorted({*new_first.boundaries(), *second.boundaries()})
        first = next(k for k in ends if abs(new_first.rate.after(k) - second.rate.after(k)) > 1e-9 * new_first.rate.top)
        return f"rate after {first} periods {new_first.rate.after(first):g}, {second.rate.after(first):g}: {new_first.rate}, {second.rate}"
    return f"{name} {getattr(new_first, name)} -> {getattr(second, name)}"


def _unknown(new_key: tuple[str, str, str], written: Mapping[str, Out]) -> dict[str, str]:
    """Plan fields whose target key an older release lacks, which a conversion says where it drops the key."""
    to, release, trainer = new_key
    slots = {key: _Slot(out.value) for key, out in written.items() if out.value is not None}
    lost = [change for change in versions.downgrade(to, slots, release, trainer=trainer).changes if change.lossy]
    return {path: change.why for change in lost if change.key in written for path in written[change.key].plans}


def _narrowed(reading: Reading) -> dict[str, str]:
    """Plan fields whose source key, the account says, no other framework follows."""
    values: dict[str, str] = {}
    for path, origin in reading.origins.items():
        for key in origin.keys:
            if key in reading.narrowed:
                values.setdefault(path, reading.narrowed[key])
    return values
