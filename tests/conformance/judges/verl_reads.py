"""Is each key that is written read by anything? A key that Hydra takes, because `+` adds it, may be read by nobody.

A key counts as read where its name stands in veRL's code as an attribute or as text, or in an interpolation of its
configs. What lies below a mapping that veRL hands on whole has the names of whoever receives it.
"""

import functools
import importlib
import re
from pathlib import Path

import engine_arguments

HANDED_ON = re.compile(
    r"\b(engine_kwargs|\w*override\w*|reward_kwargs|\w+_kwargs|ray_init|runtime_env|env_vars|extra_configs|lora|tool_config"
    r"|custom|default_agent_config|chat_template_kwargs|apply_chat_template_kwargs|additional_config)\."
)
"""Mappings with names of their own."""
NAMES = re.compile(r"\.([A-Za-z_]\w*)|[\"']([A-Za-z_]\w*)[\"']")


@functools.cache
def read_names(package="verl"):
    """Every name that this release's code or its configs' interpolations read."""
    root = Path(importlib.import_module(package).__file__).parent
    result = set()
    for file in [*root.rglob("*.py"), *root.rglob("*.yaml")]:
        text = file.read_text(errors="replace")
        if file.suffix == ".yaml":
            text = " ".join(re.findall(r"\$\{[^}]*\}", text))
        result.update(first or second for first, second in NAMES.findall(text))
    return frozenset(result)


def keys_of(overrides):
    """The dotted keys that are set, without those that are taken away."""
    for override in overrides:
        key = override.partition("=")[0]
        if not key.startswith(("-", "~", "hydra")) and "/" not in key:
            yield key.lstrip("+").partition("@")[0]


def check(overrides):
    """Raises where a key is written that nothing reads."""
    unread = [
        key for key in keys_of(overrides) if not HANDED_ON.search(key) and key.rpartition(".")[2] not in read_names()
    ]
    assert not unread, f"nothing in veRL reads {', '.join(unread)}"


TAKES_PIECES = ((0, 4, 1), (0, 7))
"""The first release of veRL on vLLM's engine of version 1, which up to vLLM 0.11 takes prompts in pieces whatever it is told
(EngineArgs._set_default_args_v1), and the first on a later one."""


def check_engine(rollout, release, progress):
    """What is handed to vLLM or SGLang are arguments of theirs, and vLLM's scheduler can hold a sequence."""
    if rollout.name not in engine_arguments.ENGINES:
        return
    engine_arguments.check_names(rollout.name, (rollout.get("engine_kwargs") or {}).get(rollout.name), "verl", progress)
    if rollout.name == "vllm":
        engine_arguments.check_scheduler(
            sequences=rollout.get("max_num_seqs"),
            tokens=rollout.get("max_num_batched_tokens"),
            longest=rollout.get("max_model_len") or rollout.prompt_length + rollout.response_length,
            chunks=rollout.get("enable_chunked_prefill", True) or TAKES_PIECES[0] <= release < TAKES_PIECES[1],
        )
