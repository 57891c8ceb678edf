"""The page learns from the registry which frameworks there are, and its own files name none where they compute."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

pytest.importorskip("starlette")

from rftconf.schemas.registry import FRAMEWORKS
from rftconf.studio.frameworks_script import NAME, frameworks_script
from rftconf.studio.server import ASSETS

QUOTED = re.compile(rf"""["'`](?:{"|".join(FRAMEWORKS)})["'`]|\b(?:{"|".join(FRAMEWORKS)}): """)


def constant(name: str) -> Any:
    line = next(line for line in frameworks_script().splitlines() if line.startswith(f"export const {name} = "))
    return json.loads(line.partition(" = ")[2].removesuffix(";"))


def test_frameworks_stand_in_the_registrys_order_with_their_titles() -> None:
    assert constant("FRAMEWORKS") == [[name, known.title] for name, known in FRAMEWORKS.items()]


def test_the_usual_form_is_first_and_needs_no_word() -> None:
    styles = constant("STYLES")
    assert styles["verl"] == [["", "script"], ["yaml", "YAML"], ["overrides", "overrides"]]
    assert styles["chatlearn"] == [["", "YAML"], ["sh", "script"]]
    assert {name for name, known in FRAMEWORKS.items() if len(known.forms) > 1} == {*styles}


def test_who_has_two_sync_forms_is_told() -> None:
    assert constant("TWO_FORMS") == [name for name, known in FRAMEWORKS.items() if known.two_forms]


def test_no_file_of_the_page_names_a_framework_where_it_computes() -> None:
    texts = {path.name: path.read_text() for path in ASSETS.glob("*.js")}
    assert NAME not in texts  # it is made, and a file of that name would stand before it
    assert {name for name, text in texts.items() if QUOTED.search(text)} == set()
