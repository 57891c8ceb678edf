"""How a rank's share of one update is cut into micro-batches: each framework's own function, on answers of given lengths.

`{"micro_batches": sequences of each micro-batch, the smallest first}`; nothing where the share of a rank is uneven or does
not divide (veRL stops there; `check` says BAT004), where the number of GPUs is left to whoever starts the run, and for
Megatron, whose pipelines ask for a number of micro-batches.
"""

import types

import torch

FSDP = ("fsdp", "fsdp2")


def lengths(count, prompt, response):
    """Tokens of each sequence: prompts and answers of every length that the config allows, the same ones in every framework."""
    return [1 + 37 * row % prompt + (1 + 61 * row % response) for row in range(count)]


def counted(sizes):
    """The quantity."""
    return {"micro_batches": sorted(sizes)}


def of_verl(actor, sequences, gpus, prompt, response):
    """`prepare_micro_batches` with what `TrainingWorker.train_batch` and FSDP's engine give it."""
    ulysses = actor.fsdp_config.ulysses_sequence_parallel_size if actor.strategy in FSDP else 0
    if not ulysses or not isinstance(gpus, int) or gpus % ulysses or sequences % (gpus // ulysses):
        return {}
    share = sequences * ulysses // gpus
    if not actor.use_dynamic_bsz and share % (actor.ppo_micro_batch_size_per_gpu or share):
        return {}
    from tensordict import TensorDict
    from verl.utils import tensordict_utils
    from verl.workers.engine.utils import prepare_micro_batches

    tokens = lengths(share, prompt, response)
    rows = torch.nested.as_nested_tensor(
        [torch.zeros(count, dtype=torch.long) for count in tokens], layout=torch.jagged
    )
    data = TensorDict({"input_ids": rows}, batch_size=[len(tokens)])
    tensordict_utils.assign_non_tensor(
        data,
        use_dynamic_bsz=actor.use_dynamic_bsz,
        max_token_len_per_gpu=actor.ppo_max_token_len_per_gpu,
        micro_batch_size_per_gpu=actor.ppo_micro_batch_size_per_gpu,
        sp_size=ulysses,
    )
    made, _ = prepare_micro_batches(data=data, dp_group=None, same_micro_num_in_dp=True)
    return counted(len(batch) for batch in made)


def of_roll(actor, share, prompt, response):
    """The iterator of `FSDP2TrainStrategy.train_step`, or `dynamic_batching_shard` as RLVRPipeline asks it."""
    if actor.strategy_args.strategy_name != "fsdp2_train":
        return {}
    from roll.distributed.scheduler.protocol import DataProto

    args = actor.training_args
    tokens = torch.tensor(lengths(share, prompt, response))
    data = DataProto.from_dict({"attention_mask": (torch.arange(prompt + response) < tokens[:, None]).long()})
    if not actor.use_dynamic_batching_in_train:
        return counted(len(batch) for batch in data.make_iterator(args.per_device_train_batch_size, epochs=1))
    from roll.utils.dynamic_batching import dynamic_batching_shard

    cap, rounded = actor.max_tokens_per_microbatch_in_train, actor.sequence_length_round_in_train
    made, _ = dynamic_batching_shard(data, 1, cap, rounded)
    return counted(end - start for start, end in made.meta_info["global_micro_batch_indices"])


def of_chatlearn(trainer, given, share, prompt, response):
    """`split_microbatch` as `PolicyTrainer.preprocess_data_list` asks it, on one rank."""
    if given["train_backend"] != "fsdp":
        return {}
    from chatlearn.algorithm.grpo_utils import packing_utils
    from chatlearn.algorithm.grpo_utils.trainer_utils import split_microbatch

    rows = [{"prompt_token_length": tokens, "response_token_length": 0} for tokens in lengths(share, prompt, response)]
    if not trainer["packing"]:
        made = split_microbatch(data_list=rows, micro_batch_size=given["train_micro_batch_size"], packing=False)
        return counted(map(len, made))
    torch.Tensor.cuda = lambda tensor: tensor
    alone = types.SimpleNamespace(all_reduce=lambda *_, **__: None, ReduceOp=types.SimpleNamespace(MAX=None))
    packing_utils.torch = types.SimpleNamespace(tensor=torch.tensor, distributed=alone)
    made = split_microbatch(data_list=rows, max_train_token=trainer["max_token_in_packing"], packing=True)
    return counted(map(len, made))
