"""A config whose name waits for a variable or an argument is half of the run, and what it may set is neither read as its
default nor found missing."""

from __future__ import annotations

import pytest

from rftconf.base.symbols import is_symbolic
from rftconf.lint.engine import Options, check
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

HYDRA = "NAME=$(pick)\npython3 -m verl.trainer.main_ppo --config-name $NAME actor_rollout_ref.rollout.n=4\n"
FILE = 'CONFIG=${1:?which}\npython chatlearn/entrypoint.py grpo --config-file "$CONFIG" runtime_args.num_episode=100\n'
CHOICE = """\
case "$MODE" in
  sync) NAME=train_sync ;;
  async) NAME=train_async ;;
esac
python examples/start_agentic_pipeline.py --config_path demo --config_name $NAME max_steps=10
"""
MISSING = "python chatlearn/entrypoint.py grpo --config-file mine.yaml runtime_args.num_episode=100\n"


@pytest.mark.parametrize("script", [HYDRA, FILE, CHOICE, MISSING], ids=["hydra", "argument", "choice", "not-here"])
def test_nothing_is_found_in_what_the_config_may_set(script: str) -> None:
    findings = [d for d in check(read(Source("run.sh", script)), Options()) if not d.code.startswith("SYN1")]
    assert [d.code for d in findings] == ["SYN507"]


def test_what_the_name_waits_for_is_asked_for() -> None:
    (finding,) = [d for d in read(Source("run.sh", FILE)).diagnostics if d.code == "SYN507"]
    assert "${1}" in finding.message
    assert "--args" in (finding.help or "")
    named = HYDRA.replace("$(pick)", "${BASE}_trainer")
    (finding,) = [d for d in read(Source("run.sh", named)).diagnostics if d.code == "SYN507"]
    assert "--set BASE=..." in (finding.help or "")


def test_its_defaults_are_not_taken() -> None:
    values = load(read(Source("run.sh", CHOICE))).stages[0].values
    assert is_symbolic(values["stage.batch.prompts_per_rollout"])


def test_a_name_that_becomes_known_is_read() -> None:
    sources = {"examples/demo/train_sync.yaml": "rollout_batch_size: 48\n"}
    document = read(Source("run.sh", CHOICE), ReadOptions(bindings={"MODE": "sync"}, sources=sources))
    assert load(document).stages[0].values["stage.batch.prompts_per_rollout"] == 48
