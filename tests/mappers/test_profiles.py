"""Profiles of frameworks name keys that exist, and repeat nothing that a row declares."""

from __future__ import annotations

import importlib
import importlib.util

import pytest

from rftconf.lint.key_help import facts
from rftconf.mappers.profiles import below, counted, families, main_keys_of, profile_of
from rftconf.schemas import catalogue, registry


def test_every_framework_has_a_profile_in_its_folder() -> None:
    assert families() == tuple(dict.fromkeys(known.family for known in registry.variants()))
    for family in families():
        assert {program for program, _ in profile_of(family).tables} == {
            known.name for known in registry.variants() if known.family == family
        }


@pytest.mark.parametrize("family", families())
def test_tables_gates_and_adapters_are_there(family: str) -> None:
    profile, folder = profile_of(family), f"rftconf.mappers.{family}"
    for module, name in profile.tables.values():
        assert getattr(importlib.import_module(f"{folder}.{module}"), name).rows
    for name, expected in (("gates", profile.gates), ("adapter", profile.adapter)):
        assert (importlib.util.find_spec(f"{folder}.{name}") is not None) is expected


@pytest.mark.parametrize("family", families())
def test_units_are_those_of_keys_whose_rows_say_none(family: str) -> None:
    known = registry.framework(family)
    forms = [catalogue.load(family, None, trainer) for trainer in known.trainers]
    for key in profile_of(family).units:
        assert any(form.get(key) is not None for form in forms), key
        assert not facts(family, key).unit, key


def test_a_program_of_its_own_has_no_main_keys() -> None:
    assert main_keys_of("verl")
    assert main_keys_of("verl_sft") == {}


def test_several_keys_are_declared_at_once() -> None:
    assert counted("nodes", "a", "b") == {"a": "nodes", "b": "nodes"}
    assert below("node", "a", "b") == ("node.a", "node.b")
