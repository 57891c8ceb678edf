"""The runner's losses and advantages beside Trinity's own functions: value and gradient.

Prints one JSON object: `function/what` to the largest difference seen over random inputs.
"""

import json
import sys
from unittest.mock import MagicMock

import torch
from random_case import GROUP, Case
from rftconf_runner import advantages, losses
from rftconf_runner.aggregations import REC_WORDS

# ruff: noqa: E402
sys.modules |= {name: MagicMock() for name in ("vllm", "vllm.lora", "vllm.lora.request")}  # 0.3.3 imports it for a type
from trinity.algorithm.advantage_fn.rec_advantage import RECGroupedAdvantage
from trinity.algorithm.advantage_fn.reinforce_advantage import REINFORCEGroupAdvantage
from trinity.algorithm.policy_loss_fn.opmd_policy_loss import OPMDPolicyLossFn
from trinity.algorithm.policy_loss_fn.rec_policy_loss import RECPolicyLossFn
from trinity.algorithm.policy_loss_fn.sppo_loss_fn import sPPOPolicyLossFn
from trinity.algorithm.policy_loss_fn.topr_policy_loss import TOPRPolicyLossFn
from trinity.common.experience import Experience

NUMBERS = {"epsilon_low": 0.15, "epsilon_high": 0.3, "regularizer_coef": 0.4, "temp": 1.7}
CASES = {
    "opmd": (OPMDPolicyLossFn, [{}, {"tau": 0.3}]),
    "topr": (TOPRPolicyLossFn, [{}, {"advantage_threshold": 0.4}]),
    "sppo": (sPPOPolicyLossFn, [{}, {"epsilon": 0.1}]),
    "rec": (
        RECPolicyLossFn,
        [{}] + [{**NUMBERS, "clip_mode": c, "weight": w, "regularizer": r}
                for c in REC_WORDS["clip_mode"] for w in REC_WORDS["weight"] for r in REC_WORDS["regularizer"]],
    ),
}  # fmt: skip


def losses_of(case):
    """Value and gradient of each loss with each choice of arguments, the runner's and Trinity's."""
    for name, (kind, choices) in CASES.items():
        for number, words in enumerate(choices):
            pair = []
            for is_own in (True, False):
                leaf = case.log_probs.clone().requires_grad_()
                if is_own:
                    args = (leaf, case.old, case.advantages, case.mask)
                    loss = losses.POLICY[name](*args, losses.Bounds(0.2, 0.2, None, words))
                    whole = losses.denominator(case.mask, "token-mean")
                    loss = losses.aggregate(loss, case.mask, "token-mean", whole, case.mask.shape[-1])
                else:
                    arguments = {"old_logprob": case.old, "action_mask": case.mask, "advantages": case.advantages}
                    loss = kind(**words)(logprob=leaf, **arguments)[0]
                loss.backward()
                pair.append((loss.detach(), leaf.grad))
            (value, slope), (second, other_slope) = pair
            yield f"{name}/value/{number}", value, second
            yield f"{name}/gradient/{number}", slope, other_slope


def advantages_of(case):
    """Compare the advantages of each group of answers to a prompt."""
    for name, function, own in (
        ("reinforce", REINFORCEGroupAdvantage(), case.rewards),
        ("rec", RECGroupedAdvantage(), advantages.group_relative(case.rewards, case.groups, "none")),
    ):
        result = []
        for first in range(0, len(case.rewards), GROUP):
            answers = [experience(case, index) for index in range(first, first + GROUP)]
            result += [rows.advantages for rows in function.calculate_group_advantage("", answers)[0]]
        yield f"{name}/advantage", advantages.spread(own, case.mask), torch.stack(result).double()


def experience(case, position):
    tokens = torch.arange(case.mask.shape[-1] + 1)
    result = Experience(tokens=tokens, prompt_length=1, reward=float(case.rewards[position]), eid={"task": 0})
    result.action_mask = case.mask[position].bool()
    return result


def main():
    worst = {}
    for seed in range(int(sys.argv[1])):
        case = Case(seed)
        for name, first, second in (*losses_of(case), *advantages_of(case)):
            gap = float((first - second).abs().max())
            worst[name] = max(worst.get(name, 0.0), gap if gap == gap else float("inf"))
    print(json.dumps(worst))


main()
