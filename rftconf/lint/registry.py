"""Finds rules by code: families are loaded when they are asked for."""

from __future__ import annotations

import importlib
from functools import cache

from rftconf.lint.rule import Family, Rule

FAMILIES: dict[str, tuple[str, str]] = {
    "SYN": ("", "syntax of YAML, shell scripts and overrides"),
    "KEY": ("keys words", "names and types of keys, keys without effect"),
    "VER": ("releases", "releases: deprecated and renamed keys, meanings that changed"),
    "BAT": ("batches", "batch arithmetic"),
    "GPU": ("placement", "GPUs and who gets them"),
    "PAR": ("parallelism", "parallel sizes"),
    "MEM": ("memory", "GPU memory, and sizes of the model"),
    "ALG": ("algorithm", "advantage and policy loss"),
    "KLD": ("kl", "KL penalties and the reference model"),
    "OPT": ("optimizer", "optimizer and schedule"),
    "LEN": ("lengths", "prompt, answer and context lengths"),
    "SMP": ("sampling", "sampling"),
    "DAT": ("data", "data sets and rewards"),
    "ENG": ("engines", "rollout engines"),
    "CKP": ("checkpoints", "saving, validating, resuming"),
    "LOG": ("logging", "names and trackers"),
    "SEC": ("security", "secrets and code that a config runs"),
    "DIA": (
        (
            "dialect_verl dialect_trinity dialect_trinity_functions dialect_chatlearn dialect_roll dialect_trl "
            "dialect_openrlhf_places dialect_openrlhf_batches dialect_openrlhf_losses dialect_openrlhf_data dialect_nemo_rl"
        ),
        "what only one framework has",
    ),
}
"""Family to its module under `rftconf.lint.rules` (none for what the readers say) and what it is about."""


@cache
def family(name: str) -> tuple[Rule, ...]:
    """The rules of a family in the order of their codes, none for one that has no module."""
    module = FAMILIES.get(name, ("", ""))[0]
    rules = (rule for part in module.split() for rule in _module(part).rules)
    return tuple(sorted(rules, key=lambda rule: rule.code))


_OWN = "dialect_"
"""Modules of this name speak of one framework alone, which the next words name."""


@cache
def rules_for(framework: str) -> tuple[Rule, ...]:
    """Every rule that may speak of `framework`, without loading what only others have."""
    chosen: list[Rule] = []
    for modules, _ in FAMILIES.values():
        for name in modules.split():
            if not name.startswith(_OWN) or f"{name}_".startswith(f"{_OWN}{framework}_"):
                chosen += _module(name).rules
    return tuple(chosen)


def _module(name: str) -> Family:
    loaded: Family = importlib.import_module(f"rftconf.lint.rules.{name}").FAMILY
    return loaded


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, family by family."""
    return tuple(rule for name in FAMILIES for rule in family(name))


def rule_of(code: str) -> Rule | None:
    """The rule with this code; only its family is loaded."""
    return next((rule for rule in family(code[:3]) if rule.code == code), None)
