"""The engine that generates: vLLM within a Ray actor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ray

from rftconf_runner.job import Job
from rftconf_runner.weights import Held, held

ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine lives in the actor: seconds instead of half a minute to start
    "TORCH_COMPILE_DISABLE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_NO_USAGE_STATS": "1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
CPU_CACHE_BYTES = 256 << 20
"""vLLM would take 92 % of a machine's memory for the cache."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Tokens of one answer, the log-prob that the engine drew each with, and the version of its weights."""

    tokens: tuple[int, ...]
    log_probs: tuple[float, ...]
    version: int


@ray.remote(num_cpus=0, runtime_env={"env_vars": ENVIRONMENT})
class Engine:
    """One engine. Its weights have the version of the last `load`; 0 are those of the model's own files."""

    def __init__(self, job: Job) -> None:
        import torch
        from vllm import LLM

        more: dict[str, Any] = {} if torch.cuda.is_available() else {"kv_cache_memory_bytes": CPU_CACHE_BYTES}
        self.llm = LLM(
            job.model,
            tokenizer=job.tokenizer,
            dtype=job.dtype,
            max_model_len=job.prompt_tokens + job.response_tokens,
            seed=job.engine_seed,
            enforce_eager=True,
            distributed_executor_backend="uni",
            # what the trainer compares with: its logits are divided by the temperature where the plan says so
            logprobs_mode="processed_logprobs" if job.tempered else "raw_logprobs",
            disable_log_stats=True,
            **more,
        )
        self.job, self.version = job, 0

    def generate(self, prompts: Sequence[tuple[int, ...]], seed: int) -> list[Answer]:
        """One answer per prompt, in their order; each is drawn with a seed of its own, from `seed` on."""
        from vllm import SamplingParams

        params = [
            SamplingParams(
                temperature=self.job.temperature,
                top_p=self.job.top_p,
                top_k=self.job.top_k,
                max_tokens=self.job.response_tokens,
                logprobs=0,
                seed=seed + at,
            )
            for at in range(len(prompts))
        ]
        asked = [{"prompt_token_ids": list(tokens)} for tokens in prompts]
        done = self.llm.generate(asked, params, use_tqdm=False)
        return [self._answer(one.outputs[0]) for one in done]

    def load(self, weights: Sequence[tuple[str, Any]], version: int) -> Held:
        """Take the trainer's weights, and say what is held then. The prefix cache holds keys of the old ones: it is emptied."""
        self.llm.collective_rpc("reload_weights", kwargs={"weights_iterator": list(weights)})
        self.llm.reset_prefix_cache()
        self.version = version
        rows = {name: len(tensor) for name, tensor in weights}
        found: list[Held] = self.llm.collective_rpc(lambda worker: held(worker.get_model(), rows))
        return found[0]

    def _answer(self, output: Any) -> Answer:
        drawn = tuple(step[token].logprob for token, step in zip(output.token_ids, output.logprobs, strict=True))
        return Answer(tuple(output.token_ids), drawn, self.version)
