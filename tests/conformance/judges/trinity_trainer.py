"""The veRL config that Trinity 0.6 builds for its trainer when veRL is 0.8 or newer."""

import os
from pathlib import Path

from omegaconf import OmegaConf
from tiny_model import write_tiny_model

TRAINING_MODES = ("train", "both", "colocate")
REFERENCE_AS_ACTOR = {
    "log_prob_micro_batch_size": "ppo_micro_batch_size",
    "log_prob_micro_batch_size_per_gpu": "ppo_micro_batch_size_per_gpu",
    "log_prob_use_dynamic_bsz": "use_dynamic_bsz",
    "log_prob_max_token_len_per_gpu": "ppo_max_token_len_per_gpu",
}
"""The worker converts the reference's section as an actor's, after renaming these keys."""


def trains_with_verl(config):
    return config.mode in TRAINING_MODES and config.trainer.trainer_type == "verl"


def build(config):
    """Build it and convert each section as veRL's worker does; raises what either raises."""
    import verl.workers.config.model as model_config
    from trinity.trainer.verl.config import build_verl_config

    def local_copy(path, **kwargs):
        here = Path(str(path)).expanduser().exists()
        return path if here else write_tiny_model(os.environ["RFTCONF_TINY_MODEL"])

    model_config.copy_to_local = local_copy
    built = build_verl_config(config)
    for section in ("model", "actor", "rollout"):
        convert(section, built[section])
    if built.critic.get("enable"):
        convert("critic", built.critic)
    reference = OmegaConf.to_container(built.ref, resolve=True)
    renamed = {REFERENCE_AS_ACTOR.get(key, key): value for key, value in reference.items()}
    convert("ref", OmegaConf.create(renamed))


def convert(section, node):
    from verl.utils.config import omega_conf_to_dataclass

    try:
        omega_conf_to_dataclass(node)
    except Exception as error:
        error.args = (f"[veRL {section}] {error}", *error.args[1:])
        raise
