"""Trinity keys that only make sense together: batches and weight sync."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, arith, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.episodes import in_episodes
from rftconf.mappers.shapes import settle
from rftconf.mappers.trinity.demonstrations import read_demonstrations, with_demonstrations
from rftconf.mappers.trinity.folds_async import SINCE, read_ahead, write_ahead
from rftconf.mappers.trinity.workflows import counts_steps
from rftconf.plan.kinds import WITH_ROLLOUTS
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit
from rftconf.schemas.trinity.intervals import one_interval

B, G, N = "stage.batch.prompts_per_rollout", "stage.batch.sequences_per_update", "stage.batch.responses_per_prompt"
Y = "stage.sync."
DRIVERS = {
    "fixed": "lockstep", "trainer_driven": "trainer", "explorer_driven": "explorer", "fully_async": "free",
    "dynamic_by_explorer": "explorer", "dynamic_by_trainer": "trainer",
}  # fmt: skip
SYNC = "synchronizer."
INTERVALS = tuple(f"{SYNC}{who}sync_interval" for who in ("", "explorer_", "trainer_"))
TWO_INTERVALS = "0.6.0"
"""The release that brought intervals of their own for explorer and trainer."""


def _or(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None or (not isinstance(value, Expr) and value == 0) else value


def read_batch(r: ReadContext) -> None:
    """B is a product; G counts experiences; the two intervals say who waits for whom."""
    explore, n = r.native("buffer.batch_size", 1), r.plan(N)
    both = r.native(SYNC + "sync_interval", 1)
    mine, theirs = (_or(r.native(f"{SYNC}{who}_sync_interval"), both) for who in ("explorer", "trainer"))
    taken = _or(r.native("buffer.train_batch_size"), None if n is None else explore * n)
    taken = read_demonstrations(r, taken)
    update = _in_answers(r, None if n is None else explore * mine * n, taken)
    r.facts.explore_step = explore * n
    keys = ("buffer.batch_size", SYNC + "explorer_sync_interval", SYNC + "sync_interval")
    pair = (*keys, SYNC + "trainer_sync_interval")
    r.set(B, explore * mine, *keys, how=f"{formula(explore)} x sync interval {formula(mine)}")
    r.set(G, update, "buffer.train_batch_size", "buffer.batch_size", "algorithm.repeat_times")
    r.set(Y + "driver", _driver(r), SYNC + "sync_style")
    if r.plan(Y + "driver") == "free":
        r.inactive[SYNC + "sync_offset"] = "fully_async never looks at it"
        read_ahead(r, theirs)
    else:
        offset = r.native(SYNC + "sync_offset", 0)
        r.set(Y + "run_ahead_rollouts", _ahead(offset, mine), SYNC + "sync_offset")
    how = "1 by construction: a period is what one sync interval explores"
    r.set(Y + "every_rollouts", 1, *pair, kind=Kind.DERIVED, how=how)
    r.set(Y + "in_flight", "finish", kind=Kind.DEFAULT, how="the explorer finishes what it started before it syncs")
    _check_balance(r, explore, n, update, mine, theirs)


def _in_answers(r: ReadContext, answers: Any, taken: Any) -> Any:
    """A train batch counts experiences: answers, or steps of episodes (buffer/reader)."""
    if taken is None or not counts_steps(r, answers, taken):
        return taken
    why = "the workflow hands back an experience for each step of an episode, and a train batch counts those"
    r.note(f"{why}: {formula(taken)} experiences an update")
    return in_episodes(taken, r)


def _driver(r: ReadContext) -> Any:
    style = r.native(SYNC + "sync_style", "fixed")
    return DRIVERS.get(str(style).lower(), style)


def _ahead(offset: Any, interval: Any) -> Any:
    if isinstance(offset, Expr) or isinstance(interval, Expr):
        return arith("/", offset, interval)
    exact = Fraction(offset) / Fraction(interval)
    return int(exact) if exact.denominator == 1 else float(exact)


def _check_balance(r: ReadContext, explore: Any, n: Any, update: Any, mine: Any, theirs: Any) -> None:
    """No field tells two unbalanced pairs apart: B is the explorer's, so the trainer's interval stays beside the plan."""
    if r.plan("stage.kind") not in (*WITH_ROLLOUTS, None) or n is None:
        return
    answers, used = mine * explore * n, theirs * update
    if isinstance(answers, Expr) or isinstance(used, Expr) or answers == used:
        return
    r.beyond[INTERVALS[2]] = theirs
    if r.plan(Y + "driver") == "lockstep":
        _say_unbalanced(r, answers, used)


def _say_unbalanced(r: ReadContext, answers: int, used: int) -> None:
    """Record that an answer's age has no bound, or hangs on a timeout, so that nobody can tell it."""
    grows = "answers pile up, and updates learn from ever older ones"
    waits = "the trainer waits for answers while the explorer waits for weights, until sync_timeout passes"
    sentence = (
        f"the explorer makes {answers} sequences between two syncs, the trainer consumes {used}: not lock-step; "
        f"{grows if answers > used else waits} (H3)"
    )
    r.note(sentence)
    settings = [key for key in INTERVALS if r.written(key)] or ["buffer.batch_size", "buffer.train_batch_size"]
    offset = SYNC + "sync_offset"
    if r.native(offset):
        r.beyond[offset] = r.native(offset)
        r.narrowed[offset] = sentence
    r.narrowed.update(dict.fromkeys(settings, sentence))
    keys = (*INTERVALS, "buffer.batch_size", "buffer.train_batch_size", offset)
    r.set(Y + "run_ahead_rollouts", None, *keys, how=sentence)


def write_batch(w: WriteContext) -> None:
    """Form A (m prompts an explore step, one interval) where m is whole and above 1, else form B."""
    prompts, n, update = w.plan(B), w.plan(N), w.plan(G)
    _refuse_two_intervals(w)
    if prompts is None or n is None or update is None:
        w.facts.explore_step = 0
        return
    step = arith("/", update, n)
    form = w.facts.form
    if not any(isinstance(v, Expr) for v in (prompts, n, update)):
        if not w.same_framework:
            _refuse_uneven(prompts, n, update)
        whole = update % n == 0 and prompts % (update // n) == 0
        if form == "A" and not whole:
            raise RefusedError(
                f"form A needs whole mini-batches: {update} sequences are {update / n:g} prompts of {prompts}"
            )
        if not w.since(TWO_INTERVALS) and not w.same_framework:
            _refuse_form_b(w, form_b=form == "B", whole=whole)
            form = "A"
        form = form if form != "auto" else "A" if whole and update // n > 1 else "B"
    mini = "" if isinstance(update, Expr) else f"{formula(update)} sequences an update / {formula(n)} responses"
    interval = arith("/", arith("*", prompts, n), update)
    if form == "B":
        w.facts.explore_step = arith("*", prompts, n)
        w.put("buffer.batch_size", prompts, B, state=State.EXACT, always=True)
        w.put(SYNC + "explorer_sync_interval", 1, B, always=True, how="form B: one explore step is one rollout period")
        how = "B x n / G train steps a period"
        w.put(SYNC + "trainer_sync_interval", interval, B, G, state=State.DERIVED, always=True, how=how)
    else:
        w.facts.explore_step = update
        w.put("buffer.batch_size", step, B, G, N, state=State.DERIVED, always=True, how=mini)
        w.put(SYNC + "sync_interval", interval, B, G, N, state=State.DERIVED, always=True,
              how="" if isinstance(interval, Expr) else f"{formula(prompts)} prompts a period / {formula(step)} a step")  # fmt: skip
    how = f"{formula(step)} prompts x {formula(n)} responses" if not isinstance(update, Expr) else ""
    whole, paths = with_demonstrations(w, update)
    refuse_uneven_world(w, whole)
    w.put("buffer.train_batch_size", whole, *paths, state=State.DERIVED, always=True, how=how)
    _write_sync(w, interval)


def _refuse_form_b(w: WriteContext, *, form_b: bool, whole: bool) -> None:
    """Refuse form B, or a period that is not whole explore steps of one update, where both sides have one interval."""
    if whole and not form_b:
        return
    prompts, n, update = w.plan(B), w.plan(N), w.plan(G)
    raise RefusedError(
        f"Trinity {w.release} has one sync interval for explorer and trainer"
        + ("" if whole else f", and {update} sequences an update are {update / n:g} of {prompts} prompts")
        + f": form B came with {TWO_INTERVALS}",
        choices=(f"--to-release {TWO_INTERVALS}", *(("--form A",) if whole else ())),
    )


def _refuse_two_intervals(w: WriteContext) -> None:
    """A file of Trinity's own whose two intervals no single one stands for."""
    source = w.facts.source
    if source is None or w.since(TWO_INTERVALS):
        return
    mine, theirs = (source.value(key) for key in INTERVALS[1:])
    evaluates = bool(source.count("buffer.explorer_input.eval_tasksets"))
    if (mine is None and theirs is None) or one_interval(source.value, evaluates=evaluates) is not None:
        return
    raise RefusedError(
        f"Trinity {w.release} has one sync interval for explorer and trainer, and no single one is the same as {formula(mine)} "
        f"explore steps and {formula(theirs)} train steps: two came with {TWO_INTERVALS}",
        choices=(
            f"--to-release {TWO_INTERVALS}",
            "one sync_interval, with batch_size x repeat_times = train_batch_size",
        ),
    )


def _refuse_uneven(prompts: int, n: int, update: int) -> None:
    total = prompts * n
    if total % update:
        near = [n * d for d in range(1, prompts + 1) if prompts % d == 0]
        close = sorted(near, key=lambda d: abs(d - update))[:6]
        raise RefusedError(
            f"{total} sequences a rollout period ({prompts} prompts x {n}) are not a whole number of updates of {update} sequences; "
            "Trinity's explorer and trainer would never meet (H7)",
            choices=tuple(
                f"{d} sequences an update = {d // n} prompts, {total // d} updates a period" for d in sorted(close)
            ),
        )


def _write_sync(w: WriteContext, interval: Any) -> None:
    driver = w.plan(Y + "driver") or "lockstep"
    style = next((native for native, word in DRIVERS.items() if word == driver), "fixed")
    if style == "fully_async" and not w.since(SINCE):
        note = f"Trinity {w.release} has no fully asynchronous style (0.6 has); fixed syncs at the same interval"
        w.put(SYNC + "sync_style", "fixed", Y + "driver", state=State.NARROWED, note=note, always=True)
    else:
        w.put(SYNC + "sync_style", style, Y + "driver", always=True)
    if style == "fully_async" and w.since(SINCE):
        write_ahead(w, w.plan(Y + "run_ahead_rollouts"), interval)
    else:
        _write_offset(w)
    _settle_sync(w)


def _write_offset(w: WriteContext) -> None:
    ahead = w.plan(Y + "run_ahead_rollouts") or 0
    steps = w.convert(1, Unit.ROLLOUTS, Unit.EXPLORE_STEPS)
    offset = arith("*", ahead, steps)
    if not isinstance(offset, Expr) and offset != int(offset):
        rounded = round(offset)
        note = f"{ahead:g} rollout periods ahead are {float(offset):g} explore steps; wrote {rounded}"
        w.put(SYNC + "sync_offset", rounded, Y + "run_ahead_rollouts", state=State.ROUNDED, note=note, always=True)
    else:
        value = offset if isinstance(offset, Expr) else int(offset)
        how = "" if value else "0 is lock-step: the explorer waits for the trainer"
        w.put(SYNC + "sync_offset", value, Y + "run_ahead_rollouts", always=True, how=how)


def _settle_sync(w: WriteContext) -> None:
    """Settle what Trinity's explorer fixes: it is the same as in the source, or the difference is said."""
    finishes = "Trinity finishes running requests before it syncs"
    other = f"{finishes}; the source cuts and continues them"
    settle(w, Y + "in_flight", w.plan(Y + "in_flight") != "interrupt", finishes, other)
    every = w.plan(Y + "every_rollouts")
    other = f"a Trinity period is one sync interval; {every} periods a sync cannot be kept apart"
    settle(w, Y + "every_rollouts", (every or 1) == 1, "1 by construction", other)


def refuse_uneven_world(w: WriteContext, update: Any) -> None:
    """Trinity-RFT up to 0.4 divides an update by the trainer's GPUs, whatever a rank is (H9)."""
    gpus = w.plan("stage.placement.actor.gpus")
    if w.same_framework or w.since("0.5.2") or not isinstance(update, int) or not isinstance(gpus, int):
        return
    if gpus > 0 and update % gpus:
        raise RefusedError(
            f"{update} sequences an update are no multiple of {gpus} trainer GPUs, which Trinity-RFT before 0.5 wants (H9)",
            choices=("--to-release 0.5.2 or newer, which counts ranks", "--rollout-gpus for another split"),
        )
