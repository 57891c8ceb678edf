"""ROLL's own functions, called on one period under a config of its RLVR pipeline.

Advantages by the functions that the pipeline calls one after another, losses by `loss_func` of the worker classes that
the config names, the schedule as the FSDP2 strategy asks Transformers for it.
"""

import importlib
import types

import roll_batches
import torch
from period import FOLLOWS_TEACHER, GROUP, NO_ADVANTAGES, TOTAL_UPDATES, Period, optimizer_of, rates, taught


def measure(config, seeds, progress):
    """`{"advantages", "returns", "actor_loss", "actor_gradient", ...}` of each seed."""
    progress.stage = "mathematics"
    assert hasattr(config, "adv_estimator"), NO_ADVANTAGES
    assert config.max_steps, NO_ADVANTAGES
    assert hasattr(config, "max_len_mask"), "agents have functions of their own"
    assert not getattr(config, "is_pure_opd", False), FOLLOWS_TEACHER
    generating = config.actor_infer.generating_args
    answers = generating.num_return_sequences
    cut = roll_batches.updates(config, answers)
    generating.num_return_sequences = min(answers, GROUP)  # rewards are folded by it
    has_critic = config.adv_estimator == "gae"
    periods = [Period(seed, answers, has_critic) for seed in seeds]
    return [
        advantages(period, config)
        | policy_update(period, config)
        | (critic_update(period, config) if has_critic else {})
        | schedule(config.actor_train)
        | cut
        for period in periods
    ]


def batch(period, **more):
    """The period as ROLL holds it: a prompt of one token before every answer, masks over both."""
    from roll.distributed.scheduler.protocol import DataProto

    prompt = torch.zeros_like(period.mask[:, :1])
    tokens = period.mask.shape[-1] + 1
    whole = torch.cat([prompt + 1, period.mask], dim=-1).long()
    tensors = {
        "input_ids": torch.zeros_like(whole),
        "responses": torch.zeros_like(whole[:, 1:]),
        "attention_mask": whole,
        "position_ids": torch.arange(tokens).expand(len(whole), tokens),
        "response_mask": torch.cat([prompt, period.mask], dim=-1).long(),
        "old_log_probs": period.old,
        "ref_log_probs": period.reference,
        "response_level_rewards": period.rewards,
        "scores": period.rewards,
        "values": period.values,
        "infer_logprobs": period.old,
        **more,
    }
    return DataProto.from_dict(tensors)


def advantages(period, config):
    """Compute advantages and returns from rewards, as RLVRPipeline.run does before the first update."""
    from roll.utils import functionals
    from roll.utils.kl_controller import get_kl_controller

    controller = get_kl_controller(
        init_kl_coef=config.init_kl_coef, target_kl=config.target_kl, kl_horizon=config.kl_horizon
    )
    data, _ = functionals.get_sample_level_mask(batch(period), config)
    running = {"domain": functionals.RunningMoments()}
    data, _ = functionals.reward_postprocess(data, config, running)
    data, _ = functionals.compute_token_reward(data, config, controller)
    result = functionals.compute_advantage(
        data=data,
        gamma=config.gamma,
        lambd=config.lambd,
        adv_estimator=config.adv_estimator,
        advantage_clip=config.advantage_clip,
        whiten_advantages=config.whiten_advantages,
        whiten_rewards=config.whiten_rewards,
        response_mask=data.batch["final_response_mask"].clone(),
        pipeline_config=config,
    ).batch
    return {name: (result[name] * period.mask).tolist() for name in ("advantages", "returns")}


def worker(section, config, **functions):
    """The worker class that `section` names, around nothing: its methods, the config, and a model that is `functions`."""
    module, _, name = section.worker_cls.rpartition(".")
    result = object.__new__(getattr(importlib.import_module(module), name))
    result.pipeline_config, result.worker_config = config, section
    result._logprobs_cache, result._pg_config_cache = {}, {}
    result.__dict__.update({name: True for name in vars(result) if name.endswith("_logged")})
    result.strategy = types.SimpleNamespace(**functions)
    return result


def policy_update(period, config):
    """The actor's loss and what it teaches."""
    leaf = period.update()
    actor = worker(
        config.actor_train,
        config,
        op_compute_log_probs=lambda **_: leaf,
        op_compute_entropy=lambda **_: period.entropies,
    )
    ones = torch.ones_like(period.mask)
    data = batch(
        period, advantages=period.advantages, final_response_mask=period.mask.long(), train_infer_is_weight=ones
    )
    data.meta_info = totals(period)
    loss, _ = actor.loss_func(data, leaf)
    value, gradient = taught(loss, leaf)
    return {"actor_loss": value, "actor_gradient": gradient}


def totals(period):
    """What the strategy counts over a whole update."""
    keys = ("response_mask", "final_response_mask")
    return {
        "batch_num_tokens": dict.fromkeys(keys, float(period.mask.sum())),
        "global_valid_samples": dict.fromkeys(keys, float(len(period.rewards))),
    }


def critic_update(period, config):
    """The critic's loss and what it teaches."""
    leaf = (period.values + 0.3).requires_grad_()
    result = worker(config.critic, config)
    data = batch(period, returns=period.returns)
    data.meta_info = totals(period)
    whole = torch.cat([leaf, torch.zeros_like(leaf[:, :1])], dim=-1).unsqueeze(-1)
    loss, _ = result.loss_func(data, whole)
    value, gradient = taught(loss, leaf)
    return {"critic_loss": value, "critic_gradient": gradient}


def schedule(actor):
    """The learning rate of each update, as FSDP2TrainStrategy builds it; Megatron's needs Megatron."""
    if actor.strategy_args.strategy_name != "fsdp2_train":
        return {}
    from transformers import get_scheduler

    args = actor.training_args
    optimizer = optimizer_of(args.learning_rate)
    warmup = args.get_warmup_steps(TOTAL_UPDATES)
    result = get_scheduler(args.lr_scheduler_type, optimizer, num_warmup_steps=warmup, num_training_steps=TOTAL_UPDATES)
    return {"learning_rates": rates(result, optimizer)}
