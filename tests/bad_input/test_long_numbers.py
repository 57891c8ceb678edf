"""A number of 5,000 digits is no defect, wherever it stands: Python refuses to write or read one of more than 4,300."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RftconfError
from rftconf.lint import engine
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

NINES, EFFS = "9" * 5_000, "f" * 5_000
LAUNCH = "python3 -m verl.trainer.main_ppo trainer.nnodes=1 algorithm.adv_estimator=grpo data.train_batch_size=8"
TRAINER = (
    "from trl import GRPOConfig, GRPOTrainer\nc = GRPOConfig({})\nt = GRPOTrainer(args=c, reward_funcs=a, model='x')\n"
)
TEXTS = {
    "a positional parameter": ("run.sh", f"{LAUNCH} actor.lr=${{{NINES}}}"),
    "arithmetic": ("run.sh", f"{LAUNCH} data.x=$(({NINES}+1)) data.y=$((16#{EFFS}))"),
    "a slice": ("run.sh", f"A=abc\n{LAUNCH} data.x=${{A:{NINES}:{NINES}}}"),
    "a range": ("run.sh", f"for i in {{1..{NINES}}}; do {LAUNCH} data.x=$i; done"),
    "a width": ("run.sh", f"A=$(printf '%0{NINES}d' 3)\n{LAUNCH} data.x=$A"),
    "a level of loops": ("run.sh", f"for i in 1; do {LAUNCH}; break {NINES}; done"),
    "an index": ("run.sh", f"A[{NINES}]=1\n{LAUNCH} data.x[{NINES}]=${{A[{NINES}]}}"),
    "an override": ("run.sh", f"{LAUNCH} data.train_batch_size={NINES}"),
    "a YAML number": ("run.yaml", f"algorithm: {{algorithm_type: grpo, repeat_times: {NINES}}}\nbuffer: {{batch_size: 0x{EFFS}, x: {NINES}:59}}\n"),
    "a Python number": ("run.py", TRAINER.format(f"num_generations={NINES}")),
    "a Python hexadecimal": ("run.py", TRAINER.format(f"num_generations=0x{EFFS}, beta=0x{EFFS}")),
}  # fmt: skip


def outcome(document: Document) -> str:
    """The algorithm of the plan behind a document, or the sentence that refuses it."""
    try:
        return str(load(document).plan.stages[0].algorithm.advantage)
    except RftconfError as refused:
        return str(refused)


@pytest.mark.parametrize("place", TEXTS)
def test_no_number_is_too_long_to_be_spoken_of(place: str) -> None:
    """Each file is read as the GRPO run that it is; Python itself reads no literal of so many digits, and is cited with its place."""
    name, text = TEXTS[place]
    document = read(Source(name, text))
    assert all(len(finding.message) < 10_000 for finding in engine.check(document))
    expected = "run.py:2:" if place == "a Python number" else "grpo"
    assert outcome(document).startswith(expected)
