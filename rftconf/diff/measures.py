"""The measures that need more than two values of one field: gradient scale, schedule, staleness and the like."""

from __future__ import annotations

from math import ceil, inf, log2
from typing import Any

from rftconf.base.symbols import Expr
from rftconf.diff.measured_difference import (
    Measured,
    Pair,
    Tier,
    Values,
    changed,
    factor,
    is_number,
    lead_of,
    render_value,
    scaled,
    sides,
)
from rftconf.plan import totals

B, Y, L, O, S = "stage.batch.", "stage.sync.", "stage.algorithm.", "stage.optim.actor.", "stage.sampling.train."  # noqa: E741
CLIP, N, LENGTH = O + "grad_clip", B + "responses_per_prompt", "stage.length."


def micro_batches(values: Values) -> Any:
    """Micro-batches per rank and update: exact where they have a fixed size, at most where tokens fill them."""
    fixed = totals.accumulated(values)
    if fixed is not None:
        # a micro-batch of no or fewer sequences is refused elsewhere, and makes no number of micro-batches
        return fixed if isinstance(fixed, Expr) or fixed > 0 else None
    share = totals.ratio(totals.sequences_an_update(values), totals.ranks(values))
    lengths = [values.get(LENGTH + "prompt_max_tokens"), values.get(LENGTH + "response_max_tokens")]
    tokens = values.get(B + "micro.tokens_per_rank")
    whole = [size for size in (*lengths, tokens) if isinstance(size, int) and size > 0]
    if share is None or isinstance(share, Expr) or len(whole) < 3:
        return None
    return max(1, ceil(share * (whole[0] + whole[1]) / whole[2]))


def gradient_scale(pair: Pair) -> Measured:
    """Micro-batches of an update: their means averaged (×1), added up (×k), or all tokens together (×1)."""
    scopes = pair.both(L + "loss_norm_scope")
    added = [scope == "micro_batch_sum" for scope in scopes]
    if added[0] == added[1]:
        ways = {"update": "over the whole update", "micro_batch_mean": "micro-batch by micro-batch"}
        scopes_text = [ways.get(str(scope), render_value(scope)) for scope in scopes]
        says = (
            f"The loss is averaged {scopes_text[0]} {pair.names[0]}, {scopes_text[1]} {pair.names[1]}: tokens of short micro-batches "
            "weigh otherwise"
        )
        return Measured(Tier.SAMPLES, says, 0.0, "micro-batches of equal size weigh the same either way", whole=True)
    side = pair.b if added[1] else pair.a
    k, exact = micro_batches(side), totals.accumulated(side) is not None
    known = k is not None and not isinstance(k, Expr)
    count = "k" if k is None else render_value(k)
    most = "" if exact or k is None else "up to "
    times = f"{most}×{count}" if added[1] else f"×1/{count}" if not most else f"down to ×1/{count}"
    means = f" ({most}{count} micro-batches make one update)"
    says = f"The gradient is {times} before clipping: micro-batch losses are added up {pair.names[added[1]]}{means}"
    size = abs(log2(k)) if known and k else None
    return Measured(Tier.SCALE, says, size, _clip_remedy(pair, k if exact else None, added[1]), whole=True)


def _clip_remedy(pair: Pair, times: Any, up: bool) -> str:
    """Adam's step does not see the gradient's scale; the limit that the gradient is clipped at does."""
    clip, key = pair.a.get(CLIP), pair.key(CLIP)
    if not str(pair.b.get(O + "kind") or "adam").startswith("adam"):
        lr = pair.key(O + "lr") or "the learning rate"
        return f"{'divide' if up else 'multiply'} {lr} by the number of micro-batches"
    if not key or not is_number(clip) or not clip:
        return "only clipping sees it: Adam's own steps stay as they are"
    if times is None or isinstance(times, Expr) or isinstance(clip, Expr):
        way = "multiply" if up else "divide"
        return f"{way} {key} (now {render_value(pair.b.get(CLIP))}) by that number; Adam's own steps stay as they are"
    target = clip * times if up else clip / times
    how = f"{render_value(clip)} {'×' if up else '/'} {render_value(times)} micro-batches"
    return f"set {key}={float(target):.4g} ({how}); Adam's own steps stay as they are"


def temperature(pair: Pair) -> Measured:
    """Measure a difference in the temperature of the distribution that answers are drawn from."""
    return scaled("Temperature of training answers", Tier.SCALE)(pair)


def logits(pair: Pair) -> Measured:
    """Measure a difference in whether the trainer divides logits by the temperature, as the sampling engine does."""
    hot = pair.a.get(S + "temperature")
    on = pair.b.get(L + "divide_logits_by_temperature") is True
    _, doublings = factor(1, hot)
    says = (
        f"The trainer {'divides' if on else 'does not divide'} logits by the temperature {pair.names[1]}: with "
        f"{render_value(hot)}, ratios and KL are those of {'the' if on else 'another than the'} distribution drawn from"
    )
    key = pair.key(S + "temperature")
    return Measured(Tier.SCALE, says, doublings, f"{key}=1.0 makes both the same" if key and not on else "", whole=True)


def room(pair: Pair) -> Measured:
    """Measure a difference in how many tokens of one sequence an engine holds: more than prompt and answer take is no effect."""
    measured = scaled("The longest sequence of the engine", Tier.SAMPLES)(pair)
    return measured._replace(tier=Tier.SCALE, doublings=0.0) if _holds_all(pair.a) and _holds_all(pair.b) else measured


def _holds_all(values: Values) -> bool:
    """True where prompt and answer, of one turn, are known to fit into the engine's longest sequence."""
    whole = values.get(f"{LENGTH}model_max_tokens")
    parts = [values.get(f"{LENGTH}{name}_max_tokens") for name in ("prompt", "response")]
    several = any(path.startswith("stage.turns.") and value is not None for path, value in values.items())
    sizes = [part for part in parts if isinstance(part, int)]
    fits = isinstance(whole, int) and len(sizes) == len(parts) and sum(sizes) <= whole
    return not several and (whole is None or fits)


def averaged(values: Values) -> float | None:
    """The learning rate's mean over the run, as a share of its peak; None where the schedule is not known.

    Steps of warm-up and decay are optimizer updates.
    """
    kind, floor = values.get(O + "schedule"), values.get(O + "min_lr_ratio") or 0.0
    if not isinstance(floor, (int, float)) or kind not in ("constant", "linear", "cosine"):
        return None
    whole = totals.totals(values).get("updates in all")
    decays = values.get(O + "decay_updates")
    warm = values.get(O + "warmup_updates") or 0
    after = 1.0 if kind == "constant" else (1 + floor) / 2
    if not isinstance(whole, int) or not isinstance(warm, (int, float)) or not whole:
        return after
    warm = min(float(warm), whole)
    falls = min(float(decays), whole) if isinstance(decays, (int, float)) and kind != "constant" else float(whole)
    decay = max(falls - warm, 0.0)
    tail = (whole - warm - decay) * (1.0 if kind == "constant" else floor)
    return float((warm / 2 + decay * after + tail) / whole)


def schedule(pair: Pair) -> Measured:
    """Measure a difference in the mean learning rate of the run."""
    share_a, share_b = averaged(pair.a), averaged(pair.b)
    kinds = pair.both(O + "schedule")
    what = "The learning rate's schedule" if kinds[0] != kinds[1] else "How the learning rate rises and falls"
    values = kinds if kinds[0] != kinds[1] else lead_of(pair)
    if not share_a or not share_b:
        return Measured(Tier.SCALE, sides(pair, what, *values), None)
    times, doublings = factor(share_a, share_b)
    key = pair.key(O + "lr")
    lr = pair.b.get(O + "lr")
    remedy = (
        f"{key}={lr * share_a / share_b:.3g} keeps the mean"
        if key and isinstance(lr, float) and share_a != share_b
        else ""
    )
    return Measured(
        Tier.SCALE, f"{sides(pair, what, *values)}; its mean over the run {times}", doublings, remedy, whole=True
    )


def staleness(pair: Pair) -> Measured:
    """Measure a difference in staleness: the age, in periods, of the weights that answers come from."""
    old = totals.staleness(pair.a), totals.staleness(pair.b)
    if old[0] != old[1] and None not in old:
        says = f"Answers come from weights up to {render_value(old[1])} periods old {pair.names[1]}, {render_value(old[0])} {pair.names[0]}"
        known = all(isinstance(value, int) for value in old)
        key = pair.key(Y + "every_rollouts")
        return Measured(Tier.SCALE, says, float(abs(old[1] - old[0])) if known else None, f"see {key}" if key else "")
    return Measured(Tier.SAMPLES, sides(pair, "The engines get new weights", *lead_of(pair), pair.paths[0]))


def batches(pair: Pair) -> Measured:
    """Sequences that one gradient averages over, and how they are made up; the largest factor counts."""
    names = {
        B + "sequences_per_update": "Sequences per update",
        N: "answers per prompt",
        B + "prompts_per_rollout": "prompts per period",
        B + "passes": "passes over each sequence",
    }
    measures = [scaled(what)(pair._replace(paths=(path,))) for path, what in names.items() if path in pair.paths]
    if not measures:
        return changed(Tier.CHANCE, "How sequences are put into updates")(pair)
    says = "; ".join(measure.says for measure in measures)
    return max(measures, key=lambda measure: measure.doublings or 0)._replace(says=says[0].upper() + says[1:])


def length_of_run(pair: Pair) -> Measured:
    """Updates in all."""
    updates_a, updates_b = (totals.totals(side).get("updates in all") for side in (pair.a, pair.b))
    times, doublings = factor(updates_a, updates_b)
    if times and updates_a != updates_b:
        return Measured(
            Tier.SCALE,
            f"Updates in all {times} ({render_value(updates_a)} {pair.names[0]}, {render_value(updates_b)} {pair.names[1]})",
            doublings,
        )
    return Measured(Tier.CHANCE, sides(pair, "When the run ends", *lead_of(pair)))


def clipping(pair: Pair) -> Measured:
    """Measure a difference in the clip range of the ratio."""
    for path in (L + "policy_loss.clip_high", L + "policy_loss.clip_low"):
        if path in pair.paths:
            return scaled("The clip range of the ratio")(pair._replace(paths=(path,)))
    return Measured(Tier.SCALE, sides(pair, "How softly ratios are clipped", *lead_of(pair)), None)


def capping(pair: Pair) -> Measured:
    """Measure a difference in the cap on a bad answer's loss: c·|A|, or a value."""
    ways = []
    for side in (pair.a, pair.b):
        c, cap = side.get(L + "policy_loss.dual_clip_c"), side.get(L + "policy_loss.value_cap")
        ways.append(
            f"{render_value(c)}·|advantage|" if c is not None else render_value(cap) if cap is not None else "nowhere"
        )
    a, b = (
        (side.get(L + "policy_loss.dual_clip_c"), side.get(L + "policy_loss.value_cap")) for side in (pair.a, pair.b)
    )
    _, doublings = factor(a[0] or a[1], b[0] or b[1])
    lifted = all(value is None for value in b) or all(value is None for value in a)
    says = f"The loss of a token is capped at {ways[0]} {pair.names[0]}, at {ways[1]} {pair.names[1]}".replace(
        "at nowhere", "nowhere"
    )
    size = inf if lifted else doublings
    return Measured(Tier.SCALE if size else Tier.SAMPLES, says, size, whole=not lifted)


def the_critic(pair: Pair) -> Measured:
    """A critic that is gone or new, else one that learns otherwise."""
    on = pair.both(L + "critic.enabled")
    if on[0] != on[1] and None not in on:
        lost = on[0] is True
        return Measured(Tier.OBJECTIVE, f"There is {'no' if lost else 'a'} critic {pair.names[1]}", inf)
    lead = pair.paths[0]
    if lead == "stage.optim.critic.lr":
        return scaled("The critic's learning rate")(pair)
    return changed(Tier.SAMPLES, "The critic")(pair)


def the_domains(pair: Pair) -> Measured:
    """Shares of the data; a domain that only the second run has a name for changes nothing."""
    new = all(pair.a.get(path) is None for path in pair.paths)
    return changed(Tier.CHANCE if new else Tier.SAMPLES, "Domains of the data")(pair)


def the_data(pair: Pair) -> Measured:
    """Files and what is read of them; a column is called one, since its name alone (`prompt`) could be a prompt's."""
    is_column = ".keys." in pair.paths[0]
    return changed(Tier.SAMPLES, "The column of the rows" if is_column else "The data")(pair)


def adapter(pair: Pair) -> Measured:
    """LoRA: gone, new, or of another strength."""
    ranks = pair.both("stage.model_options.lora.rank")
    if ranks[0] and not ranks[1]:
        return Measured(
            Tier.OBJECTIVE, f"All weights are trained: the adapter of rank {render_value(ranks[0])} is gone", inf
        )
    if ranks[1] and not ranks[0]:
        return Measured(
            Tier.OBJECTIVE, f"Only an adapter of rank {render_value(ranks[1])} is trained {pair.names[1]}", inf
        )
    strengths = [
        totals.ratio(side.get("stage.model_options.lora.alpha"), rank)
        for side, rank in zip((pair.a, pair.b), ranks, strict=True)
    ]
    numbers = [
        float(strength_value) if strength_value is not None and not isinstance(strength_value, Expr) else None
        for strength_value in strengths
    ]
    times, doublings = factor(*numbers)
    if times and doublings:
        return Measured(Tier.SCALE, f"The adapter counts {times} (alpha over rank)", doublings)
    return Measured(Tier.SAMPLES, sides(pair, "The adapter", *lead_of(pair)))
