"""What stands around Trinity's validators while they run: a cluster, a model hub, a disk, an environment."""

import os
import re
import sys
import tempfile
from pathlib import Path

from tiny_model import write_tiny_model

FROM_HUB = ("AutoConfig", "AutoTokenizer", "AutoProcessor", "AutoModelForCausalLM", "AutoModel")
CPUS_PER_NODE = 64.0


def preload():
    """transformers imports what is behind a name when it is first asked for."""
    import transformers

    for name in FROM_HUB:
        getattr(transformers, name)


def enter(text, nodes, gpus_per_node, progress):
    """Prepare this (forked) process for the file with this text."""
    model_folder = write_tiny_model(os.environ["RFTCONF_TINY_MODEL"])
    scratch = tempfile.mkdtemp(prefix="trinity_judge_")
    os.chdir(scratch)
    name_variables(text)
    pretend_cluster(nodes, gpus_per_node)
    answer_for_the_hub(model_folder, progress)
    stay_in(scratch, progress)


def name_variables(text):
    """Give every `${oc.env:X}` its own text as value, so that what was loaded still says where it came from."""
    for name in re.findall(r"\$\{oc\.env:([A-Za-z0-9_]+)\}", text):
        os.environ[name] = f"${{oc.env:{name}}}"


def pretend_cluster(nodes, gpus_per_node):
    import ray

    node = {"alive": True, "Resources": {"GPU": float(gpus_per_node), "CPU": CPUS_PER_NODE}}
    ray.is_initialized = lambda: True
    ray.init = ray.shutdown = lambda *args, **kwargs: None
    ray.nodes = lambda: [node] * nodes


def answer_for_the_hub(model_folder, progress):
    """A model that is not on this machine is the tiny one."""
    import transformers

    for name in FROM_HUB:
        answer_for_one(getattr(transformers, name), model_folder, progress)


def answer_for_one(hub_class, model_folder, progress):
    real = hub_class.from_pretrained

    def from_pretrained(path, *args, **kwargs):
        if not Path(str(path)).expanduser().exists():
            progress.note(f"{hub_class.__name__}({path}) -> tiny model")
            path = model_folder
        return real(path, *args, **kwargs)

    hub_class.from_pretrained = staticmethod(from_pretrained)


def stay_in(scratch, progress):
    """Folders are made below `scratch` only; a LoRA adapter, which would need the weights, is not made at all."""
    real = os.makedirs

    def makedirs(name, *args, **kwargs):
        if Path(name).absolute().is_relative_to(scratch):
            real(name, *args, **kwargs)
        else:
            progress.note(f"folder {name} not made")

    os.makedirs = makedirs
    for module in list(sys.modules.values()):
        if getattr(module, "__name__", "").startswith("trinity") and hasattr(module, "create_dummy_lora"):
            module.create_dummy_lora = lambda **kwargs: str(Path(scratch, "lora_adapter"))
