"""Which frameworks and releases rftconf knows. Strings only, so that any command may import it at start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rftconf.errors import UsageError


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework: `releases` from oldest to newest, `trainers` with the default first.

    `config_names` maps a trainer to the Hydra config that starts it; `pins` maps a release to the releases of another
    framework that it runs on, the preferred one first. `adds_with_plus`: keys that its config lacks are added as `+key`.
    `fills_missing`: its loader puts its own default where a config says `???`, instead of stopping.
    `mains`: the programs whose config the rows describe. `unread_programs` and `unread_sections`: part of a program's
    name, and the section of keys that only it has, to the reason why it is refused; `instead` is what the maintained
    config offers in its place.
    """

    name: str
    title: str
    releases: tuple[str, ...]
    trainers: tuple[str, ...] = ("",)
    aliases: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    config_names: Mapping[str, str] = field(default_factory=dict)
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adds_with_plus: bool = False
    fills_missing: bool = False
    mains: tuple[str, ...] = ()
    unread_programs: Mapping[str, str] = field(default_factory=dict)
    unread_sections: Mapping[str, str] = field(default_factory=dict)
    instead: str = ""

    @property
    def newest(self) -> str:
        """The release whose shape the mappers know."""
        return self.releases[-1]

    @property
    def trainer(self) -> str:
        """The trainer meant when none is named."""
        return self.trainers[0]


VERL = Framework(
    name="verl",
    title="veRL",
    releases=("0.4.1", "0.5.0", "0.6.1", "0.7.1", "0.8.0", "0.9.1"),
    trainers=("fsdp", "megatron"),
    aliases=("volcengine-verl",),
    programs=("verl.trainer.", "verl.experimental.", "recipe.", "verl/trainer/"),
    config_names={"fsdp": "ppo_trainer", "megatron": "ppo_megatron_trainer"},
    adds_with_plus=True,
    mains=("verl.trainer.main_ppo", "recipe.dapo.main_dapo"),
    unread_programs={
        "fully_async": "it counts in async_training's keys, not in data.train_batch_size (row 2.7)",
        "one_step_off": "it trains one rollout period behind, on GPUs of its own for rollout (row 2.6)",
    },
    unread_sections={
        "async_training": "it belongs to the fully asynchronous main, which does not count in data.train_batch_size (row 2.7)",
    },
    instead="the maintained equivalent since 0.9: trainer.v1.trainer_mode=separate_async",
)
TRINITY = Framework(
    name="trinity",
    title="Trinity-RFT",
    releases=("0.3.3", "0.4.1", "0.5.2", "0.6.0"),
    aliases=("trinity-rft", "trinity_rft"),
    programs=("trinity", "trinity.cli.launcher"),
    fills_missing=True,
    pins={"0.3.3": ("0.5.0",), "0.4.1": ("0.7.0",), "0.5.2": ("0.7.1",), "0.6.0": ("0.8.0", "0.7.1")},
)
FRAMEWORKS: dict[str, Framework] = {framework.name: framework for framework in (VERL, TRINITY)}


def framework(name: str) -> Framework:
    """The framework called `name` (or by an alias, in any case). Raises UsageError when there is none."""
    wanted = name.strip().lower()
    for known in FRAMEWORKS.values():
        if wanted in (known.name, known.title.lower(), *known.aliases):
            return known
    raise UsageError(f"no framework is called {name!r}; known: {', '.join(sorted(FRAMEWORKS))}")


def release(of: Framework, wanted: str | None) -> str:
    """The catalogued release that stands for `wanted`: itself, or the newest one with the same first two numbers.

    None means the newest. Raises UsageError when no catalogue covers it.
    """
    if wanted is None:
        return of.newest
    bare = wanted.strip().lower().removeprefix("v")
    if bare in of.releases:
        return bare
    series = re.match(r"\d+\.\d+", bare)
    same = [known for known in of.releases if series and known.startswith(series[0] + ".")]
    if same:
        return same[-1]
    raise UsageError(f"{of.title} {wanted} has no catalogue; known: {', '.join(of.releases)}")


def at_least(name: str, have: str, wanted: str) -> bool:
    """True when release `have` of framework `name` is `wanted` or newer."""
    del name  # releases of one framework compare by their numbers alone
    return tuple(map(int, have.split("."))) >= tuple(map(int, wanted.split(".")))
