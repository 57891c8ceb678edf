"""The random model, launch script and sequences that `benches.learner_gpu` measures with."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

SIZES = {
    "vocab_size": 151936,
    "hidden_size": 1536,
    "intermediate_size": 8960,
    "num_hidden_layers": 28,
    "num_attention_heads": 12,
    "num_key_value_heads": 2,
}
TINY = {**SIZES, "vocab_size": 320, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
TINY |= {"num_attention_heads": 4}
PROMPTS, RESPONSES, MICRO = 16, 4, 8
LENGTHS = {False: (256, 256, 1024), True: (16, 8, 32)}
"""Tokens of a prompt, of the shortest and of the longest answer; True: for a dry run, which measures nothing."""
Answers = list[tuple[list[int], list[int]]]
"""Prompt and answer of each sequence."""


def write_task(folder: Path, *, dry: bool) -> None:
    """A model, and the launch script that the account and the runner read; no data, since nobody answers."""
    import torch
    from rftconf_runner.demo import SCRIPT
    from transformers import Qwen2Config, Qwen2ForCausalLM

    prompt, _, longest = LENGTHS[dry]
    torch.manual_seed(0)
    config = Qwen2Config(**(TINY if dry else SIZES), tie_word_embeddings=True, max_position_embeddings=32768)
    with torch.device("cpu" if dry else "cuda"):
        Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder / "model")
    settings = [
        f"data.train_batch_size={PROMPTS}",
        f"data.max_prompt_length={prompt}",
        f"data.max_response_length={longest}",
        f"actor_rollout_ref.actor.ppo_mini_batch_size={PROMPTS}",
        f"actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu={MICRO}",
        f"actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu={MICRO}",
        f"actor_rollout_ref.rollout.n={RESPONSES}",
        "actor_rollout_ref.model.enable_gradient_checkpointing=True",
        "actor_rollout_ref.actor.fsdp_config.dtype=bfloat16",
        "actor_rollout_ref.rollout.dtype=bfloat16",
    ]
    text = " \\\n    ".join([SCRIPT.format(folder=folder).rstrip("\n"), *settings])
    (folder / "run_grpo.sh").write_text(text + "\n", encoding="utf-8")


def plan_of(folder: Path) -> Any:
    """The plan of the launch script."""
    from rftconf.load.load import load
    from rftconf.text.read.read import read
    from rftconf.text.source import open_source

    return load(read(open_source(str(folder / "run_grpo.sh")))).plan


def job_of(folder: Path, part: str) -> Any:
    """The runner's own reading of it; `packed` in one row of as many tokens as the padded ones have."""
    from rftconf_runner import job_reader
    from rftconf_runner.job import Micro

    job = job_reader.job_of(plan_of(folder))
    job = replace(job, optimizer=replace(job.optimizer, lr=0.0))
    if part != "packed":
        return job
    return replace(job, micro=Micro(0, MICRO * job.longest, packs=True))


def answers(job: Any, *, dry: bool, longest_all: bool = False) -> Answers:
    """Random tokens, of lengths that are the same in every part; or as long as the account takes them to be."""
    draw, (prompt, shortest, longest) = random.Random(0), LENGTHS[dry]
    shortest = longest if longest_all else shortest

    def tokens(count: int) -> list[int]:
        return [draw.randrange(3, 300) for _ in range(count)]

    return [(tokens(prompt), tokens(draw.randint(shortest, longest))) for _ in range(job.update)]
