"""NeMo-RL's configs are read as its loader makes them, and the plan holds what its code does with them."""

from __future__ import annotations

from typing import Any

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, Options, convert_stage
from rftconf.load.load import load, main_stage
from rftconf.schemas import registry
from rftconf.text.read.read import read
from rftconf.text.read.read_options import ReadOptions
from rftconf.text.source import Source

A = "stage.algorithm."


def stage_of(*lines: str, release: str = "0.7.0") -> Any:
    """The main stage of a launch script with these overrides."""
    words = " ".join(f"'{line}'" for line in lines)
    document = read(Source("run.sh", f"uv run python examples/run_grpo.py {words}\n"))
    return main_stage(load(document, framework="nemo_rl", release=release))


def test_defaults_follow_what_is_written_through_mul() -> None:
    values = stage_of("policy.max_total_sequence_length=4096", "policy.train_micro_batch_size=2").values
    assert values["stage.batch.micro.tokens_per_rank"] == 4096 * 2
    assert values["stage.batch.log_prob.tokens_per_rank"] == 4096 * 2


def test_a_config_has_the_keys_of_the_file_it_inherits_from_and_lists_are_replaced() -> None:
    base = "policy:\n  scheduler:\n  - {name: torch.optim.lr_scheduler.LinearLR, kwargs: {start_factor: 0.1}}\n  - {milestones: [5]}\ncluster: {num_nodes: 3}\n"
    own = "defaults: ../base.yaml\npolicy:\n  scheduler:\n  - {name: torch.optim.lr_scheduler.ConstantLR, kwargs: {factor: 1.0}}\n"
    document = read(Source("recipes/run.yaml", own), ReadOptions(sources={"base.yaml": base}))
    values = {leaf.key: leaf.value for leaf in document.leaves}
    assert values["cluster.num_nodes"] == 3
    assert values["policy.scheduler[0].name"] == "torch.optim.lr_scheduler.ConstantLR"
    assert not any(key.startswith("policy.scheduler[1]") for key in values)


def test_a_section_marked_override_has_nothing_of_the_one_below_it() -> None:
    base, own = (
        "data: {shuffle: false, num_workers: 8}\n",
        "defaults: base.yaml\ndata: {_override_: true, shuffle: true}\n",
    )
    document = read(Source("run.yaml", own), ReadOptions(sources={"base.yaml": base}))
    assert {leaf.key: leaf.value for leaf in document.leaves} == {"data.shuffle": True}


def test_a_rate_ticks_once_a_step_whatever_updates_a_step_has() -> None:
    """H89: the base config warms up over 50 steps, and a step of 32 x 16 answers has four updates of 128."""
    assert stage_of("policy.train_global_batch_size=128").values["stage.optim.actor.warmup_updates"] == 200


def test_an_answer_compared_with_the_others_alone_is_said_to_be() -> None:
    """H88: of eight rewards with one 1, that answer's others have no deviation: 1.0 is not divided."""
    stage = stage_of("grpo.use_leave_one_out_baseline=true")
    assert stage.values[A + "advantage"] == "grpo"
    assert "compared with the mean of the others" in stage.reading.narrowed["grpo.use_leave_one_out_baseline"]
    rewards = [1.0] + [0.0] * 7
    others = rewards[1:]
    mean, deviation = sum(others) / 7, max(others) - min(others)
    assert (rewards[0] - mean, deviation) == (1.0, 0.0)


def test_a_prompt_of_the_named_length_is_too_long() -> None:
    """H90: nemo_rl/data/processors.py asks for length >= max_seq_length."""
    lines = (
        "policy.max_total_sequence_length=4096",
        "policy.generation.max_new_tokens=2048",
        "data.max_input_seq_length=1025",
    )
    assert stage_of(*lines).values["stage.length.prompt_max_tokens"] == 1024


def test_an_answer_without_a_length_of_its_own_is_asked_for() -> None:
    """H94: what max_total_sequence_length leaves depends on the prompt."""
    value = stage_of("policy.max_total_sequence_length=4096").values["stage.length.response_max_tokens"]
    assert getattr(value, "key", "") == "policy.generation.max_new_tokens"


def test_a_penalty_taken_out_of_the_loss_acts_nowhere_under_grpo() -> None:
    """H93: only ReinforcePlusPlusAdvantageEstimator takes it off the rewards."""
    values = stage_of("loss_fn.use_kl_in_reward=true").values
    assert (values[A + "kl_loss.enabled"], values[A + "kl_reward.enabled"]) == (False, False)
    own = stage_of("loss_fn.use_kl_in_reward=true", "grpo.adv_estimator.name=reinforce_plus_plus").values
    assert (own[A + "kl_loss.enabled"], own[A + "kl_reward.enabled"]) == (False, True)


def test_the_gradient_of_the_penalty_changed_with_a_release() -> None:
    """H91: exp(x - x.detach()) stands before the estimator since 0.7.0."""
    key = "loss_fn.reference_policy_kl_type"
    assert key in stage_of(f"{key}=k3").reading.narrowed
    assert key not in stage_of(f"{key}=k3", release="0.6.0").reading.narrowed


def test_engines_get_whole_nodes_of_several_and_gpus_of_one() -> None:
    part = "policy.generation.colocated.resources."
    lines = ("policy.generation.colocated.enabled=false", "cluster.gpus_per_node=8", f"{part}gpus_per_node=8")
    values = stage_of(*lines, "cluster.num_nodes=4", f"{part}num_nodes=1").values
    assert (values["stage.placement.actor.gpus"], values["stage.placement.rollout.gpus"]) == (24, 8)
    values = stage_of(*lines[:2], "cluster.num_nodes=1", f"{part}gpus_per_node=2").values
    assert (values["stage.placement.actor.gpus"], values["stage.placement.rollout.gpus"]) == (6, 2)


VERL = "data.train_files=/d/a.parquet data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64 actor_rollout_ref.rollout.n=4"


def of_verl(words: str = "", release: str = "0.7.0", style: str | None = None) -> Conversion:
    """A run of veRL's that is written for NeMo-RL."""
    loaded = load(read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {VERL} {words}\n")))
    return convert_stage(loaded, main_stage(loaded), registry.NEMO_RL, Options(release, style=style))


def test_an_old_policy_that_nemo_rl_lacks_is_its_nearest() -> None:
    """NeMo-RL's trainer scores answers, and never takes the engine's probabilities; nothing has to be asked."""
    ledger = of_verl("algorithm.rollout_correction.bypass_mode=true").ledger
    (line,) = (line for line in ledger.sources if line.key == "algorithm.rollout_correction.bypass_mode")
    assert line.state is State.NARROWED
    assert "never takes the engine's own" in line.reason
    assert not any(decision.key == "loss_fn.force_on_policy_ratio" for decision in ledger.decisions)


@pytest.mark.parametrize(
    ("release", "key"),
    [("0.3.1", "data.prompt_file"), ("0.5.0", "data.prompt_file"), ("0.7.0", "data.default.prompt_file")],
)
def test_questions_of_another_framework_have_no_text_of_the_base_config_around_them(release: str, key: str) -> None:
    """examples/prompts/cot.txt stands around every question unless prompt_file is null."""
    assert f" {key}=null " in of_verl(release=release).text


SEVERAL = "'data.train_files=[/d/a.parquet,/d/b.parquet]'"


def test_several_data_sets_are_a_list_in_place_of_the_section_below() -> None:
    """OmegaConf merges no list over the section of examples/configs/grpo_math_1B.yaml, in an override or in a file."""
    text = of_verl(SEVERAL).text
    assert "'~data.train' '+data.train=[{dataset_name: ResponseDataset, data_path: /d/a.parquet," in text
    with pytest.raises(RefusedError, match=r"data\.train is a list here and a section of the config below"):
        of_verl(SEVERAL, style="yaml")


@pytest.mark.parametrize("release", ["0.4.0", "0.5.0"])
def test_a_data_set_of_a_release_without_sections_has_keys_of_its_own(release: str) -> None:
    """run_grpo.py of 0.5.0 hands data.train_data_path to ResponseDataset; a second file has no key."""
    done = of_verl("data.val_files=/d/v.parquet", release)
    keys = {line.key.lstrip("+"): line.value for line in done.ledger.targets}
    assert (keys["data.dataset_name"], keys["data.train_data_path"]) == ("ResponseDataset", "/d/a.parquet")
    assert not any(key.startswith("data.val") for key in keys)
    (line,) = (line for line in done.ledger.sources if line.key == "data.val_files")
    assert (line.state, "names no file that validates" in line.reason) == (State.NO_COUNTERPART, True)


def test_the_text_around_questions_is_told_also_where_it_is_a_default() -> None:
    stage = stage_of("policy.generation.max_new_tokens=256")
    assert any("data.default.prompt_file=examples/prompts/cot.txt, the default" in note for note in stage.reading.notes)


def test_every_release_gives_its_own_config_back() -> None:
    for release in registry.NEMO_RL.releases:
        lines = ("grpo.num_prompts_per_step=64", "policy.train_global_batch_size=256", "grpo.val_period=5")
        document = read(Source("run.sh", "uv run python examples/run_grpo.py " + " ".join(lines) + "\n"))
        loaded = load(document, framework="nemo_rl", release=release)
        done = convert_stage(loaded, main_stage(loaded), registry.NEMO_RL, Options(to_release=release))
        assert all(line in done.text for line in lines), release


@pytest.mark.parametrize("share", ["", "data.train.split_validation_size=0"])
def test_rows_that_only_validate_are_told_of_and_an_evaluation_without_a_set_is_dead_in_trinity(share: str) -> None:
    """setup_response_data validates on the rows that the base config splits off, 5 % of them; Trinity needs a set for it."""
    document = read(Source("run.sh", f"uv run python examples/run_grpo.py grpo.val_period=5 {share}\n"))
    loaded = load(document, framework="nemo_rl", release="0.7.0")
    done = convert_stage(loaded, main_stage(loaded), registry.TRINITY, Options(registry.TRINITY.newest))
    assert any("this share of the rows validates" in note for note in done.ledger.notes) is not bool(share)
    (line,) = [line for line in done.ledger.sources if line.key == "grpo.val_period"]
    assert line.state is State.DEAD_IN_TARGET
    assert "there is no evaluation set" in line.reason
