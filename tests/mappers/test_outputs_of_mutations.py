"""What mutated configs showed: a target is given what its release takes, and what no source tells is asked."""

from __future__ import annotations

import pytest
import yaml

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import open_keys
from rftconf.convert.convert import Conversion, Options, convert, convert_loaded
from rftconf.load.load import load
from rftconf.text.read.read import read
from rftconf.text.source import Source
from rftconf.verbs.check_own_output import errors_in
from tests.mappers.roll_runs import INFER, ROLL, STRATEGY, nested

VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.max_prompt_length=512"
    " data.max_response_length=512 data.train_files=/a data.val_files=/b actor_rollout_ref.model.path=/m trainer.nnodes=1"
    " trainer.n_gpus_per_node=8 actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.name=vllm"
    " actor_rollout_ref.rollout.n=4 actor_rollout_ref.rollout.tensor_model_parallel_size=2"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=2 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=2\n"
)


def converted(text: str, to: str, release: str | None = None, *, name: str = "run.sh", **more: object) -> Conversion:
    loaded = load(read(Source(name, text)))
    return convert_loaded(loaded, to, Options(release, **more))  # type: ignore[arg-type]


def of_roll(changes: dict[str, object], to: str, release: str | None = None) -> Conversion:
    """The worked example of ROLL with some keys changed, converted."""
    document = read(Source("input.yaml", yaml.safe_dump(nested({**ROLL, **changes}), sort_keys=False)))
    return convert(document, to, framework="roll", release="0.3.0", to_release=release)


def set_to(text: str, **values: str) -> str:
    """A launch script with more overrides, which win."""
    return text.rstrip("\n") + "".join(f" {key.replace('__', '.')}={value}" for key, value in values.items()) + "\n"


def line_of(done: Conversion, key: str) -> object:
    return next((line.value for line in done.ledger.targets if line.key.lstrip("+") == key), None)


def codes(done: Conversion) -> set[str]:
    return {finding.code for finding in errors_in(f"out{done.file_suffix}", done.text, done.ledger)}


def test_a_word_that_the_asked_release_does_not_take_is_asked() -> None:
    sglang = set_to(VERL, actor_rollout_ref__rollout__name="sglang")
    old, new = (converted(sglang, "trinity", release, rollout_gpus=4) for release in ("0.5.2", "0.6.0"))
    key = "explorer.rollout_model.engine_type"
    assert (line_of(old, key), line_of(new, key)) == ("???", "sglang")
    assert any(decision.key == key for decision in old.ledger.decisions)
    trtllm = set_to(VERL, actor_rollout_ref__rollout__name="trtllm")
    assert line_of(converted(trtllm, "verl", "0.6.1"), "actor_rollout_ref.rollout.name") == "???"
    assert line_of(converted(trtllm, "verl", "0.7.1"), "actor_rollout_ref.rollout.name") == "trtllm"


@pytest.mark.parametrize(("release", "strategy"), [("0.1.3", "???"), ("0.3.0", "fsdp2_train")])
def test_a_strategy_that_a_release_lacks_is_asked(release: str, strategy: str) -> None:
    done = of_roll({}, "roll", release)
    assert line_of(done, "actor_train.strategy_args.strategy_name") == strategy


@pytest.mark.parametrize(("release", "state"), [("0.1.1", State.NO_COUNTERPART), ("0.3.0", State.EXACT)])
def test_an_argument_that_stops_a_release_is_lost_and_said(release: str, state: State) -> None:
    etp = "actor_rollout_ref.actor.megatron.expert_tensor_parallel_size"
    megatron = VERL.replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer")
    done = converted(megatron.rstrip("\n") + f" {etp}=1\n", "roll", release)
    line = next(source for source in done.ledger.sources if source.key == etp)
    assert line.state is state
    assert "DIA322" not in codes(done)


def test_engines_are_whole_although_the_nodes_are_not_known() -> None:
    unknown = VERL.replace("trainer.nnodes=1", "trainer.nnodes=$NODES")
    with pytest.raises(RefusedError, match="3 rollout GPUs are not a whole number of engines of 2 GPUs"):
        converted(unknown, "trinity", rollout_gpus=3)
    assert line_of(converted(unknown, "trinity", rollout_gpus=4), "explorer.rollout_model.engine_num") == 2


def test_shard_groups_are_those_that_the_trainer_holds() -> None:
    shards = "actor_rollout_ref.actor.fsdp_config.fsdp_size"
    many = set_to(VERL, data__train_batch_size="96", **{shards: "4"})
    done = converted(many.replace("mini_batch_size=64", "mini_batch_size=96"), "trinity", rollout_gpus=2)
    assert line_of(done, f"trainer.trainer_config.{shards}") == 3
    line = next(source for source in done.ledger.sources if source.key == shards)
    assert line.state is State.NARROWED
    assert "6 trainer GPUs are no whole number of shard groups of 4" in line.reason
    assert "GPU011" not in codes(done)


def test_micro_batches_over_all_gpus_that_are_no_whole_ones_of_a_rank_become_whole() -> None:
    old = VERL.replace("actor.ppo_micro_batch_size_per_gpu=2", "actor.ppo_micro_batch_size=116").replace("=64", "=176")
    loaded = load(read(Source("run.sh", old)), release="0.5.0")
    done = convert_loaded(loaded, "trinity", Options(rollout_gpus=4))
    key = "trainer.trainer_config.actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu"
    assert 176 * 4 // 4 % line_of(done, key) == 0  # type: ignore[operator]


def test_a_context_that_grew_is_one_that_the_engine_takes_at_once() -> None:
    engine = "actor_rollout_ref.rollout."
    short = {"max_model_len": "768", "max_num_batched_tokens": "768", "enable_chunked_prefill": "False"}
    done = converted(set_to(VERL, **{engine + key: value for key, value in short.items()}), "trinity", rollout_gpus=4)
    assert line_of(done, "model.max_model_len") == 1024
    assert line_of(done, "explorer.rollout_model.extra_engine_args.max_num_batched_tokens") == 1024


def test_an_estimator_and_an_engine_that_no_source_tells_are_asked() -> None:
    nameless: dict[str, object] = {"adv_estimator": None, INFER + STRATEGY: "hf_infer"}
    for to, key in (("verl", "algorithm.adv_estimator"), ("trinity", "algorithm.algorithm_type")):
        done = of_roll(nameless, to)
        line = next(source for source in done.ledger.sources if source.key == "adv_estimator")
        assert line_of(done, key) == "???"
        assert "None" not in line.reason
    assert line_of(of_roll(nameless, "verl"), "actor_rollout_ref.rollout.name") == "???"


def test_data_without_a_file_are_asked() -> None:
    text = "algorithm: {algorithm_type: grpo, repeat_times: 4}\nmodel: {model_path: /m}\ncluster: {node_num: 1, gpu_per_node: 8}\n"
    text += "mode: both\nbuffer:\n  batch_size: 8\n  explorer_input:\n    taskset: {split: SPLIT}\n"
    for split in ("{a: 1}", "train"):
        done = converted(text.replace("SPLIT", split), "chatlearn", name="run.yaml")
        assert line_of(done, "runtime_args.data_path") == "???"


def test_a_section_with_a_number_in_its_place_makes_no_data_set() -> None:
    loaded = load(
        read(
            Source(
                "run.yaml", "mode: both\nalgorithm: {algorithm_type: grpo}\nbuffer: {explorer_input: {taskset: 2}}\n"
            )
        )
    )
    assert not any(path.startswith("stage.data.train[") for path in loaded.stages[0].values)


def test_a_run_that_only_evaluates_keeps_the_trainer_of_its_config() -> None:
    text = VERL.replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer")
    only = set_to(text, trainer__val_only="True", actor_rollout_ref__actor__megatron__use_dist_checkpointing="True")
    done = converted(only, "verl")
    assert "KEY006" not in codes(done)


def test_a_size_of_an_update_that_no_source_tells_is_asked() -> None:
    """Its GPUs are not known, and a target's own default would be another run."""
    done = of_roll({"actor_train.device_mapping": "list(range(0,8)"}, "verl")
    assert open_keys(line_of(done, "actor_rollout_ref.actor.ppo_mini_batch_size")) == {"actor_train.device_mapping"}  # type: ignore[arg-type]
    question = next(
        decision for decision in done.ledger.decisions if decision.key == "actor_rollout_ref.actor.ppo_mini_batch_size"
    )
    assert "actor_train.device_mapping" in question.why


def test_a_switch_by_which_an_older_release_stops_is_left_out_and_said() -> None:
    key = "actor_rollout_ref.hybrid_engine"
    separate = set_to(VERL, **{"trainer.v1.trainer_mode": "separate_async", "trainer.use_v1": "True", key: "False"})
    loaded = load(read(Source("run.sh", separate)), release="0.9.1")
    assert line_of(convert_loaded(loaded, "verl", Options("0.9.0")), key) is False
    done = convert_loaded(loaded, "verl", Options("0.8.0"))
    assert line_of(done, key) is None
    line = next(source for source in done.ledger.sources if source.key == key)
    assert line.state is State.NO_COUNTERPART


def test_override_lines_hold_no_value_of_several_lines() -> None:
    text = VERL.replace("data.train_files=/a", "data.train_files='[\"/a\n/b\"]'")
    with pytest.raises(RefusedError, match=r"data\.train_files has several lines"):
        converted(text, "verl", style="overrides")
    assert "/a\n/b" in converted(text, "verl").text


def test_a_config_stays_its_trainers_whatever_its_strategy_says() -> None:
    text = VERL.replace("main_ppo", "main_ppo --config-name=ppo_megatron_trainer")
    odd = set_to(text, actor_rollout_ref__actor__strategy="fsdp2", actor_rollout_ref__actor__megatron__seed="7")
    assert "KEY006" not in codes(converted(odd, "verl"))


@pytest.mark.parametrize("style", ["sh", "overrides"])
def test_a_list_of_lists_is_one_override(style: str) -> None:
    text = VERL.replace("data.val_files=/b", "'data.val_files=[[/b,/c],{d: /e}]'")
    done = converted(text, "verl", style=style)
    assert "data.val_files=[[/b, /c], {d: /e}]" in done.text
    assert not any(
        diagnostic.code == "SYN304" for diagnostic in read(Source(f"run{done.file_suffix}", done.text)).diagnostics
    )


AGENT = """
exp_name: n
pretrain: /m
rollout_batch_size: 64
sequence_length: 1024
adv_estimator: grpo
train_env_manager: {num_env_groups: 8, group_size: 8, tags: [a]}
custom_envs: {a: {env_type: sokoban}}
actor_train: {device_mapping: "list(range(0,8))", strategy_args: {strategy_name: fsdp2_train}}
actor_infer: {device_mapping: "list(range(0,8))", strategy_args: {strategy_name: vllm}}
"""


def test_a_conversation_of_rolls_agent_has_one_length() -> None:
    """Nothing in its pipeline reads prompt_length, whose default may be as long."""
    loaded = load(read(Source("run.yaml", AGENT)))
    assert loaded.guess.trainer == "agentic"
    assert open_keys(loaded.stages[0].values["stage.length.response_max_tokens"]) == {"prompt_length"}
    assert "LEN008" not in codes(convert_loaded(loaded, "roll", Options()))
    done = convert_loaded(loaded, "verl", Options())
    assert any(decision.key == "data.max_response_length" for decision in done.ledger.decisions)
    longer = load(read(Source("run.yaml", AGENT.replace("1024", "4096"))))
    assert longer.stages[0].values["stage.length.response_max_tokens"] == 3072


def test_a_key_of_the_users_own_is_left_out_where_a_newer_release_refuses_it() -> None:
    key = "actor_rollout_ref.rollout.trust_remote_code"
    loaded = load(read(Source("run.sh", set_to(VERL, **{f"+{key}": "True"}))), release="0.5.0")
    assert line_of(convert_loaded(loaded, "verl", Options("0.5.0")), key) is True
    done = convert_loaded(loaded, "verl", Options("0.9.1"))
    assert line_of(done, key) is None
    assert any(note.startswith(f"{key} is left out: veRL 0.9.1 refuses keys") for note in done.ledger.notes)


@pytest.mark.parametrize(("release", "written"), [("0.9.1", False), ("0.7.1", True)])
def test_verl_scores_as_it_trains_since_one_engine_does_both(release: str, written: bool) -> None:
    """engine_workers of 0.8.0 assert that both switches agree; the workers before have a switch each."""
    scoring = {
        "actor_train.use_dynamic_batching_in_infer": True,
        "actor_train.max_tokens_per_microbatch_in_infer": 6144,
    }
    done = of_roll(dict[str, object](scoring), "verl", release)
    lines = {line.key: line.value for line in done.ledger.targets}
    assert lines["actor_rollout_ref.rollout.log_prob_use_dynamic_bsz"] is written
    assert codes(done) == set()


@pytest.mark.parametrize(
    ("release", "key", "parts"), [("0.3.0", "contents", None), ("0.4.1", "save_contents", ["model"])]
)
def test_a_choice_of_parts_is_left_out_where_checkpoints_hold_all(release: str, key: str, parts: object) -> None:
    """veRL 0.3.0 fsdp_checkpoint_manager asserts model, optimizer and extra; 0.4.1 asks whether each is there."""
    only = set_to(VERL, actor_rollout_ref__actor__checkpoint__save_contents="[model]")
    assert line_of(converted(only, "verl", release), f"actor_rollout_ref.actor.checkpoint.{key}") == parts
