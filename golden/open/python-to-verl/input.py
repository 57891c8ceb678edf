"""Adapters on a 1.5B model for arithmetic, engines in the trainer's processes."""

import os

from datasets import load_dataset
from peft import LoraConfig
from trl import GRPOConfig, GRPOTrainer

MODEL = "Qwen/Qwen2.5-1.5B-Instruct"
PROMPTS, ANSWERS, PER_DEVICE = 32, 8, 8
PROCESSES = int(os.environ.get("PROCESSES", "4"))
ACCUMULATE = PROMPTS * ANSWERS // (PER_DEVICE * PROCESSES)


def within_a_line(completions, **columns):
    """Reward answers of one line."""
    return [float("\n" not in completion) for completion in completions]


def rows(split):
    """Load one split with the column that the trainer reads."""
    return load_dataset("openai/gsm8k", "main", split=split).map(lambda row: {"prompt": row["question"]})


def main():
    """Train with a learning rate that is set after the rest."""
    config = GRPOConfig(
        output_dir=f"/checkpoints/{MODEL.split('/')[-1].lower()}-lora",
        run_name="arithmetic-lora",
        per_device_train_batch_size=PER_DEVICE,
        gradient_accumulation_steps=ACCUMULATE,
        num_generations=ANSWERS,
        max_completion_length=512,
        max_steps=400,
        beta=0.01,
        epsilon_high=0.28,
        loss_type="dapo",
        lr_scheduler_type="constant",
        bf16=True,
        use_vllm=True,
        vllm_mode="colocate",
        save_steps=50,
        report_to=["wandb"],
    )
    config.learning_rate = 2 * 1e-5
    trainer = GRPOTrainer(
        model=MODEL,
        reward_funcs=[within_a_line],
        args=config,
        train_dataset=rows("train"),
        peft_config=LoraConfig(r=32, lora_alpha=64, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"),
    )
    trainer.train()


if __name__ == "__main__":
    main()
