"""What the runner's functions should compute, in plain Python floats and loops, written from the definitions."""

import math
from statistics import fmean, pstdev, stdev

EPSILON = 1e-6
LOW, HIGH, DUAL = 0.2, 0.28, 3.0


def members(case, position):
    group = case.groups[position].item()
    return [r.item() for r, g in zip(case.rewards, case.groups, strict=True) if g.item() == group]


def on_tokens(case, number):
    return [[number(i) * m.item() for m in row] for i, row in enumerate(case.mask)]


def grpo(case, deviation):
    def number(i):
        group = members(case, i)
        return (case.rewards[i].item() - fmean(group)) / (deviation(group) + EPSILON if deviation else 1.0)

    return on_tokens(case, number)


def rloo(case):
    def number(i):
        group = members(case, i)
        others = (sum(group) - case.rewards[i].item()) / (len(group) - 1)
        return case.rewards[i].item() - others

    return on_tokens(case, number)


def whiten(rows, mask):
    saved = [x for row, ms in zip(rows, mask, strict=True) for x, m in zip(row, ms, strict=True) if m.item()]
    mean, scale = fmean(saved), math.sqrt(stdev(saved) ** 2 + 1e-8)
    return [
        [(x - mean) / scale * m.item() for x, m in zip(row, ms, strict=True)]
        for row, ms in zip(rows, mask, strict=True)
    ]


def reinforce(case):
    rows = []
    for rewards, mask in zip(case.last, case.mask, strict=True):
        counted = [t for t, m in enumerate(mask) if m.item()]
        row = [0.0] * len(mask)
        for place, t in enumerate(counted):
            later = counted[place:]
            row[t] = sum(0.9**steps * rewards[u].item() for steps, u in enumerate(later))
        rows.append(row)
    return whiten(rows, case.mask)


def reinforce_baseline(case):
    return whiten(grpo(case, None), case.mask)


def gae(case):
    rows = []
    for rewards, values, mask in zip(case.last, case.values, case.mask, strict=True):
        counted = [t for t, m in enumerate(mask) if m.item()]
        after = [values[u].item() for u in counted[1:]] + [0.0]
        surprises = [rewards[t].item() + 0.95 * n - values[t].item() for t, n in zip(counted, after, strict=True)]
        row = [0.0] * len(mask)
        for place, t in enumerate(counted):
            row[t] = sum((0.95 * 0.9) ** steps * s for steps, s in enumerate(surprises[place:]))
        rows.append(row)
    return whiten(rows, case.mask)


def kl(case, of):
    return [
        [of(p.item() - q.item()) for p, q in zip(*rows, strict=True)]
        for rows in zip(case.log_probs, case.reference, strict=True)
    ]


def clipped_loss(advantage, ratio, bound):
    worse = max(-advantage * ratio, -advantage * min(max(ratio, 1 - LOW), 1 + HIGH))
    return min(worse, -advantage * DUAL) if bound and advantage < 0 else worse


def ppo(case, i, t):
    return clipped_loss(case.advantages[i, t].item(), math.exp(gap(case, i, t)), bound=True)


def gap(case, i, t):
    return case.log_probs[i, t].item() - case.old[i, t].item()


def gspo(case, i, t):
    counted = [u for u, m in enumerate(case.mask[i]) if m.item()]
    ratio = math.exp(fmean(gap(case, i, u) for u in counted))
    return clipped_loss(case.advantages[i, t].item(), ratio, bound=False)


def cispo(case, i, t):
    weight = min(max(math.exp(gap(case, i, t)), 1 - LOW), 1 + HIGH)
    return -weight * case.advantages[i, t].item() * case.log_probs[i, t].item()


def gpg(case, i, t):
    return -case.advantages[i, t].item() * case.log_probs[i, t].item()


def aggregated(case, loss, mode):
    rows = [[loss(case, i, t) for t, m in enumerate(row) if m.item()] for i, row in enumerate(case.mask)]
    rows = [row for row in rows if row]
    return {
        "token-mean": lambda: fmean(x for row in rows for x in row),
        "seq-mean-token-mean": lambda: fmean(fmean(row) for row in rows),
        "seq-mean-token-sum": lambda: fmean(sum(row) for row in rows),
        "seq-mean-sum-over-len": lambda: fmean(sum(row) for row in rows) / case.mask.shape[-1],
        "sum-over-len": lambda: sum(sum(row) for row in rows) / case.mask.shape[-1],
        "token-sum": lambda: sum(sum(row) for row in rows),
    }[mode]()


def weight(case, i, t, level):
    """exp of the gap, of a token or of its whole sequence, which veRL and we bound at 20."""
    counted = [u for u, m in enumerate(case.mask[i]) if m.item()]
    log_ratio = -gap_of_weights(case, i, t) if level == "token" else -sum(gap_of_weights(case, i, u) for u in counted)
    return math.exp(min(max(log_ratio, -20.0), 20.0))


def gap_of_weights(case, i, t):
    return case.old[i, t].item() - case.log_probs[i, t].item()


def importance(case, level, upper, lower, normalize):
    rows = [
        [cut(weight(case, i, t, level), upper, lower) * m.item() for t, m in enumerate(row)]
        for i, row in enumerate(case.mask)
    ]
    if not normalize:
        return rows
    kept_rows = [[x for x, m in zip(row, ms, strict=True) if m.item()] for row, ms in zip(rows, case.mask, strict=True)]
    kept_rows = [row for row in kept_rows if row]
    mean = fmean(x for row in kept_rows for x in row) if level == "token" else fmean(row[0] for row in kept_rows)
    return [[x / mean for x in row] for row in rows]


def cut(number, upper, lower):
    if lower:
        return number if lower <= number <= upper else 0.0
    return min(number, upper)


def entropy(row):
    most = max(row)
    parts = [math.exp(x - most) for x in row]
    shares = [part / sum(parts) for part in parts]
    return -sum(share * math.log(share) for share in shares)


def overlong(tokens):
    """Nothing up to 6 tokens, then 0.7 in all until 10, and on."""
    return 0.0 if tokens <= 6 else -0.7 * (tokens - 6) / 4


REFERENCES = {
    "importance/token": lambda case: importance(case, "token", 1.2, 0, normalize=False),
    "importance/token_normal": lambda case: importance(case, "token", 1.2, 0, normalize=True),
    "importance/token_inside": lambda case: importance(case, "token", 1.5, 0.6, normalize=False),
    "importance/sequence": lambda case: importance(case, "sequence", 1.5, 0, normalize=False),
    "importance/sequence_normal": lambda case: importance(case, "sequence", 1.5, 0, normalize=True),
    "entropy": lambda case: [[entropy(token.tolist()) for token in row] for row in case.logits],
    "overlong": lambda case: [overlong(tokens) for tokens in range(1, 12)],
    "varies": lambda case: [float(len(set(g.tolist())) > 1) for g in case.coarse.split(3)],
    "grpo": lambda case: grpo(case, stdev),
    "grpo_mean_only": lambda case: grpo(case, None),
    "grpo_population": lambda case: grpo(case, pstdev),
    "rloo": rloo,
    "reinforce_pp": reinforce,
    "reinforce_pp_baseline": reinforce_baseline,
    "gae": gae,
    "kl_k1": lambda case: kl(case, lambda d: d),
    "kl_abs": lambda case: kl(case, abs),
    "kl_k2": lambda case: kl(case, lambda d: d * d / 2),
    "kl_k3": lambda case: kl(case, lambda d: math.exp(-d) + d - 1),
    "kl_k3_clamped": lambda case: kl(case, lambda d: min(math.exp(-d) + d - 1, 10.0)),
}
for _mode in (
    "token-mean",
    "token-sum",
    "seq-mean-token-mean",
    "seq-mean-token-sum",
    "seq-mean-sum-over-len",
    "sum-over-len",
):
    for _name, _loss in (("ppo", ppo), ("gspo", gspo), ("cispo", cispo), ("gpg", gpg)):
        REFERENCES[f"{_name}/{_mode}"] = lambda case, loss=_loss, mode=_mode: aggregated(case, loss, mode)
        REFERENCES[f"{_name}/{_mode}/cut"] = REFERENCES[f"{_name}/{_mode}"]
