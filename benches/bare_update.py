"""An FSDP2 training step written plainly, with nothing of the runner's but how it cuts an update into passes."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rftconf_runner.micro_batching import micro_batches

if TYPE_CHECKING:
    from rftconf_runner.asking import GenerationRequest

Answers = list[tuple[list[int], list[int]]]
"""Prompt and answer of each sequence."""


def random_answers(requests: Sequence[GenerationRequest], lengths: Sequence[int]) -> Answers:
    """One to each prompt, by no model."""
    draw = random.Random(0)
    return [
        ([*request.prompt], [draw.randrange(3, 90) for _ in range(size)])
        for request, size in zip(requests, lengths, strict=True)
    ]


class Training:
    """A sharded model on one rank, its forward pass and its update; nothing of the runner's."""

    def __init__(self, job: Any) -> None:
        import torch
        from rftconf_runner.sharded import device
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
        from transformers import AutoModelForCausalLM

        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29533", "RANK": "0", "WORLD_SIZE": "1"}
        self.device, self.micro = device(), job.micro
        torch.distributed.init_process_group("gloo" if self.device == "cpu" else "cpu:gloo,cuda:nccl")
        mesh = init_device_mesh(self.device, (1,))
        computed, stored = getattr(torch, job.dtype), getattr(torch, job.stored)
        how = MixedPrecisionPolicy() if computed == stored else MixedPrecisionPolicy(computed, reduce_dtype=stored)
        self.model: Any = AutoModelForCausalLM.from_pretrained(job.model, dtype=stored).train()
        if job.checkpointing:
            self.model.gradient_checkpointing_enable({"use_reentrant": False})
        for layer in self.model.model.layers:
            fully_shard(layer, mesh=mesh, mp_policy=how)
        fully_shard(self.model, mesh=mesh, mp_policy=how)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 0.0)

    def update(self, answers: Answers) -> None:
        """Forward, backward, clip, step; in the passes that the runner makes of such answers."""
        import torch

        self.optimizer.zero_grad()
        sequences = [(*prompt, *answer) for prompt, answer in answers]
        for micro in micro_batches(sequences, self.micro, device=self.device):
            for numbers, _ in micro.passes:
                (-self._of([answers[index] for index in numbers])).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        if self.device == "cuda":
            torch.cuda.synchronize()

    def weights(self) -> list[tuple[str, Any]]:
        """Whole tensors, in the host's memory."""
        return [(name, value.full_tensor().cpu()) for name, value in self.model.state_dict().items()]

    def _of(self, answers: Answers) -> Any:
        import torch

        longest = max(len(prompt) + len(answer) for prompt, answer in answers)
        ids = torch.zeros(len(answers), longest, dtype=torch.long)
        counts = torch.zeros(len(answers), longest - 1)
        for index, (prompt, answer) in enumerate(answers):
            end = len(prompt) + len(answer)
            ids[index, :end] = torch.tensor([*prompt, *answer])
            counts[index, len(prompt) - 1 : end - 1] = 1
        ids, counts = ids.to(self.device), counts.to(self.device)
        logits = self.model(input_ids=ids, use_cache=False).logits[:, :-1].float()
        log_probs = logits.log_softmax(-1).gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
        return log_probs * counts
