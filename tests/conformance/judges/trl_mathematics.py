"""The runner's losses beside TRL's: `GRPOTrainer`'s own loss, given the log-probs of a random case, and its functions of
logits. Prints one JSON object: `function/what` to the largest difference seen, of values and of gradients.
"""

import json
import math
import sys
from collections import defaultdict
from types import SimpleNamespace

import torch
from random_case import DUAL, HIGH, LOW, SEQUENCES, TOKENS, Case
from rftconf_runner import losses
from trl import GRPOTrainer
from trl.trainer.utils import entropy_from_logits, selective_log_softmax

COEF = 0.3
"""Of the KL penalty."""
LOSSES = {
    # our loss / our aggregation: TRL's loss type, level of its ratio
    "ppo/token-mean": ("bnpo", "token"),
    "ppo_of_update/token-mean": ("dapo", "token"),
    "ppo/seq-mean-token-mean": ("grpo", "token"),
    "ppo/seq-mean-sum-over-len": ("dr_grpo", "token"),
    "gspo/seq-mean-token-mean": ("grpo", "sequence"),
    "cispo/token-mean": ("cispo", "token"),
}
VARIANTS = {"": (None, 0.0), "/dual": (DUAL, 0.0), "/k3": (None, COEF)}
"""Bound of bad answers, coefficient of the penalty."""


def trainer(kind, level, dual, coef, log_probs):
    """A trainer that was never built: what its loss reads is there, and its model says the case's log-probs."""
    result = object.__new__(GRPOTrainer)
    result.loss_type, result.importance_sampling_level, result.beta = kind, level, coef
    # CISPO's bound is of the ratio itself, and there is no lower one
    result.epsilon_low, result.epsilon_high = LOW, 1 + HIGH if kind == "cispo" else HIGH
    result.args = SimpleNamespace(delta=dual, use_bias_correction_kl=False, steps_per_generation=1)
    result.top_entropy_quantile, result.off_policy_mask_threshold = 1.0, None
    result.use_vllm = result.aux_loss_enabled = result._entropy_bonus_enabled = False
    result.current_gradient_accumulation_steps, result.max_completion_length = 1, TOKENS
    result.model, result._metrics = SimpleNamespace(training=True), {"train": defaultdict(list)}
    result.accelerator = SimpleNamespace(num_processes=1, gather=lambda x: x, reduce=lambda x, **_: x)
    result._get_per_token_logps_and_entropies = lambda *_, **__: (log_probs, torch.zeros_like(log_probs), None)
    return result


def theirs(case, name, dual, coef, log_probs):
    ids = torch.ones(SEQUENCES, TOKENS, dtype=torch.long)
    inputs = {
        "prompt_ids": ids[:, :1],
        "prompt_mask": ids[:, :1],
        "completion_ids": ids,
        "completion_mask": case.mask,
        "advantages": case.advantages,
        "old_per_token_logps": case.old,
        "ref_per_token_logps": case.reference,
        "num_items_in_batch": case.mask.sum(),
    }
    return trainer(*LOSSES[name], dual, coef, log_probs)._compute_loss(None, inputs)


def ours(case, name, dual, coef, log_probs):
    family, how = name.split("/")
    arguments = (log_probs, case.old, case.advantages)
    match family:
        case "gspo":
            loss = losses.sequence_clipped(*arguments, case.mask, LOW, HIGH)
        case "cispo":
            loss = losses.weighted_log_likelihood(*arguments, 1.0, HIGH)
        case _:
            loss = losses.clipped(*arguments, LOW, HIGH, dual)
    if coef:
        loss = loss + coef * losses.kl(log_probs, case.reference, "k3")
    return losses.aggregate(loss, case.mask, how, losses.denominator(case.mask, how), TOKENS)


def with_gradient(function, case, *words):
    leaf = case.log_probs.clone().requires_grad_()
    result = function(case, *words, leaf)
    result.backward()
    return float(result.detach()), leaf.grad


def main():
    worst = {}

    def note(name, first, second):
        gap = float((torch.as_tensor(first) - torch.as_tensor(second)).abs().max())
        worst[name] = math.inf if math.isnan(gap) else max(worst.get(name, 0.0), gap)

    for seed in range(int(sys.argv[1])):
        case = Case(seed)
        # one number per answer, as TRL has it; GSPO's gradient is a token's own where they differ within one (as in veRL)
        case.advantages = case.rewards.unsqueeze(-1).expand(-1, TOKENS)
        for name in LOSSES:
            for variant, (dual, coef) in VARIANTS.items():
                if dual and not name.startswith("ppo"):
                    continue
                (value, gradient), (second, others) = (
                    with_gradient(function, case, name, dual, coef) for function in (ours, theirs)
                )
                note(f"{name}{variant}/value", value, second)
                note(f"{name}{variant}/gradient", gradient, others)
        note("entropy", losses.entropy(case.logits), entropy_from_logits(case.logits))
        tokens = case.logits.argmin(-1)
        chosen = case.logits.log_softmax(-1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
        note("log_probs", chosen, selective_log_softmax(case.logits, tokens))
    print(json.dumps(worst))


main()
