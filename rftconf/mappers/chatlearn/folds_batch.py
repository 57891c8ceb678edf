"""ChatLearn's two copies of n, and how a batch is cut for one pass."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.copies import Copies
from rftconf.mappers.rates import divisor_of
from rftconf.mappers.shapes import lose_known, settle_known, together
from rftconf.mappers.statements import Noted, Refused
from rftconf.plan.origin import Kind

B = "stage.batch."
N, ADVANTAGE = B + "responses_per_prompt", "stage.algorithm.advantage"
OF_ENGINE, OF_ADVANTAGE = "models.policy.num_inference_per_prompt", "runtime_args.num_inference_per_prompt"
TRAINER, REF = "models.policy_trainer.", "models.ref_policy."
MICRO, MICRO_OF_RUN = TRAINER + "train_micro_batch_size", "runtime_args.train_micro_batch_size"
NATIVES = (
    MICRO, MICRO_OF_RUN, TRAINER + "packing", TRAINER + "max_token_in_packing", TRAINER + "generation_batch_size",
    REF + "packing", REF + "max_token_in_packing", REF + "generation_batch_size",
)  # fmt: skip
PLANS = tuple(
    f"{B}{role}.{field}" for role in ("micro", "log_prob", "reference") for field in ("dynamic", "sequences_per_rank", "tokens_per_rank")
)  # fmt: skip


def _copies_differ(r: ReadContext) -> bool:
    drawn, awaited = r.native(OF_ENGINE), r.native(OF_ADVANTAGE)
    return isinstance(drawn, int) and isinstance(awaited, int) and drawn != awaited


RESPONSES = together(
    Refused(
        lambda w: w.plan(N) == 1 and not w.same_framework and w.plan(ADVANTAGE) in ("grpo", None),
        "1 answer a prompt: a group of one has advantage 0 in ChatLearn, so nothing would be learned (H39)",
        ("2 or more answers a prompt",),
    ),
    Refused(  # another estimator is the reason, where the source has one; that it draws one answer follows from it
        lambda w: w.plan(N) == 1 and not w.same_framework,
        lambda w: (
            f"the source's estimator is {formula(w.plan(ADVANTAGE))}; ChatLearn trains with GRPO alone, in which "
            "a group of one has advantage 0: with 1 answer a prompt nothing would be learned (H39)"
        ),
        ("a group estimator (grpo) in the source, with 2 or more answers a prompt",),
    ),
    Copies((OF_ENGINE, OF_ADVANTAGE), N, how="both copies of n are needed (H13)"),
    Noted(
        lambda r: r.native(OF_ENGINE) == 1,
        f"{OF_ENGINE}=1: a group of one has advantage 0 in ChatLearn, so nothing is learned (H39)",
    ),
    Noted(
        _copies_differ,
        lambda r: (
            f"{OF_ENGINE}={r.native(OF_ENGINE)} but {OF_ADVANTAGE}={r.native(OF_ADVANTAGE)}: rewards of a prompt are forgotten "
            f"only when {r.native(OF_ADVANTAGE)} have come, so advantages mix episodes (H13)"
        ),
        narrows=OF_ADVANTAGE,
        because=lambda r: f"{OF_ENGINE}={r.native(OF_ENGINE)} answers are drawn a prompt; this copy differs (H13)",
    ),
    why="sampler repeats a prompt by the one, AdvantageComputer waits for the other; H13",
)
"""The engines draw one copy of n, the advantages wait for the other; nothing compares them."""


def read_micro(r: ReadContext) -> None:
    """Packing fills micro-batches up to a number of tokens; without it their size is fixed."""
    for prefix, roles in ((TRAINER, ("micro", "log_prob")), (REF, ("reference",))):
        packs, tokens = r.native(prefix + "packing"), r.native(prefix + "max_token_in_packing")
        own = prefix + "generation_batch_size"
        for role in roles:
            # a reference that does not follow the trainer says so by what the trainer's key says
            follows = r.native(TRAINER + "packing") == packs
            r.set(f"{B}{role}.dynamic", packs, prefix + "packing", *(() if follows else (TRAINER + "packing",)))
            r.set(f"{B}{role}.tokens_per_rank", tokens if packs is not False else None, prefix + "max_token_in_packing")
            if role != "micro":
                _read_inference(r, f"{B}{role}.sequences_per_rank", own, packs)
        if packs is True:
            r.inactive[own] = f"no effect while {prefix}packing is true"
        elif r.trainer == "megatron":
            r.inactive[own] = f"only checked: the Megatron models cut every pass by {MICRO_OF_RUN}"
        if packs is False:
            r.inactive[prefix + "max_token_in_packing"] = f"no effect while {prefix}packing is false"
    _read_train_micro(r)


def _read_inference(r: ReadContext, path: str, own: str, packs: Any) -> None:
    """Passes without gradients: Megatron cuts them as it cuts the update (megatron_policy_trainer: forward_step)."""
    if r.trainer == "megatron":
        size = r.native(MICRO_OF_RUN) if packs is not True else None
        r.set(path, size, MICRO_OF_RUN, kind=Kind.DERIVED, how="as the trainer's")
    else:
        r.set(path, r.native(own) if packs is not True else None, own)


def _read_train_micro(r: ReadContext) -> None:
    """FSDP reads the model's key, Megatron the run's (fsdp_module, megatron_module)."""
    packs, megatron = r.native(TRAINER + "packing"), r.trainer == "megatron"
    counts, other = (MICRO_OF_RUN, MICRO) if megatron else (MICRO, MICRO_OF_RUN)
    r.set(f"{B}micro.sequences_per_rank", r.native(counts) if packs is not True else None, counts)
    if packs is True:
        r.inactive.update(dict.fromkeys((MICRO, MICRO_OF_RUN), f"not used while {TRAINER}packing is true"))
    else:
        what = "not read" if megatron else "only checked"
        r.inactive[other] = f"{what}: the trainer cuts its batches by {counts}"


def write_micro(w: WriteContext) -> None:
    """Packing and its number of tokens, or fixed sizes that divide what a rank gets."""
    packs = w.plan(B + "micro.dynamic")
    w.put(TRAINER + "packing", bool(packs) if packs is None else packs, B + "micro.dynamic", always=True)
    tokens = w.plan(B + "micro.tokens_per_rank")
    if packs is not False and tokens is not None:
        w.put(TRAINER + "max_token_in_packing", _whole(tokens), B + "micro.tokens_per_rank", always=True)
    elif tokens is not None:
        w.lose(B + "micro.tokens_per_rank", State.DEAD_IN_TARGET, "no effect while packing is false")
    _write_train_micro(w, packs)
    _write_inference(w, packs, "log_prob", TRAINER)
    _write_inference(w, packs, "reference", REF)


def _write_train_micro(w: WriteContext, packs: Any) -> None:
    path = B + "micro.sequences_per_rank"
    wish = w.plan(path)
    if packs is True:
        w.put(MICRO_OF_RUN, 1, always=True, how="asked for, but not used with packing")
        lose_known(w, State.DEAD_IN_TARGET, "not used with packing", path)
        return
    share = _share(w, w.plan(B + "sequences_per_update"), "actor")
    for key in (MICRO_OF_RUN,) if w.trainer == "megatron" else (MICRO_OF_RUN, MICRO):
        _put_divisor(w, key, path, wish, share, f"{share} sequences a rank and update")


def _write_inference(w: WriteContext, packs: Any, role: str, prefix: str) -> None:
    """Passes without gradients: the reference has switches of its own, old log-probabilities use the trainer's."""
    own = w.plan(f"{B}{role}.dynamic")
    packs = own if role == "reference" and own is not None else packs
    if role == "reference":
        w.put(prefix + "packing", bool(packs) if packs is None else packs, f"{B}{role}.dynamic", always=True)
    else:
        both, other = "models.policy_trainer.packing says it for both", "one switch for update and log-probabilities"
        settle_known(w, f"{B}{role}.dynamic", own == packs, both, other, alike=State.DERIVED)
    _write_tokens(w, packs, role, prefix)
    path = f"{B}{role}.sequences_per_rank"
    wish = w.plan(path)
    if packs is True:
        lose_known(w, State.DEAD_IN_TARGET, "not used with packing", path)
        return
    prompts, n = w.plan(B + "prompts_per_rollout"), w.plan(N)
    whole = None if prompts is None or n is None else prompts * n
    share = _share(w, whole, "reference" if role == "reference" else "actor")
    _put_divisor(w, prefix + "generation_batch_size", path, wish, share, f"{share} sequences a rank and episode")
    common = w.plan(B + "micro.sequences_per_rank")
    if w.trainer == "megatron" and wish is not None and wish != common:
        w.lose(path, State.NARROWED, f"the Megatron models cut every pass by {MICRO_OF_RUN}")


def _write_tokens(w: WriteContext, packs: Any, role: str, prefix: str) -> None:
    path = f"{B}{role}.tokens_per_rank"
    tokens, common = w.plan(path), w.plan(B + "micro.tokens_per_rank")
    if role == "reference" and packs is not False:
        value = tokens if tokens is not None else common
        if value is not None:
            w.put(prefix + "max_token_in_packing", _whole(value), path, always=True)
    elif packs is False:
        lose_known(w, State.DEAD_IN_TARGET, "no effect while packing is false", path)
    else:
        both, other = "max_token_in_packing says it for both", f"one number for update and log-probabilities: {common}"
        settle_known(w, path, tokens == common, both, other, alike=State.DERIVED)


def _share(w: WriteContext, sequences: Any, role: str) -> int | None:
    """Return what one data-parallel rank of a model gets of `sequences`; None where it is unknown or not whole."""
    own, actor = f"stage.placement.{role}.", "stage.placement.actor."
    sizes = ("megatron.tp", "megatron.pp", "megatron.cp") if w.trainer == "megatron" else ("sp",)
    known = [first if (first := w.plan(own + name)) is not None else w.plan(actor + name) for name in ("gpus", *sizes)]
    gpus, *parts = known
    numbers = isinstance(gpus, int) and gpus > 0 and isinstance(sequences, int)
    if not numbers or any(isinstance(part, Expr) for part in parts):
        return None
    share = Fraction(sequences, gpus)
    for part in parts:
        share *= part or 1
    return int(share) if share.denominator == 1 else None


def _put_divisor(w: WriteContext, key: str, path: str, wish: Any, share: int | None, of: str) -> None:
    """`wish`, or the next smaller number that divides `share`; 1 where nobody says."""
    if wish is None:
        w.put(key, 1, always=True, how="the source does not say; 1 always divides")
        return
    value = _whole(wish)
    if isinstance(value, Expr) or share is None or share % value == 0:
        w.put(key, value, path, always=True)
        return
    fits = divisor_of(share, value)
    note = f"{value} does not divide {of}; wrote {fits}"
    w.put(key, fits, path, state=State.ROUNDED, note=note, always=True)


def _whole(value: Any) -> Any:
    """A number of sequences or tokens as an integer, at least 1."""
    return value if isinstance(value, Expr) else max(1, int(value))
