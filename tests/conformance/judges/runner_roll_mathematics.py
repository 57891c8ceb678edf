"""The runner's way from ROLL's rewards to advantages beside ROLL's own functions, called as its pipeline calls them.

Prints one JSON object: `estimator/clips/quantity` to the largest difference seen over random inputs.
"""

import json
import sys
from math import inf
from types import SimpleNamespace

import torch
from random_case import GROUP, SEQUENCES, Case
from rftconf_runner import after_norm, losses
from rftconf_runner.masked import whitened
from roll.distributed.scheduler.protocol import DataProto
from roll.utils import functionals

COEF = 0.3
ESTIMATORS = {
    "grpo": ("grpo", None, None, "group"),
    "grpo_mean_only": ("reinforce", "group", None, "none"),
    "reinforce": ("reinforce", None, None, "group"),
    "reinforce_pp": ("reinforce", "batch", "batch", "batch"),
    "gae": ("gae", None, None, "group"),
}
"""ROLL's estimator, its mean and its deviation, and the plan's scope, by the plan's name."""
SETTINGS = [
    {"gamma": 1.0, "lambd": 1.0, "reward_clip": 0, "advantage_clip": None, "kl": False, "whitens": False},
    {"gamma": 0.9, "lambd": 0.8, "reward_clip": 0.5, "advantage_clip": 0.4, "kl": True, "whitens": False},
    {"gamma": 1.0, "lambd": 0.95, "reward_clip": 0.8, "advantage_clip": None, "kl": True, "whitens": True},
    {"gamma": 1.0, "lambd": 1.0, "reward_clip": 0, "advantage_clip": 0.2, "kl": False, "whitens": True},
]


def theirs(case, name, setting):
    """ROLL's advantages and returns: a prompt of one token stands before every answer."""
    estimator, mean, deviation, _ = ESTIMATORS[name]
    prompt = torch.zeros_like(case.mask[:, :1])
    whole = torch.cat([prompt + 1, case.mask], dim=-1).long()
    data = DataProto.from_dict(
        {
            "attention_mask": whole,
            "position_ids": torch.arange(whole.shape[1]).expand(len(whole), -1),
            "response_mask": torch.cat([prompt, case.mask], dim=-1).long(),
            "old_log_probs": case.old,
            "ref_log_probs": case.reference,
            "response_level_rewards": case.rewards,
            "values": case.values * case.mask,
        }
    )
    config = SimpleNamespace(
        adv_estimator=estimator, norm_mean_type=mean, norm_std_type=deviation, reward_clip=setting["reward_clip"],
        kl_penalty="kl", add_token_level_kl=setting["kl"],
        actor_infer=SimpleNamespace(generating_args=SimpleNamespace(num_return_sequences=GROUP)),
    )  # fmt: skip
    control = SimpleNamespace(value=COEF, update=lambda **_: None)
    data, _ = functionals.reward_postprocess(data, config, {})
    data, _ = functionals.compute_token_reward(data, config, control)
    computed = functionals.compute_advantage(
        data=data, gamma=setting["gamma"], lambd=setting["lambd"], adv_estimator=estimator,
        advantage_clip=setting["advantage_clip"], whiten_advantages=setting["whitens"], response_mask=case.mask,
    )  # fmt: skip
    return computed.batch["advantages"], computed.batch["returns"]


def ours(case, name, setting):
    """The runner's."""
    *_, scope = ESTIMATORS[name]
    job = SimpleNamespace(
        advantage=name, prompts=SEQUENCES // GROUP, responses=GROUP, scope=scope, ddof=1, batch_norm=scope == "batch",
        gamma=setting["gamma"], lam=setting["lambd"], reward_clip=setting["reward_clip"] or inf,
    )  # fmt: skip
    gaps = losses.kl(case.old, case.reference, "k1") * case.mask
    penalties = COEF * gaps if setting["kl"] else torch.zeros_like(gaps)
    estimated, returns = after_norm.estimated(
        job, case.rewards, penalties, case.values * case.mask, case.mask, [torch.arange(SEQUENCES)]
    )
    if setting["whitens"]:
        estimated = whitened(estimated, case.mask) * case.mask
    most = inf if setting["advantage_clip"] is None else setting["advantage_clip"]
    return estimated.clamp(-most, most), returns * case.mask


def main():
    worst = {}
    for seed in range(int(sys.argv[1])):
        case = Case(seed)
        lengths = case.mask.cumsum(-1).argmax(-1) + 1
        case.mask = (torch.arange(case.mask.shape[1]) < lengths[:, None]).double()  # ROLL's answers have no gaps
        for name in ESTIMATORS:
            for number, setting in enumerate(SETTINGS):
                for quantity, mine, other in zip(
                    ("advantages", "returns"), ours(case, name, setting), theirs(case, name, setting), strict=True
                ):
                    gap = float((mine - other.double() * case.mask).abs().max())
                    key = f"{name}/{number}/{quantity}"
                    worst[key] = max(worst.get(key, 0.0), gap if gap == gap else float("inf"))
    print(json.dumps(worst))


main()
