"""veRL's own functions, called on one period under a config (veRL 0.8 on, whose losses are functions).

Advantages by `apply_kl_penalty` and `compute_advantage` of the trainer, losses by `ppo_loss` and `value_loss` of the
workers, the schedule by the FSDP engine. A loss is asked for a whole mini-batch at once.
"""

import types

import torch
import verl_batches
from period import FOLLOWS_TEACHER, NO_ADVANTAGES, TOTAL_UPDATES, Period, optimizer_of, rates, taught
from verl_dataclasses import needs_critic
from verl_paths import detached


def measure(config, seeds, progress):
    """`{"advantages", "returns", "actor_loss", "actor_gradient", ...}` of each seed."""
    progress.stage = "mathematics"
    from verl.utils.config import omega_conf_to_dataclass

    assert not config.trainer.get("val_only"), NO_ADVANTAGES
    assert not (config.get("distillation") or {}).get("enabled"), FOLLOWS_TEACHER
    actor = omega_conf_to_dataclass(detached(config.actor_rollout_ref.actor))
    critic = omega_conf_to_dataclass(detached(config.critic)) if needs_critic(config) else None
    algorithm = omega_conf_to_dataclass(detached(config.algorithm))
    periods = [Period(seed, config.actor_rollout_ref.rollout.n, critic is not None) for seed in seeds]
    return [
        advantages(period, config, algorithm)
        | policy_update(period, actor)
        | (critic_update(period, critic) if critic is not None else {})
        | schedule(actor)
        | verl_batches.updates(config)
        for period in periods
    ]


def advantages(period, config, algorithm):
    """Compute advantages and returns from scores, as the trainer does before the first update."""
    from verl.trainer.ppo import core_algos, ray_trainer

    data = trainer_batch(period)
    if config.algorithm.use_kl_in_reward:
        controller = core_algos.get_kl_controller(config.algorithm.kl_ctrl)
        data, _ = ray_trainer.apply_kl_penalty(data, controller, config.algorithm.kl_penalty)
    result = ray_trainer.compute_advantage(
        data,
        adv_estimator=config.algorithm.adv_estimator,
        gamma=config.algorithm.gamma,
        lam=config.algorithm.lam,
        num_repeat=config.actor_rollout_ref.rollout.n,
        norm_adv_by_std_in_grpo=config.algorithm.get("norm_adv_by_std_in_grpo", True),
        config=algorithm,
    ).batch
    return {
        "advantages": (result["advantages"] * period.mask).tolist(),
        "returns": (result["returns"] * period.mask).tolist(),
    }


def trainer_batch(period):
    """The period as the trainer holds it between rollout and update."""
    import numpy as np
    from verl import DataProto

    whole = torch.cat([torch.ones_like(period.mask[:, :1]), period.mask], dim=-1)
    return DataProto.from_dict(
        {
            "responses": torch.zeros_like(period.mask, dtype=torch.long),
            "attention_mask": whole,
            "token_level_scores": period.last,
            "token_level_rewards": period.last,
            "response_mask": period.mask,
            "old_log_probs": period.old,
            "ref_log_prob": period.reference,
            "values": period.values,
            "reward_baselines": period.greedy,
            "teacher_logprobs": period.teacher,
        },
        {"uid": np.array([str(group) for group in period.groups.tolist()], dtype=object)},
    )


def policy_update(period, actor):
    """The actor's loss and what it teaches."""
    from verl.workers.utils import losses

    losses.no_padding_2_padding = lambda tensor, data: tensor
    leaf = period.update()
    loss, _ = losses.ppo_loss(actor, {"log_probs": leaf, "entropy": period.entropies}, mini_batch(period))
    value, gradient = taught(loss, leaf)
    return {"actor_loss": value, "actor_gradient": gradient}


def critic_update(period, critic):
    """The critic's loss and what it teaches."""
    from verl.workers.utils import losses

    losses.no_padding_2_padding = lambda tensor, data: tensor
    leaf = (period.values + 0.3).requires_grad_()
    loss, _ = losses.value_loss(critic, {"values": leaf}, mini_batch(period))
    value, gradient = taught(loss, leaf)
    return {"critic_loss": value, "critic_gradient": gradient}


def mini_batch(period):
    """One mini-batch as a worker holds it: no padding to take out, one rank, totals of the whole update."""
    from tensordict import TensorDict

    data = TensorDict(
        {
            "response_mask": period.mask,
            "old_log_probs": period.old,
            "advantages": period.advantages,
            "ref_log_prob": period.reference,
            "values": period.values,
            "returns": period.returns,
            "teacher_logprobs": period.teacher,
        },
        batch_size=[len(period.rewards)],
    )
    from verl.utils import tensordict_utils

    tensordict_utils.assign_non_tensor(
        data,
        dp_size=1,
        batch_num_tokens=float(period.mask.sum()),
        global_batch_size=len(period.rewards),
    )
    return data


def schedule(actor):
    """The learning rate of each update, by FSDP's own engine; Megatron's needs Megatron."""
    if actor.strategy not in ("fsdp", "fsdp2"):
        return {}
    from verl.workers.engine.fsdp.transformer_impl import FSDPEngine

    optim = types.SimpleNamespace(**{name: getattr(actor.optim, name) for name in vars(actor.optim)})
    optim.total_training_steps = TOTAL_UPDATES
    optimizer = optimizer_of(optim.lr)
    engine = types.SimpleNamespace(optimizer_config=optim, rank=1)
    return {"learning_rates": rates(FSDPEngine._build_lr_scheduler(engine, optimizer), optimizer)}
