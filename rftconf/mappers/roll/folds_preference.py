"""ROLL's losses without rewards: of answers (SFT) and of pairs of answers (DPO), and what the reference of pairs needs."""

from __future__ import annotations

from fractions import Fraction

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import Expr, formula
from rftconf.mappers.context import ReadContext, WriteContext
from rftconf.mappers.rates import data_parallel
from rftconf.mappers.shapes import settle_known
from rftconf.plan.origin import Kind

A, B = "stage.algorithm.", "stage.batch."
PAIRS_SINCE = "0.2.1"
"""Before it, micro-batches held rows, two for each pair, and `train_batch_size` counted the pairs of a step."""
HARD_CODED = {"beta": 0.1, "label_smoothing": 0.0}
"""What ROLL's loss takes: it asks the batch's meta_info, where no release puts anything."""
UNREAD = "dpo: loss_func takes it from the batch's meta_info, where nothing puts it: {} counts, whatever is written"
REFERENCE = B + "reference.sequences_per_rank"


def read_own_loss(r: ReadContext) -> None:
    """Means over all that an update holds: over its tokens, or over its pairs."""
    if r.trainer == "sft":
        r.set(
            A + "loss_agg", "token-mean", kind=Kind.DEFAULT, how="sft_worker: loss_func, over the tokens of the update"
        )
    if r.trainer in ("sft", "dpo") and r.since(PAIRS_SINCE):
        r.set(A + "loss_norm_scope", "update", kind=Kind.DEFAULT, how="divided by what the whole update holds")


def write_own_loss(w: WriteContext) -> None:
    """Settle the loss of supervised pipelines, which leaves nothing to choose."""
    for field, mine, why in (
        ("loss_agg", "token-mean", "ROLL's supervised loss is a mean over tokens"),
        ("loss_norm_scope", "update", "ROLL divides by what the whole update holds"),
    ):
        settle_known(w, A + field, w.plan(A + field) == mine, why)


def read_preference(r: ReadContext) -> None:
    """beta, label_smoothing and ipo are in the config, and the loss does not see them."""
    for key, value in (*HARD_CODED.items(), ("ipo", False)):
        why = UNREAD.format(str(value).lower())
        r.inactive[key] = why
        if r.written(key) and r.native(key) != value:
            r.note(f"{key}={formula(r.native(key))}: {why}")
        if key != "ipo":
            r.set(f"{A}preference.{key}", value, kind=Kind.DEFAULT, how=why)
    r.set(A + "preference.loss", "sigmoid", kind=Kind.DEFAULT, how=UNREAD.format("the sigmoid loss"))
    r.set(A + "kl_loss.enabled", False, kind=Kind.DEFAULT, how="dpo: loss_func has no further KL term")
    r.set(A + "entropy_coef", 0.0, kind=Kind.DEFAULT, how="dpo: loss_func has no entropy term")


def write_preference(w: WriteContext) -> None:
    """The keys say what the plan says; where ROLL's loss does something else, that is said."""
    if not w.since(PAIRS_SINCE):
        why = f"ROLL {w.release} counts the pairs of a step in train_batch_size and micro-batches in rows, and makes several updates a step"
        raise RefusedError(why, choices=(f"--to-release {PAIRS_SINCE} or newer",))
    for key, value in HARD_CODED.items():
        path = f"{A}preference.{key}"
        stated = w.plan(path)
        if stated is None:
            continue
        same = stated == value
        w.put(key, stated, path, state=State.EXACT if same else State.NARROWED, note="" if same else UNREAD.format(value),
              always=True)  # fmt: skip
    _write_loss(w)
    _write_terms(w)


def _write_loss(w: WriteContext) -> None:
    loss = w.plan(A + "preference.loss")
    if loss == "ipo":
        w.put("ipo", True, A + "preference.loss", state=State.NARROWED, note=UNREAD.format("false"), always=True)
    elif loss is not None:
        w.put("ipo", False, A + "preference.loss")


def _write_terms(w: WriteContext) -> None:
    """Further terms that the plan adds to the loss of pairs."""
    off = w.plan(A + "kl_loss.enabled") is False or w.plan(A + "kl_loss.coef") in (0, 0.0)
    for path in (f"{A}kl_loss.{field}" for field in ("enabled", "estimator", "coef")):
        settle_known(w, path, off, "ROLL's DPO loss has no further KL term", state=State.NO_COUNTERPART)
    entropy = A + "entropy_coef"
    none = w.plan(entropy) in (0, 0.0)
    settle_known(w, entropy, none, "ROLL's DPO loss has no entropy term", state=State.NO_COUNTERPART)


def fit_reference(w: WriteContext) -> None:
    """dpo_pipeline asserts that one pass of the reference over all ranks is no larger than an update."""
    update, gpus = w.plan(B + "sequences_per_update"), w.plan("stage.placement.actor.gpus")
    if w.same_framework or not isinstance(update, int) or not isinstance(gpus, int):
        return
    ranks = data_parallel(w, megatron=w.plan("stage.placement.actor.backend") == "megatron")
    if isinstance(ranks, Expr):
        return
    share, size = int(Fraction(update) / ranks), w.plan(REFERENCE)
    if size is None or (isinstance(size, (int, Fraction)) and size > share):
        state = State.NARROWED if size is not None else State.EXACT
        note = f"no more than the {share} pairs of a rank, or dpo_pipeline stops" if size is not None else ""
        paths = (REFERENCE,) if size is not None else ()
        how = f"at most {update} pairs an update / {float(ranks):g} ranks; the default is 16"
        w.put("reference.infer_batch_size", min(share, 16), *paths, state=state, note=note, how=how, always=True)
