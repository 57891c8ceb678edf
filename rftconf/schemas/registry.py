"""Which frameworks and releases rftconf knows. Strings only, so that any command may import it at start."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rftconf.errors import UsageError


@dataclass(frozen=True, slots=True)
class Recipe:
    """A trainer with a program of its own: part of the program's name, and a key that only its config has.

    Its config is that of `backend` with more keys and other defaults; releases before `since` have none.
    """

    name: str
    backend: str
    mark: str
    program: str
    config_folder: str
    own_key: str
    since: str


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework: `releases` from oldest to newest, `trainers` with the default first.

    `config_names` maps a trainer to the Hydra config that starts it; `pins` maps a release to the releases of another
    framework that it runs on, the preferred one first. `adds_with_plus`: keys that its config lacks are added as `+key`.
    `fills_missing`: its loader puts its own default where a config says `???`, instead of stopping.
    `mains`: the programs whose config the rows describe. `recipes`: trainers with a program and a config of their own
    on top of another trainer's.
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
    recipes: Mapping[str, Recipe] = field(default_factory=dict)

    @property
    def newest(self) -> str:
        """The release whose shape the mappers know."""
        return self.releases[-1]

    @property
    def trainer(self) -> str:
        """The trainer meant when none is named."""
        return self.trainers[0]

    def trainers_of(self, release: str) -> tuple[str, ...]:
        """The trainers that `release` has."""
        have = self.releases.index(release)
        since = {name: self.releases.index(recipe.since) for name, recipe in self.recipes.items()}
        return tuple(trainer for trainer in self.trainers if since.get(trainer, 0) <= have)

    def backend(self, trainer: str) -> str:
        """The trainer that `trainer` stands on: itself, unless it is a recipe."""
        return self.recipes[trainer].backend if trainer in self.recipes else trainer


def _recipe(name: str, backend: str, program: str, own_key: str) -> Recipe:
    folder = f"verl/experimental/{name}_policy"
    return Recipe(
        name, backend, f"{name}_policy", f"{folder}/{program}".replace("/", "."), f"{folder}/config", own_key, "0.7.1"
    )


_FULLY_ASYNC = ("fully_async_main", "async_training")
_ONE_STEP_OFF = ("main_ppo", "rollout.nnodes")
_VERL_RECIPES = {
    "fully_async": _recipe("fully_async", "fsdp", *_FULLY_ASYNC),
    "fully_async_megatron": _recipe("fully_async", "megatron", *_FULLY_ASYNC),
    "one_step_off": _recipe("one_step_off", "fsdp", *_ONE_STEP_OFF),
    "one_step_off_megatron": _recipe("one_step_off", "megatron", *_ONE_STEP_OFF),
}
VERL = Framework(
    name="verl",
    title="veRL",
    releases=("0.4.1", "0.5.0", "0.6.1", "0.7.1", "0.8.0", "0.9.1"),
    trainers=("fsdp", "megatron", *_VERL_RECIPES),
    aliases=("volcengine-verl",),
    programs=("verl.trainer.", "verl.experimental.", "recipe.", "verl/trainer/"),
    config_names={
        "fsdp": "ppo_trainer",
        "megatron": "ppo_megatron_trainer",
        "fully_async": "fully_async_ppo_trainer",
        "fully_async_megatron": "fully_async_ppo_megatron_trainer",
        "one_step_off": "one_step_off_ppo_trainer",
        "one_step_off_megatron": "one_step_off_ppo_megatron_trainer",
    },
    recipes=_VERL_RECIPES,
    adds_with_plus=True,
    mains=("verl.trainer.main_ppo", "recipe.dapo.main_dapo"),
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
