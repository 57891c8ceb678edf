"""How a rank's share of one update is cut into micro-batches: each framework's own function, on answers of given lengths.

`{"micro_batches": sequences of each micro-batch, the smallest first}`; nothing where the share of a rank is uneven or does
not divide (veRL stops there; `check` says BAT004), where the number of GPUs is left to whoever starts the run, and where
ROLL's Megatron packs sequences, whose function asks the process groups of a run.
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
    """`prepare_micro_batches` with what `TrainingWorker.train_batch` and the engine of FSDP or Megatron give it."""
    each, shares_a_sequence, divided_by = rank_of(actor)
    if not each or not isinstance(gpus, int) or gpus % each or sequences % (gpus // each):
        return {}
    share = sequences * each // gpus
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
        sp_size=shares_a_sequence,
    )
    result, _ = prepare_micro_batches(
        data=data, dp_group=None, num_batches_divided_by=divided_by, same_micro_num_in_dp=True
    )
    return counted(len(batch) for batch in result)


def rank_of(actor):
    """GPUs of a data-parallel rank, those that share a sequence, and what virtual pipelines want the number divided by."""
    if actor.strategy in FSDP:
        ulysses = actor.fsdp_config.ulysses_sequence_parallel_size
        return ulysses, ulysses, None
    if actor.strategy != "megatron" or actor.megatron.get("dynamic_context_parallel"):
        return 0, 0, None
    layout = actor.megatron
    context, stages = layout.context_parallel_size, layout.pipeline_model_parallel_size
    virtual = (layout.get("virtual_pipeline_model_parallel_size") or 1) > 1
    # ModelParallelConfig.microbatch_group_size_per_vp_stage is the number of stages where nobody says
    return layout.tensor_model_parallel_size * stages * context, context, stages if virtual else None


def of_roll(actor, share, prompt, response):
    """The batch's own cut as the strategy's `train_step` asks it, or `dynamic_batching_shard` as RLVRPipeline asks it."""
    strategy, arguments = actor.strategy_args.strategy_name, actor.strategy_args.strategy_config or {}
    if strategy not in ("fsdp2_train", "megatron_train") or (strategy == "megatron_train" and packs(actor)):
        return {}
    from roll.distributed.scheduler.protocol import DataProto

    args = actor.training_args
    tokens = torch.tensor(lengths(share, prompt, response))
    data = DataProto.from_dict({"attention_mask": (torch.arange(prompt + response) < tokens[:, None]).long()})
    if not actor.use_dynamic_batching_in_train and strategy == "megatron_train":
        return counted(map(len, data.chunk(chunks=share // args.per_device_train_batch_size)))
    if not actor.use_dynamic_batching_in_train:
        return counted(len(batch) for batch in data.make_iterator(args.per_device_train_batch_size, epochs=1))
    from roll.utils.dynamic_batching import dynamic_batching_shard

    cap, rounded = actor.max_tokens_per_microbatch_in_train, actor.sequence_length_round_in_train
    stages = (arguments.get("pipeline_model_parallel_size", 1), arguments.get("virtual_pipeline_model_parallel_size"))
    result, _ = dynamic_batching_shard(data, 1, cap, rounded, *stages)
    return counted(end - start for start, end in result.meta_info["global_micro_batch_indices"])


def packs(actor):
    """Whether Megatron packs the sequences of fixed micro-batches."""
    return actor.use_sequence_packing and not actor.use_dynamic_batching_in_train


def of_chatlearn(trainer, arguments, share, prompt, response):
    """`split_microbatch` as `PolicyTrainer.preprocess_data_list` or Megatron's `train_step` asks it, on one rank."""
    from chatlearn.algorithm.grpo_utils import packing_utils
    from chatlearn.algorithm.grpo_utils.trainer_utils import split_microbatch

    rows = [{"prompt_token_length": tokens, "response_token_length": 0} for tokens in lengths(share, prompt, response)]
    if not trainer["packing"]:
        result = split_microbatch(data_list=rows, micro_batch_size=arguments["train_micro_batch_size"], packing=False)
        return counted(map(len, result))
    torch.Tensor.cuda = lambda tensor: tensor
    alone = types.SimpleNamespace(all_reduce=lambda *_, **__: None, ReduceOp=types.SimpleNamespace(MAX=None))
    packing_utils.torch = types.SimpleNamespace(tensor=torch.tensor, distributed=alone)
    groups = None if arguments["train_backend"] == "fsdp" else ["model parallel", "expert parallel"]
    cap = trainer["max_token_in_packing"]
    result = split_microbatch(data_list=rows, max_train_token=cap, process_group_list=groups, packing=True)
    return counted(map(len, result))
