"""Prompts in the order of the plan's seed: Hugging Face `datasets` reads parquet and JSON lines."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rftconf_runner.job import Job


@dataclass(frozen=True, slots=True)
class Prompt:
    """One row: the prompt's tokens, and what a reward needs to know."""

    row: int
    tokens: tuple[int, ...]
    source: str
    truth: Any
    extra: dict[str, Any] = field(default_factory=dict)


class Prompts:
    """Prompts without end, by number; an epoch is a permutation by its own seed. What is left over of an epoch is left out,
    or where the plan carries it, opens the next batch."""

    def __init__(self, job: Job, tokenizer: Any) -> None:
        from datasets import load_dataset

        if Path(job.data).is_dir():
            rows = load_dataset(job.data, split=job.split)
        else:
            form = "parquet" if job.data.endswith(".parquet") else "json"
            rows = load_dataset(form, data_files={job.split: job.data}, split=job.split)
        found = [_prompt(at, row, job, tokenizer) for at, row in enumerate(rows)]
        most = job.prompt_tokens - (job.overlong == "drop_ge")
        long = next((prompt for prompt in found if len(prompt.tokens) > most), None)
        if long is not None and job.overlong == "keep":
            told = f"row {long.row} has {len(long.tokens)} tokens, more than stage.length.prompt_max_tokens"
            raise ValueError(f"{told} = {most}; the plan neither drops nor cuts such prompts")
        self.prompts = [prompt for prompt in found if len(prompt.tokens) <= most]
        self.job = job
        if len(self.prompts) < job.prompts:
            raise ValueError(f"stage.data.train: {len(self.prompts)} prompts are no batch of {job.prompts}")
        left = len(self.prompts) % job.prompts
        if left and job.last_partial not in ("drop", "carry"):
            told = f"stage.run_length.last_partial is {job.last_partial!r} and {left} of {len(self.prompts)} prompts are left over"
            raise ValueError(f"{told}: the runner drops or carries them")
        self.used = len(self.prompts) - (left if job.last_partial == "drop" else 0)
        self.orders: dict[int, list[int]] = {}

    def periods(self) -> int:
        """Rollout periods of the run: the plan's number, or as many as its epochs have."""
        of_epochs = self.job.epochs * self.used // self.job.prompts
        return min(self.job.rollouts, of_epochs) if self.job.epochs else self.job.rollouts

    def take(self, start: int, count: int) -> list[Prompt]:
        """Those with the numbers from `start` on."""
        return [self.prompts[self._order(at // self.used)[at % self.used]] for at in range(start, start + count)]

    def _order(self, epoch: int) -> list[int]:
        if epoch not in self.orders:
            order = list(range(len(self.prompts)))
            if self.job.shuffle:
                random.Random(f"{self.job.data_seed}/{epoch}").shuffle(order)  # noqa: S311 - an order, no secret
            self.orders[epoch] = order
            self.orders.pop(epoch - 2, None)
        return self.orders[epoch]


def _prompt(at: int, row: dict[str, Any], job: Job, tokenizer: Any) -> Prompt:
    if job.column not in row:
        raise ValueError(
            f"{job.data} has no column {job.column!r}, which stage.data.train names; it has {', '.join(row)}"
        )
    asked = row[job.column]
    if isinstance(asked, str) and job.chats:
        asked = json.loads(asked)
    if isinstance(asked, str):
        tokens = tokenizer(asked, add_special_tokens=False)["input_ids"]
    else:
        tokens = tokenizer.apply_chat_template(asked, add_generation_prompt=True, tokenize=True, return_dict=False)
    truth = (row.get("reward_model") or {}).get("ground_truth", row.get(job.truth))
    extra = row.get("extra_info") or {}
    source = row.get("data_source") or row.get("tag") or ""
    return Prompt(at, tuple(tokens), str(source), truth, json.loads(extra) if isinstance(extra, str) else extra)
