"""Trinity's policy loss: function, arguments, clip range, aggregation."""

from __future__ import annotations

from typing import Any

from rftconf.base.ledger import State
from rftconf.base.symbols import Expr
from rftconf.mappers.aggregation import read_aggregation, write_aggregation
from rftconf.mappers.codecs import NO_DUAL_CLIP, unbounded
from rftconf.mappers.context import Context, ReadContext, WriteContext
from rftconf.mappers.families import LOSSES, described, native_name, plan_name
from rftconf.mappers.shapes import Behaves, carry, leave_open, lose_known
from rftconf.mappers.trinity.algorithms import FAMILIES, LOSS_CLIPS, arguments, class_of

A = "stage.algorithm."
TYPE = "algorithm.algorithm_type"
OWN_ARGS, OWN_CLIP = "algorithm.policy_loss_fn_args.", 0.2
CLIPS = tuple(f"{A}policy_loss.{name}" for name in ("clip_low", "clip_high", "dual_clip_c"))
TAUS = tuple(f"{A}policy_loss.{name}" for name in ("tau_pos", "tau_neg"))
AGG, OWN_AGG = "algorithm.loss_agg_mode", "algorithm.policy_loss_fn_args.loss_agg_mode"


def micro_batches(c: Context) -> str:
    """Read whether the means of micro-batches are added up, as they are since 0.6."""
    return "micro_batch_sum" if c.since("0.6.0") else "micro_batch_mean"


SUMS = "Trinity adds up micro-batch means, k micro-batches give k times the gradient (H25)"
MEANS = "Trinity averages the loss over each micro-batch, then over those (H26)"
SCOPE = Behaves(
    A + "loss_norm_scope",
    micro_batches,
    "each micro-batch's mean is added with weight 1 since 0.6 (H25)",
    lambda c: SUMS if c.since("0.6.0") else MEANS,
    as_here="as Trinity does",
)


def read_policy_loss(r: ReadContext) -> None:
    """policy_loss_fn, else the class's; given arguments replace the defaults as a whole (H33, H34)."""
    name = r.native("algorithm.policy_loss_fn") or class_of(r).policy_loss
    stated = arguments(r, "policy_loss_fn")
    args: dict[str, Any] = stated
    keys = "algorithm.policy_loss_fn_args"
    r.set(A + "policy_loss.family", plan_name(name, FAMILIES, LOSSES), "algorithm.policy_loss_fn", TYPE)
    if name == "ppo" and stated.get("fallback_to_policy_gradient") is True:
        _read_plain_gradient(r, args)
        return
    low, high = (name, name) if isinstance(name, Expr) else LOSS_CLIPS.get(str(name), (None, None))
    both = args.get("clip_range", None if args and not isinstance(name, Expr) else low)
    if args and not {"clip_range", "clip_range_low", "clip_range_high"} & set(args) and str(name) == "ppo":
        stops = "Trinity stops with an assertion, defaults are not merged (H33)"
        r.note(f"policy_loss_fn_args without any clip range: {stops}")
    for end, own in (("low", low), ("high", high)):
        bound = args.get(f"clip_range_{end}", both if args else own)
        r.set(f"{A}policy_loss.clip_{end}", bound, f"{keys}.clip_range_{end}", f"{keys}.clip_range")
    bound = args.get("clip_ratio_c", name if isinstance(name, Expr) else 3.0 if name == "ppo" else None)
    bound = bound if name == "ppo" or isinstance(name, Expr) else None
    r.set(A + "policy_loss.dual_clip_c", None if bound == NO_DUAL_CLIP else bound, f"{keys}.clip_ratio_c")
    if isinstance(name, str) and name != "ppo" and "clip_ratio_c" in args:
        r.inactive[f"{keys}.clip_ratio_c"] = f"only the ppo loss clips twice, and this run has the {name} loss"
    for tau in ("tau_pos", "tau_neg"):
        default = 1.0 if tau == "tau_pos" else 1.05
        r.set(A + f"policy_loss.{tau}", args.get(tau, default) if name == "sapo" else None, f"{keys}.{tau}")
    _read_aggregation(r, name, args)


FALLBACK, PLAIN_SINCE = OWN_ARGS + "fallback_to_policy_gradient", "0.4.1"
NO_RATIO = "the ratio is 1 with fallback_to_policy_gradient, which no clip and no mask of sequences reaches"


def _read_plain_gradient(r: ReadContext, args: dict[str, Any]) -> None:
    """The ppo loss whose ratio is taken to the policy itself has the gradient of -A log p (ppo_policy_loss.py)."""
    dead = [arg for arg in args if arg.startswith("clip_") or arg.endswith("sequence_masking")]
    r.inactive.update({OWN_ARGS + arg: NO_RATIO for arg in dead})
    r.set(A + "policy_loss.family", "gpg", FALLBACK, "algorithm.policy_loss_fn", TYPE)
    for path in (*CLIPS, *TAUS):
        r.set(path, None, FALLBACK)
    _read_aggregation(r, "ppo", args)


def _write_plain_gradient(w: WriteContext) -> None:
    w.put("algorithm.policy_loss_fn", "ppo", A + "policy_loss.family", always=True)
    how = "the ratio is 1, and the gradient that of -A log p"
    w.put(FALLBACK, True, A + "policy_loss.family", always=True, how=how)
    w.put(OWN_ARGS + "clip_range", OWN_CLIP, always=True, how="the loss asserts one, and the ratio never reaches it")
    lose_known(w, State.DEAD_IN_TARGET, "a plain policy gradient does not clip", *CLIPS)
    _write_aggregation(w, OWN_ARGS)


def _read_aggregation(r: ReadContext, name: Any, args: dict[str, Any]) -> None:
    common = r.native("algorithm.loss_agg_mode") or "token-mean"
    own = name if isinstance(name, Expr) else "seq-mean-token-mean" if name == "gspo" else "token-mean"
    reaches = not args or "loss_agg_mode" in args
    mode: Any = common if reaches else own
    keys = (AGG, OWN_AGG) if reaches or mode == common else (OWN_AGG,)
    if args.get("loss_agg_mode", mode) != mode:
        r.inactive[OWN_AGG] = f"{AGG} overwrites it (H34)"
    if mode != common:
        _say_two_aggregations(r, mode, common)
    read_aggregation(r, mode, *keys, padded_by="model.max_response_tokens")
    SCOPE.read(r)


def _say_two_aggregations(r: ReadContext, mode: Any, common: Any) -> None:
    """KL and entropy obey the common mode, of which the plan has one: trainer/verl/losses.py."""
    sentence = f"policy_loss_fn_args lacks loss_agg_mode: the policy loss uses {mode}"
    if r.plan(A + "kl_loss.enabled") is False and r.plan(A + "entropy_coef") in (0, None):
        r.inactive[AGG] = f"{sentence}, and no KL and no entropy use {common} (H34)"
        r.note(r.inactive[AGG])
        return
    sentence += f", KL and entropy use {common} (H34)"
    r.note(sentence)
    r.narrowed[AGG] = f"{sentence}; one mode for all elsewhere"
    r.beyond[AGG] = common


def write_policy_loss(w: WriteContext) -> None:
    """The loss function, always with its clip range and aggregation inside the arguments (H33, H34)."""
    family = w.plan(A + "policy_loss.family")
    if isinstance(family, Expr):
        w.lose(A + "policy_loss.family", State.UNRESOLVED, "the loss depends on a value the source does not tell")
        return
    if family == "gpg" and w.since(PLAIN_SINCE):
        _write_plain_gradient(w)
        return
    if family is not None and family not in FAMILIES.values() and not w.same_framework:
        note = f"Trinity has no {described(family)} loss; nearest: ppo, gspo, cispo"
        leave_open(w, "algorithm.policy_loss_fn", note, A + "policy_loss.family", state=State.NO_COUNTERPART)
        lose_known(w, State.DEAD_IN_TARGET, f"belongs to the {family} loss", *CLIPS, *TAUS)
        _write_aggregation(w, OWN_ARGS)
        return
    native = native_name(family, FAMILIES)
    w.put("algorithm.policy_loss_fn", native, A + "policy_loss.family", always=True)
    if native in LOSS_CLIPS:
        for end, path in zip(("low", "high"), CLIPS[:2], strict=True):
            w.put(f"{OWN_ARGS}clip_range_{end}", w.plan(path), path, always=True)
    else:
        lose_known(w, State.DEAD_IN_TARGET, f"the {native} loss does not clip", *CLIPS[:2])
    _write_loss_options(w, native, OWN_ARGS)
    _write_aggregation(w, OWN_ARGS)


def _write_loss_options(w: WriteContext, native: Any, section: str) -> None:
    c = w.plan(A + "policy_loss.dual_clip_c")
    if native == "ppo" and c is not None:
        w.put(section + "clip_ratio_c", c, A + "policy_loss.dual_clip_c", always=True)
    elif native == "ppo" and unbounded(w):
        how = "none in the source: a bound that no ratio reaches (H32)"
        w.put(section + "clip_ratio_c", NO_DUAL_CLIP, A + "policy_loss.dual_clip_c", always=True, how=how)
    elif c is not None:
        w.lose(A + "policy_loss.dual_clip_c", State.DEAD_IN_TARGET, f"the {native} loss has no dual clip")
    for tau in ("tau_pos", "tau_neg"):
        if native == "sapo":
            carry(w, section + tau, f"{A}policy_loss.{tau}", always=True)


def _write_aggregation(w: WriteContext, section: str) -> None:
    twice = "also here, else the loss keeps its own (H34)"
    keys = {"algorithm.loss_agg_mode": "", section + "loss_agg_mode": twice}
    write_aggregation(w, "Trinity", keys, larger_by="G/D; mind grad_clip")
    SCOPE.write(w)
