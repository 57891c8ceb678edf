"""Is each key that is written read by anything? A key that Hydra takes, because `+` adds it, may be read by nobody.

A key counts as read where its name stands in veRL's code as an attribute or as text, or in an interpolation of its
configs. What lies below a mapping that veRL hands on whole has the names of whoever receives it.
"""

import functools
import importlib
import json
import re
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

HANDED_ON = re.compile(
    r"\b(engine_kwargs|\w*override\w*|reward_kwargs|\w+_kwargs|ray_init|runtime_env|env_vars|extra_configs|lora|tool_config"
    r"|custom|default_agent_config|chat_template_kwargs|apply_chat_template_kwargs|additional_config)\."
)
"""Mappings with names of their own."""
NAMES = re.compile(r"\.([A-Za-z_]\w*)|[\"']([A-Za-z_]\w*)[\"']")
ENGINE_ARGUMENTS = Path(__file__).with_name("engine_arguments.json")
ENGINES = ("vllm", "sglang")


@functools.cache
def read_names(package="verl"):
    """Every name that this release's code or its configs' interpolations read."""
    root = Path(importlib.import_module(package).__file__).parent
    found = set()
    for file in [*root.rglob("*.py"), *root.rglob("*.yaml")]:
        text = file.read_text(errors="replace")
        if file.suffix == ".yaml":
            text = " ".join(re.findall(r"\$\{[^}]*\}", text))
        found.update(one or other for one, other in NAMES.findall(text))
    return frozenset(found)


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


def known_arguments(engine, distribution="verl"):
    """The version of the engine nearest to what this release asks for, and the names of its arguments."""
    known = {Version(version): names for version, names in json.loads(ENGINE_ARGUMENTS.read_text())[engine].items()}
    asked = asked_versions(engine, distribution)
    fitting = [version for version in known if asked is None or version in asked] or list(known)
    newest = max(fitting)
    return str(newest), known[newest].split()


def asked_versions(engine, distribution):
    """What the package's metadata say of the engine's version, or None."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        asked = [Requirement(text) for text in requires(distribution) or ()]
    except PackageNotFoundError:  # imported from a checkout
        return None
    return next((one.specifier for one in asked if one.name == engine), None)


def check_engine(rollout, progress):
    """The arguments that are handed to the engine have names that it knows."""
    given = (rollout.get("engine_kwargs") or {}).get(rollout.name) if rollout.name in ENGINES else None
    check_arguments(rollout.name, given, "verl", progress)


def check_arguments(engine, given, distribution, progress):
    """Raises where the engine of the version that `distribution` asks for has no such argument."""
    given = [name for name, value in (given or {}).items() if value is not None]
    if given:
        version, known = known_arguments(engine, distribution)
        progress.note(f"arguments of {engine} {version}")
        unread = [name for name in given if name not in known]
        assert not unread, f"[{engine} {version}] no argument {', '.join(unread)}"
