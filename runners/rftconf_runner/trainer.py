"""One rank of the trainer: FSDP2 around a Hugging Face model, AdamW, and the plan's losses."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import cos, pi
from typing import Any

import ray
import torch
from torch import Tensor

from rftconf_runner import losses
from rftconf_runner.job import Job


@dataclass(frozen=True, slots=True)
class Sample:
    """One sequence: the prompt's and the answer's tokens, and the engine's version that drew the answer."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    version: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sample with what is learned from it: its advantage on each token of the answer, and its old log-probs."""

    sample: Sample
    advantage: float
    old: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Updated:
    """What one update did. `ratio_gap` is the largest |ratio - 1| over its tokens."""

    loss: float
    gradient_norm: float
    ratio_gap: float
    learning_rate: float


def learning_rate(job: Job, update: int) -> float:
    """The learning rate of update `update`, from 0: warm-up, then the schedule over its own length or the run's."""
    if update < job.warmup:
        return job.lr * update / job.warmup
    whole = job.decay or job.rollouts * job.updates_per_period
    done = min((update - job.warmup) / max(whole - job.warmup, 1), 1.0)
    falling = {"linear": 1 - done, "cosine": 0.5 * (1 + cos(pi * done))}.get(job.schedule)
    return job.lr if falling is None else job.lr * (job.lowest + (1 - job.lowest) * falling)


@ray.remote(num_cpus=0)
class Rank:
    """All ranks are called with the same arguments, and each takes its own share of the sequences."""

    def __init__(self, job: Job, rank: int, port: int) -> None:
        from torch.distributed.device_mesh import init_device_mesh

        self.job, self.rank, self.done = job, rank, 0
        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "RANK": str(rank)}
        os.environ["WORLD_SIZE"] = str(job.ranks)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.distributed.init_process_group("nccl" if self.device == "cuda" else "gloo")
        self.mesh = init_device_mesh(self.device, (job.ranks,))
        self.model = self._model()
        self.optimizer = torch.optim.AdamW(self.model.parameters(), job.lr, job.betas, weight_decay=job.weight_decay)

    def _model(self) -> Any:
        from torch.distributed.fsdp import fully_shard
        from transformers import AutoModelForCausalLM

        model = AutoModelForCausalLM.from_pretrained(self.job.model, dtype=getattr(torch, self.job.dtype)).to(
            self.device
        )
        if self.job.checkpointing:
            model.gradient_checkpointing_enable({"use_reentrant": False})
        for layer in model.model.layers:
            fully_shard(layer, mesh=self.mesh)
        fully_shard(model, mesh=self.mesh)
        return model.train()

    def old_log_probs(self, samples: Sequence[Sample]) -> list[tuple[float, ...]]:
        """Of this rank's share, by the weights as they are now."""
        found: list[tuple[float, ...]] = []
        with torch.no_grad():
            for part in self._micro(self._share(samples)):
                log_probs, mask, _ = self._forward(part)
                rows = zip(log_probs, mask.sum(-1).int().tolist(), strict=True)
                found += [tuple(row[:size].tolist()) for row, size in rows]
        return found

    def update(self, lessons: Sequence[Lesson]) -> Updated:
        """One optimizer update on `lessons`, which all ranks share."""
        whole = losses.denominator(_mask([lesson.sample for lesson in lessons]), self.job.aggregation)
        self.optimizer.zero_grad()
        total, widest = 0.0, 0.0
        for part in self._micro(self._share(lessons)):
            loss, gap = self._loss(part, whole)
            # FSDP averages gradients over ranks; each rank holds a part of one sum
            (loss * self.job.ranks).backward()
            total, widest = total + float(loss.detach()), max(widest, gap)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.job.grad_clip)
        rate = learning_rate(self.job, self.done)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.done += 1
        norm = norm.full_tensor() if hasattr(norm, "full_tensor") else norm
        return Updated(total, float(norm), widest, rate)

    def weights(self) -> list[tuple[str, Tensor]]:
        """Every tensor whole, by its checkpoint's name. Gathering is collective: all ranks must be called."""
        found = [(name, _whole(value).detach().cpu()) for name, value in self.model.state_dict().items()]
        return found if self.rank == 0 else []

    def save(self, folder: str) -> None:
        """Weights and config as Hugging Face writes them; the tokenizer is the caller's."""
        state = {name: _whole(value).detach().cpu() for name, value in self.model.state_dict().items()}
        if self.rank == 0:
            self.model.save_pretrained(folder, state_dict=state)

    def _share(self, items: Sequence[Any]) -> Sequence[Any]:
        each = len(items) // self.job.ranks
        return items[self.rank * each : (self.rank + 1) * each]

    def _micro(self, items: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Micro-batches: of a fixed number of sequences, or filled up to a number of tokens."""
        if not self.job.micro_tokens:
            size = self.job.micro_sequences
            yield from (items[at : at + size] for at in range(0, len(items), size))
            return
        part: list[Any] = []
        for item in items:
            longest = max(_length(one) for one in [*part, item])
            if part and longest * (len(part) + 1) > self.job.micro_tokens:
                yield part
                part = []
            part.append(item)
        if part:
            yield part

    def _forward(self, samples: Sequence[Sample]) -> tuple[Tensor, Tensor, Tensor]:
        """Log-probs of the answers' tokens [sequences, longest answer], their mask, and the logits they come from."""
        ids, attend, places, mask = (tensor.to(self.device) for tensor in _padded(samples))
        logits = self.model(input_ids=ids, attention_mask=attend, use_cache=False).logits.float()
        chosen = torch.gather(logits, 1, (places - 1).unsqueeze(-1).expand(-1, -1, logits.shape[-1]))
        if self.job.tempered:
            chosen = chosen / self.job.temperature
        tokens = torch.gather(ids, 1, places)
        log_probs = chosen.log_softmax(-1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
        return log_probs * mask, mask, chosen

    def _loss(self, part: Sequence[Lesson], whole: Tensor) -> tuple[Tensor, float]:
        """The part of the update's loss, and the largest |ratio - 1|."""
        job = self.job
        log_probs, mask, logits = self._forward([lesson.sample for lesson in part])
        old = log_probs.detach() if job.old_is_current else _rows([lesson.old for lesson in part], mask)
        advantages = torch.tensor([lesson.advantage for lesson in part], device=mask.device).unsqueeze(-1) * mask
        match job.family:
            case "gspo":
                loss = losses.sequence_clipped(log_probs, old, advantages, mask, job.clip_low, job.clip_high)
            case "cispo":
                loss = losses.weighted_log_likelihood(log_probs, old, advantages, job.clip_low, job.clip_high)
            case _:
                loss = losses.clipped(log_probs, old, advantages, job.clip_low, job.clip_high, job.dual or None)
        if job.entropy:
            loss = loss - job.entropy * losses.entropy(logits)
        gap = float(((log_probs.detach() - old).exp() - 1).abs().mul(mask).max())
        return losses.aggregate(loss, mask, job.aggregation, whole, job.divisor or None), gap


def _whole(value: Any) -> Tensor:
    found: Tensor = value.full_tensor() if hasattr(value, "full_tensor") else value
    return found


def _length(item: Sample | Lesson) -> int:
    sample = item.sample if isinstance(item, Lesson) else item
    return len(sample.prompt) + len(sample.answer)


def _rows(rows: Sequence[Sequence[float]], like: Tensor) -> Tensor:
    found = torch.zeros_like(like)
    for at, row in enumerate(rows):
        found[at, : len(row)] = torch.tensor(row)
    return found


def _mask(samples: Sequence[Sample]) -> Tensor:
    longest = max(len(sample.answer) for sample in samples)
    return (torch.arange(longest) < torch.tensor([[len(sample.answer)] for sample in samples])).float()


def _padded(samples: Sequence[Sample]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Token ids and attention [sequences, longest], places of the answers' tokens in them and their mask."""
    longest = max(_length(sample) for sample in samples)
    mask = _mask(samples)
    ids = torch.zeros(len(samples), longest, dtype=torch.long)
    attend, places = torch.zeros_like(ids), torch.ones(mask.shape, dtype=torch.long)
    for at, sample in enumerate(samples):
        whole, start = (*sample.prompt, *sample.answer), len(sample.prompt)
        ids[at, : len(whole)] = torch.tensor(whole)
        attend[at, : len(whole)] = 1
        places[at, : len(sample.answer)] = torch.arange(start, len(whole))
    return ids, attend, places, mask
