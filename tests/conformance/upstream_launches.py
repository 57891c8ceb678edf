"""What an example of a checkout starts, and what the checkout's own loader says of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.conformance.environment import Target
from tests.conformance.judging import Bench
from tests.differential.oracle import CLUSTER, Oracle, starts_program

VERL_PROGRAMS = ("verl.trainer.main_ppo", "verl.trainer.sft_trainer", "verl.trainer.sft_trainer_ray")
"""The programs that a judge can ask."""
ROLL_CONFIG = ("--config_path", "--config_name")


class Launches:
    """Asks the judge of one checkout. A changed text is put beside the original, so that what it names is found."""

    def __init__(self, root: Path, target: Target, bench: Bench, scratch: Path) -> None:
        self.root, self.target, self.bench = root, target, bench
        self.oracle = Oracle()
        self.work = scratch / f"{target.framework}-work"
        self.work.mkdir(parents=True, exist_ok=True)
        for place in root.iterdir():
            for work in (self.oracle.root / "work", self.work):
                (work / place.name).symlink_to(place)

    def close(self) -> None:
        """Remove the stubs."""
        self.oracle.close()

    def verdict(self, file: Path, text: str) -> str:
        """`accepted`, the first refusal in the loader's words, or `not asked:` and why."""
        copy = file.with_name(f"rftconf_{file.name}")
        mode = file.stat().st_mode
        try:
            copy.write_text(text)
            copy.chmod(mode)
            count = 0
            for case in self._cases(copy):
                verdict = self.bench.ask(self.target, case)
                count += 1
                if not verdict.ok:
                    return f"{verdict.stage}: {verdict.error}"
        finally:
            copy.unlink(missing_ok=True)
        return "accepted" if count else "not asked: nothing in it starts a program that a judge knows"

    def _cases(self, file: Path) -> Iterator[dict[str, Any]]:
        match self.target.framework, file.suffix:
            case "verl", ".sh":
                for program, words in self._programs(file):
                    if program in VERL_PROGRAMS:
                        yield {"program": program, "overrides": words, "cwd": str(self.work)}
            case "chatlearn", ".sh":
                for program, words in self._programs(file):
                    if program.endswith("entrypoint.py") and words[:1] == ["grpo"]:
                        yield {"args": words[1:]}
            case "roll", ".sh":
                for program, words in self._programs(file):
                    named = dict(pairwise(words))
                    if "start_" in program and set(ROLL_CONFIG) <= named.keys():
                        folder = self.root / "examples" / named[ROLL_CONFIG[0]]
                        yield {"file": str(folder / f"{named[ROLL_CONFIG[1]]}.yaml"), "drops": True}
            case "roll", _:
                yield {"file": str(file), "drops": True}
            case "trinity" | "chatlearn", ".yaml" | ".yml":
                yield {"file": str(file)}

    def _programs(self, file: Path) -> list[tuple[str, list[str]]]:
        """Module or file, and the arguments, of everything that the script starts."""
        return self._recorded(file, {}) or self._recorded(file, dict(CLUSTER))

    def _recorded(self, file: Path, extra: dict[str, str]) -> list[tuple[str, list[str]]]:
        records = self.oracle.run(file, extra=extra).records
        starts = [(words, starts_program(words)) for words in records]
        return [(words[index], list(map(self._lasting, words[index + 1 :]))) for words, index in starts if index >= 0]

    def _lasting(self, word: str) -> str:
        place = str(self.oracle.root)
        return word.replace(f"{place}/work", str(self.work)).replace(f"{place}/home", "/home/user")
