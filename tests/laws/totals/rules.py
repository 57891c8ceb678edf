"""What a framework asserts before it trains, straight from its keys (H7-H10, H22): none may be broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tests.laws.totals.accounts import ACCOUNTS, ARR, Keys, roll_ranks

NODE = 8


def verl(keys: Keys) -> Iterator[str]:
    """G % D; the data loader has a batch; separate_async: B = s*m; 0.8 cuts a batch into whole updates."""
    get, found = keys.get, ACCOUNTS["verl"](keys)
    megatron = keys.trainer.endswith("megatron")
    sizes = [get(f"{ARR}actor.megatron.{k}_model_parallel_size", otherwise=1) for k in ("tensor", "pipeline")]
    rank = sizes[0] * sizes[1] if megatron else get(ARR + "actor.ulysses_sequence_parallel_size", otherwise=1)
    gpus = get("trainer.nnodes", otherwise=1) * get("trainer.n_gpus_per_node", otherwise=8)
    if gpus % rank or found.update % (gpus // rank):
        yield f"G {found.update} % ({gpus} GPUs / {rank})"
    if keys.rows < found.prompts:
        yield f"no batch of {found.prompts} in {keys.rows} rows"
    if get("trainer.v1.trainer_mode") == "separate_async" and keys.release >= (0, 9):
        step = get("trainer.v1.separate_async.parameter_sync_step", otherwise=4)
        if found.prompts != step * found.update / found.responses:
            yield f"B {found.prompts} is not {step} x {found.update / found.responses}"
    if (0, 8) <= keys.release < (0, 9) and found.sequences % found.update:
        yield f"S {found.sequences} % G {found.update}"


def trinity(keys: Keys) -> Iterator[str]:
    """The trainer's GPUs are a node or whole nodes and feed all ranks; both sides of a sync make and use as much."""
    get, found = keys.get, ACCOUNTS["trinity"](keys)
    size = get("cluster.gpu_per_node")
    model = "explorer.rollout_model."
    engines = get(model + "engine_num", otherwise=1) * get(model + "tensor_parallel_size", otherwise=1)
    total = get("cluster.node_num") * size
    gpus = total if get("mode") == "colocate" else total - engines
    megatron = get("trainer.trainer_strategy") == "megatron"
    if megatron:
        at = "trainer.megatron."
        rank = get(at + "tensor_model_parallel_size", otherwise=1) * get(
            at + "pipeline_model_parallel_size", otherwise=1
        )
    else:
        rank = get("trainer.ulysses_sequence_parallel_size", otherwise=1)
    if gpus < 1 or (gpus > size and gpus % size):
        yield f"{gpus} trainer GPUs on nodes of {size} (H22)"
    elif gpus % rank or found.update % (gpus // rank):
        yield f"G {found.update} % ({gpus} GPUs / {rank}) (H9)"
    both = get("synchronizer.sync_interval", otherwise=1)
    trains = get("synchronizer.trainer_sync_interval", otherwise=0) or both
    if trains * found.update != found.sequences:
        yield f"{found.sequences} sequences made, {trains * found.update} used between two syncs (H3)"


def roll(keys: Keys) -> Iterator[str]:
    """A period is whole updates, ranks are whole, Megatron shares prompts (H7, H10)."""
    found, ranks = ACCOUNTS["roll"](keys), roll_ranks(keys)
    if ranks.denominator != 1:
        yield f"{ranks} ranks"
    if found.sequences % found.update:
        yield f"S {found.sequences} % G {found.update} (H7)"
    if keys.get("actor_train.strategy_args.strategy_name") == "megatron_train" and found.prompts % ranks:
        yield f"B {found.prompts} % {ranks} ranks (H10)"


def chatlearn(keys: Keys) -> Iterator[str]:
    """S % G, whole prompts, G % D, and micro-batches that divide a rank's share."""
    get, found, at = keys.get, ACCOUNTS["chatlearn"](keys), "models.policy_trainer."
    names = ("tensor_model", "pipeline_model", "context") if keys.trainer == "megatron" else ("ulysses_sequence",)
    ranks = get(at + "num_gpu")
    for name in names:
        size = get(f"{at}{name}_parallel_size", otherwise=1)
        if ranks % size:
            yield f"{ranks} GPUs % {size}"
        ranks //= size
    if found.prompts.denominator != 1 or found.sequences % found.update:
        yield f"S {found.sequences} % n {found.responses}, % G {found.update}"
    if found.update % ranks or found.sequences % ranks:
        yield f"G {found.update}, S {found.sequences} % {ranks} ranks"
    elif not get(at + "packing", otherwise=False):
        for sequences, key in ((found.update, "train_micro_batch_size"), (found.sequences, "generation_batch_size")):
            if sequences / ranks % get(at + key, otherwise=1):
                yield f"{sequences} / {ranks} ranks % {key} {get(at + key)}"


RULES: Mapping[str, Callable[[Keys], Iterator[str]]] = {
    "verl": verl,
    "trinity": trinity,
    "roll": roll,
    "chatlearn": chatlearn,
}
