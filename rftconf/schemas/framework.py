"""Records of what rftconf knows of a framework before it reads any of its keys; `registry` has one for each framework."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from rftconf.base.record import record


@record
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
    earlier: str = ""
    """The program where it lay before a release brought it."""


@record
class TemplateLauncher:
    """A launch script on top of a config file that the framework ships: `{trainer}` in its path names the trainer."""

    program: tuple[str, ...]
    option: str
    path: str
    prelude: tuple[str, ...] = ()
    """The lines with which the framework's own scripts begin."""

    def template(self, trainer: str) -> str:
        """The trainer's template, by its path in a checkout."""
        return self.path.format(trainer=trainer)


@record
class Framework:
    """One framework: `releases` from oldest to newest, `trainers` with the default first.

    `config_names` maps a trainer to the Hydra config that starts it, `config_groups` to the words of a launch line that
    choose its groups there; `part_groups` maps a section to the word by which
    a launch line chooses the framework's own part there (`model=hf_model`); `trainers_since` a trainer to the first
    release that ships its config; `pins` maps a
    release to the releases of another framework that it runs on, the preferred one first. `adds_with_plus`: keys that its config lacks are added as `+key`.
    `forms`: what a config of it can be written as, and `usual_form` which of them unless one is asked for.
    `fills_missing`: its loader puts its own default where a config says `???`, instead of stopping.
    `resolvers`: functions that it registers for `${mul:a,b}` and the like.
    `tells_time`: its loader computes Hydra's `${now:...}`. `interpolates`: its loader fills `${...}` in texts in.
    `of`: the framework whose program this is, where it reads a config of its own (`veRL SFT` belongs to `verl`); then
    `kinds` are the kinds of runs it starts, and its tables and catalogues are its own (docs/adr/0009).
    `spmd_until`: the last release that torchrun starts, one process per GPU.
    `trainer_sections`: a trainer to the sections that only its configs have, where they tell trainers apart;
    `trainer_of_kind`: the trainer that runs a kind of stage, where each kind has its own. `trainer_keys`: keys whose values
    are names of trainers, which say it where no launch line does.
    `drops_unknown`: its loader leaves unknown keys out without a word; `refuses_unknown`: it stops at them, and at values of another type;
    `for_scripts`: scripts of anybody's read such configs too, and declare keys of their own.
    `two_forms`: a rollout period can be written in two forms, with one sync interval or with two.
    `mains`: the programs whose config the rows describe. `recipes`: trainers with a program and a config of their own
    on top of another trainer's. `instead_of_offline` says what stands for programs that train nothing.
    `recipe_keys`: sections of keys that the mains beside the first read also in releases whose own config lacks them.
    `last`: programs that later releases do not bring, to the last release that they ran on; `first`: beginnings of
    programs to the first release that brings them; `at_home_until`: beginnings of programs that a release brought itself
    for the last time, and that people run on later ones; `trial_programs`: beginnings of programs that are tried out and
    have configs of their own, unless one is a recipe's. `asks_for`: keys that every run must give where a release has
    no default for them.
    `unread_sections`: the top of keys that only a config of another kind has, to the reason why it is refused; `instead`
    is what to use in its place. `lacks`: kinds of runs it has no program for, to the sentence that says so.
    `kinds_since`: kinds to the first release that starts them, where older ones do not. `stepless`:
    why an agent cannot act in environments there, turn by turn; empty where it can. `marks`: keys of which a config has
    one where no program says whose it is, and whose other keys are those of a library that many share.
    `sections`: what a config is made of. `adds_nothing`: its loader refuses keys that it does not know even as
    `+key`. `converts_texts`: it makes numbers and switches of texts. `one_or_several`: its options take one word or several, and one is a list of one.
    `switches`: an option that is on or off takes no word, and is left out where it is off.
    `inherits`: the shipped config that a config names as the file below it. `command`: the words that start it where its script
    has every key as an option, or where no module does; `launcher`: its script states what
    differs from a config file that it ships.
    `revisions`: a release's git revision, where sources and no package are published. `published`: a release to the
    version of the package that is catalogued for it, where that is a later build of the same release.
    """

    name: str
    title: str
    releases: tuple[str, ...]
    trainers: tuple[str, ...] = ("",)
    aliases: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    config_names: Mapping[str, str] = field(default_factory=dict)
    config_groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    trainers_since: Mapping[str, str] = field(default_factory=dict)
    part_groups: Mapping[str, str] = field(default_factory=dict)
    trainer_sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    trainer_of_kind: Mapping[str, str] = field(default_factory=dict)
    trainer_keys: tuple[str, ...] = ()
    pins: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    adds_with_plus: bool = False
    forms: tuple[str, ...] = ("yaml",)
    usual_form: str = "yaml"
    fills_missing: bool = False
    resolvers: tuple[str, ...] = ()
    tells_time: bool = True
    interpolates: bool = True
    drops_unknown: bool = False
    refuses_unknown: bool = False
    for_scripts: bool = False
    two_forms: bool = False
    mains: tuple[str, ...] = ()
    recipes: Mapping[str, Recipe] = field(default_factory=dict)
    recipe_keys: tuple[str, ...] = ()
    last: Mapping[str, str] = field(default_factory=dict)
    first: Mapping[str, str] = field(default_factory=dict)
    at_home_until: Mapping[str, str] = field(default_factory=dict)
    trial_programs: tuple[str, ...] = ()
    asks_for: tuple[str, ...] = ()
    instead_of_offline: str = ""
    of: str = ""
    spmd_until: str = ""
    kinds: tuple[str, ...] = ()
    unread_sections: Mapping[str, str] = field(default_factory=dict)
    instead: str = ""
    revisions: Mapping[str, str] = field(default_factory=dict)
    published: Mapping[str, str] = field(default_factory=dict)
    lacks: Mapping[str, str] = field(default_factory=dict)
    kinds_since: Mapping[str, str] = field(default_factory=dict)
    stepless: str = ""
    marks: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    adds_nothing: bool = False
    older_keys: tuple[str, ...] = ()
    """Keys that only releases before the first of `releases` had, and people still write."""
    unread_since: Mapping[str, str] = field(default_factory=dict)
    """Keys that a release still takes and no longer reads, by the first release that does so."""
    converts_texts: bool = False
    one_or_several: bool = False
    switches: bool = False
    command: tuple[str, ...] = ()
    inherits: str = ""
    launcher: TemplateLauncher | None = None

    @property
    def groups(self) -> frozenset[str]:
        """Names of the config groups that choose parts of the config: words of a command, not keys of the config."""
        return self.trainer_groups.union(self.part_groups)

    @property
    def trainer_groups(self) -> frozenset[str]:
        """Return the names of the config groups that choose the trainer."""
        return frozenset(word.partition("=")[0] for words in self.config_groups.values() for word in words)

    @property
    def family(self) -> str:
        """The framework that people mean: itself, or the one whose program it is."""
        return self.of or self.name

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
        since = {**self.trainers_since, **{name: recipe.since for name, recipe in self.recipes.items()}}
        return tuple(t for t in self.trainers if t not in since or self.releases.index(since[t]) <= have)

    def backend(self, trainer: str) -> str:
        """The trainer that `trainer` stands on: itself, unless it is a recipe."""
        return self.recipes[trainer].backend if trainer in self.recipes else trainer

    def is_trial(self, program: str) -> bool:
        """True for a program that is tried out, whose config no catalogue has: no recipe's own."""
        return program.startswith(self.trial_programs) and not any(
            recipe.program == program for recipe in self.recipes.values()
        )
