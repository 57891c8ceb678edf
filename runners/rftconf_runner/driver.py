"""The run, read from top to bottom: draw, score, compare, learn, hand over."""

from __future__ import annotations

import shutil
import socket
import time
from pathlib import Path
from typing import Any

import ray
import torch
from transformers import AutoTokenizer

from rftconf_runner import advantages, gates
from rftconf_runner.data import Prompt, Prompts
from rftconf_runner.job import Job
from rftconf_runner.metrics import Metrics
from rftconf_runner.reward import Scorer, scored
from rftconf_runner.rollout import Answer, Engine
from rftconf_runner.trainer import Lesson, Rank, Sample


def train(job: Job, folder: Path) -> None:
    """Run every rollout period of `job`; metrics and checkpoints go to `folder`."""
    tokenizer, metrics = AutoTokenizer.from_pretrained(job.tokenizer), Metrics(folder)
    data = Prompts(job, tokenizer)
    batches, periods = data.batches(job.prompts), data.periods()
    port = _free_port()
    ranks = [_actor(Rank, job, rank, port) for rank in range(job.ranks)]
    engines = [_actor(Engine, job) for _ in range(job.engines)]
    scorer = _actor(Scorer, job.reward_path, job.reward_name, job.reward_arguments)

    for period in range(1, periods + 1):
        began = time.monotonic()
        prompts = [prompt for prompt in next(batches) for _ in range(job.responses)]
        answers = _generate(engines, prompts, job, period)
        samples = [Sample(p.tokens, a.tokens, a.version) for p, a in zip(prompts, answers, strict=True)]
        texts = tokenizer.batch_decode([sample.answer for sample in samples], skip_special_tokens=True)
        rewards = scored(scorer, [(p.source, t, p.truth, p.extra) for p, t in zip(prompts, texts, strict=True)])
        drawn = time.monotonic()
        old = [row for rows in _all(ranks, "old_log_probs", samples) for row in rows]
        parity = gates.parity([answer.log_probs for answer in answers], old, job.dtype)
        gains = _advantages(job, torch.tensor(rewards))
        lessons = [Lesson(s, float(g), o) for s, g, o in zip(samples, gains, old, strict=True)]
        for number in range(job.updates_per_period):
            start = number * job.update % job.sequences
            updated = _all(ranks, "update", lessons[start : start + job.update])
            if number == 0:
                gates.first_ratio(max(one.ratio_gap for one in updated))
        learned = time.monotonic()
        weights = _refs(ranks, "weights")[0]
        ray.get([engine.load.remote(weights, period) for engine in engines])
        if period == periods or (job.save_every and period % job.save_every == 0):
            _checkpoint(ranks, tokenizer, folder / f"step-{period:06d}")
        metrics.log(
            period=period, reward=sum(rewards) / len(rewards), loss=sum(one.loss for one in updated),
            gradient_norm=updated[0].gradient_norm, learning_rate=updated[0].learning_rate, parity=parity,
            lag=max(period - 1 - sample.version for sample in samples), tokens=sum(len(s.answer) for s in samples),
            rollout_seconds=drawn - began, update_seconds=learned - drawn, sync_seconds=time.monotonic() - learned,
        )  # fmt: skip


def _generate(engines: list[Any], prompts: list[Prompt], job: Job, period: int) -> list[Answer]:
    """Answers in the order of `prompts`, shared by the engines. Every answer of a run has a seed of its own."""
    size, seed = -(-len(prompts) // len(engines)), (job.engine_seed << 32) + period * job.sequences
    starts = range(0, len(prompts), size)
    refs = [
        engine.generate.remote([prompt.tokens for prompt in prompts[at : at + size]], seed + at)
        for engine, at in zip(engines, starts, strict=False)
    ]
    return [answer for answered in ray.get(refs) for answer in answered]


def _advantages(job: Job, rewards: torch.Tensor) -> torch.Tensor:
    groups = torch.arange(job.prompts).repeat_interleave(job.responses)
    if job.advantage == "rloo":
        return advantages.leave_one_out(rewards, groups)
    return advantages.group_relative(rewards, groups, job.scope, job.ddof)


def _checkpoint(ranks: list[Any], tokenizer: Any, folder: Path) -> None:
    """A whole folder or none: written beside, then renamed."""
    beside = folder.with_suffix(".partial")
    shutil.rmtree(beside, ignore_errors=True)
    _all(ranks, "save", str(beside))
    tokenizer.save_pretrained(beside)
    shutil.rmtree(folder, ignore_errors=True)
    beside.rename(folder)


def _actor(kind: Any, *arguments: Any) -> Any:
    return kind.remote(*arguments)


def _refs(ranks: list[Any], method: str, *arguments: Any) -> list[Any]:
    return [getattr(rank, method).remote(*arguments) for rank in ranks]


def _all(ranks: list[Any], method: str, *arguments: Any) -> list[Any]:
    found: list[Any] = ray.get(_refs(ranks, method, *arguments))
    return found


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
