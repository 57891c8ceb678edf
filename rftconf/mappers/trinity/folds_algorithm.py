"""Trinity's algorithm: a class brings functions, functions have arguments, and omitted ones fall back to the class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rftconf.ledger import State
from rftconf.mappers.codecs import words
from rftconf.mappers.trinity.algorithms import ADVANTAGES, ALGORITHMS, FAMILIES, LOSS_CLIPS, TYPE_OF, algorithm
from rftconf.plan.origin import Kind
from rftconf.plan.symbols import Expr

if TYPE_CHECKING:
    from rftconf.mappers.reading import Reading
    from rftconf.mappers.writing import Writing

A = "stage.algorithm."
TYPE = "algorithm.algorithm_type"
ESTIMATORS = words(
    {"k1": "k1", "abs": "abs", "k2": "k2", "low_var_kl": "k3_clamped", "k3": "k3", "corrected_k3": "corrected_k3"},
)


def _class(r: Reading) -> Any:
    return algorithm(r.native(TYPE, "ppo"))


def _args(r: Reading, name: str) -> dict[str, Any]:
    whole = r.native(f"algorithm.{name}_args")
    return whole if isinstance(whole, dict) else r.source.branch(f"algorithm.{name}_args")


def read_advantage(r: Reading) -> None:
    """advantage_fn, else the class's; its arguments carry gamma, lambda and the scope of the deviation."""
    name = r.native("algorithm.advantage_fn") or _class(r).advantage
    args = _args(r, "advantage_fn")
    plain = ADVANTAGES.get(name, name) if isinstance(name, str) else name
    if name == "opmd" and args.get("opmd_baseline", "mean") != "mean":
        plain = "opmd"
    keys = ("algorithm.advantage_fn", TYPE)
    r.set(A + "advantage", plain, *keys)
    scope = args.get("std_cal_level", "group") if name == "grpo" else "none" if plain == "grpo_mean_only" else None
    r.set(A + "std_scope", scope, "algorithm.advantage_fn_args.std_cal_level", "algorithm.advantage_fn_args")
    discounts, trace = plain in ("gae", "reinforce_pp"), plain == "gae"
    r.set(A + "gamma", args.get("gamma", 1.0) if discounts else None, "algorithm.advantage_fn_args.gamma")
    r.set(A + "lam", args.get("lam", 1.0) if trace else None, "algorithm.advantage_fn_args.lam")
    r.set(A + "whiten_advantage", plain in ("gae", "reinforce_pp"), kind=Kind.DEFAULT, how="part of the estimator (row 4.2.15)")
    r.set(A + "critic.enabled", _class(r).critic, TYPE)
    if args.get("std_threshold") is not None:
        at = A + "filters[0]."
        r.set(at + "kind", "zero_std", "algorithm.advantage_fn_args.std_threshold")
        r.set(at + "metric", "reward", "algorithm.advantage_fn_args.std_threshold")
        r.set(at + "threshold", args["std_threshold"], "algorithm.advantage_fn_args.std_threshold")
        action = "duplicate" if args.get("duplicate_experiences") else "drop"
        r.set(at + "action", action, "algorithm.advantage_fn_args.duplicate_experiences")


def write_advantage(w: Writing) -> None:
    """The class that comes closest, the function by name, and its arguments."""
    name, family = w.plan(A + "advantage"), w.plan(A + "policy_loss.family")
    if isinstance(name, Expr) or isinstance(family, Expr):
        key, path = (TYPE, A + "advantage")
        w.put(key, name if w.same_framework else "???", path, state=State.EXACT if w.same_framework else State.UNRESOLVED,
              note="" if w.same_framework else "the algorithm depends on a value the source does not tell", always=True)  # fmt: skip
        return
    kind = TYPE_OF.get((name, family)) or TYPE_OF.get((name, "ppo"))
    natives = {plan: native for native, plan in ADVANTAGES.items()}
    if kind is None:
        known = name if name in ALGORITHMS else None
        if known is None and not w.same_framework:
            near = "no Trinity advantage function does this; the nearest group estimators are grpo, opmd, rloo"
            w.put(TYPE, "???", A + "advantage", state=State.NO_COUNTERPART, note=f"{name}: {near}", always=True)
            return
        kind = known or str(w.facts.get("algorithm_type", name))
    w.put(TYPE, kind, A + "advantage", state=State.DERIVED, always=True)
    function = natives.get(name, name)
    w.put("algorithm.advantage_fn", function, A + "advantage", always=True, default=None)
    _write_advantage_args(w, name, function)
    _write_critic(w, name)


def _write_critic(w: Writing, name: Any) -> None:
    wanted, has = w.plan(A + "critic.enabled"), name == "gae"
    if wanted is None or wanted == has:
        w.lose(A + "critic.enabled", State.DERIVED, "the algorithm class decides")
    else:
        w.lose(A + "critic.enabled", State.NO_COUNTERPART, "only algorithm_type ppo has a critic, and it always has one (row 4.2.2)")


def _write_advantage_args(w: Writing, name: Any, function: Any) -> None:
    scope = w.plan(A + "std_scope")
    if function == "grpo" and scope == "batch":
        w.put("algorithm.advantage_fn_args.std_cal_level", "batch", A + "std_scope", default=None)
    elif scope is not None:
        w.lose(A + "std_scope", State.DERIVED, "part of the advantage function")
    for field in ("gamma", "lam"):
        value = w.plan(A + field)
        takes = name == "gae" or (field == "gamma" and name == "reinforce_pp")
        if value is not None and takes:
            w.put(f"algorithm.advantage_fn_args.{field}", value, A + field, always=True)
    white = w.plan(A + "whiten_advantage")
    if white is not None and white == (name in ("gae", "reinforce_pp", "reinforce_pp_baseline")):
        w.lose(A + "whiten_advantage", State.DEFAULT, "part of the estimator (row 4.2.15)")
    elif white is not None:
        w.lose(A + "whiten_advantage", State.NARROWED, "whitening is part of the estimator here (row 4.2.15)")
    _write_filters(w)


def _write_filters(w: Writing) -> None:
    for index in range(w.items(A + "filters")):
        at = f"{A}filters[{index}]."
        paths = [p for p in w.values if p.startswith(at) and w.values[p] is not None]
        if index or w.plan(at + "kind") != "zero_std" or w.plan(A + "advantage") != "grpo":
            for path in paths:
                w.lose(path, State.NO_COUNTERPART, "Trinity's grpo drops groups of equal reward; other filters are data_processor operators")
            continue
        threshold = w.plan(at + "threshold")
        action = w.plan(at + "action")
        note = "Trinity drops such groups and never refills: with sync_style fixed the run can starve (H40); it repeats kept groups instead"
        state = State.EXACT if action in ("drop", "duplicate") else State.NARROWED
        w.put("algorithm.advantage_fn_args.std_threshold", 0.0 if threshold is None else threshold, *paths, state=state,
              note="" if state is State.EXACT else note, always=True)  # fmt: skip
        if action != "drop":
            w.put("algorithm.advantage_fn_args.duplicate_experiences", True, at + "action", state=state, always=True)


def read_policy_loss(r: Reading) -> None:
    """policy_loss_fn, else the class's; given arguments replace the defaults as a whole (H33, H34)."""
    name = r.native("algorithm.policy_loss_fn") or _class(r).policy_loss
    given = _args(r, "policy_loss_fn")
    args: dict[str, Any] = given
    keys = "algorithm.policy_loss_fn_args"
    r.set(A + "policy_loss.family", FAMILIES.get(name, name) if isinstance(name, str) else name, "algorithm.policy_loss_fn", TYPE)
    low, high = LOSS_CLIPS.get(str(name), (None, None))
    both = args.get("clip_range", None if args else low)
    if args and not {"clip_range", "clip_range_low", "clip_range_high"} & set(args) and str(name) == "ppo":
        r.note("policy_loss_fn_args without any clip range: Trinity stops with an assertion, defaults are not merged (H33)")
    r.set(A + "policy_loss.clip_low", args.get("clip_range_low", low if not args else both), f"{keys}.clip_range_low", f"{keys}.clip_range")
    r.set(A + "policy_loss.clip_high", args.get("clip_range_high", high if not args else both), f"{keys}.clip_range_high", f"{keys}.clip_range")
    r.set(A + "policy_loss.dual_clip_c", args.get("clip_ratio_c", 3.0) if name == "ppo" else None, f"{keys}.clip_ratio_c")
    for tau in ("tau_pos", "tau_neg"):
        default = 1.0 if tau == "tau_pos" else 1.05
        r.set(A + f"policy_loss.{tau}", args.get(tau, default) if name == "sapo" else None, f"{keys}.{tau}")
    _read_aggregation(r, str(name), args)


def _read_aggregation(r: Reading, name: str, args: dict[str, Any]) -> None:
    common = r.native("algorithm.loss_agg_mode") or "token-mean"
    own = "seq-mean-token-mean" if name == "gspo" else "token-mean"
    mode = common if not args or "loss_agg_mode" in args else own
    if args and mode != common:
        r.note(f"policy_loss_fn_args lacks loss_agg_mode: the policy loss uses {mode}, KL and entropy use {common} (H34)")
    r.set(A + "loss_agg", "sum-over-len" if mode == "seq-mean-token-sum-norm" else mode,
          "algorithm.loss_agg_mode", "algorithm.policy_loss_fn_args.loss_agg_mode")  # fmt: skip
    sums = mode == "seq-mean-token-sum-norm"
    r.set(A + "loss_agg_tokens", r.plan("stage.length.response_max_tokens") if sums else None, "model.max_response_tokens")
    scope = "micro_batch_sum" if r.since("0.6.0") else "micro_batch_mean"
    r.set(A + "loss_norm_scope", scope, kind=Kind.DEFAULT, how="each micro-batch's mean is added with weight 1 since 0.6 (H25)")


def write_policy_loss(w: Writing) -> None:
    """The loss function, always with its clip range and aggregation inside the arguments (H33, H34)."""
    family = w.plan(A + "policy_loss.family")
    if isinstance(family, Expr):
        w.lose(A + "policy_loss.family", State.UNRESOLVED, "the loss depends on a value the source does not tell")
        return
    names = {plan: native for native, plan in FAMILIES.items()}
    if family is not None and family not in names and not w.same_framework:
        w.put("algorithm.policy_loss_fn", "???", A + "policy_loss.family", state=State.NO_COUNTERPART,
              note=f"Trinity has no {family} loss; nearest: ppo, gspo, cispo, sapo", always=True)  # fmt: skip
        return
    native = names.get(str(family), family)
    w.put("algorithm.policy_loss_fn", native, A + "policy_loss.family", always=True, default=None)
    at = "algorithm.policy_loss_fn_args."
    if native in LOSS_CLIPS:
        w.put(at + "clip_range_low", w.plan(A + "policy_loss.clip_low"), A + "policy_loss.clip_low", always=True)
        w.put(at + "clip_range_high", w.plan(A + "policy_loss.clip_high"), A + "policy_loss.clip_high", always=True)
    _write_loss_options(w, native, at)
    _write_aggregation(w, native, at)


def _write_loss_options(w: Writing, native: Any, at: str) -> None:
    c = w.plan(A + "policy_loss.dual_clip_c")
    if native == "ppo" and c is not None:
        w.put(at + "clip_ratio_c", c, A + "policy_loss.dual_clip_c", always=True)
    elif c is not None:
        w.lose(A + "policy_loss.dual_clip_c", State.DEAD_IN_TARGET, f"the {native} loss has no dual clip")
    for tau in ("tau_pos", "tau_neg"):
        if w.plan(A + f"policy_loss.{tau}") is not None and native == "sapo":
            w.put(at + tau, w.plan(A + f"policy_loss.{tau}"), A + f"policy_loss.{tau}", always=True)


def _write_aggregation(w: Writing, native: Any, at: str) -> None:
    agg = w.plan(A + "loss_agg")
    if agg is not None:
        sums = agg in ("sum-over-len", "seq-mean-sum-over-len")
        mode = "seq-mean-token-sum-norm" if sums else agg
        note, state = "", State.EXACT
        if agg == "seq-mean-sum-over-len":
            note, state = "the same name does not divide by the number of sequences here: gradients are larger by G/D; mind grad_clip (H61)", State.NARROWED
        elif agg == "token-sum":
            note, state = "Trinity has no token-sum", State.NARROWED
            mode = "token-mean"
        w.put("algorithm.loss_agg_mode", mode, A + "loss_agg", state=state, note=note, always=True)
        w.put(at + "loss_agg_mode", mode, A + "loss_agg", state=state, note=note, always=True, how="also here, else the loss keeps its own (H34)")
    tokens = w.plan(A + "loss_agg_tokens")
    if tokens is not None and tokens != w.plan("stage.length.response_max_tokens"):
        w.lose(A + "loss_agg_tokens", State.NO_COUNTERPART, "Trinity divides by the padded response length, no other number")
    elif tokens is not None:
        w.lose(A + "loss_agg_tokens", State.DEFAULT, "the padded response length")
    mine = "micro_batch_sum" if w.since("0.6.0") else "micro_batch_mean"
    if w.plan(A + "loss_norm_scope") in (mine, None):
        w.lose(A + "loss_norm_scope", State.DEFAULT, "as Trinity does")
    else:
        w.lose(A + "loss_norm_scope", State.NARROWED, "Trinity adds up micro-batch means, k micro-batches give k times the gradient (H25)")


def read_kl_loss(r: Reading) -> None:
    """kl_loss_fn, else the class's: k2 with coefficient .001 unless `none` is written (H35)."""
    name = r.native("algorithm.kl_loss_fn") or _class(r).kl_loss
    _read_kl(r, name, "kl_loss", "algorithm.kl_loss_fn")


def _read_kl(r: Reading, name: Any, block: str, key: str) -> None:
    enabled = name if isinstance(name, Expr) else name != "none"
    r.set(A + f"{block}.enabled", enabled if isinstance(enabled, bool) else None, key, TYPE)
    if enabled is False:
        r.inactive[f"{key}_args"] = f"no effect while {key} is none"
        return
    r.set(A + f"{block}.estimator", ESTIMATORS.get(name, r, None), key, TYPE)
    coef = r.native(f"{key}_args.kl_coef", _args(r, key.removeprefix("algorithm.")).get("kl_coef", 0.001))
    r.set(A + f"{block}.coef", coef, f"{key}_args.kl_coef", f"{key}_args")


def write_kl_loss(w: Writing) -> None:
    """Always written: leaving it out would switch KL on (H35)."""
    _write_kl(w, "kl_loss", "algorithm.kl_loss_fn")


def _write_kl(w: Writing, block: str, key: str) -> None:
    enabled, estimator = w.plan(A + f"{block}.enabled"), w.plan(A + f"{block}.estimator")
    if isinstance(enabled, Expr):
        w.put(key, "???", A + f"{block}.enabled", state=State.UNRESOLVED, note="whether KL is used depends on a value nobody tells", always=True)
        return
    if not enabled:
        w.put(key, "none", A + f"{block}.enabled", state=State.DERIVED, always=True)
        return
    put = ESTIMATORS.put(estimator, w, None)
    value = "???" if put.value is None else put.value
    w.put(key, value, A + f"{block}.enabled", A + f"{block}.estimator", state=put.state, note=put.note, always=True)
    if w.plan(A + f"{block}.coef") is not None:
        w.put(f"{key}_args.kl_coef", w.plan(A + f"{block}.coef"), A + f"{block}.coef", always=True)


def read_kl_reward(r: Reading) -> None:
    """kl_penalty_fn, heard only by algorithms that compute advantages in the trainer (H37)."""
    key = "algorithm.kl_penalty_fn"
    name = r.native(key) or "none"
    if name != "none" and not _class(r).in_trainer:
        kind = r.native(TYPE, "ppo")
        r.inactive[key] = f"{kind} computes advantages in the explorer and never looks at it (H37)"
        r.inactive[f"{key}_args.kl_coef"] = r.inactive[key]
        name = "none"
    _read_kl(r, name, "kl_reward", key)
    if name != "none":
        adaptive = r.native(f"{key}_args.adaptive", False)
        r.set(A + "kl_reward.controller", "adaptive" if adaptive is True else "fixed", f"{key}_args.adaptive")
        if adaptive is True:
            r.note("kl_penalty_fn_args.adaptive: true passes validation and then stops the run with a TypeError (H67)")
    r.set(A + "kl_reward.order", "before_norm", kind=Kind.DEFAULT, how="subtracted before advantages (H27)")


def write_kl_reward(w: Writing) -> None:
    """Only for estimators that the trainer computes; a fixed coefficient (H37, H67)."""
    enabled = w.plan(A + "kl_reward.enabled")
    hears = w.plan(A + "advantage") in ("gae", "reinforce_pp", "rloo")
    if enabled is True and not hears:
        note = "only ppo, reinforceplusplus and rloo hear kl_penalty_fn in Trinity; use KL in the loss, or another estimator (H37)"
        for field in ("enabled", "estimator", "coef", "controller", "target", "horizon"):
            if w.plan(A + f"kl_reward.{field}") is not None:
                w.lose(A + f"kl_reward.{field}", State.NO_COUNTERPART, note)
        w.put("algorithm.kl_penalty_fn", "none", always=True, how="KL in the reward has no effect here (H37)")
    else:
        _write_kl(w, "kl_reward", "algorithm.kl_penalty_fn")
        if w.plan(A + "kl_reward.controller") == "adaptive":
            w.lose(A + "kl_reward.controller", State.NARROWED, "Trinity's adaptive controller crashes at the first batch; fixed at the initial coefficient (H67)")
            for field in ("target", "horizon"):
                w.lose(A + f"kl_reward.{field}", State.NARROWED, "belongs to the adaptive controller, which crashes in Trinity (H67)")
        elif w.plan(A + "kl_reward.controller") is not None:
            w.lose(A + "kl_reward.controller", State.DEFAULT, "fixed")
    order = w.plan(A + "kl_reward.order")
    if order in ("before_norm", None):
        w.lose(A + "kl_reward.order", State.DEFAULT, "as Trinity does")
    else:
        w.lose(A + "kl_reward.order", State.NARROWED, "Trinity subtracts KL before advantages are computed (H27)")


def read_entropy(r: Reading) -> None:
    """entropy_loss_fn `none` is a coefficient of 0."""
    name = r.native("algorithm.entropy_loss_fn") or _class(r).entropy
    coef = r.native("algorithm.entropy_loss_fn_args.entropy_coef", _args(r, "entropy_loss_fn").get("entropy_coef", 0.0))
    if name == "none":
        r.inactive["algorithm.entropy_loss_fn_args.entropy_coef"] = "no effect while entropy_loss_fn is none"
        coef = 0.0
    r.set(A + "entropy_coef", coef, "algorithm.entropy_loss_fn_args.entropy_coef", "algorithm.entropy_loss_fn")


def write_entropy(w: Writing) -> None:
    """The default function with the plan's coefficient."""
    if w.plan(A + "entropy_coef") is not None:
        w.put("algorithm.entropy_loss_fn_args.entropy_coef", w.plan(A + "entropy_coef"), A + "entropy_coef", always=True)
        if w.plan(A + "advantage") not in ("gae", "grpo", "rloo", "reinforce_pp", "grpo_mean_only"):
            w.put("algorithm.entropy_loss_fn", "default", A + "entropy_coef", default=None)


def read_old_logprob(r: Reading) -> None:
    """The engine's log-probabilities by default; else recomputed inside each train step (row 2.8, H24)."""
    bypass = r.native("algorithm.bypass_old_logprobs", True)
    r.set("stage.sync.old_logprob", "recompute_at_update" if bypass is False else "rollout_engine", "algorithm.bypass_old_logprobs")
    whole = r.native("algorithm.rollout_correction")
    tree = whole if isinstance(whole, dict) else r.source.branch("algorithm.rollout_correction")
    rest = {k: v for k, v in tree.items() if k != "bypass_mode"}
    r.set(A + "rollout_correction", rest or None, "algorithm.rollout_correction")


def write_old_logprob(w: Writing) -> None:
    """Keep the engine's for several updates a period: recomputing would follow the changing weights (row 2.8)."""
    source = w.plan("stage.sync.old_logprob")
    prompts, n, update = (w.plan(f"stage.batch.{f}") for f in ("prompts_per_rollout", "responses_per_prompt", "sequences_per_update"))
    known = None not in (prompts, n, update) and not any(isinstance(v, Expr) for v in (prompts, n, update))
    single = known and prompts * n == update
    if source in ("recompute_at_update", "current") or (source == "recompute_at_rollout" and single):
        w.put("algorithm.bypass_old_logprobs", False, "stage.sync.old_logprob", state=State.DERIVED, always=True,
              how="one update a period: recomputing is the same" if single else "")  # fmt: skip
    elif source == "recompute_at_rollout":
        note = "with several updates a period Trinity would recompute with changed weights; the engine's log-probabilities belong to the period's first policy (H24)"
        w.put("algorithm.bypass_old_logprobs", True, "stage.sync.old_logprob", state=State.NARROWED, note=note, always=True)
    elif source is not None:
        w.put("algorithm.bypass_old_logprobs", True, "stage.sync.old_logprob", always=True)
    rest = w.plan(A + "rollout_correction")
    if isinstance(rest, dict) and rest:
        for name, value in rest.items():
            w.put(f"algorithm.rollout_correction.{name}", value, A + "rollout_correction", always=True)
