"""An engine over several GPUs: one process for each, all of which are asked the same and decide the same, so that none leads.

vLLM's own workers on Ray need a GPU, and those of its multiprocessing executor have one bundle of a placement group for all
of them, which leaves none for the trainer ranks beside each. Here every rank is an actor in a bundle of its own.
"""

from __future__ import annotations

from typing import Any

from rftconf_runner.job import Job
from rftconf_runner.rendezvous import join
from rftconf_runner.sharded import device

ENVIRONMENT = {"VLLM_ALLREDUCE_USE_SYMM_MEM": "0"}
"""Ways to add up that need every rank's GPU to be visible to each; Ray shows a process its own. NCCL adds up instead."""


def ranks_of(job: Job, rank: int, address: tuple[str, int] | None) -> dict[str, Any]:
    """Return vLLM's arguments about ranks, after an engine's several ranks have joined at `address`."""
    if job.tp == 1 or address is None:
        return {"distributed_executor_backend": "uni"}
    from vllm.v1.executor.uniproc_executor import ExecutorWithExternalLauncher

    join(rank, job.tp, address, device())
    address_text = "tcp://{}:{}".format(*address)

    class Ranked(ExecutorWithExternalLauncher):
        """An executor whose process group exists already; the address names what a node's ranks share on a CPU."""

        def _distributed_args(self) -> tuple[str, int, int]:
            return address_text, rank, 0

    return {
        "distributed_executor_backend": Ranked,
        "tensor_parallel_size": job.tp,
        "disable_custom_all_reduce": True,
    }


def divides(job: Job) -> None:
    """Raises ValueError where an engine's GPUs cannot share the model's heads; vLLM says so minutes later, in every rank."""
    if job.tp == 1:
        return
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(job.model).get_text_config()
    heads = config.num_attention_heads
    keys = getattr(config, "num_key_value_heads", None) or heads
    if heads % job.tp or (keys % job.tp and job.tp % keys):
        raise ValueError(
            f"engines of {job.tp} GPUs cannot share {heads} heads and {keys} of keys, which {job.model} has"
        )


def any_rank(yes: bool) -> bool:
    """True on every rank of this process's engine when it is on one; all of them must ask."""
    import torch
    from vllm.distributed.parallel_state import get_world_group

    flag = torch.tensor(int(yes))
    torch.distributed.all_reduce(flag, torch.distributed.ReduceOp.MAX, group=get_world_group().cpu_group)
    return bool(flag)
