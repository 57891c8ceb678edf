"""Findings keep their identity while other parts of the file are edited."""

from __future__ import annotations

import random

from rftconf.base.diagnostics import Diagnostic
from rftconf.lint import baseline, engine
from rftconf.lint.rule import Example
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import as_shell, as_yaml

BAD = {
    "run.sh": as_shell(
        Example("verl", ("data.val_batch_size=8", "trainer.save_freq=-1", "actor_rollout_ref.actor.clip_ratio=0.1"))
    ),
    "run.yaml": as_yaml(
        Example("trinity", ("algorithm.kl_loss_fn=k3", "synchronizer.sync_offset=1", "buffer.bach_size=8"))
    ),
}
EDITS = 10_000
KEPT = 0.995
RANDOM = 20


def found(name: str, text: str) -> list[Diagnostic]:
    return engine.check(read(Source(name, text)), engine.Options("verl" if name.endswith("sh") else "trinity"))


def edited(text: str, lines: set[int], chance: random.Random) -> str:
    """A line more, a comment changed, or blank lines, on lines that no finding speaks of."""
    rows = text.split("\n")
    free = [i for i in range(len(rows) - 1) if i + 1 not in lines and "\\" not in rows[i] and rows[i][:1] != " "]
    index = chance.choice(free) if free else 0
    kind = chance.randrange(3)
    if kind == 0:
        rows.insert(0, f"# note {chance.randrange(10**6)}") if not rows[0].startswith("#!") else rows.insert(1, "# n")
    elif kind == 1:
        rows[index] = (
            rows[index] + f"  # {chance.randrange(10**6)}"
            if rows[index] and not rows[index].startswith("#!")
            else rows[index]
        )
    else:
        rows.insert(len(rows), "")
    return "\n".join(rows)


def test_ten_thousand_edits_elsewhere() -> None:
    chance = random.Random(RANDOM)
    count = total = edits = 0
    for name, text in BAD.items():
        before = found(name, text)
        marks = set(baseline.fingerprints(before, {name: text}))
        assert len(marks) == len(before) >= 3
        # ten edits a round: the findings of an edited text are compared once
        for _ in range(EDITS // len(BAD) // 50):
            changed = text
            for _ in range(50):
                changed = edited(changed, {d.place.span.line for d in before if d.place}, chance)
                edits += 1
            after = set(baseline.fingerprints(found(name, changed), {name: changed}))
            count += len(marks & after)
            total += len(marks)
    assert edits == EDITS
    assert count >= KEPT * total, f"{count} of {total}"
