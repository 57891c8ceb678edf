"""The runner's masked answers, and what is whitened of each domain by itself, beside ROLL's own functions as its pipeline calls them.

Prints one JSON object: `masks/aggregation/quantity` to the largest difference seen over random inputs, advantages, the loss and its
gradient; `masked` is the share of answers that the masks took out.
"""

import json
import sys
from math import inf
from types import SimpleNamespace

import torch
from random_case import GROUP, HIGH, LOW, SEQUENCES, TOKENS, Case
from rftconf_runner import losses
from rftconf_runner.advantage_estimation import credit, lessons_of
from rftconf_runner.answer_masks import BOUNDS, masks_of
from rftconf_runner.lessons import Sample
from rftconf_runner.sequences import counted, grid
from roll.distributed.scheduler.protocol import DataProto
from roll.utils import functionals

CLIP = 1.5
SETTINGS = {
    "length": {"max_len_mask": True},
    "difficulty": {"difficulty_mask": True, "difficulty_low_threshold": 0.1, "difficulty_high_threshold": 0.95},
    "difficulty by default": {"difficulty_mask": True},
    "wrong": {"error_max_len_clip": True, "error_max_len_threshold": 4},
    "all": {
        "max_len_mask": True, "difficulty_mask": True, "difficulty_low_threshold": 0.4, "error_max_len_clip": True, "error_max_len_threshold": 6,
    },
}  # fmt: skip
OFF = {"max_len_mask": False, "difficulty_mask": False, "error_max_len_clip": False}
MODES = ("token-mean", "seq-mean-token-mean", "seq-mean-token-sum")
BY_MEAN = {"batch": "reinforce_pp", "group": "grpo"}
"""The plan's advantage by what ROLL takes a mean over, where it takes the deviation over a batch."""
ORIGINS = ["mathematics"] * (SEQUENCES // 2) + ["questions"] * (SEQUENCES - SEQUENCES // 2)


def theirs(case, words, mean):
    """ROLL's advantages and mask, each domain by itself: a prompt of one token stands before every answer."""
    config = SimpleNamespace(
        **{**BOUNDS, **OFF, **words}, adv_estimator="reinforce", norm_mean_type=mean, norm_std_type="batch", reward_clip=CLIP, kl_penalty="kl",
        add_token_level_kl=False, actor_infer=SimpleNamespace(generating_args=SimpleNamespace(num_return_sequences=GROUP)),
    )  # fmt: skip
    parts = []
    for domain in dict.fromkeys(ORIGINS):
        own = torch.tensor([origin == domain for origin in ORIGINS])
        mask = case.mask[own]
        prompt = torch.zeros_like(mask[:, :1])
        whole = torch.cat([prompt + 1, mask], dim=-1).long()
        data = DataProto.from_dict(
            {
                "attention_mask": whole,
                "position_ids": torch.arange(whole.shape[1]).expand(len(whole), -1),
                "response_mask": torch.cat([prompt, mask], dim=-1).long(),
                "responses": torch.zeros_like(mask),
                "old_log_probs": case.old[own],
                "ref_log_probs": case.reference[own],
                "scores": case.coarse[own].half(),
                "response_level_rewards": case.rewards[own],
            }
        )
        data, _ = functionals.get_sample_level_mask(data, config)
        data, _ = functionals.reward_postprocess(data, config, {})
        data, _ = functionals.compute_token_reward(data, config, SimpleNamespace(value=0.0, update=lambda **_: None))
        final = data.batch["final_response_mask"].clone()
        data = functionals.compute_advantage(
            data=data, gamma=0.9, lambd=1.0, adv_estimator="reinforce", advantage_clip=None, whiten_advantages=True,
            response_mask=final,
        )  # fmt: skip
        parts.append((data.batch["advantages"], final))
    return torch.cat([part for part, _ in parts]).double(), torch.cat([part for _, part in parts]).double()


def their_loss(log_probs, case, advantages, mask, mode):
    """The loss of `ActorWorker.loss_func`, whose numbers of tokens and answers come from the strategy's counts."""
    ratio = (log_probs - case.old).exp()
    loss = -torch.min(ratio * advantages, ratio.clamp(1 - LOW, 1 + HIGH) * advantages)
    counts = {}
    if "batch_num_tokens" in functionals.agg_loss.__code__.co_varnames:
        counts = {
            "batch_num_tokens": mask.sum().clamp(min=1),
            "global_valid_samples": (mask > 0).any(-1).sum().clamp(min=1),
        }
    return functionals.agg_loss(loss_mat=loss, loss_mask=mask, loss_agg_mode=mode, **counts)


def ours(case, words, mean):
    """The runner's lessons."""
    lengths = case.mask.sum(-1).int().tolist()
    samples = [Sample((1,), (2,) * length, 0) for length in lengths]
    job = SimpleNamespace(
        advantage=BY_MEAN[mean], prompts=SEQUENCES // GROUP, responses=GROUP, scope="batch", ddof=1, batch_norm=True, after_norm=True,
        by_domain=True, masks=masks_of(words), response_tokens=TOKENS, gamma=0.9, lam=1.0, reward_clip=CLIP, advantage_clip=inf, whitens=True,
        kl_reward=None, kl_loss=None, correction=None,
    )  # fmt: skip
    old = [tuple(row[:length].tolist()) for row, length in zip(case.old, lengths, strict=True)]
    credited = credit(job, samples, case.rewards.tolist(), old, [], [], 0.0, (), case.coarse.tolist(), ORIGINS)
    return lessons_of(samples, credited, old, [], [])


def our_loss(log_probs, case, lessons, mode):
    """The runner's policy loss of one update that is one micro-batch."""
    counts, bounds = counted(lessons).double(), losses.Bounds(LOW, HIGH, None)
    advantages = grid([lesson.advantages for lesson in lessons], counts)
    loss = losses.POLICY["ppo"](log_probs, case.old, advantages, counts, bounds)
    return losses.aggregate(loss, counts, mode, losses.denominator(counts, mode), TOKENS)


def returned(function, *arguments):
    """Return what the function returns, or None twice where it has no variance of a single token."""
    try:
        return function(*arguments)
    except ValueError:
        return None, None


def main():
    worst, masked, refused = {}, {}, []
    for seed in range(int(sys.argv[1])):
        case = Case(seed)
        lengths = case.mask.cumsum(-1).argmax(-1) + 1
        lengths[seed % SEQUENCES] = TOKENS
        case.mask = (torch.arange(TOKENS) < lengths[:, None]).double()  # ROLL's answers have no gaps
        mean = [*BY_MEAN][seed % 2]
        for name, words in SETTINGS.items():
            (advantages, mask), lessons = returned(theirs, case, words, mean), returned(ours, case, words, mean)
            if mask is None or lessons[0] is None:  # a variance of one token: both raise
                refused += [mask is None, lessons[0] is None]
                continue
            masked[name] = masked.get(name, 0.0) + float((mask.sum(-1) == 0).double().mean()) / int(sys.argv[1])
            gaps = {"advantages": grid([lesson.advantages for lesson in lessons], mask) - advantages * case.mask}
            for mode in MODES:
                mine, other = (case.log_probs.clone().requires_grad_() for _ in range(2))
                first, second = our_loss(mine, case, lessons, mode), their_loss(other, case, advantages, mask, mode)
                first.backward()
                second.backward()
                gaps |= {f"{mode}/loss": first - second, f"{mode}/gradient": mine.grad - other.grad}
            for quantity, gap in gaps.items():
                most = float(gap.detach().abs().max())
                worst[f"{name}/{quantity}"] = max(worst.get(f"{name}/{quantity}", 0.0), most if most == most else inf)
    print(json.dumps({"differences": worst, "masked": masked, "raised alike": all(refused)}))


main()
