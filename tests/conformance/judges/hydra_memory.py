"""What Hydra and OmegaConf would work out again for every case, kept by the process that the cases fork from.

None of it depends on a case: the files of a package stay as they are, and the same interpolation has the same tree.
"""

import copy
import functools
import sys

import hydra._internal.hydra
import omegaconf.grammar_parser
import yaml
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf


def remember():
    """Keep trees of interpolations and files that were read; compose a run once where Hydra does so twice."""
    _in_every_module(omegaconf.grammar_parser.parse, functools.cache(omegaconf.grammar_parser.parse))
    _remember_files()
    _compose_once()


def learn(folder, config_name):
    """Compose and resolve one of the package's configs as it ships, so that no case has to read its files."""
    with initialize_config_dir(folder, version_base=None):
        OmegaConf.to_container(compose(config_name), resolve=True)


def _in_every_module(known, instead):
    name = known.__name__
    for module in list(sys.modules.values()):
        if getattr(module, name, None) is known:
            setattr(module, name, instead)


def _remember_files():
    """`yaml.load` of the same text by a loader of the same name reads it once, and gives a copy each time."""
    load, result = yaml.load, {}

    def load_once(stream, Loader):  # noqa: N803 - PyYAML's own name
        text = stream if isinstance(stream, (str, bytes)) else stream.read()
        key = text, Loader.__name__
        if key not in result:
            result[key] = load(text, Loader)
        return copy.deepcopy(result[key])

    yaml.load = load_once


def _compose_once():
    """Hydra composes a config to read `hydra.mode` and then again to run it; a case that does not name it runs once."""
    own = hydra._internal.hydra.Hydra.get_mode

    def get_mode(self, config_name, overrides):
        named = any("hydra.mode" in override for override in overrides)
        return own(self, config_name, overrides) if named else None

    hydra._internal.hydra.Hydra.get_mode = get_mode
