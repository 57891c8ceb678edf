"""OpenRLHF's micro-batches, lengths, length of a run, and its saves and evaluations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, OpenKey, arith, formula
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.openrlhf.conditions import CRITIC
from rftconf.mappers.rates import beside_a_length, data_parallel, divisor_of
from rftconf.mappers.shapes import carry, leave_open, lose_known, settle_known
from rftconf.plan.origin import Kind
from rftconf.plan.units import Unit, exact_quotient

B, L, R = "stage.batch.", "stage.length.", "stage.run_length."
SIZE, TRAINED, SCORED = "train.batch_size", "train.micro_batch_size", "rollout.micro_batch_size"
DYNAMIC, TRAINED_TOKENS, SCORED_TOKENS = (
    "train.dynamic_batch_enable",
    "train.max_tokens_per_gpu",
    "rollout.max_tokens_per_gpu",
)
UPDATE, PERIOD, ANSWERS = B + "sequences_per_update", B + "prompts_per_rollout", B + "responses_per_prompt"
LEARN = ("micro", "critic")
SCORE = ("log_prob", "reference", "critic_infer")
FIELDS = ("dynamic", "sequences_per_rank", "tokens_per_rank")
MICROS = tuple(f"{B}{role}.{field}" for role in (*LEARN, *SCORE) for field in FIELDS)


def read_micros(r: ReadContext) -> None:
    """Sequences or tokens of a rank at once: one size for what trains, one for what scores (experience_maker.py, replay_buffer.py)."""
    dynamic = r.native(DYNAMIC)
    for role in (*LEARN, *SCORE):
        learns = role in LEARN
        keys = (DYNAMIC, TRAINED if learns else SCORED, TRAINED_TOKENS if learns else SCORED_TOKENS)
        for name, key in zip(FIELDS, keys, strict=True):
            size = _size_of(r, role, name)
            r.set(f"{B}{role}.{name}", size, *(() if size is None and role.startswith("critic") else (key,)))
    if dynamic is True:
        r.inactive.update(dict.fromkeys((TRAINED, SCORED), f"{DYNAMIC} packs by tokens"))
    elif dynamic is False:
        r.inactive.update(dict.fromkeys((TRAINED_TOKENS, SCORED_TOKENS), f"{DYNAMIC} is off"))


def write_micros(w: WriteContext) -> None:
    """The trainer's sizes and the scoring policy's; a critic and a reference have no sizes of their own. Raises RefusedError."""
    _refuse_torn(w)
    dynamic = w.plan(f"{B}micro.dynamic")
    if dynamic is not None:
        # the order of sequences and their packing follow from it, so that it is no mere tuning
        w.put(DYNAMIC, dynamic, f"{B}micro.dynamic", always=dynamic is True)
    for role, size, cap in (("micro", TRAINED, TRAINED_TOKENS), ("log_prob", SCORED, SCORED_TOKENS)):
        fixed, tokens = (w.plan(f"{B}{role}.{name}") for name in FIELDS[1:])
        if dynamic is True:
            _put_tokens(w, cap, tokens, f"{B}{role}.tokens_per_rank")
            lose_known(w, State.DEAD_IN_TARGET, f"{DYNAMIC} packs by tokens", f"{B}{role}.sequences_per_rank")
        else:
            _put_size(w, size, fixed, f"{B}{role}.sequences_per_rank", trains=role == "micro")
            lose_known(w, State.NARROWED, f"{DYNAMIC} is off: {size} sequences at once", f"{B}{role}.tokens_per_rank")
    _settle_roles(w)


def _settle_roles(w: WriteContext) -> None:
    """Record what the written sizes are to the roles without sizes of their own."""
    alike = "the policy's sizes hold for every role"
    settle_known(w, f"{B}log_prob.dynamic", w.plan(f"{B}log_prob.dynamic") == _size_of(w, "log_prob", "dynamic"), alike)
    for role in ("reference", "critic", "critic_infer"):
        for name in FIELDS:
            own, mine = f"{B}{role}.{name}", _size_of(w, role, name)
            settle_known(w, own, w.plan(own) == mine, alike, f"{alike}: {formula(mine)}", alike=State.DERIVED)


def _size_of(c: Context, role: str, name: str) -> Any:
    """Return a role's micro-batches by the keys that are there: sequences or tokens, as training or as scoring has them."""
    if role.startswith("critic") and not CRITIC.test(c):
        return None
    dynamic = c.effective(DYNAMIC)
    if name == "dynamic":
        return dynamic
    if name == "sequences_per_rank":
        return None if dynamic is True else c.effective(TRAINED if role in LEARN else SCORED)
    tokens, scored = c.effective(TRAINED_TOKENS), c.effective(SCORED_TOKENS)
    cap = tokens if role in LEARN or scored is None else scored
    return None if dynamic is False or cap is None else c.convert(cap, Unit.TOKENS_PER_GPU, Unit.TOKENS_PER_RANK)


def _put_tokens(w: WriteContext, key: str, tokens: Any, path: str) -> None:
    """Tokens of a GPU, which a rank of several GPUs has several times."""
    if tokens is not None:
        exact: Any = w.convert(tokens, Unit.TOKENS_PER_RANK, Unit.TOKENS_PER_GPU)
        whole = exact if isinstance(exact, int | Expr) else max(1, int(exact))
        note = "" if whole == exact else f"{formula(tokens)} tokens of a rank are no whole number on each of its GPUs"
        w.put(key, whole, path, state=State.ROUNDED if note else State.EXACT, note=note, always=True)


def _put_size(w: WriteContext, key: str, size: Any, path: str, *, trains: bool) -> None:
    """Sequences at once; the trainer's must divide the share of a rank, or an update is smaller than it says."""
    if size is None:
        return
    share: Any = (
        exact_quotient(w.plan(UPDATE), _ranks(w))
        if trains and w.plan(UPDATE) is not None and _ranks(w) is not None
        else None
    )
    whole: Any = divisor_of(share, size)
    note = f"{formula(size)} does not divide the {formula(share)} sequences of a rank" if whole != size else ""
    w.put(key, whole, path, state=State.ROUNDED if note else State.EXACT, note=note, always=True)


def _ranks(c: Any) -> Any:
    """Data-parallel ranks of the trainer; None while its GPUs are not known."""
    gpus = c.plan("stage.placement.actor.gpus")
    ranks = None if gpus in (None, 0) else data_parallel(c, megatron=False)
    return int(ranks) if isinstance(ranks, Fraction) and ranks.denominator == 1 else ranks


def _refuse_torn(w: WriteContext) -> None:
    """Raise RefusedError where ranks have no equal shares of an update: its size would be rounded down in silence."""
    update, ranks = w.plan(UPDATE), _ranks(w)
    if isinstance(update, int) and isinstance(ranks, int) and ranks > 0 and update % ranks:
        raise RefusedError(
            f"an update takes {update} sequences, and {ranks} ranks have no equal shares of it: OpenRLHF would round the update down",
            choices=tuple(
                f"{size} sequences an update"
                for size in (update // ranks * ranks, (update // ranks + 1) * ranks)
                if size
            ),
        )


WHOLE, LONGEST = "data.max_len", "rollout.max_new_tokens"
LENGTHS = PROMPT, RESPONSE, MODEL = tuple(f"{L}{name}_max_tokens" for name in ("prompt", "response", "model"))
SHARED = "an answer takes what its prompt leaves of data.max_len: give a length of its own"


def read_lengths(r: ReadContext) -> None:
    """Tokens of prompt and answer together; what the longest answer leaves is the prompt's, which is cut there (utils/agent.py)."""
    whole, longest = r.native(WHOLE), r.native(LONGEST)
    r.set(MODEL, whole, WHOLE)
    if longest is None:
        longest = OpenKey(LONGEST)
        r.set(RESPONSE, longest, how=SHARED)
        r.note(SHARED)
    else:
        r.set(RESPONSE, longest, LONGEST)
    r.set(
        PROMPT,
        arith("-", whole, longest),
        WHOLE,
        LONGEST,
        how=f"what {formula(longest)} tokens of an answer leave of {formula(whole)}",
    )


def write_lengths(w: WriteContext) -> None:
    """Both lengths together, and the answer's."""
    prompt, response, model = (w.plan(path) for path in LENGTHS)
    if response is not None:
        if not isinstance(response, OpenKey):
            w.put(LONGEST, response, RESPONSE, always=True)
        else:
            w.lose(RESPONSE, State.DERIVED, SHARED)
    if prompt is not None and response is not None:
        open_answer = isinstance(response, OpenKey) and model is not None
        whole = model if open_answer else arith("+", prompt, response)
        paths = [PROMPT, *([MODEL] if model is not None and model == whole else [])]
        w.put(WHOLE, whole, *paths, state=State.DERIVED, always=True, how="the longest prompt and the longest answer")
        settle_known(w, MODEL, model == whole, "", f"the engine has room for {WHOLE}: a prompt and an answer")
    elif model is not None:
        w.put(WHOLE, model, MODEL, always=True)
        lose_known(w, State.NARROWED, f"{WHOLE} holds for prompt and answer together", PROMPT)
    elif prompt is not None:
        leave_open(w, WHOLE, "the source does not tell how long answers are", PROMPT)


EPISODES, ROWS = "train.num_episodes", "data.max_samples"
PERIODS, EPOCHS, LAST = R + "rollouts", R + "epochs", R + "last_partial"
MOST = "stage.data.train_max_samples"
ALL = 100_000_000
"""OpenRLHF's default for the most rows, which no data set has."""


def read_length(r: ReadContext) -> None:
    """Episodes are passes over at most so many rows; the last rollout of one takes the rows that are left."""
    episodes, most, rows, prompts = r.native(EPISODES), r.native(ROWS), r.rows(), r.plan(PERIOD)
    most = int(most) if isinstance(most, float) else most  # the default of older releases is 1e8
    r.set(EPOCHS, episodes, EPISODES)
    r.set(MOST, None if most == ALL else most, ROWS)
    r.set(LAST, None, how="the last rollout of an episode takes the rows that are left, for which the plan has no word")
    if (
        isinstance(rows, int)
        and isinstance(prompts, int)
        and prompts > 0
        and not isinstance(episodes, Expr)
        and isinstance(most, int)
    ):
        used_rows = min(rows, most)
        r.set(
            PERIODS,
            -(-used_rows // prompts) * episodes,
            EPISODES,
            kind=Kind.DERIVED,
            how=f"ceil({used_rows} rows / {prompts}) x {episodes} episodes",
        )
        if used_rows % prompts:
            r.note(f"the last rollout of an episode has {used_rows % prompts} prompts")
    else:
        r.set(PERIODS, None)


def write_length(w: WriteContext) -> None:
    """Episodes; a run that ends after some periods is one over as many rows as these take."""
    periods, epochs, prompts, most = (w.plan(path) for path in (PERIODS, EPOCHS, PERIOD, MOST))
    if periods is not None and prompts is not None and not w.same_framework:
        in_episodes, exact = _write_periods(w, periods, prompts)
        mine = w.effective(EPISODES)
        settle_known(
            w,
            EPOCHS,
            exact and epochs == mine,
            *beside_a_length(w)[1:],
            f"{formula(mine)} episodes over {ROWS} rows end the run",
            alike=State.DERIVED,
        )
        if in_episodes:
            carry(w, ROWS, MOST)
        else:
            lose_known(w, State.NARROWED, f"{ROWS} says where the run ends", MOST)
    else:
        if epochs is not None:
            w.put(EPISODES, epochs, EPOCHS, always=True)
        elif not w.same_framework:
            leave_open(w, EPISODES, "the source does not tell how long it trains")
        if most is not None:
            w.put(ROWS, most, MOST)
        lose_known(w, State.DERIVED, "rows, prompts and episodes say it", PERIODS)
    settle_known(w, LAST, False, "", "the last rollout of an episode takes the rows that are left")


def _write_periods(w: WriteContext, periods: Any, prompts: Any) -> tuple[bool, bool]:
    """Write the rows, or the episodes over all rows, that so many periods take.

    Returns whether it wrote episodes, and whether they make exactly as many periods.
    """
    needed, rows = arith("*", periods, prompts), w.facts.rows
    how = f"{formula(periods)} rollout periods take {formula(needed)} prompts"
    if isinstance(rows, int) and isinstance(needed, int) and 0 < rows < needed:
        in_one = -(-rows // prompts)
        episodes = -(-periods // in_one)
        exact = episodes * in_one == periods
        note = f"{episodes} episodes over {rows} rows are {episodes * in_one} periods, where the source has {periods}"
        state = State.DERIVED if exact else State.NARROWED
        w.put(EPISODES, episodes, PERIODS, state=state, note="" if exact else note, always=True, how=how)
        return True, exact
    w.put(ROWS, needed, PERIODS, state=State.DERIVED, always=True, how=how)
    w.put(EPISODES, 1, always=True, how="one pass over these rows")
    if rows is None:
        why = f"{how}, and nothing says how many rows the data have; with fewer the run ends early"
        w.decide(
            ROWS,
            why,
            "keep it, where the data have as many rows",
            f"give the rows with --rows N: then {EPISODES} follows",
        )
    return False, True
