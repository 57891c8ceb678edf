"""Scripts of more commands in a row than anybody writes are cut, and a finding says where."""

from __future__ import annotations

import pytest

from rftconf.text.shell.parse.modes import MAX_COMMANDS
from rftconf.text.shell.reader import read_script

LAUNCH = "python3 -m verl.trainer.main_ppo data.seed=1\n"


@pytest.mark.parametrize("mark", ["; ", " & ", " && ", " || ", "\n"])
def test_where_reading_stops_is_said(mark: str) -> None:
    script = read_script("run.sh", f"a{mark}" * (MAX_COMMANDS + 10) + LAUNCH)
    (cut,) = (diagnostic for diagnostic in script.diagnostics if diagnostic.code == "SYN199")
    assert cut.message == "more than 10,000 commands in a row: the others are not read"


def test_what_is_skipped_in_a_list_is_what_bash_skips() -> None:
    text = "".join(f"A{n}=1 && true || B{n}=1 && false && C{n}=1 || D{n}=1 && true || E{n}=1\n" for n in range(3))
    names = set(read_script("run.sh", text).variables)
    assert {f"{name}{n}" for name in "AD" for n in range(3)} <= names
    assert not any(name.startswith(("B", "C", "E")) for name in names if name[1:].isdigit())
