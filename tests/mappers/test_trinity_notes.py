"""What Trinity-RFT does and the plan has no field for is told: where a warm-up begins, who trains, how steps are compared."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, Options, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source

CONFIG = """
algorithm:
  algorithm_type: grpo
  repeat_times: 8
  optimizer: {lr: 1.0e-05, lr_warmup_steps: 10, lr_scheduler_type: cosine, min_lr_ratio: 0.1}
model: {model_path: /m, max_prompt_tokens: 512, max_response_tokens: 512}
cluster: {node_num: 1, gpu_per_node: 8}
buffer:
  batch_size: 96
  total_steps: 100
  explorer_input: {taskset: {name: t, storage_type: file, path: /d/t, split: train}}
explorer: {rollout_model: {engine_num: 4}}
trainer: {trainer_strategy: megatron, total_steps: 100, save_interval: 50}
"""
VERL = """
algorithm: {adv_estimator: grpo}
data: {train_files: /d/train.parquet, train_batch_size: 128}
actor_rollout_ref:
  model: {path: /m}
  actor: {strategy: megatron, ppo_mini_batch_size: 128, optim: {lr: 1.0e-05, lr_warmup_steps: 10, lr_decay_style: SCHEDULE, min_lr: 1.0e-06}}
  rollout: {name: vllm, n: 8}
trainer: {n_gpus_per_node: 8, total_training_steps: 100}
"""


def of(text: str, framework: str, to: str) -> Conversion:
    return convert_loaded(load(read(Source("c.yaml", text)), framework=framework), to, Options())


def state(conversion: Conversion, key: str) -> tuple[State, str]:
    line = next(line for line in conversion.ledger.sources if line.key == key)
    return line.state, line.reason


def test_a_warm_up_that_begins_at_the_floor_is_told_elsewhere() -> None:
    conversion = of(CONFIG, "trinity", "verl")
    outcome, why = state(conversion, "algorithm.optimizer.min_lr_ratio")
    assert outcome is State.NARROWED
    assert "begins at min_lr_ratio x lr = 1e-06" in why


@pytest.mark.parametrize(("changed", "to"), [("trainer_strategy: fsdp", "fsdp"), ("lr_warmup_steps: 0", "0")])
def test_without_megatron_or_a_warm_up_there_is_nothing_to_tell(changed: str, to: str) -> None:
    old = "trainer_strategy: megatron" if to == "fsdp" else "lr_warmup_steps: 10"
    conversion = of(CONFIG.replace(old, changed), "trinity", "verl")
    assert not any("warm-up begins" in note for note in conversion.ledger.notes)


def test_a_warm_up_from_zero_is_told_on_its_way_to_the_floor() -> None:
    outcome, why = state(
        of(VERL.replace("SCHEDULE", "cosine"), "verl", "trinity"), "actor_rollout_ref.actor.optim.lr_warmup_steps"
    )
    assert outcome is State.NARROWED
    assert "the source's at 0" in why


def test_what_is_added_to_a_deviation_is_an_argument() -> None:
    """TRL adds 1e-4 and has no key for it; Trinity-RFT's grpo takes it as `epsilon`, and adds 1e-6 unless told."""
    own = CONFIG.replace("algorithm_type: grpo", "algorithm_type: grpo\n  advantage_fn_args: {epsilon: 0.001}")
    assert of(own, "trinity", "verl").plan.stages[0].algorithm.std_guard == 0.001
    outcome, why = state(of(own, "trinity", "verl"), "algorithm.advantage_fn_args.epsilon")
    assert (outcome, "compute_grpo_outcome_advantage adds" in why) == (State.NARROWED, True)
    assert of(CONFIG, "trinity", "verl").plan.stages[0].algorithm.std_guard == 1e-6
    script = "accelerate launch --num_processes 4 grpo.py --model_name_or_path m --scale_rewards group"
    trl = convert_loaded(load(read(Source("c.sh", script)), framework="trl"), "trinity", Options())
    (line,) = (line for line in trl.ledger.targets if line.key == "algorithm.advantage_fn_args.epsilon")
    assert line.value == 1e-4


def test_a_constant_rate_gets_no_floor() -> None:
    conversion = of(VERL.replace("SCHEDULE", "constant"), "verl", "trinity")
    assert yaml.safe_load(conversion.text)["algorithm"]["optimizer"]["min_lr_ratio"] == 0.0


def test_a_service_that_trains_becomes_an_adapter_on_the_cluster_and_says_so() -> None:
    tinker = CONFIG.replace("model: {", "model: {tinker: {enable: true, rank: 8}, ").replace("megatron", "fsdp")
    conversion = of(tinker, "trinity", "verl")
    assert next(line.value for line in conversion.lines if line.key.endswith("lora_rank")) == 8
    assert state(conversion, "model.tinker.enable")[0] is State.NARROWED
    assert any("decide on their number" in note for note in conversion.ledger.notes)


def test_the_scope_of_a_deviation_by_steps_is_kept() -> None:
    steps = CONFIG.replace(
        "algorithm_type: grpo", "algorithm_type: multi_step_grpo\n  advantage_fn_args: {std_cal_level: batch}"
    )
    outcome, why = state(
        of(steps.replace("megatron", "fsdp"), "trinity", "chatlearn"), "algorithm.advantage_fn_args.std_cal_level"
    )
    assert outcome is State.NARROWED
    assert "the source batch" in why


def test_a_key_that_the_release_lacks_is_unknown_whatever_a_pattern_says_of_its_kind() -> None:
    engine = "explorer.rollout_model."
    text = CONFIG.replace("{engine_num: 4}", "{engine_num: 4, max_num_seqs: 128}")
    done = of(text, "trinity", "verl")
    assert state(done, f"{engine}max_num_seqs")[0] is State.UNKNOWN
    known = of(CONFIG.replace("{engine_num: 4}", "{engine_num: 4, max_model_len: 2048}"), "trinity", "verl")
    assert state(known, f"{engine}max_model_len")[0] is State.NO_COUNTERPART
    secret = of(CONFIG.replace("{engine_num: 4}", "{engine_num: 4, hub_token: abc}"), "trinity", "verl")
    assert state(secret, f"{engine}hub_token")[0] is State.WITHHELD
