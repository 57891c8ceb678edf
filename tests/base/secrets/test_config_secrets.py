"""A value that a config calls a secret is hidden wherever it stands, however it came there."""

from __future__ import annotations

import json

import pytest

from rftconf.base.secrets import forget, masked
from rftconf.base.symbols import formula
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.base.secrets.scripted_forms import CHANGED, SCRIPTED

LAUNCH = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo"


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (f"PART=plainword\nexport HF_TOKEN=${{PART}}\n{LAUNCH} trainer.experiment_name=run_$PART\n", "run_plainword"),
        (f'if [ -n "$X" ]; then A="+x.password=pl:ainword"; fi\n{LAUNCH} $A\n', "name: pl:ainword"),
        (f"set -- 'pl!ain-Word'\n{LAUNCH} \"+x.password=$1\"\n", "trainer.experiment_name=pl!ain-Word"),
        (f"export HF_TOKEN=plainword\n{LAUNCH} trainer.experiment_name=${{HF_TOKEN^^}}\n", "name: PLAINWORD"),
        (f"export DB_PASSWORD=plain77\n{LAUNCH}\n", "mysql -u root -pplain77"),
    ],
)
def test_a_value_is_a_secret_by_what_it_becomes(text: str, output: str) -> None:
    try:
        read(Source("a.sh", text))
        assert "*" in masked(output)
        assert not any(part in masked(output).lower() for part in ("plainword", "pl:ain", "pl!ain", "plain77"))
    finally:
        forget()


@pytest.mark.parametrize("case", SCRIPTED)
def test_what_a_script_makes_of_a_secret_is_one(case: str) -> None:
    lines, word, secret = SCRIPTED[case]
    text = f"{lines}N={word}\n{LAUNCH} \"+custom.note='a $N'\"\n"
    try:
        document = read(Source("a.sh", text))
        printed = "\n".join([text, *(f"{leaf.key}: {formula(leaf.value)}" for leaf in document.leaves)])
        assert secret in printed
        assert secret not in masked(printed)
        assert case not in CHANGED or document.secrets.are_in("custom.note", f"a {secret}")
    finally:
        forget()


def test_a_mapping_that_holds_a_secret_is_none_itself() -> None:
    """The beginning of every mapping is kept, and JSON stays JSON."""
    inside = json.dumps({"name": "HF_TOKEN", "value": "plaintokenvalue"})
    reply = json.dumps({"files": [{"name": "a.yaml", "text": f"x: {inside}"}]})
    try:
        read(Source("a.sh", f"{LAUNCH} '+custom.options=\"{inside.replace(chr(34), chr(92) + chr(34))}\"'\n"))
        output = masked(reply)
    finally:
        forget()
    assert json.loads(output)["files"][0]["name"] == "a.yaml"
    assert "plaintokenvalue" not in output
