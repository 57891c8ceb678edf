"""Trinity-RFT's own functions, called on one period under a config (with veRL 0.8 on beside it).

Advantages by the algorithm's advantage function, in the trainer or over groups of experiences as the algorithm has it,
the actor's loss by `TrinityPolicyLoss`; the critic and the schedule are veRL's under the config that Trinity builds.
"""

import micro_batches
import verl_batches
import verl_mathematics
from period import FOLLOWS_TEACHER, NO_ADVANTAGES, Period, taught


def measure(config, built, seeds, progress):
    """`{"advantages", "returns", "actor_loss", "actor_gradient", ...}` of each seed."""
    progress.stage = "mathematics"
    from trinity.algorithm import ALGORITHM_TYPE
    from verl.utils.config import omega_conf_to_dataclass
    from verl_paths import detached

    kind = ALGORITHM_TYPE.get(config.algorithm.algorithm_type)
    assert kind.schema == "experience", NO_ADVANTAGES
    assert config.algorithm.advantage_fn not in ("on_policy_distill", "jsd"), FOLLOWS_TEACHER
    actor = omega_conf_to_dataclass(detached(built.actor))
    critic = omega_conf_to_dataclass(detached(built.critic)) if kind.use_critic else None
    periods = [Period(seed, config.algorithm.repeat_times, kind.use_critic) for seed in seeds]
    return [
        advantages(period, config.algorithm, kind)
        | policy_update(period, config.algorithm)
        | (verl_mathematics.critic_update(period, critic) if critic is not None else {})
        | verl_mathematics.schedule(actor)
        | updates(config, built.actor)
        for period in periods
    ]


def updates(config, actor):
    """The updates between two synchronizations: a train step each that the buffer's reader fills."""
    step, between = config.buffer.train_batch_size, config.synchronizer
    interval = getattr(between, "explorer_sync_interval", None) or between.sync_interval
    model, gpus = config.model, config.cluster.trainer_gpu_num
    micro = micro_batches.of_verl(actor, step, gpus, model.max_prompt_tokens, model.max_response_tokens)
    sequences = config.buffer.batch_size * config.algorithm.repeat_times * interval
    if sequences % step or config.algorithm.sample_strategy != "default":
        return micro
    return micro | verl_batches.cut(step, actor, 1, sequences // step)


def advantages(period, algorithm, kind):
    """Compute advantages and returns: the trainer from scores, or the explorer from a group's rewards."""
    from trinity.algorithm import ADVANTAGE_FN, KL_FN

    function = ADVANTAGE_FN.get(algorithm.advantage_fn)(**algorithm.advantage_fn_args)
    if not kind.compute_advantage_in_trainer:
        return of_groups(period, function)
    data = verl_mathematics.trainer_batch(period)
    penalty = KL_FN.get(algorithm.kl_penalty_fn)(**algorithm.kl_penalty_fn_args)
    data, _ = penalty.apply_kl_penalty_to_reward(data)
    data, _ = function(data)
    return {name: (data.batch[name] * period.mask).tolist() for name in ("advantages", "returns")}


def of_groups(period, function):
    """Each answer an experience of its prompt's task; rows come back in the order of the period."""
    import torch
    from trinity.common.experience import EID, Experience

    experiences = [
        Experience(
            eid=EID(batch=0, task=int(group), run=row, step=0),
            tokens=torch.zeros(period.mask.shape[-1] + 1, dtype=torch.long),
            prompt_length=1,
            logprobs=period.old[row],
            reward=float(reward),
            action_mask=period.mask[row],
        )
        for row, (group, reward) in enumerate(zip(period.groups.tolist(), period.rewards.tolist(), strict=True))
    ]
    result, _ = function(experiences)
    rows = {experience.eid.run: experience for experience in result}
    return {
        name: [getattr(rows[row], name).tolist() for row in range(len(experiences))]
        for name in ("advantages", "returns")
    }


def policy_update(period, algorithm):
    """The actor's loss and what it teaches."""
    from trinity.trainer.verl import losses

    losses.no_padding_2_padding = lambda tensor, data: tensor
    leaf = period.update()
    loss, _ = losses.build_trinity_loss(algorithm)(
        {"log_probs": leaf, "entropy": period.entropies}, verl_mathematics.mini_batch(period)
    )
    value, gradient = taught(loss, leaf)
    return {"actor_loss": value, "actor_gradient": gradient}
