"""A start of ChatLearn's modules without devices: what their `init` and `model_setup` make of the config before the first step.

The trainer's device meshes under a process group that only pretends, its optimizer over one parameter, the engine's
arguments against vLLM's or SGLang's names and rules, and one step's advantages and loss. Megatron's own argument parser
and models are not installed: of its keys it is asked only whether anything reads them.
"""

import os
from pathlib import Path

import chatlearn_mathematics
import engine_arguments
import verl_reads
import yaml
from trinity_reads import keys_of
from verl_workers import pretend_process_group

PACKAGES = ("chatlearn", "megatron.core")
"""Who reads a key: ChatLearn sets those that Megatron's arguments have."""
OF_MEGATRON_LM = ("decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers")
"""Options of Megatron-LM's parser, which is not installed, that Megatron-Core has under other names."""


def written_keys(words):
    """The dotted keys of a file or of the overrides on a command line."""
    for before, word in zip(("", *words), words, strict=False):
        if before == "--config-file" and Path(word).exists():
            yield from keys_of(yaml.safe_load(Path(word).read_text()))
        elif not word.startswith("-") and "=" in word:
            yield word.partition("=")[0]


def check_keys(words):
    """Raises where a key is written that nothing reads."""
    read = set(OF_MEGATRON_LM).union(*(verl_reads.read_names(package) for package in PACKAGES))
    unread = [key for key in written_keys(words) if key.rpartition(".")[2] not in read]
    assert not unread, f"nothing in ChatLearn reads {', '.join(dict.fromkeys(unread))}"


def start(config, progress):
    """Everything up to the first step; raises what ChatLearn raises."""
    trainer = config.models["policy_trainer"]
    if config.runtime_args["train_backend"] == "fsdp":
        make_meshes(trainer)
        build_optimizer(trainer)
    check_engine(config.models["policy"], config.runtime_args["rollout_backend"], progress)
    chatlearn_mathematics.measure(config, [0], progress)


def make_meshes(trainer):
    """The meshes of FSDPModule over as many ranks as the trainer has GPUs."""
    from chatlearn.models import fsdp_module

    pretend_process_group(trainer["num_gpu"])
    real = fsdp_module.dist.device_mesh.init_device_mesh
    fsdp_module.dist.device_mesh.init_device_mesh = lambda device, **kwargs: real("cpu", **kwargs)
    fsdp_module.set_sp_parallel_group = lambda group: None
    result = object.__new__(fsdp_module.FSDPModule)
    result.__dict__.update(device_mesh=None, sp_device_mesh=None, fsdp_size=trainer["fsdp_size"])
    result.sp_size = trainer["ulysses_sequence_parallel_size"]
    type(result).world_size = property(lambda _: int(os.environ["WORLD_SIZE"]))
    result.create_device_mesh(result.world_size, result.fsdp_size)
    if result.sp_size > 1:
        result.create_sp_device_mesh()


def build_optimizer(trainer):
    """AdamW with the arguments that FSDPModule gives it."""
    import torch

    arguments = trainer["optimizer"]
    torch.optim.AdamW(
        [torch.nn.Parameter(torch.zeros(1))],
        lr=arguments["lr"],
        betas=(arguments["adam_beta1"], arguments["adam_beta2"]),
        weight_decay=arguments["weight_decay"],
    )


def check_engine(policy, engine, progress):
    """VLLMModule names the arguments itself; what they hold is the config's."""
    if engine == "vllm":
        engine_arguments.check_scheduler(
            sequences=policy["generation_batch_size"], tokens=policy.get("max_num_batched_tokens")
        )
        assert 0 < policy.get("gpu_memory_utilization", 0.9) <= 1, "GPU memory utilization must be less than 1.0"
