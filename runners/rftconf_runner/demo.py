"""`python -m rftconf_runner.demo FOLDER`: everything a first run needs, made on this machine and from nothing.

A random Qwen3 of 1.6 M parameters, a tokenizer of single characters, prompts, a reward (the share of digits in the answer),
and a veRL launch script that puts them together.
"""

from __future__ import annotations

import argparse
import json
import string
from pathlib import Path
from typing import Any

CHARACTERS = string.digits + string.ascii_letters + string.punctuation + " \n"
SPECIAL = ("<pad>", "<eos>", "<unk>")
TEMPLATE = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
SIZES: dict[str, int] = {
    "hidden_size": 128,
    "intermediate_size": 384,
    "num_hidden_layers": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "max_position_embeddings": 256,
}
REWARD = '''"""The share of digits in an answer, with veRL's arguments."""


def compute_score(data_source, solution_str, ground_truth, extra_info):
    return sum(char.isdigit() for char in solution_str) / max(len(solution_str), 1)
'''
SCRIPT = """#!/usr/bin/env bash
set -euo pipefail
FOLDER=${{FOLDER:-{folder}}}

python3 -m verl.trainer.main_ppo \\
    algorithm.adv_estimator=grpo \\
    data.train_files=$FOLDER/train.parquet \\
    data.val_files=$FOLDER/train.parquet \\
    data.seed=0 \\
    data.train_batch_size=8 \\
    data.max_prompt_length=16 \\
    data.max_response_length=16 \\
    actor_rollout_ref.model.path=$FOLDER/model \\
    actor_rollout_ref.actor.optim.lr=2e-3 \\
    actor_rollout_ref.actor.ppo_mini_batch_size=8 \\
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=128 \\
    actor_rollout_ref.actor.fsdp_config.dtype=float32 \\
    actor_rollout_ref.model.enable_gradient_checkpointing=False \\
    actor_rollout_ref.rollout.name=vllm \\
    actor_rollout_ref.rollout.n=16 \\
    actor_rollout_ref.rollout.seed=0 \\
    actor_rollout_ref.rollout.dtype=float32 \\
    actor_rollout_ref.rollout.tensor_model_parallel_size=1 \\
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=128 \\
    reward.custom_reward_function.path=$FOLDER/reward.py \\
    reward.custom_reward_function.name=compute_score \\
    trainer.n_gpus_per_node=1 \\
    trainer.nnodes=1 \\
    trainer.total_training_steps=20 \\
    trainer.save_freq=20 \\
    trainer.test_freq=-1 \\
    trainer.project_name=demo \\
    trainer.logger='["console","tensorboard"]' \\
    trainer.experiment_name=digits
"""


def make(folder: Path, seed: int = 0, layers: int = SIZES["num_hidden_layers"], **larger: int) -> None:
    """Write the model, the data, the reward and the script to `folder`; other `SIZES` by their name."""
    import torch
    from transformers import Qwen3Config, Qwen3ForCausalLM

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = _tokenizer()
    tokenizer.save_pretrained(folder / "model")
    torch.manual_seed(seed)
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    sizes = SIZES | {"num_hidden_layers": layers} | larger
    config = Qwen3Config(vocab_size=len(tokenizer), tie_word_embeddings=False, **ends, **sizes)
    Qwen3ForCausalLM(config).save_pretrained(folder / "model")
    _data(folder / "train.parquet")
    (folder / "reward.py").write_text(REWARD, encoding="utf-8")
    (folder / "run_grpo.sh").write_text(SCRIPT.format(folder=folder), encoding="utf-8")


def _tokenizer() -> Any:
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words = {word: index for index, word in enumerate((*SPECIAL, *dict.fromkeys(CHARACTERS)))}
    inner = Tokenizer(models.WordLevel(words, unk_token="<unk>"))  # noqa: S106
    inner.decoder = decoders.Fuse()  # else blanks come between the characters
    inner.pre_tokenizer = pre_tokenizers.Split(Regex("."), "isolated")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")  # noqa: S106
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _data(file: Path) -> None:
    """64 questions as veRL wants them: chat messages, a data source, a ground truth."""
    from datasets import Dataset

    rows = [
        {
            "data_source": "digits",
            "prompt": [{"role": "user", "content": f"{a}+{b}="}],
            "reward_model": {"style": "rule", "ground_truth": str(a + b)},
            "extra_info": {"index": 8 * a + b},
        }
        for a in range(8)
        for b in range(8)
    ]
    Dataset.from_list(json.loads(json.dumps(rows))).to_parquet(str(file))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    make(parser.parse_args().folder.resolve())
