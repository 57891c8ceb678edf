"""TRL's own functions, called on one period under a config: `GRPOTrainer`, built on a tiny model.

Advantages as the trainer scores answers to its prompts, the loss by its own method, with the period's log-probs where a
model would say them, on one process and in one micro-batch; the schedule as the trainer makes it.
"""

import torch
from period import GROUP, TOTAL_UPDATES, Period, rates, taught


def measure(build, config, processes, seeds):
    """`{"advantages", "actor_loss", "actor_gradient", ...}` of each seed; `build` makes a trainer of a config."""
    answers, whole_run = config.num_generations, updates(config, processes)
    config.num_generations = min(answers, GROUP)  # rewards are folded by it
    trainer = build(config)
    trainer.create_optimizer_and_scheduler(num_training_steps=TOTAL_UPDATES)
    whole_run |= {"learning_rates": rates(trainer.lr_scheduler, trainer.optimizer)}
    return [
        advantages(period, trainer) | policy_update(period, trainer) | whole_run
        for period in (Period(seed, answers) for seed in seeds)
    ]


def updates(config, processes):
    """`{"updates": sequences of each update of one period}`; nothing where the last is not whole."""
    size = config.per_device_train_batch_size * config.gradient_accumulation_steps * processes
    count, remainder = divmod(config.generation_batch_size, size)
    return {} if remainder else {"updates": [size] * count * config.num_iterations}


def advantages(period, trainer):
    """Score answers whose rewards are the period's, whichever functions give them."""
    lengths = period.mask.sum(-1).long().tolist()
    answers = [[1] * length for length in lengths]
    count = len(trainer.reward_weights)
    rewards = (period.rewards / trainer.reward_weights.sum()).unsqueeze(-1).expand(-1, count)
    trainer._generate = lambda prompts: (
        [[1] for _ in prompts],
        answers,
        None,
        [""] * len(prompts),
        None,
        {},
        None,
        None,
    )
    trainer._calculate_rewards = lambda *_: rewards
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (period.old, None, None)
    result = trainer._generate_and_score_completions([{"prompt": "question"} for _ in lengths])
    return {"advantages": (result["advantages"].unsqueeze(-1) * period.mask).tolist()}


def policy_update(period, trainer):
    """The loss and what it teaches; the samples are those of the trainer's own old log-probs."""
    leaf = period.update()
    trainer._get_per_token_logps_and_entropies = lambda *_, **__: (leaf, period.entropies, None)
    trainer.current_gradient_accumulation_steps = 1
    tokens = torch.ones_like(period.mask, dtype=torch.long)
    loss = trainer._compute_loss(
        trainer.model,
        {
            "prompt_ids": tokens[:, :1],
            "prompt_mask": tokens[:, :1],
            "completion_ids": tokens,
            "completion_mask": period.mask,
            "advantages": period.advantages,
            "old_per_token_logps": period.old,
            "ref_per_token_logps": period.reference,
            "importance_sampling_ratio": torch.ones_like(period.mask),
            "sampling_per_token_logps": period.old,
            "num_items_in_batch": period.mask.sum(),
        },
    )
    value, gradient = taught(loss, leaf)
    return {"actor_loss": value, "actor_gradient": gradient}
