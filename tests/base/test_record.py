"""Records: dataclasses that are frozen for mypy and plain when the program runs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import field, fields, replace
from pathlib import Path

import pytest

from rftconf.base.record import record
from rftconf.base.span import Place, Span


def test_equal_records_are_one_in_a_set() -> None:
    assert len({Place("a", Span(1, 2, 3, 4)), Place("a", Span(1, 2, 3, 4)), Place("b", Span(1, 2, 3, 4))}) == 2


def test_a_record_travels_between_processes_and_is_copied_with_changes() -> None:
    place = Place("a", Span(1, 2, 3, 4))
    assert pickle.loads(pickle.dumps(place)) == place
    assert replace(place, file="b") == Place("b", Span(1, 2, 3, 4))


def test_types_do_not_let_anybody_change_one(tmp_path: Path) -> None:
    file = tmp_path / "changes.py"
    file.write_text(
        "from rftconf.text.document import Leaf\nfrom rftconf.base.span import Place, Span\n\n\n"
        "def change(leaf: Leaf, place: Place, span: Span) -> None:\n"
        "    leaf.key = 'x'\n    place.file = 'x'\n    span.line = 3\n"
    )
    done = subprocess.run([sys.executable, "-m", "mypy", str(file)], capture_output=True, text=True, timeout=300)
    assert done.stdout.count("is read-only") == 3, done.stdout + done.stderr


@record
class Plain:
    first: int
    second: str = "b"
    third: list[int] = field(default_factory=list)
    told: int = field(default=0, compare=False, repr=False)


@record
class Checked:
    size: int
    double: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(self.size)


def test_a_record_is_made_as_a_dataclass_is() -> None:
    first, second = Plain(1), Plain(1)
    assert (first.second, first.third, first.told) == ("b", [], 0)
    assert first.third is not second.third
    assert Plain(1, "c", third=[2]).third == [2]
    assert [f.name for f in fields(Plain)] == ["first", "second", "third", "told"]
    assert replace(first, first=2) == Plain(2)
    with pytest.raises(TypeError, match=r"first"):
        Plain()  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Plain(1, nothing=2)  # type: ignore[call-arg]
    with pytest.raises(AttributeError):
        first.else_ = 1  # type: ignore[attr-defined]


def test_records_compare_and_show_by_their_fields() -> None:
    assert Plain(1, told=1) == Plain(1, told=2) != Plain(2)
    assert Plain(1).__eq__(3) is NotImplemented
    assert repr(Plain(1)) == "Plain(first=1, second='b', third=[])"
    assert repr(Checked(3)) == "Checked(size=3, double=0)"
    assert Checked(3).__eq__(Plain(3)) is NotImplemented
    with pytest.raises(ValueError, match="-1"):
        Checked(-1)


def test_methods_are_compiled_when_they_are_called() -> None:
    @record
    class Fresh:
        size: int

    assert Fresh.__init__.__code__.co_name == "first"
    assert Fresh(1).size == 1
    assert Fresh.__init__.__code__.co_name == "__init__"
    assert Fresh.__hash__.__code__.co_name == "first"
    assert hash(Fresh(1)) == hash(Fresh(1))
