"""Each code that is said is described, and each that is described is said."""

from __future__ import annotations

import re
from pathlib import Path

from rftconf.text.codes import CODES

TEXT = Path(__file__).parents[2] / "rftconf" / "text"


def test_codes_and_their_table_agree() -> None:
    said = {
        code
        for file in TEXT.glob("*.py")
        if file.name != "codes.py"
        for code in re.findall(r'"(SYN\d{3})"', file.read_text(encoding="utf-8"))
    }
    assert said == set(CODES)
