"""What `runner_speed` measures alone: vLLM, an FSDP2 step written plainly, a reload; and TRL's trainer on the same task."""

from __future__ import annotations

import os
import random
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from rftconf_runner.cuts import micro_batches
from rftconf_runner.job import Micro

Answers = list[tuple[list[int], list[int]]]
"""Prompt and answer of each sequence."""


def engine_for(job: Any) -> Any:
    """vLLM as the runner starts it."""
    from rftconf_runner.rollout import CPU_CACHE_BYTES
    from rftconf_runner.rollout import ENVIRONMENT as OF_ENGINE

    os.environ.update(OF_ENGINE)
    from vllm import LLM

    return LLM(
        job.model, dtype=job.dtype, max_model_len=job.longest, seed=0, enforce_eager=True, disable_log_stats=True,
        distributed_executor_backend="uni", logprobs_mode="processed_logprobs", kv_cache_memory_bytes=CPU_CACHE_BYTES,
    )  # fmt: skip


def prompts_of(job: Any) -> list[list[int]]:
    """The demo's, as tokens."""
    from rftconf_runner.data import Prompts
    from transformers import AutoTokenizer

    return [list(one.tokens) for one in Prompts(job, AutoTokenizer.from_pretrained(job.tokenizer)).take(0, 64)]


def generated(engine: Any, job: Any, prompts: list[list[int]], seed: int) -> Answers:
    """A period's answers: as many prompts as the plan says, each so often, every answer with a seed of its own."""
    from vllm import SamplingParams

    drawn = random.Random(seed).sample(prompts, job.prompts)
    asked = [prompt for prompt in drawn for _ in range(job.responses)]
    params = [
        SamplingParams(
            temperature=1.0,
            max_tokens=job.response_tokens,
            logprobs=0,
            seed=seed + at,
            detokenize=False,
            flat_logprobs=True,
        )
        for at in range(len(asked))
    ]
    done = engine.generate([{"prompt_token_ids": one} for one in asked], params, use_tqdm=False)
    return [(one, list(out.outputs[0].token_ids)) for one, out in zip(asked, done, strict=True)]


def random_answers(job: Any) -> Answers:
    """As many and as long as a period's, by no model: each token may be the last, as one of the vocabulary's."""
    from transformers import AutoConfig

    vocabulary = AutoConfig.from_pretrained(job.model).vocab_size
    draw = random.Random(0)
    prompts = [prompt for prompt in prompts_of(job)[: job.prompts] for _ in range(job.responses)]
    lengths = [
        next((at for at in range(1, job.response_tokens) if not draw.randrange(vocabulary)), job.response_tokens)
        for _ in prompts
    ]
    return [
        (prompt, [draw.randrange(3, 90) for _ in range(size)]) for prompt, size in zip(prompts, lengths, strict=True)
    ]


def weights_of(job: Any) -> list[tuple[str, Any]]:
    """Of the demo's model."""
    import torch
    from transformers import AutoModelForCausalLM

    return list(AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32).state_dict().items())


class Training:
    """A sharded model on one rank, its forward pass and its update; nothing of the runner's."""

    def __init__(self, job: Any) -> None:
        import torch
        from torch.distributed.device_mesh import init_device_mesh
        from torch.distributed.fsdp import fully_shard
        from transformers import AutoModelForCausalLM

        os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29533", "RANK": "0", "WORLD_SIZE": "1"}
        torch.distributed.init_process_group("gloo")
        mesh = init_device_mesh("cpu", (1,))
        self.model: Any = AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32).train()
        for layer in self.model.model.layers:
            fully_shard(layer, mesh=mesh)
        fully_shard(self.model, mesh=mesh)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), 0.0)

    def update(self, answers: Answers) -> None:
        """Forward, backward, clip, step; in the passes that the runner makes of such answers."""
        import torch

        self.optimizer.zero_grad()
        sequences = [(*prompt, *answer) for prompt, answer in answers]
        (micro,) = micro_batches(sequences, Micro(len(sequences), 0))
        for numbers, _ in micro.passes:
            (-self._of([answers[at] for at in numbers])).sum().backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()

    def weights(self) -> list[tuple[str, Any]]:
        """Whole tensors."""
        return [(name, value.full_tensor()) for name, value in self.model.state_dict().items()]

    def _of(self, answers: Answers) -> Any:
        import torch

        longest = max(len(prompt) + len(answer) for prompt, answer in answers)
        ids = torch.zeros(len(answers), longest, dtype=torch.long)
        counts = torch.zeros(len(answers), longest - 1)
        for at, (prompt, answer) in enumerate(answers):
            end = len(prompt) + len(answer)
            ids[at, :end] = torch.tensor([*prompt, *answer])
            counts[at, len(prompt) - 1 : end - 1] = 1
        logits = self.model(input_ids=ids, use_cache=False).logits[:, :-1]
        found = logits.log_softmax(-1).gather(-1, ids[:, 1:].unsqueeze(-1)).squeeze(-1)
        return found * counts


def trl_steps(demo: Path, job: Any, steps: int) -> list[float]:
    """Seconds from one step of GRPOTrainer to the next. No reference, no checkpoints, no logging but each step's own."""
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    ends: list[float] = []

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, *_: Any, **__: Any) -> None:
            ends.append(time.perf_counter())

    def reward(completions: list[str], **_: Any) -> list[float]:
        return [sum(char.isdigit() for char in text) / max(len(text), 1) for text in completions]

    rows = load_dataset("parquet", data_files=str(demo / "train.parquet"), split="train")
    rows = rows.map(lambda row: {"prompt": row["prompt"][0]["content"]}, remove_columns=rows.column_names)
    config = GRPOConfig(
        output_dir=str(demo / "trl"), per_device_train_batch_size=job.sequences, num_generations=job.responses,
        max_completion_length=job.response_tokens, learning_rate=0.0, lr_scheduler_type="constant", beta=0.0,
        loss_type="bnpo", temperature=1.0, max_steps=steps, report_to=[], save_strategy="no", use_cpu=True, bf16=False,
        gradient_checkpointing=False, disable_tqdm=True, seed=0, logging_steps=steps, dataloader_num_workers=0,
    )  # fmt: skip
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32), reward_funcs=reward, args=config,
        train_dataset=rows, processing_class=AutoTokenizer.from_pretrained(job.tokenizer, padding_side="left"),
        callbacks=[Clock()],
    )  # fmt: skip
    trainer.train()
    return [b - a for a, b in pairwise(ends)]
