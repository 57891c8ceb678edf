"""OpenRLHF's own functions, called on one period under the arguments of a script.

Advantages by the experience maker that the trainer calls, losses by `training_step` of the actor's and the critic's
trainers, on one rank and in one micro-batch, the schedule by the actor's own worker.
"""

from types import SimpleNamespace
from unittest.mock import patch

import openrlhf_workers
import torch
from period import GROUP, TOTAL_UPDATES, Period, rates, taught


def measure(args, model, seeds, progress):
    """`{"advantages", "returns", "actor_loss", "actor_gradient", ...}` of each seed."""
    progress.stage = "mathematics"
    answers, has_critic = args.rollout.n_samples_per_prompt, args.algo.advantage.estimator == "gae"
    openrlhf_workers.stand_in(args, model, progress)
    whole_run = updates(args, answers) | schedule(args, model)
    args.rollout.n_samples_per_prompt = min(answers, GROUP)  # rewards are folded by it
    args.train.dynamic_batch_enable = False  # the period is one micro-batch
    return [
        advantages(period, args)
        | policy_update(period, args)
        | (critic_update(period, args) if has_critic else {})
        | whole_run
        for period in (Period(seed, answers, has_critic) for seed in seeds)
    ]


def updates(args, answers):
    """`{"updates": sequences of each update of one period}`; nothing where the last is not whole."""
    count, remainder = divmod(args.rollout.batch_size * answers, args.train.batch_size)
    return {} if remainder else {"updates": [args.train.batch_size] * count * args.train.max_epochs}


def experience(period, **more):
    """The period as OpenRLHF holds it, with a prompt of no token."""
    from openrlhf.trainer.ppo_utils.experience import Experience

    tokens = torch.zeros_like(period.mask, dtype=torch.long)
    lengths = period.mask.sum(-1)
    values = {
        "sequences": tokens,
        "attention_mask": period.mask.long(),
        "action_mask": period.mask,
        "rollout_log_probs": period.old,
        "rewards": period.rewards.clone(),
        "response_length": lengths,
        "total_length": lengths,
        "index": list(range(len(period.rewards))),
        "info": {},
    }
    return Experience(**values | more)


def advantages(period, args):
    """Compute advantages and returns from rewards, as `make_experience_batch` does once the samples are split."""
    from openrlhf.trainer.ppo_utils import experience_maker

    maker = object.__new__(experience_maker.RemoteExperienceMaker)
    maker.strategy, maker.args = SimpleNamespace(args=args), args
    maker.advantage_estimator = args.algo.advantage.estimator
    maker.kl_ctl = SimpleNamespace(value=args.algo.kl.init_coef)
    # a group of workers is what it answers
    maker.actor_model_group, maker.reward_model_group = [period.old], None
    maker.critic_model_group = [period.values] if args.algo.advantage.estimator == "gae" else None
    maker.initial_model_group = [period.reference] if args.algo.kl.init_coef > 0 else None
    maker._dispatch_forward = lambda group, *_, **__: group
    maker._flatten_results = lambda values, _: values
    with patch.object(experience_maker, "ray", SimpleNamespace(put=lambda _: [None], get=lambda value: value)):
        (result,) = maker.compute_advantages_and_returns(maker.make_experience([experience(period)]))
    return {name: (getattr(result, name) * period.mask).tolist() for name in ("advantages", "returns")}


class Model:
    """A model that has its answer already, under the words that a trainer calls it with."""

    def __init__(self, answer, entropies):
        self.answer, self.output = answer, SimpleNamespace(entropy=entropies, aux_loss=0.0)

    def train(self):
        """Do as a model that is told to train."""

    def __call__(self, *_, **__):
        """Answer."""
        return self.answer, self.output


def trainer(module, name, role, model, args, **more):
    """A trainer of the module whose strategy keeps the loss in place of a step."""
    losses = []
    strategy = SimpleNamespace(
        args=args,
        ring_attn_group=None,
        backward=lambda loss, *_: losses.append(loss),
        optimizer_step=lambda *_, **__: None,
        get_grad_norm=lambda _: 0.0,
    )
    rate = SimpleNamespace(get_last_lr=lambda: [0.0])
    parts = {role: model, f"{role}_optim": None, f"{role}_scheduler": rate, "strategy": strategy, **more}
    with (
        patch.object(module, "torch_dist_barrier_and_cuda_sync", lambda: None, create=True),
        patch.object(torch.cuda, "current_device", lambda: 0),  # where the replay buffer, which stays empty, would be
    ):
        return getattr(module, name)(**parts), losses


def whole(period):
    """Return the numbers that the ranks count over a whole update."""
    return {
        "dp_size": 1,
        "batch_num_tokens": float(period.mask.sum()),
        "global_batch_size": float(len(period.rewards)),
    }


def policy_update(period, args):
    """The actor's loss and what it teaches."""
    from openrlhf.trainer.ray import ppo_actor

    leaf = period.update()
    model = Model(leaf, period.entropies)
    actor, losses = trainer(ppo_actor, "ActorPPOTrainer", "actor", model, args, ema_model=None)
    data = experience(
        period, action_log_probs=period.old, base_action_log_probs=period.reference, advantages=period.advantages
    )
    actor.training_step(data, args.algo.kl.init_coef, 0, whole(period))
    value, gradient = taught(losses[0], leaf)
    return {"actor_loss": value, "actor_gradient": gradient}


def critic_update(period, args):
    """The critic's loss and what it teaches."""
    from openrlhf.trainer.ray import ppo_critic

    leaf = (period.values + 0.3).requires_grad_()
    model = Model(leaf, period.entropies)
    critic, losses = trainer(ppo_critic, "CriticPPOTrainer", "critic", model, args, value_clip=args.critic.value_clip)
    critic.training_step(experience(period, values=period.values, returns=period.returns), 0, whole(period))
    value, gradient = taught(losses[0], leaf)
    return {"critic_loss": value, "critic_gradient": gradient}


def schedule(args, model):
    """The learning rate of each update, by the actor's own worker on the tiny model."""
    from openrlhf.trainer.ray.ppo_actor import PolicyModelActor
    from openrlhf.utils import get_strategy

    worker = openrlhf_workers.build(args.actor, PolicyModelActor, get_strategy(args), str(model), (TOTAL_UPDATES,))
    return {"learning_rates": rates(worker.actor_scheduler, worker.actor_optim)}
