"""No credential reaches an output, whatever key or value it hides in."""

from __future__ import annotations

import json

import pytest

from rftconf.convert import convert
from rftconf.ledger import State
from rftconf.plan.symbols import Text, Var
from rftconf.report.ledger import ledger_json
from rftconf.secrets import is_secret, masked
from rftconf.text.read import read
from rftconf.text.source import from_bytes

TOKEN = "sk-" + "a1B2" * 8


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("monitor.monitor_args.api_key", "0123456789abcdef"),
        ("trainer.hf_token", "anything"),
        ("trainer.experiment_name", TOKEN),
        ("trainer.logger", ["console", TOKEN]),
        ("x.args", {"password": "hunter2"}),
        ("model.path", Text(("https://", TOKEN, "@", Var("HOST")))),
    ],
)
def test_secrets_are_seen(key: str, value: object) -> None:
    assert is_secret(key, value)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("explorer.rollout_model.api_key", "EMPTY"),
        ("data.max_token_len", 16384),
        ("x.api_key", "${oc.env:KEY}"),
        ("actor_rollout_ref.actor.loss_agg_mode", "token-mean"),
        ("trainer.project_name", "task-sk-learn"),
    ],
)
def test_what_is_no_secret_passes(key: str, value: object) -> None:
    assert not is_secret(key, value)


@pytest.mark.parametrize("to", ["trinity", "verl"])
@pytest.mark.parametrize("key", ["trainer.experiment_name", "actor_rollout_ref.model.path", "+trainer.note"])
def test_a_secret_is_in_no_output(to: str, key: str) -> None:
    lines = ["data.train_files=/d/train.parquet", "actor_rollout_ref.rollout.name=vllm", "algorithm.adv_estimator=grpo",
             "actor_rollout_ref.rollout.tensor_model_parallel_size=1", f"{key}={TOKEN}"]  # fmt: skip
    done = convert(read(from_bytes("run.txt", "\n".join(lines).encode())), to, framework="verl")
    everything = done.text + json.dumps(ledger_json(done.ledger)) + done.plan.model_dump_json()
    assert TOKEN not in everything
    held = [line.key for line in done.ledger.sources if line.state is State.WITHHELD]
    assert held == [key.lstrip("+")]


def test_excerpts_keep_their_width() -> None:
    line = f'export HF_TOKEN="{TOKEN}" python3 x.py'
    assert TOKEN not in masked(line)
    assert len(masked(line)) == len(line)
