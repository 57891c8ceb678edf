"""A policy that is loaded before the trainer is made; what a person chooses stands on the command line."""

import argparse
import random

import torch
from datasets import load_dataset
from transformers import AutoModelForCausalLM
from trl import GRPOConfig, GRPOTrainer


def parse():
    """Parse what the program is given."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="Qwen/Qwen3-4B")
    parser.add_argument("--lr", type=float, default=1e-6)
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--no-engines", action="store_true")
    return parser.parse_args()


def exact(completions, answer, **columns):
    """Reward answers that end with the known one."""
    return [float(completion.endswith(known)) for completion, known in zip(completions, answer)]


if __name__ == "__main__":
    given = parse()
    common = dict(per_device_train_batch_size=4, gradient_accumulation_steps=8, num_generations=8)
    if given.no_engines:
        common["use_vllm"] = False
    else:
        common.update(use_vllm=True, vllm_mode="server")
    seed = random.randrange(1000)
    model = AutoModelForCausalLM.from_pretrained(given.model, dtype=torch.bfloat16, attn_implementation="sdpa")
    data = load_dataset("my-org/word-problems")
    trainer = GRPOTrainer(
        model=model,
        reward_funcs=exact,
        args=GRPOConfig(
            output_dir="/checkpoints/word-problems",
            learning_rate=given.lr,
            num_train_epochs=given.epochs,
            seed=seed,
            temperature=0.9,
            max_completion_length=1024,
            lr_scheduler_type="cosine",
            **common,
        ),
        train_dataset=data["train"],
    )
    trainer.train()
