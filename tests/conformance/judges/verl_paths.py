"""Models and code files that are not on this machine, replaced in a copy of the config."""

from pathlib import Path

from omegaconf import OmegaConf, open_dict

MODEL_KEYS = {"path", "model_path", "tokenizer_path", "hf_config_path", "input_tokenizer", "lora_adapter_path"}
LAYERS = "transformer_layer_cls_to_wrap"
"""Names of classes of the model that is not here."""
CODE_SECTIONS = (
    "custom_reward_function",
    "reward.custom_reward_function",
    "data.custom_cls",
    "reward_model.reward_loop_module_path",
)


def is_here(path):
    return Path(path).expanduser().exists()


def names_a_model(key, dotted):
    return key in MODEL_KEYS and ("model" in dotted or "teacher" in dotted)


def replace_models(node, route, model_folder, progress):
    """Point every model path below `node` that does not exist at the tiny model."""
    for key in list(node.keys()):
        child = node._get_node(key)
        place = [*route, str(key)]
        dotted = ".".join(place)
        if key == LAYERS and node[key]:
            progress.note(f"{dotted}: {node[key]} -> the tiny model's")
            node[key] = None
        elif OmegaConf.is_config(child):
            if OmegaConf.is_dict(child) and not child._is_none():
                replace_models(node[key], place, model_folder, progress)
        elif key == "external_lib" and node[key]:
            progress.note(f"{dotted} dropped")
            node[key] = None
        elif names_a_model(key, dotted) and isinstance(node[key], str) and not is_here(node[key]):
            progress.note(f"{dotted}: {node[key]} -> tiny model")
            with open_dict(node):
                node[key] = model_folder


def drop_absent_code(config, progress):
    """Reward functions and data classes live in the user's repository, not here."""
    for section in CODE_SECTIONS:
        node = OmegaConf.select(config, section)
        if node is not None and OmegaConf.is_config(node) and node.get("path") and not is_here(node.path):
            progress.note(f"{section}.path: {node.path} -> null")
            node.path = None


def with_local_paths(config, model_folder, progress):
    """A resolved copy of `config` that can be loaded on this machine."""
    copy = OmegaConf.create(OmegaConf.to_container(config, resolve=True))
    replace_models(copy, [], model_folder, progress)
    drop_absent_code(copy, progress)
    return copy


def detached(node):
    """A copy of one section without its parents, as a worker receives it."""
    return OmegaConf.create(OmegaConf.to_container(node, resolve=True))
