"""What `runner_speed` and `runner_gpu` compare, each in a process of its own that does one step whenever it is told to: vLLM alone, an FSDP2
step written plainly, the runner, and TRL's trainer on the same task."""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rftconf_runner.asking import GenerationRequest, generation_requests

from benches.bare_update import Training, random_answers
from benches.phase_peaks import Peaks

PR_SET_PDEATHSIG = 1
"""Of Linux: the signal that a process gets when its parent ends."""
COMPILES = ("TORCH_COMPILE_DISABLE",)
"""What bare vLLM is not told on a GPU."""


class Turns:
    """A line on standard input is a turn; the answer is one line of JSON on what was standard output when this began, since
    libraries print there too."""

    def __init__(self) -> None:
        self._answers = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)
        self._began, self.told = 0.0, list[int]()
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # also where the bench is killed

    def wait(self) -> None:
        """Until it is this part's turn; where nobody asks any more, this process ends."""
        line = sys.stdin.readline()
        if not line:
            raise SystemExit("nobody asks")
        self.told = json.loads(line)
        self._began = time.perf_counter()

    def done(self, **times: Any) -> None:
        """What was measured, with the seconds since the turn began as `step`."""
        times = {"step": time.perf_counter() - self._began, **times}
        print(json.dumps(times), file=self._answers, flush=True)


def plan_of(demo: Path) -> Any:
    """The plan of the demo's launch script."""
    from rftconf.load.load import load
    from rftconf.text.read.read import read
    from rftconf.text.source import open_source

    return load(read(open_source(str(demo / "run_grpo.sh")))).plan


def job_for(demo: Path, steps: int, longest: int) -> Any:
    """The demo's run without checkpoints, at a learning rate of 0; answers of at most `longest` tokens."""
    from rftconf_runner.job_reader import job_of

    job = job_of(plan_of(demo))
    return replace(job, response_tokens=longest, rollouts=steps, save_every=0, optimizer=replace(job.optimizer, lr=0.0))


def timed(call: Callable[[], object]) -> float:
    """Seconds of a call."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def engine(_: Path, job: Any, turns: Turns) -> None:
    """vLLM alone: a period's answers, and its own reload of weights that are there."""
    turns.wait()
    llm, data, weights = engine_for(job), data_of(job), weights_of(job)

    def reloaded() -> None:
        llm.collective_rpc("reload_weights", kwargs={"weights_iterator": list(weights)})
        llm.reset_prefix_cache()

    for index in range(job.rollouts):
        if index:
            turns.wait()
        began = time.perf_counter()
        lengths = generated(
            llm, job, generation_requests(job, data.take(index * job.prompts, job.prompts), index * job.prompts)
        )
        rollout = time.perf_counter() - began
        turns.done(rollout=rollout, sync=timed(reloaded), tokens=sum(lengths), lengths=lengths)


def training(_: Path, job: Any, turns: Turns) -> None:
    """FSDP2 alone, on random answers that are as long as those of the engine's last turn: an update, gathering the weights."""
    turns.wait()
    own, data = Training(job), data_of(job)
    for index in range(job.rollouts):
        if index:
            turns.wait()
        requests = generation_requests(job, data.take(index * job.prompts, job.prompts), index * job.prompts)
        answers = random_answers(requests, turns.told)
        began = time.perf_counter()
        own.update(answers)
        update = time.perf_counter() - began
        turns.done(update=update, gather=timed(own.weights), tokens=sum(turns.told))


def runner(_: Path, job: Any, turns: Turns) -> None:
    """From one period's end to the next, and what the runner says of its phases."""
    from rftconf_runner.watch import Watch

    class Turned(Watch):
        def periodic(self, values: Any) -> None:
            super().periodic(values)
            seconds = {name: values[f"{name}_seconds"] for name in ("rollout", "update", "sync")}
            turns.done(**seconds, tokens=values["tokens"])
            if values["period"] < job.rollouts:
                turns.wait()

    turns.wait()
    run(job, Turned("quiet"))


def peaks(_: Path, job: Any, turns: Turns) -> None:
    """The runner again, which saves after every period: a turn's answer is the most memory of each phase up to then."""
    from rftconf_runner.watch import Watch

    class Phased(Watch):
        def enter(self, period: int, phase: str) -> None:
            peak_meter.enter(phase)
            super().enter(period, phase)

        def periodic(self, values: Any) -> None:
            super().periodic(values)
            turns.done(peaks={**peak_meter.of_phase})
            if values["period"] < job.rollouts:
                turns.wait()

    turns.wait()
    peak_meter = Peaks()
    run(replace(job, save_every=1), Phased("quiet"))


def run(job: Any, watch: Any) -> None:
    """All of it, in a folder that is gone afterwards."""
    import ray
    from rftconf_runner.slots import connect
    from rftconf_runner.training import train

    connect(job, None)
    with tempfile.TemporaryDirectory() as folder:
        train(job, Path(folder), watch=watch)
    ray.shutdown()


def engine_for(job: Any) -> Any:
    """vLLM as the runner starts it; on a GPU as it starts by itself, with its graphs and its compiler, in as much memory."""
    from rftconf_runner.rollout import CPU_CACHE_BYTES
    from rftconf_runner.rollout import ENVIRONMENT as OF_ENGINE
    from rftconf_runner.sharded import device

    how = {"kv_cache_memory_bytes": CPU_CACHE_BYTES, "enforce_eager": True}
    own: tuple[str, ...] = ()
    if device() == "cuda":
        how, own = ({"gpu_memory_utilization": job.memory_fraction} if job.memory_fraction else {}), COMPILES
    os.environ.update({name: value for name, value in OF_ENGINE.items() if name not in own})
    from vllm import LLM

    return LLM(
        job.model, dtype=job.dtype, max_model_len=job.longest, seed=0, disable_log_stats=True,
        distributed_executor_backend="uni", logprobs_mode="processed_logprobs", **how,
    )  # fmt: skip


def data_of(job: Any) -> Any:
    """The demo's prompts, as the runner reads them."""
    from rftconf_runner.data import Prompts
    from transformers import AutoTokenizer

    return Prompts(job, AutoTokenizer.from_pretrained(job.tokenizer))


def generated(engine: Any, job: Any, requests: Sequence[GenerationRequest]) -> list[int]:
    """How long the answers to what the runner asks its engines are: with the same seeds they are the very same."""
    from vllm import SamplingParams

    params = [
        SamplingParams(
            temperature=1.0,
            max_tokens=job.response_tokens,
            logprobs=0,
            seed=request.seed,
            detokenize=False,
            flat_logprobs=True,
        )
        for request in requests
    ]
    done = engine.generate([{"prompt_token_ids": [*request.prompt]} for request in requests], params, use_tqdm=False)
    return [len(out.outputs[0].token_ids) for out in done]


def weights_of(job: Any) -> list[tuple[str, Any]]:
    """Of the demo's model."""
    import torch
    from transformers import AutoModelForCausalLM

    return list(AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32).state_dict().items())


def trl(demo: Path, job: Any, turns: Turns) -> None:
    """From one step of GRPOTrainer to the next. No reference, no checkpoints, no logging but each step's own. TRL generates
    with transformers here: its own use of vLLM stops in vLLM's CPU build, which keeps no loader on packed weights."""
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
    from trl import GRPOConfig, GRPOTrainer

    class Turned(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, _: Any, state: Any, *__: Any, **___: Any) -> None:
            turns.done()
            if state.global_step < job.rollouts:
                turns.wait()

    def reward(completions: list[str], **_: Any) -> list[float]:
        return [sum(char.isdigit() for char in text) / max(len(text), 1) for text in completions]

    turns.wait()
    rows = load_dataset("parquet", data_files=str(demo / "train.parquet"), split="train")
    rows = rows.map(lambda row: {"prompt": row["prompt"][0]["content"]}, remove_columns=rows.column_names)
    config = GRPOConfig(
        output_dir=str(demo / "trl"), per_device_train_batch_size=job.sequences, num_generations=job.responses,
        max_completion_length=job.response_tokens, learning_rate=0.0, lr_scheduler_type="constant", beta=0.0,
        loss_type="bnpo", temperature=1.0, max_steps=job.rollouts, report_to=[], save_strategy="no", use_cpu=True, bf16=False,
        gradient_checkpointing=False, disable_tqdm=True, seed=0, logging_steps=job.rollouts, dataloader_num_workers=0,
    )  # fmt: skip
    GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(job.model, dtype=torch.float32), reward_funcs=reward, args=config,
        train_dataset=rows, processing_class=AutoTokenizer.from_pretrained(job.tokenizer, padding_side="left"),
        callbacks=[Turned()],
    ).train()  # fmt: skip


PARTS = {"engine": engine, "training": training, "trl": trl, "runner": runner, "peaks": peaks}


def main() -> None:
    """One part, a step a turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("demo", type=Path)
    parser.add_argument("steps", type=int)
    parser.add_argument("longest", type=int)
    args = parser.parse_args()
    PARTS[args.part](args.demo, job_for(args.demo, args.steps, args.longest), Turns())


if __name__ == "__main__":
    main()
