"""What a framework asserts before it trains, straight from its keys (H7-H10, H22): none may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tests.laws.totals import nemo_rl, openrlhf, trl
from tests.laws.totals.accounts import ACCOUNTS, ARR, roll_ranks
from tests.laws.totals.case import Keys

NODE = 8


def verl(keys: Keys) -> Iterator[str]:
    """G % D; the data loader has a batch; separate_async: B = s*m; 0.8 cuts a batch into whole updates."""
    get, figures = keys.get, ACCOUNTS["verl"](keys)
    megatron = keys.trainer.endswith("megatron")
    sizes = [get(f"{ARR}actor.megatron.{k}_model_parallel_size", otherwise=1) for k in ("tensor", "pipeline")]
    rank = sizes[0] * sizes[1] if megatron else get(ARR + "actor.ulysses_sequence_parallel_size", otherwise=1)
    gpus = get("trainer.nnodes", otherwise=1) * get("trainer.n_gpus_per_node", otherwise=8)
    if gpus % rank or figures.update % (gpus // rank):
        yield f"G {figures.update} % ({gpus} GPUs / {rank})"
    if keys.rows < figures.prompts:
        yield f"no batch of {figures.prompts} in {keys.rows} rows"
    if get("trainer.v1.trainer_mode") == "separate_async" and keys.release >= (0, 9):
        step = get("trainer.v1.separate_async.parameter_sync_step", otherwise=4)
        if figures.prompts != step * figures.update / figures.responses:
            yield f"B {figures.prompts} is not {step} x {figures.update / figures.responses}"
    if (0, 8) <= keys.release < (0, 9) and figures.sequences % figures.update:
        yield f"S {figures.sequences} % G {figures.update}"


def trinity(keys: Keys) -> Iterator[str]:
    """The trainer's GPUs are a node or whole nodes and feed all ranks; both sides of a sync make and use as much."""
    get, figures = keys.get, ACCOUNTS["trinity"](keys)
    size = get("cluster.gpu_per_node")
    model = "explorer.rollout_model."
    engines = get(model + "engine_num", otherwise=1) * get(model + "tensor_parallel_size", otherwise=1)
    total = get("cluster.node_num") * size
    gpus = total if get("mode") == "colocate" else total - engines
    megatron = get("trainer.trainer_strategy") == "megatron"
    if megatron:
        prefix = "trainer.megatron."
        rank = get(prefix + "tensor_model_parallel_size", otherwise=1) * get(
            prefix + "pipeline_model_parallel_size", otherwise=1
        )
    else:
        rank = get("trainer.ulysses_sequence_parallel_size", otherwise=1)
    if gpus < 1 or (gpus > size and gpus % size):
        yield f"{gpus} trainer GPUs on nodes of {size} (H22)"
    elif gpus % rank or figures.update % (gpus // rank):
        yield f"G {figures.update} % ({gpus} GPUs / {rank}) (H9)"
    pair = get("synchronizer.sync_interval", otherwise=1)
    trains = get("synchronizer.trainer_sync_interval", otherwise=0) or pair
    if trains * figures.update != figures.sequences:
        yield f"{figures.sequences} sequences made, {trains * figures.update} used between two syncs (H3)"


def roll(keys: Keys) -> Iterator[str]:
    """A period is whole updates, ranks are whole, Megatron shares prompts (H7, H10)."""
    figures, ranks = ACCOUNTS["roll"](keys), roll_ranks(keys)
    if ranks.denominator != 1:
        yield f"{ranks} ranks"
    if figures.sequences % figures.update:
        yield f"S {figures.sequences} % G {figures.update} (H7)"
    if keys.get("actor_train.strategy_args.strategy_name") == "megatron_train" and figures.prompts % ranks:
        yield f"B {figures.prompts} % {ranks} ranks (H10)"


def chatlearn(keys: Keys) -> Iterator[str]:
    """S % G, whole prompts, G % D, and micro-batches that divide a rank's share."""
    get, figures, path = keys.get, ACCOUNTS["chatlearn"](keys), "models.policy_trainer."
    names = ("tensor_model", "pipeline_model", "context") if keys.trainer == "megatron" else ("ulysses_sequence",)
    ranks = get(path + "num_gpu")
    for name in names:
        size = get(f"{path}{name}_parallel_size", otherwise=1)
        if ranks % size:
            yield f"{ranks} GPUs % {size}"
        ranks //= size
    if figures.prompts.denominator != 1 or figures.sequences % figures.update:
        yield f"S {figures.sequences} % n {figures.responses}, % G {figures.update}"
    if figures.update % ranks or figures.sequences % ranks:
        yield f"G {figures.update}, S {figures.sequences} % {ranks} ranks"
    elif not get(path + "packing", otherwise=False):
        for sequences, key in (
            (figures.update, "train_micro_batch_size"),
            (figures.sequences, "generation_batch_size"),
        ):
            if sequences / ranks % get(path + key, otherwise=1):
                yield f"{sequences} / {ranks} ranks % {key} {get(path + key)}"


RULES: Mapping[str, Callable[[Keys], Iterator[str]]] = {
    "verl": verl,
    "trinity": trinity,
    "roll": roll,
    "chatlearn": chatlearn,
    "trl": trl.rules,
    "openrlhf": openrlhf.rules,
    "nemo_rl": nemo_rl.rules,
}
