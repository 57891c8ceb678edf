"""What ROLL is given for an update while its GPUs are a variable."""

from __future__ import annotations

from rftconf.base.diagnostics import Severity
from rftconf.base.ledger import State
from rftconf.convert.convert import Options, convert_loaded
from rftconf.lint.engine import check
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.mappers.roll_runs import ARGS, TRAIN, to_roll

ACTOR = "actor_rollout_ref.actor."
MICRO = TRAIN + ARGS + "per_device_train_batch_size"
STATIC = {ACTOR + "use_dynamic_bsz": "False", ACTOR + "ppo_micro_batch_size_per_gpu": "3"}


def test_h5_a_micro_batch_divides_the_update_also_while_the_gpus_are_not_known() -> None:
    cluster = {"trainer.n_gpus_per_node": "'\"$GPUS\"'"}
    out = to_roll(cluster | {ACTOR + "ppo_max_token_len_per_gpu": "16384"}).out
    assert out[MICRO] == 8  # 16384 // 1536 = 10, and no number of ranks shares 2048 sequences in parts of 10
    static = to_roll(STATIC | cluster)
    assert static.out[MICRO] == 2
    line = static.line(ACTOR + "ppo_micro_batch_size_per_gpu")
    assert (line.state, "2048 sequences of an update" in line.reason) == (State.NARROWED, True)


AGENTIC = """\
rollout_batch_size: {period}
pretrain: small
num_gpus_per_node: 8
train_env_manager: {{max_env_num_per_worker: 4, num_env_groups: 4, group_size: 8, tags: [a], num_groups_partition: [4]}}
custom_envs: {{a: {{env_type: sokoban, env_config: {{}}}}}}
actor_train:
  training_args: {{per_device_train_batch_size: 1, gradient_accumulation_steps: 16}}
  strategy_args: {{strategy_name: fsdp2_train}}
  device_mapping: list(range(0,8))
actor_infer: {{strategy_args: {{strategy_name: vllm}}, device_mapping: 'list(range(0,8))'}}
"""


def test_agents_fill_a_smaller_period_up_to_an_update() -> None:
    """AgenticPipeline.adjust_batch copies sequences until updates are whole; elsewhere an update has the period's own."""
    run = load(read(Source("agents.yaml", AGENTIC.format(period=64))))
    values = run.stages[0].values
    assert (values["stage.batch.sequences_per_update"], values["stage.batch.uneven_tail"]) == (128, "copy")
    out = {line.key: line.value for line in convert_loaded(run, "trinity", Options()).lines}
    assert out["buffer.train_batch_size"] == 64


def test_check_warns_where_agents_fill_a_period_up() -> None:
    warnings = [d for d in check(read(Source("agents.yaml", AGENTIC.format(period=64)))) if d.code == "BAT001"]
    assert [(d.severity, "copies" in d.message) for d in warnings] == [(Severity.WARNING, True)]
