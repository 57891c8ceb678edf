"""One config, written in Python, as YAML and as a command line, is one plan."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from rftconf.base.errors import RefusedError
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

KEYS: dict[str, st.SearchStrategy[Any]] = {
    "learning_rate": st.sampled_from([1e-6, 3e-5, 0.001]),
    "beta": st.sampled_from([0.0, 0.04]),
    "epsilon": st.sampled_from([0.1, 0.2]),
    "epsilon_high": st.sampled_from([0.25, 0.3]),
    "loss_type": st.sampled_from(["grpo", "bnpo", "dr_grpo", "dapo"]),
    "per_device_train_batch_size": st.sampled_from([4, 8]),
    "gradient_accumulation_steps": st.sampled_from([1, 4]),
    "num_iterations": st.integers(1, 3),
    "max_completion_length": st.integers(16, 4096),
    "max_steps": st.integers(1, 1000),
    "temperature": st.sampled_from([0.6, 1.0]),
    "bf16": st.booleans(),
    "use_vllm": st.booleans(),
    "vllm_mode": st.sampled_from(["colocate", "server"]),
    "gradient_checkpointing": st.booleans(),
    "seed": st.integers(0, 99),
    "run_name": st.text("abc-_./ é'\"", min_size=1).map(lambda text: f"r{text}"),
    "report_to": st.lists(st.sampled_from(["wandb", "tensorboard"]), min_size=2, max_size=2, unique=True),
    "lr_scheduler_type": st.sampled_from(["constant", "cosine"]),
    "model_name_or_path": st.sampled_from(["a/b", "/models/c"]),
    "dataset_name": st.sampled_from(["d/e"]),
    "reward_funcs": st.just(["score"]),
}
OF_TRAINER = ("model_name_or_path", "dataset_name", "reward_funcs")
CONFIGS = st.fixed_dictionaries(
    {"num_generations": st.just(4), "output_dir": st.sampled_from(["out", "/ckpt/a b"])}, optional=KEYS
)


def in_python(config: dict[str, Any], style: int) -> str:
    own = {key: value for key, value in config.items() if key not in OF_TRAINER}
    lines = ["from datasets import load_dataset", "from trl import GRPOConfig, GRPOTrainer"]
    if style == 0:
        lines.append(f"args = GRPOConfig({', '.join(f'{key}={value!r}' for key, value in own.items())})")
    elif style == 1:
        lines += [f"{key.upper()} = {value!r}" for key, value in own.items()]
        lines.append(f"args = GRPOConfig({', '.join(f'{key}={key.upper()}' for key in own)})")
    elif style == 2:
        lines += [f"base = {own!r}", "args = GRPOConfig(**base)"]
    else:
        lines += ["args = GRPOConfig()", *(f"args.{key} = {value!r}" for key, value in own.items())]
    lines.append("def score(completions): return [0.0]")
    given_arguments = ["args=args"]
    if "model_name_or_path" in config:
        given_arguments.append(f"model={config['model_name_or_path']!r}")
    if "dataset_name" in config:
        given_arguments.append(f"train_dataset=load_dataset({config['dataset_name']!r})['train']")
    if "reward_funcs" in config:
        given_arguments.append("reward_funcs=[score]")
    return "\n".join([*lines, f"GRPOTrainer({', '.join(given_arguments)})", ""])


def quoted(value: Any) -> str:
    words = [str(item) for item in value] if isinstance(value, list) else [str(value)]
    return " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)


def on_the_command_line(config: dict[str, Any]) -> str:
    return "trl grpo " + " ".join(f"--{key} {quoted(value)}" for key, value in config.items()) + "\n"


def plan(name: str, text: str) -> Any:
    try:
        return {
            path: json.dumps(value, default=str)
            for path, value in load(read(Source(name, text)), framework="trl", release="1.16.0")
            .stages[0]
            .values.items()
        }
    except RefusedError as error:
        return str(error)


@settings(max_examples=60, deadline=None)
@given(CONFIGS, st.integers(0, 3))
def test_the_plan_does_not_depend_on_the_form(config: dict[str, Any], style: int) -> None:
    if "dataset_name" in config:
        config = config | {"dataset_train_split": "train"}
    python = plan("train.py", in_python({k: v for k, v in config.items() if k != "dataset_train_split"}, style))
    assert python == plan("train.yaml", yaml.safe_dump(config))
    assert python == plan("train.sh", on_the_command_line(config))
