"""The runner's losses against the engine's log-probs beside veRL's own loss of its bypass mode, in value and gradient.

Prints one JSON object: the case to the largest difference seen over random inputs. Runs in the judges' environment.
"""

import json
import sys

import torch
from omegaconf import OmegaConf
from random_case import DUAL, HIGH, LOW, Case
from rftconf_runner import losses
from rftconf_runner.corrections import by_mean, importance, near_engine, sum_and_count
from rftconf_runner.job import Correction
from rftconf_runner.rejections import rejections_of
from verl.trainer.ppo import core_algos
from verl.workers.config import ActorConfig, PolicyLossConfig

LIKELIHOOD = {"loss_type": "reinforce"}
CASES = {
    "clipped": {},
    "clipped, weights ignored": {"rollout_is": "token", "rollout_is_threshold": 1.2},
    "clipped, two rejections": {"rollout_rs": "token_k1,seq_max_k2", "rollout_rs_threshold": "0.6_1.6,0.4"},
    "clipped, one bound": {"rollout_rs": "token_k1", "rollout_rs_threshold": 1.4},
    "clipped, tokens k2": {"rollout_rs": "token_k2", "rollout_rs_threshold": "0.1"},
    "clipped, tokens k3": {"rollout_rs": "token_k3", "rollout_rs_threshold": 0.1},
    "clipped, sums": {"rollout_rs": "seq_sum_k1,seq_sum_k2,seq_sum_k3", "rollout_rs_threshold": "0.2_5,2.5,2.5"},
    "clipped, means": {"rollout_rs": "seq_mean_k1,seq_mean_k2,seq_mean_k3", "rollout_rs_threshold": "0.8_1.3,0.2,0.2"},
    "clipped, largest": {"rollout_rs": "seq_max_k3", "rollout_rs_threshold": 0.5},
    "likelihood": LIKELIHOOD,
    "likelihood, tokens": {**LIKELIHOOD, "rollout_is": "token", "rollout_is_threshold": 1.2},
    "likelihood, answers": {**LIKELIHOOD, "rollout_is": "sequence", "rollout_is_threshold": 1.5},
    "likelihood, tokens, mean": {**LIKELIHOOD, "rollout_is": "token", "rollout_is_threshold": 1.2, "rollout_is_batch_normalize": True},
    "likelihood, answers, mean": {
        **LIKELIHOOD, "rollout_is": "sequence", "rollout_is_threshold": 1.5, "rollout_is_batch_normalize": True,
    },
    "likelihood, rejected": {
        **LIKELIHOOD, "rollout_is": "token", "rollout_is_threshold": 1.2, "rollout_rs": "seq_mean_k1", "rollout_rs_threshold": "0.8_1.3",
    },
}  # fmt: skip


def ours(block, log_probs, case):
    """The update's loss, as a rank of the policy makes it of two micro-batches."""
    m, how, own = case.mask, "gpg" if block.get("loss_type") else "ppo", log_probs.detach()
    correction, mean = None, torch.ones(())
    if how == "gpg" and block.get("rollout_is"):
        correction = Correction(block["rollout_is"], block["rollout_is_threshold"], 0.0, normalize=False, now=True)
        if block.get("rollout_is_batch_normalize"):
            added, count = sum_and_count(importance(own, case.old, m, correction), m, correction.level)
            mean = added / count
    whole, parts = losses.denominator(m, "token-mean"), []
    for part in (slice(0, 7), slice(7, len(m))):
        bounds = losses.Bounds(LOW, HIGH, DUAL)
        loss = losses.POLICY[how](log_probs[part], case.old[part], case.advantages[part], m[part], bounds)
        if correction:
            loss = loss * by_mean(importance(own[part], case.old[part], m[part], correction), mean)
        loss = loss * near_engine(own[part], case.old[part], m[part], rejections_of(block))
        parts.append(losses.aggregate(loss, m[part], "token-mean", whole, m.shape[-1]))
    return sum(parts)


def verls(block, log_probs, case):
    config = ActorConfig(
        strategy="fsdp", rollout_n=4, clip_ratio_low=LOW, clip_ratio_high=HIGH, clip_ratio_c=DUAL, loss_agg_mode="token-mean",
        ppo_micro_batch_size_per_gpu=1, policy_loss=PolicyLossConfig(loss_mode="bypass_mode", rollout_correction=OmegaConf.create(block)),
    )  # fmt: skip
    config.global_batch_info.update(dp_size=1, batch_num_tokens=case.mask.sum(), global_batch_size=len(case.mask))
    policy = core_algos.get_policy_loss_fn("bypass_mode")
    return policy(case.old, log_probs, case.advantages, case.mask, loss_agg_mode="token-mean", config=config)[0]


def main():
    worst, taken = {}, {}
    for seed in range(int(sys.argv[1])):
        case = Case(seed)
        for name, block in CASES.items():
            first, second = (case.log_probs.clone().requires_grad_() for _ in range(2))
            mine, theirs = ours(block, first, case), verls(block, second, case)
            mine.backward()
            theirs.backward()
            gaps = ((mine - theirs).abs(), (first.grad - second.grad).abs().max())
            worst[name] = max(worst.get(name, 0.0), *map(float, gaps))
            if block.get("rollout_rs"):
                near = near_engine(case.log_probs, case.old, case.mask, rejections_of(block)) * case.mask
                taken[name] = taken.get(name, 0.0) + float(1 - near.sum() / case.mask.sum()) / int(sys.argv[1])
    print(json.dumps({"differences": worst, "taken": taken}))


main()
