"""What a table declares changes only where somebody wants it: a unit, a word, a condition, a default, a behaviour.

Read the difference before you accept it: `make effects` writes the files anew.
"""

from __future__ import annotations

import pytest

from rftconf.mappers.tables import all_tables
from tests.mappers.declarations import file_of, text_of_table


@pytest.mark.parametrize(("framework", "kind"), all_tables())
def test_a_table_declares_what_it_is_kept_to_declare(framework: str, kind: str) -> None:
    kept = file_of(framework, kind).read_text(encoding="utf-8").splitlines()
    now = text_of_table(framework, kind).splitlines()
    assert [line for line in now if line not in kept] == []
    assert [line for line in kept if line not in now] == []
    assert now == kept
