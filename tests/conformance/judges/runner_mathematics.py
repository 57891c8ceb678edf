"""The runner's advantages and losses beside veRL's own functions and beside plain loops in float64.

Prints one JSON object: `function/peer` to the largest difference seen over random inputs. Runs in the judges' environment.
"""

import asyncio
import json
import math
import random
import sys
from types import SimpleNamespace

import numpy as np
import torch
from omegaconf import OmegaConf
from random_case import DUAL, GROUP, HIGH, LOW, Case
from reference_mathematics import REFERENCES
from rftconf_runner import advantages, losses
from rftconf_runner.aggregations import OF_SEQUENCES
from rftconf_runner.corrections import importance
from rftconf_runner.dapo import overlong_penalty, varies
from rftconf_runner.job import Correction, Shaping
from rftconf_runner.likelihood import collisions
from rftconf_runner.masked import whitened
from verl import DataProto
from verl.experimental.reward_loop.reward_manager.dapo import DAPORewardManager
from verl.trainer.ppo import core_algos
from verl.trainer.ppo.rollout_corr_helper import compute_rollout_correction_weights
from verl.utils.torch_functional import calculate_sum_pi_squared_from_logits, entropy_from_logits
from verl.workers.config import ActorConfig, PolicyLossConfig

MODES = {
    # the plan's word: veRL's name for it, of the installed release
    "token-mean": "token-mean",
    "token-sum": "token-sum",
    "seq-mean-token-mean": "seq-mean-token-mean",
    "seq-mean-token-sum": "seq-mean-token-sum",
    "seq-mean-sum-over-len": "seq-mean-token-sum-norm",
    "sum-over-len": None,
}


CORRECTIONS = {
    "token": Correction("token", 1.2, 0.0, normalize=False),
    "token_normal": Correction("token", 1.2, 0.0, normalize=True),
    "token_inside": Correction("token", 1.5, 0.6, normalize=False),
    "sequence": Correction("sequence", 1.5, 0.0, normalize=False),
    "sequence_normal": Correction("sequence", 1.5, 0.0, normalize=True),
}
FAMILIES = {
    "ppo": "vanilla", **{name: name for name in ("gspo", "cispo", "geo_mean", "gpg", "sapo", "dppo_tv", "dppo_kl", "dro")},
}  # fmt: skip
"""The plan's word for a policy loss, and veRL's."""
ONE_MODE = {**OF_SEQUENCES, "sapo": "seq-mean-token-mean"}
"""The mean that veRL takes of these losses, whatever its config says."""
NOT_SUMMED = {"value", "dppo_tv", "dppo_kl", "dro"}
"""Losses that no release divides by a length: the critic's, and those that are younger than that meaning."""
OWN = {"tau_pos": 1.0, "tau_neg": 1.05, "dro_beta": 0.7}
BOUNDS = losses.Bounds(LOW, HIGH, DUAL, OWN)
MICRO_BATCHES = (slice(0, 5), slice(5, 9), slice(9, 12))
SCOPES = {"micro_batch_sum": (1, 1, 1), "micro_batch_mean": (), "micro_batch_alike": (1 / 3, 1 / 3, 1 / 3)}
"""How much each micro-batch's mean counts; nothing: by its share of the sequences, as dp_actor scales a dynamic batch."""
SHAPING = Shaping(buffer=4.0, longest=10.0, factor=0.7)
LENGTHS = range(1, 12)


def overlong(tokens):
    """What veRL's DAPO manager takes from a reward of 0 for an answer of so many tokens."""
    manager = object.__new__(DAPORewardManager)
    buffer = OmegaConf.create({"enable": True, "len": 4, "penalty_factor": SHAPING.factor, "log": False})
    manager.overlong_buffer_cfg, manager.max_resp_len = buffer, 10
    manager.compute_score, manager.is_async_reward_score = lambda **_: 0.0, False
    manager.reward_router_address = manager.reward_model_tokenizer = None
    manager.tokenizer = SimpleNamespace(decode=lambda *_, **__: "")
    tensors = {"responses": torch.ones(1, 12), "attention_mask": (torch.arange(12) < tokens).long()[None]}
    rows = {
        "data_source": np.array([""]),
        "reward_model": np.array([{"ground_truth": ""}]),
        "extra_info": np.array([{}]),
    }

    async def asked():
        manager.loop = asyncio.get_running_loop()
        return await manager.run_single(DataProto.from_dict(tensors, rows))

    return float(asyncio.run(asked())["reward_score"])


def actor(mode):
    return ActorConfig(
        strategy="fsdp",
        rollout_n=GROUP,
        clip_ratio_low=LOW,
        clip_ratio_high=HIGH,
        clip_ratio_c=DUAL,
        loss_agg_mode=mode,
        ppo_micro_batch_size_per_gpu=1,
        tau_pos=OWN["tau_pos"],
        tau_neg=OWN["tau_neg"],
        policy_loss=PolicyLossConfig(dro_beta=OWN["dro_beta"]),
    )


def ours(case):
    """Every function of the runner, by name."""
    a, m = advantages, case.mask
    result = {
        "grpo": a.spread(a.group_relative(case.rewards, case.groups), m),
        "grpo_mean_only": a.spread(a.group_relative(case.rewards, case.groups, "none"), m),
        "grpo_population": a.spread(a.group_relative(case.rewards, case.groups, "group", 0), m),
        "rloo": a.spread(a.leave_one_out(case.rewards, case.groups), m),
        "opo": a.spread(a.length_weighted(case.rewards, m.sum(-1), case.groups), m),
        "remax": a.less_baseline(case.last, case.coarse, m),
        "reinforce_pp": whitened(a.reinforce(case.last, m, 0.9), m) * m,
        "reinforce_pp_baseline": whitened(a.reinforce_baseline(case.rewards, case.groups, m), m) * m,
        "gae": whitened(a.generalized(case.last, case.values, m, 0.95, 0.9)[0], m) * m,
        "gae_returns": a.generalized(case.last, case.values, m, 0.95, 0.9)[1] * m,
        "gpg": a.spread(a.amplified(case.coarse + case.rewards * case.coarse, case.groups), m),
    }
    squares = case.logits.softmax(-1).square().sum(-1)
    result["token_baseline"], result["token_baseline_returns"] = a.token_baseline(
        case.last, m, case.groups, case.log_probs, squares
    )
    result["collisions"] = collisions(case.logits, 0.7)
    result |= {
        f"importance/{name}": importance(case.log_probs, case.old, m, correction)
        for name, correction in CORRECTIONS.items()
    }
    result["entropy"] = losses.entropy(case.logits)
    result["overlong"] = torch.tensor([overlong_penalty(tokens, SHAPING) for tokens in LENGTHS], dtype=torch.float64)
    groups = case.coarse.view(-1, GROUP).tolist()
    result["varies"] = torch.tensor([float(varies(group)) for group in groups])
    for estimator in ("k1", "abs", "k2", "k3", "k3_clamped"):
        result[f"kl_{estimator}"] = losses.kl(case.log_probs, case.reference, estimator)
    return result | our_losses(case)


def our_losses(case):
    """Losses of every family and aggregation, whole and cut, and means over micro-batches."""
    m, result = case.mask, {}
    for scope in SCOPES:
        result[f"scope/{scope}"] = sum(
            losses.aggregate(
                case.advantages[part],
                m[part],
                "token-mean",
                losses.divisor(
                    scope, losses.denominator(m[part], "token-mean"), 1, len(m) / len(m[part]), len(MICRO_BATCHES)
                ),
                m.shape[-1],
            )
            for part in MICRO_BATCHES
        )
    for mode in MODES:
        whole = losses.denominator(m, mode)
        args = (case.log_probs, case.old, case.advantages)
        per_token = {
            **{family: losses.POLICY[family](*args, m, BOUNDS) for family in FAMILIES},
            "value": losses.value(case.values, case.old, case.returns, 0.2),
        }
        for name, loss in per_token.items():
            if name in NOT_SUMMED and mode == "sum-over-len":
                continue
            if ONE_MODE.get(name, mode) != mode:
                continue
            result[f"{name}/{mode}"] = losses.aggregate(loss, m, mode, whole, m.shape[-1])
            halves = [losses.aggregate(loss[i::2], m[i::2], mode, whole, m.shape[-1]) for i in (0, 1)]
            result[f"{name}/{mode}/cut"] = sum(halves)
    return result


def at_last(rewards, mask):
    """Each sequence's reward on its last token that counts."""
    result = torch.zeros_like(mask)
    last = mask.shape[-1] - 1 - mask.flip(-1).argmax(-1)
    result[torch.arange(len(mask)), last] = rewards
    return result


def verls_advantages(case):
    """veRL's, and a critic's returns."""
    index, m, c = case.groups.numpy(), case.mask, core_algos
    outcome = {"token_level_rewards": case.last, "response_mask": m, "index": index}
    result = {
        "opo": c.compute_opo_outcome_advantage(**outcome)[0],
        "remax": c.compute_remax_outcome_advantage(case.last, case.coarse, m)[0],
        "grpo": c.compute_grpo_outcome_advantage(**outcome)[0],
        "grpo_mean_only": c.compute_grpo_outcome_advantage(**outcome, norm_adv_by_std_in_grpo=False)[0],
        "rloo": c.compute_rloo_outcome_advantage(**outcome)[0],
        "reinforce_pp": c.compute_reinforce_plus_plus_outcome_advantage(
            case.last, m, config=SimpleNamespace(gamma=0.9)
        )[0],
        "reinforce_pp_baseline": c.compute_reinforce_plus_plus_baseline_outcome_advantage(**outcome)[0],
    }
    result["gpg"] = c.compute_gpg_outcome_advantage(at_last(case.coarse + case.rewards * case.coarse, m), m, index)[0]
    squares = case.logits.softmax(-1).square().sum(-1)
    more = {"old_log_probs": case.log_probs, "sum_pi_squared": squares}
    both = c.compute_optimal_token_baseline_advantage(**outcome, **more)
    result["token_baseline"], result["token_baseline_returns"] = both
    result["collisions"] = calculate_sum_pi_squared_from_logits(case.logits / 0.7)
    gae = c.compute_gae_advantage_return(case.last, case.values, m, 0.95, 0.9)
    return result | {"gae": gae[0] * m, "gae_returns": gae[1] * m}


def verls(case):
    """veRL's counterparts; those that it lacks are left out."""
    m, c, result = case.mask, core_algos, verls_advantages(case)
    for name, entry in CORRECTIONS.items():
        bound = f"{entry.lower}_{entry.upper}" if entry.lower else entry.upper
        gap = case.log_probs - case.old
        result[f"importance/{name}"] = compute_rollout_correction_weights(gap, m, entry.level, bound, entry.normalize)[
            0
        ]
    result["entropy"] = entropy_from_logits(case.logits)
    result["overlong"] = torch.tensor([overlong(tokens) for tokens in LENGTHS])
    for ours_, theirs in (("k1", "k1"), ("abs", "abs"), ("k2", "k2"), ("k3_clamped", "k3")):
        result[f"kl_{ours_}"] = c.kl_penalty_forward(case.log_probs, case.reference, theirs)
    means = [c.agg_loss(case.advantages[part], m[part], "token-mean") for part in MICRO_BATCHES]
    shares = [len(m[part]) / len(m) for part in MICRO_BATCHES]
    for scope, weights in SCOPES.items():
        result[f"scope/{scope}"] = sum(a * b for a, b in zip(means, weights or shares, strict=True))
    for mode, theirs in MODES.items():
        if theirs is None:
            continue
        args = (case.old, case.log_probs, case.advantages, m)
        for name, mode_name in FAMILIES.items():
            if ONE_MODE.get(name, mode) != mode:
                continue
            policy = c.get_policy_loss_fn(mode_name)(*args, loss_agg_mode=theirs, config=actor(theirs))[0]
            result |= {f"{name}/{mode}": policy, f"{name}/{mode}/cut": policy}
        critic = c.compute_value_loss(case.values, case.returns, case.old, m, 0.2, theirs)[0]
        result |= {f"value/{mode}": critic, f"value/{mode}/cut": critic}
    return result


def gradients(case):
    """The gradient with respect to log-probs: what a loss teaches, which two equal values can hide."""
    result = []
    for name, mode_name in FAMILIES.items():
        leaf, how = case.log_probs.clone().requires_grad_(), ONE_MODE.get(name, "token-mean")
        loss = losses.POLICY[name](leaf, case.old, case.advantages, case.mask, BOUNDS)
        whole = losses.denominator(case.mask, how)
        losses.aggregate(loss, case.mask, how, whole, case.mask.shape[-1]).backward()
        second = case.log_probs.clone().requires_grad_()
        args = (case.old, second, case.advantages, case.mask)
        core_algos.get_policy_loss_fn(mode_name)(*args, loss_agg_mode="token-mean", config=actor("token-mean"))[
            0
        ].backward()
        result.append((f"{name}/gradient", leaf.grad, second.grad))
    return result


def difference(first, second):
    return float((torch.as_tensor(first) - torch.as_tensor(second)).abs().max())


def main():
    worst = {}

    def note(name, first, second):
        gap = difference(first, second)
        worst[name] = math.inf if math.isnan(gap) else max(worst.get(name, 0.0), gap)

    for seed in range(int(sys.argv[1])):
        random.seed(seed)
        np.random.seed(seed)
        case = Case(seed)
        mine, theirs = ours(case), verls(case)
        for name, value in theirs.items():
            note(f"{name}/verl", mine[name], value)
        for name, function in REFERENCES.items():
            note(f"{name}/reference", mine[name], torch.tensor(function(case), dtype=torch.float64))
        for name, first, second in gradients(case):
            note(f"{name}/verl", first, second)
    print(json.dumps({"differences": worst, "functions": sorted(mine)}))


main()
