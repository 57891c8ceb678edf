"""The runner's losses of ROLL's variants beside the methods of its `ActorPGWorker`, in value and gradient, on random tensors.

Prints one JSON object: `family/quantity` to the largest difference seen.
"""

import importlib.util
import json
import logging
import sys
import types
from math import inf
from types import SimpleNamespace

import torch
from random_case import HIGH, LOW, Case
from rftconf_runner import losses
from roll.utils import functionals

logging.disable(logging.CRITICAL)
ROOT = importlib.util.find_spec("roll").submodule_search_locations[0]
WEIGHTS = {"topr_positive_weight": 0.7, "topr_negative_weight": 1.5}
PG_CLIP = 0.2


def pg_worker():
    """The class, without what starts processes and loads models."""
    parent = sys.modules["roll.pipeline.rlvr.actor_worker"] = types.ModuleType("actor_worker")
    base = sys.modules["roll.pipeline.base_worker"] = types.ModuleType("base_worker")
    parent.ActorWorker = base.ActorWorker = object
    corrections = sys.modules["roll.utils.train_infer_corrections"] = types.ModuleType("train_infer_corrections")
    corrections.compute_train_infer_correction = None
    spec = importlib.util.spec_from_file_location("actor_pg_worker", f"{ROOT}/pipeline/rlvr/actor_pg_worker.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    worker = object.__new__(module.ActorPGWorker)
    worker._pg_config_cache, worker._cached_metrics, worker.logger = {}, {}, logging.getLogger()
    worker._topr_sample_logged = worker._cispo_config_logged = worker._kimi15_config_logged = True
    worker.pipeline_config = SimpleNamespace(
        pg_clip=PG_CLIP, pg_clip_low=LOW, pg_clip_high=HIGH, use_pg_clip_range=True, dual_clip_loss=True,
        actor_train=SimpleNamespace(**WEIGHTS),
    )  # fmt: skip
    return worker


def variants(worker, case, log_probs):
    """ROLL's loss of each token by the plan's name of the family."""
    ratio, data = (log_probs - case.old).exp(), SimpleNamespace(batch={"scores": case.coarse})
    counts = {"final_response_mask": case.mask.sum()}
    clipped = [ratio, case.advantages, case.mask, counts, counts]
    arguments = worker._compute_ppo_loss.__code__.co_varnames[1 : worker._compute_ppo_loss.__code__.co_argcount]
    return {
        "topr_by_reward": worker._compute_topr_loss(ratio, log_probs, case.old, case.advantages, data),
        "tis": worker._compute_tis_loss(ratio, log_probs, case.old, case.advantages, data),
        "kimi15": worker._compute_kimi15_loss(ratio, log_probs, case.old, case.advantages),
        "cispo": worker._compute_cispo_loss(ratio, log_probs, case.advantages),
        "gpg": worker._compute_vanilla_pg_loss(ratio, log_probs, case.advantages),
        "ppo": worker._compute_ppo_loss(*clipped[: len(arguments)]),
        "gspo": of_sequences(case, log_probs),
    }


def of_sequences(case, log_probs):
    """The loss of `ActorWorker.loss_func` where `importance_sampling` is seq: one ratio of all the answer's tokens."""
    advantages = level(case)
    mean = functionals.masked_mean(log_probs - case.old, case.mask, dim=-1)
    ratio = mean.exp().unsqueeze(-1).expand_as(log_probs)
    loss = -torch.min(ratio * advantages, ratio.clamp(1 - LOW, 1 + HIGH) * advantages)
    bounded = -torch.max(-loss, (1 + PG_CLIP * 2) * advantages)
    return torch.where(advantages < 0, bounded, loss)


def level(case):
    """Advantages that are the same for all tokens of an answer, some of them so bad that the second bound acts."""
    return case.advantages[:, :1].expand_as(case.advantages) * case.mask


def main():
    worker, worst = pg_worker(), {}
    for seed in range(int(sys.argv[1])):
        case = Case(seed)
        theirs = case.log_probs.clone().requires_grad_()
        for family, loss in variants(worker, case, theirs).items():
            mine = case.log_probs.clone().requires_grad_()
            low, high = (0.1, 0.1) if family == "cispo" else (LOW, HIGH)
            bounds = losses.Bounds(low, high, 1 + 2 * PG_CLIP, WEIGHTS, case.coarse.unsqueeze(-1))
            advantages = level(case) if family == "gspo" else case.advantages
            own = losses.POLICY[family](mine, case.old, advantages, case.mask, bounds)
            (own * case.mask).sum().backward()
            (gradient,) = torch.autograd.grad((loss * case.mask).sum(), theirs, retain_graph=True)
            for quantity, gap in (("loss", (own - loss) * case.mask), ("gradient", mine.grad - gradient)):
                most = float(gap.detach().abs().max())
                worst[f"{family}/{quantity}"] = max(
                    worst.get(f"{family}/{quantity}", 0.0), most if most == most else inf
                )
    print(json.dumps(worst))


main()
