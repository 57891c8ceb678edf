"""A bench that remembers verdicts: the same text before the same judge gets the same answer, so it is asked once.

Only the whole table uses it: thousands of configs, of which a change to one mapper alters a few.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from tests.conformance.environment import JUDGES, ROOT, Target, folder
from tests.conformance.judging import Bench, Verdict


@cache
def of_the_judges() -> bytes:
    """A digest of everything a verdict depends on besides the text and the installed packages."""
    judges = [file for file in sorted(JUDGES.glob("*.py")) if not file.stem.endswith("_mathematics")]
    files = [*judges, ROOT / "scripts" / "import_stubs.py"]
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).digest()


BEFORE = (
    ("80aa554b7b0d2779ad4bf4351a29337bf2539ca96d31b99e7bc593528badf394", ("teacher:", "max_steps: 0")),
    ("afbf5b9cb4212eff35b96ee90b3137a17d34118fc18ddc4ad1a2740fa2a4042a", ("max_steps: 0",)),
)
"""Earlier digests, and the words of the configs of which what the judges said then no longer holds: before ROLL's judge knew
a teacher without a name, and before it knew runs that only evaluate."""


class RememberingBench(Bench):
    """Judges, and a folder of what they said; delete the folder when a package below `releases/` is replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = folder() / "verdicts"

    def ask(self, target: Target, case: dict[str, Any]) -> Verdict:
        """The remembered verdict, else the judge's."""
        path = self._place(target, case)
        name = Path(case["file"]).read_text() if "file" in case else ""
        for digest, unless in BEFORE:
            earlier = self._place(target, case, bytes.fromhex(digest))
            if not path.exists() and earlier.exists() and not any(word in name for word in unless):
                path = earlier
        if path.exists():
            known = json.loads(gzip.decompress(path.read_bytes()))
            return Verdict(**known | {"notes": tuple(known["notes"])})
        verdict = super().ask(target, case)
        if verdict.stage != "crash":  # that may have been the machine's fault
            path.parent.mkdir(parents=True, exist_ok=True)
            unfinished = path.with_suffix(".part")
            unfinished.write_bytes(gzip.compress(json.dumps(asdict(verdict)).encode(), mtime=0))
            unfinished.replace(path)
        return verdict

    def _place(self, target: Target, case: dict[str, Any], judges: bytes | None = None) -> Path:
        questions = dict(case)
        if "file" in questions:
            questions["file"] = Path(questions["file"]).read_text()
        reply = json.dumps([str(target), questions], sort_keys=True).encode()
        digest = hashlib.sha256((judges or of_the_judges()) + reply).hexdigest()
        return self.folder / digest[:2] / f"{digest[2:]}.json.gz"
