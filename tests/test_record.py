"""Records: dataclasses that are frozen for mypy and plain when the program runs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from rftconf.text.span import Place, Span


def test_equal_records_are_one_in_a_set() -> None:
    assert len({Place("a", Span(1, 2, 3, 4)), Place("a", Span(1, 2, 3, 4)), Place("b", Span(1, 2, 3, 4))}) == 2


def test_a_record_travels_between_processes_and_is_copied_with_changes() -> None:
    place = Place("a", Span(1, 2, 3, 4))
    assert pickle.loads(pickle.dumps(place)) == place
    assert replace(place, file="b") == Place("b", Span(1, 2, 3, 4))


def test_types_do_not_let_anybody_change_one(tmp_path: Path) -> None:
    file = tmp_path / "changes.py"
    file.write_text(
        "from rftconf.text.document import Leaf\nfrom rftconf.text.span import Place, Span\n\n\n"
        "def change(leaf: Leaf, place: Place, span: Span) -> None:\n"
        "    leaf.key = 'x'\n    place.file = 'x'\n    span.line = 3\n"
    )
    done = subprocess.run([sys.executable, "-m", "mypy", str(file)], capture_output=True, text=True, timeout=300)
    assert done.stdout.count("is read-only") == 3, done.stdout + done.stderr
