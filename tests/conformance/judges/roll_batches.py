"""How ROLL cuts a period into updates: the batch's own iterator, with what `ActorWorker.train_step` asks of it."""

import micro_batches
import torch


def updates(config, answers):
    """`{"updates": sequences of each update of one period}`, over all ranks; nothing where they are filled by tokens."""
    actor, ranks = config.actor_train, ranks_of(config)
    share, remainder = divmod(config.rollout_batch_size * answers, ranks)
    size = actor.training_args.per_device_train_batch_size * actor.training_args.gradient_accumulation_steps
    if remainder or share % size:
        return {}
    micro = micro_batches.of_roll(actor, size, config.prompt_length, config.sequence_length - config.prompt_length)
    if actor.use_dynamic_batching_in_train:
        return micro
    from roll.distributed.scheduler.protocol import DataProto

    arguments = {"epochs": config.ppo_epochs, "seed": config.seed, "dataloader_kwargs": {"shuffle": True}}
    result = DataProto.from_dict({"row": torch.arange(share)}).make_iterator(mini_batch_size=size, **arguments)
    return micro | {"updates": [len(batch) * ranks for batch in result]}


def ranks_of(config):
    """Data-parallel ranks, by the sizes that RLVRConfig.set_old_logprobs_status divides by."""
    strategy, devices = config.actor_train.strategy_args, len(config.actor_train.device_mapping)
    if strategy.strategy_name == "megatron_train":
        from roll.configs.base_config import calculate_megatron_dp_size

        names = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")
        return calculate_megatron_dp_size(devices, *((strategy.strategy_config or {}).get(name, 1) for name in names))
    return devices // (getattr(config.actor_train.model_args, "ulysses_size", None) or 1)
