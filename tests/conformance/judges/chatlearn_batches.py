"""ChatLearn's own `StreamDataset`, asked as `Trainer.train` asks it, cuts an episode into updates."""

import micro_batches


def updates(config):
    """`{"updates": sequences of each update of one episode}`, over all ranks; nothing where a rank's share is uneven."""
    arguments, ranks = config.runtime_args, ranks_of(config.models["policy_trainer"], config.runtime_args)
    each, remainder = divmod(arguments["sample_per_episode"], arguments["train_global_batch_size"])
    if remainder or arguments["sample_per_episode"] % (ranks * each):
        return {}
    from chatlearn.data import data

    engine, share = config.models["policy"], arguments["train_global_batch_size"] // ranks
    micro = {}
    if (
        "max_prompt_tokens_length" in engine
    ):  # 1.2.0 limits prompt and answer together (seq_length): no length of each is given
        longest = engine["max_prompt_tokens_length"], engine["max_response_tokens_length"]
        micro = micro_batches.of_chatlearn(config.models["policy_trainer"], arguments, share, *longest)
    result = data.StreamDataset.__ray_metadata__.modified_class(
        arguments["stream_data_loader_type"], each, None, arguments["train_micro_batch_size"]
    )
    result.set_dp_size(ranks)
    result._total_samples = arguments["sample_per_episode"]
    result._read_data_complete = True
    result.replay_buffer = Samples(arguments["sample_per_episode"])
    new_result = []
    for _ in range(arguments["num_training_epoch"]):
        result.iter = iter(result)
        shares = [[len(result.next()) for _ in range(each)] for _ in range(ranks)]
        new_result += [sum(of_update) for of_update in zip(*shares, strict=True)]
    return micro | {"updates": new_result}


class Samples:
    """A replay buffer that is full."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def get_samples(self, start, end):
        return range(start, end)


def ranks_of(trainer, arguments):
    """Data-parallel ranks, by what `FSDPModule.data_parallel_size` and Megatron's parallel state make of the config."""
    if arguments["train_backend"] == "fsdp":
        return trainer["num_gpu"] // trainer["ulysses_sequence_parallel_size"]
    sizes = ("tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size")
    ranks = trainer["num_gpu"]
    for size in sizes:
        ranks //= trainer[size] or 1
    return ranks
