"""The document whose keys are checked, with the release, the fork and the further configs that its run reads."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from rftconf.base.diagnostics import Severity
from rftconf.base.symbols import Expr
from rftconf.lint import references
from rftconf.lint.chosen_parts import chosen_parts
from rftconf.load.fork import reader_of, translation_of
from rftconf.report.values import render_value
from rftconf.schemas import catalogue, registry
from rftconf.schemas.catalogue import Catalogue
from rftconf.schemas.guess import Guess
from rftconf.text.document import Document, Leaf
from rftconf.text.launch.programs import main_of
from rftconf.text.read.read import PYTHON_FORM

_REPLACES = re.compile(r"^[ \t]*(?:from|import)[ \t]+(unsloth)\b", re.MULTILINE)
"""Libraries that change the classes of the framework when they are imported: unsloth's GRPOConfig has arguments of its own."""
_COMPOSED = frozenset({"SYN520", "SYN521"})
"""What is said of a YAML that Hydra composes: a launch may give it more keys, and a missing base file may hold some."""


@dataclass
class KeySubject:
    """A document whose keys are checked one by one, and what is known of the release and of the code that read it."""

    document: Document
    best: Guess
    guessed: bool = False

    @property
    def title(self) -> str:
        """Framework and release in words."""
        return f"{registry.framework(self.best.framework).title} {self.best.release}"

    @property
    def overrides(self) -> bool:
        """True where the keys are given to Hydra one by one, so that `+` matters."""
        return self.document.form != "yaml" and registry.framework(self.best.framework).adds_with_plus

    @cached_property
    def fork(self) -> str:
        """The fork whose code reads the document, in words; empty where that is the framework's own."""
        return reader_of(self.document, self.best)

    @cached_property
    def unspoken(self) -> tuple[Leaf, ...]:
        """The leaves of which no declaration of a fork says what they mean, and that no config of its own declares."""
        own = translation_of(self.best, {leaf.key: leaf for leaf in self.document.leaves})
        declared = {leaf.key for leaf in self.document.stock if leaf.key not in self.catalogue_of_release}
        spoken = declared.union(*(() if own is None else (own.names, own.facts)))
        return tuple(leaf for leaf in self.document.leaves if leaf.key not in spoken and not self._is_a_store(leaf))

    def _is_a_store(self, leaf: Leaf) -> bool:
        """True for a key of the author's own that other keys take by `${...}`, where the loader drops what it does not know.

        A file that stands in the defaults keeps such sections for every config, whether this one takes them or not.
        """
        if not registry.framework(self.best.framework).drops_unknown:
            return False
        section = leaf.key.partition(".")[0]
        if section in self.catalogue_of_release or self.catalogue_of_release.is_node(section):
            return False
        comes_along = leaf.key_place.file != self.document.name
        return comes_along or section in self._stores or references.is_among(leaf.key, self._references)

    @cached_property
    def _references(self) -> frozenset[str]:
        return references.names_in(self.document.leaves)

    @cached_property
    def _stores(self) -> frozenset[str]:
        return references.sections_of(self._references)

    @cached_property
    def own_config(self) -> str:
        """Return in words the further config that the run reads, which may have keys of its own; empty without one."""
        if self.best.dialect:
            return f"the config of {self.fork}"
        if chosen := next(filter(self._chooses_a_config, self.document.leaves), None):
            return f"the config that {chosen.key}={render_value(chosen.value)} chooses"
        if self.document.form == PYTHON_FORM and (library := _REPLACES.search(self.document.text)):
            return f"{library[1]}, which puts a class of its own in the place of {self.title}'s,"
        launch = self.document.launch
        if launch is None:
            return "one of its defaults" if any(d.code in _COMPOSED for d in self.document.diagnostics) else ""
        name = launch.config_name
        if name not in ("", *_stock(self.best.framework)):
            return f"the config {name}"
        if launch.unread and isinstance(launch.options.get("config-name"), Expr):
            return f"the config that {launch.unread} names"
        main = main_of(launch.program)
        if main is not None and main.framework != registry.framework(self.best.framework).family:
            return ""
        framework = registry.framework(self.best.framework)
        published = main is not None and launch.program.startswith(framework.programs)
        if framework.for_scripts and launch.program.endswith(".py"):
            published = False
        if "recipe" in launch.program or framework.is_trial(launch.program):
            published = False
        return "" if published else f"the config of {launch.program}"

    @property
    def may_be_declared(self) -> str:
        """Return what may declare a key that no release has, where nothing says what reads the config; else nothing."""
        framework = registry.framework(self.best.framework)
        if not framework.for_scripts or self.document.launch is not None:
            return ""
        return f"`{' '.join(framework.command)}` stops there; a script of your own may declare it"

    def _chooses_a_config(self, leaf: Leaf) -> bool:
        """True for Hydra's choice of another file for a part of the config, which has no catalogue."""
        if not self.overrides:
            return False
        framework = registry.framework(self.best.framework)
        stock = ("dp", *framework.trainers, *framework.part_groups.values())
        return "@" in leaf.key or "/" in leaf.key or (leaf.key in framework.groups and leaf.value not in stock)

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts of the config that the launch line chooses from files of somebody's own."""
        return chosen_parts(self.document.leaves) if self.overrides else ()

    @property
    def worst(self) -> Severity:
        """The severity of keys that are not in the catalogue: a loader that drops them starts the run all the same."""
        if self.own_config:
            return Severity.INFO
        return Severity.WARNING if registry.framework(self.best.framework).drops_unknown else Severity.ERROR

    @cached_property
    def catalogue_of_release(self) -> Catalogue:
        """Every key that the release has."""
        return catalogue.load(self.best.framework, self.best.release, self.best.trainer)


def _stock(framework: str) -> tuple[str, ...]:
    return tuple(registry.framework(framework).config_names.values())
