"""Real peaks of TRL's own GRPOTrainer on this machine's GPU, beside the account: `make bench-trl-gpu`.

Each case is two steps of `GRPOTrainer` on one GPU with a model of random weights: parameters in fp32 under autocast, or in
bf16, or DeepSpeed's ZeRO stages, with and without checkpointing, with and without a reference or adapters. Peaks are
PyTorch's `max_memory_allocated` and `max_memory_reserved` of the second step, of its generation and of its update apart.
`--dry-run` takes every step on the CPU with a tiny model and measures nothing.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROWS = 8
"""Completions of a slice, and of a group."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """A dense decoder in Qwen2's form, and how long prompts and completions are [tokens]."""

    vocabulary: int
    hidden: int
    depth: int
    width: int
    heads: int
    prompt: int
    completion: int


GPU = Sizes(151_936, 1536, 16, 8960, 12, 256, 256)
TINY = Sizes(320, 64, 2, 128, 4, 8, 8)


@dataclass(frozen=True, slots=True)
class Case:
    """One run. `stage` is DeepSpeed's ZeRO stage, None where each process has the whole model."""

    dtype: str = "float32"
    checkpointing: bool = True
    stage: int | None = None
    beta: float = 0.0
    rank: int = 0


CASES = (
    Case(),
    Case(checkpointing=False),
    Case(dtype="bfloat16"),
    Case(beta=0.04),
    Case(rank=32),
    Case(stage=1),
    Case(stage=2),
    Case(stage=3),
    Case(stage=3, checkpointing=False),
    Case(stage=3, beta=0.04),
)


def tokenizer() -> Any:
    """Make a tokenizer of a few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {"<pad>": 0, "<eos>": 1, "<unk>": 2, **{f"w{number}": number for number in range(3, 300)}}
    splits = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    splits.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=splits, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )


def model_folder(sizes: Sizes, folder: Path, device: str) -> str:
    """Write a model of random weights; return its folder."""
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    config = Qwen2Config(
        vocab_size=sizes.vocabulary,
        hidden_size=sizes.hidden,
        num_hidden_layers=sizes.depth,
        intermediate_size=sizes.width,
        num_attention_heads=sizes.heads,
        num_key_value_heads=2,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    torch.manual_seed(0)
    with torch.device(device):  # random weights are drawn in no time there
        Qwen2ForCausalLM(config).to(torch.bfloat16).save_pretrained(folder)
    return str(folder)


class Peaks:
    """Peaks of the parts of a step [bytes]; none on a CPU."""

    def __init__(self, device: str) -> None:
        self.device, self.bytes = device, dict[str, int]()

    def keep(self, part: str) -> None:
        """Keep what the part that ends here took, and begin the next."""
        if self.device == "cpu":
            return
        import torch

        torch.cuda.synchronize()
        self.bytes[part] = torch.cuda.max_memory_allocated()
        self.bytes[part + " reserved"] = torch.cuda.max_memory_reserved()
        gc.collect()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        self.bytes[part + " after"] = torch.cuda.memory_allocated()


def config_of(case: Case, sizes: Sizes, device: str, folder: str) -> dict[str, Any]:
    """Return the arguments of `GRPOConfig` for a case."""
    zero = {"zero_optimization": {"stage": case.stage}, "bf16": {"enabled": "auto"}}
    automatic = ("train_micro_batch_size_per_gpu", "gradient_accumulation_steps", "gradient_clipping")
    return {
        "output_dir": folder,
        "per_device_train_batch_size": ROWS,
        "num_generations": ROWS,
        "gradient_accumulation_steps": 1,
        "max_completion_length": sizes.completion,
        "max_steps": 2,
        "beta": case.beta,
        "bf16": True,
        "gradient_checkpointing": case.checkpointing,
        "model_init_kwargs": {"dtype": case.dtype},
        "deepspeed": {**zero, **dict.fromkeys(automatic, "auto")} if case.stage is not None else None,
        "generation_kwargs": {"min_new_tokens": sizes.completion},
        "report_to": [],
        "save_strategy": "no",
        "use_cpu": device == "cpu",
    }


def run(case: Case, path: str, sizes: Sizes, device: str) -> dict[str, int]:
    """Take two steps of the case with the model at `path`; return the peaks of the second [bytes], empty on a CPU."""
    from datasets import Dataset
    from peft import LoraConfig
    from trl import GRPOConfig, GRPOTrainer

    peaks = Peaks(device)

    class Measured(GRPOTrainer):  # type: ignore[misc,unused-ignore]
        def _prepare_inputs(self, generation_batch: Any) -> Any:
            peaks.keep("between")
            inputs = super()._prepare_inputs(generation_batch)
            peaks.keep("generation")
            return inputs

    with tempfile.TemporaryDirectory() as folder:
        prompt = " ".join("w7" for _ in range(sizes.prompt))
        trainer = Measured(
            model=path,
            reward_funcs=lambda completions, **_: [float(len(text)) for text in completions],
            args=GRPOConfig(**config_of(case, sizes, device, folder)),
            processing_class=tokenizer(),
            train_dataset=Dataset.from_list([{"prompt": prompt}] * 8),
            peft_config=LoraConfig(r=case.rank, target_modules="all-linear") if case.rank else None,
        )
        trainer.train()
        peaks.keep("update")
    return peaks.bytes


def main() -> None:
    """Run one case, or each in a process of its own, and write what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument(
        "--case", type=int, nargs="*", help="these alone; DeepSpeed's and others each in a process of their own"
    )
    parser.add_argument("-o", type=Path, help="a line of JSON is added for each case")
    arguments = parser.parse_args()
    for name, value in (
        ("RANK", "0"),
        ("LOCAL_RANK", "0"),
        ("WORLD_SIZE", "1"),
        ("MASTER_ADDR", "localhost"),
        ("MASTER_PORT", "29555"),
    ):
        os.environ.setdefault(name, value)
    import torch

    device, sizes = ("cpu", TINY) if arguments.dry_run else ("cuda", GPU)
    with tempfile.TemporaryDirectory() as folder:
        path = model_folder(sizes, Path(folder), device)
        for case in [CASES[number] for number in arguments.case] if arguments.case else CASES:
            left = torch.cuda.memory_allocated() if device != "cpu" else 0  # DeepSpeed frees nothing of an earlier case
            row: dict[str, Any] = {**asdict(case), "left": left, **run(case, path, sizes, device)}
            gc.collect()
            print(json.dumps(row), flush=True)
            if arguments.o:
                with arguments.o.open("a") as lines:
                    lines.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
