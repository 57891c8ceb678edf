"""Is each key of a Trinity file read by anything? Its loader refuses keys that no dataclass has, not those that nobody reads.

Mappings of arguments are free: a name in them counts as read where the code that gets them has it as text.
"""

import importlib
import inspect
import re
from pathlib import Path

import engine_arguments
import verl_reads
import yaml

HANDED_ON = re.compile(
    r"trainer_config|extra_engine_args|chat_template_args|monitor_args|env_vars|sample_strategy_args|\w+_fn_args"
)
"""Mappings whose names are asked of whoever receives them: veRL's dataclasses, the engine, a service, a function."""


def keys_of(node, route=""):
    """The dotted keys of the leaves, without what is handed on."""
    if isinstance(node, list):
        for item in node:
            yield from keys_of(item, route)
    elif isinstance(node, dict):
        for key, value in node.items():
            if not HANDED_ON.fullmatch(str(key)):
                below = list(keys_of(value, f"{route}{key}."))
                yield from below or [f"{route}{key}"]


COPIED = re.compile(r"(^|\.)optimizer\.\w+$")
"""Fields that Trinity sets one by one in veRL's section of the same names (verl_config.py: synchronize_config)."""


def check(file):
    """Raises where the file sets what nothing reads."""
    own, pair = verl_reads.read_names("trinity"), verl_reads.read_names("trinity") | verl_reads.read_names("verl")
    unread = [
        key
        for key in keys_of(yaml.safe_load(Path(file).read_text()))
        if key.rpartition(".")[2] not in (pair if COPIED.search(key) else own)
    ]
    assert not unread, f"nothing in Trinity reads {', '.join(dict.fromkeys(unread))}"


def check_sample_strategy(algorithm):
    """A strategy takes any argument, and reads some by name."""
    from trinity.algorithm import SAMPLE_STRATEGY

    result = SAMPLE_STRATEGY.get(algorithm.sample_strategy)
    assert result is not None, f"unknown sample strategy: {algorithm.sample_strategy}"
    text = "".join(inspect.getsource(entry) for entry in result.__mro__ if entry.__module__.startswith("trinity"))
    unread = [name for name in algorithm.sample_strategy_args or {} if name not in text]
    assert not unread, f"[{algorithm.sample_strategy}] no argument {', '.join(unread)}"


def check_reward(taskset):
    """A reward function is constructed with the arguments that are written."""
    arguments = getattr(taskset, "reward_fn_args", None)
    if taskset.default_reward_fn_type and arguments:
        functions = importlib.import_module("trinity.common.rewards").REWARD_FUNCTIONS
        inspect.signature(functions.get(taskset.default_reward_fn_type)).bind(**arguments)


def check_engines(explorer, progress):
    """What is handed on to vLLM or SGLang are arguments of theirs, and vLLM's scheduler can hold a sequence."""
    for model in [explorer.rollout_model, *explorer.auxiliary_models]:
        engine = "sglang" if model.engine_type == "sglang" else "vllm"
        arguments = getattr(model, "extra_engine_args", None) or {}
        engine_arguments.check_names(engine, arguments, "trinity-rft", progress)
        if engine == "vllm":
            engine_arguments.check_scheduler(
                sequences=arguments.get("max_num_seqs"),
                tokens=arguments.get("max_num_batched_tokens"),
                longest=model.max_model_len,
                chunks=getattr(model, "enable_chunked_prefill", True),
            )
