"""Configs that ROLL's loader takes and its workers stop on when they are built."""

from __future__ import annotations

import pytest

from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.convert.convert import Conversion, convert
from rftconf.lint import engine
from rftconf.lint.rule import roll as roll_config
from rftconf.text.read.read import read
from rftconf.text.source import Source
from tests.lint.bases import documents

RUN = (
    "data.train_batch_size=64 data.train_files=/d/t.parquet data.val_files=/d/v.parquet"
    " actor_rollout_ref.model.path=/m/q actor_rollout_ref.actor.ppo_mini_batch_size=64"
    " actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4 actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=4"
    " actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=8 trainer.total_training_steps=10 "
)
MEGATRON = "--config-name=ppo_megatron_trainer algorithm.adv_estimator=grpo "
OVERRIDES = "actor_rollout_ref.actor.megatron.override_transformer_config."
STRATEGY = "actor_train.strategy_args.strategy_config."


def roll(words: str, **options: str) -> tuple[dict[str, object], Conversion]:
    done = convert(read(Source("run.sh", f"python3 -m verl.trainer.main_ppo {words}{RUN}")), "roll", **options)  # type: ignore[arg-type]
    return {line.key: line.value for line in done.lines}, done


def test_a_megatron_setting_goes_where_the_strategy_takes_it() -> None:
    """megatron_strategy: TrainingArguments(**strategy_config); the rest is set from its field additional_configs."""
    words = f"{MEGATRON}+{OVERRIDES}num_layers_in_first_pipeline_stage=13 +{OVERRIDES}moe_router_dtype=fp32 "
    out, done = roll(words)
    assert out[STRATEGY + "additional_configs.num_layers_in_first_pipeline_stage"] == 13
    assert out[STRATEGY + "moe_router_dtype"] == "fp32"
    back = convert(read(Source("out.yaml", done.text)), "verl")
    (line,) = [entry for entry in back.lines if entry.key.lstrip("+") == OVERRIDES.rstrip(".")]
    assert line.value == {"num_layers_in_first_pipeline_stage": 13, "moe_router_dtype": "fp32"}


def test_settings_of_gradients_are_none_of_the_model() -> None:
    """mcore_adapter: DistributedDataParallelConfig(overlap_grad_reduce=…); Megatron's TransformerConfig has no such field."""
    _, done = roll(f"{MEGATRON}+actor_rollout_ref.actor.megatron.override_ddp_config.grad_reduce_in_fp32=True ")
    text = done.text.replace(
        "    strategy_config:\n",
        "    strategy_config:\n      overlap_grad_reduce: true\n      save_hf_model: true\n",
        1,
    )
    assert "accumulate_allreduce_grads_in_fp32: true" in text
    back = convert(read(Source("out.yaml", text)), "verl")
    out = {line.key.lstrip("+"): line.value for line in back.lines}
    gradients = {"grad_reduce_in_fp32": True, "overlap_grad_reduce": True}
    assert out["actor_rollout_ref.actor.megatron.override_ddp_config"] == gradients
    layers = out[OVERRIDES.rstrip(".")]
    assert isinstance(layers, dict)
    assert not layers.keys() & {"overlap_grad_reduce", "save_hf_model"}


@pytest.mark.parametrize(("release", "refused"), [("0.1.1", True), ("0.1.3", True), ("0.2.1", False)])
def test_an_adapter_in_megatron_came_with_0_2_1(release: str, refused: bool) -> None:
    """model_providers: setup_lora_training gets no model of Megatron before, and every weight is trained."""
    words = f"{MEGATRON}actor_rollout_ref.model.lora.rank=32 "
    if refused:
        with pytest.raises(RefusedError, match="no adapter"):
            roll(words, to_release=release)
    else:
        assert roll(words, to_release=release)[0]["actor_train.model_args.lora_rank"] == 32


def test_a_critic_names_its_kind_of_model() -> None:
    """model_providers: default_value_model_provider knows trl and auto_token_classification."""
    out, _ = roll("algorithm.adv_estimator=gae critic.model.path=/m/q critic.ppo_micro_batch_size_per_gpu=4 ")
    assert out["critic.model_args.model_type"] == "trl"


def test_a_megatron_critic_becomes_one_of_fsdp2() -> None:
    """model_providers: "megatron value model not implemented"."""
    words = "algorithm.adv_estimator=gae critic.model.path=/m/q critic.ppo_micro_batch_size_per_gpu=4 "
    sizes = (
        "critic.megatron.tensor_model_parallel_size=2 actor_rollout_ref.actor.megatron.tensor_model_parallel_size=2 "
    )
    out, done = roll(f"--config-name=ppo_megatron_trainer {words}{sizes}")
    assert out["actor_train.strategy_args.strategy_name"] == "megatron_train"
    assert out["critic.strategy_args.strategy_name"] == "fsdp2_train"
    assert not [key for key in out if key.startswith("critic.strategy_args.strategy_config.tensor")]
    (line,) = [source for source in done.ledger.sources if source.key == "critic.megatron.tensor_model_parallel_size"]
    assert line.state is not State.EXACT


@pytest.mark.parametrize(
    ("layout", "release", "word"),
    [
        (MEGATRON, "0.3.0", "all-linear"),
        (MEGATRON, "0.2.1", "all-linear"),
        ("algorithm.adv_estimator=grpo ", "0.3.0", "???"),
        ("algorithm.adv_estimator=grpo ", "0.2.1", "???"),
    ],
)
def test_an_adapter_on_all_layers_has_the_word_of_the_code(layout: str, release: str, word: str) -> None:
    """setup_lora_training replaces all-linear since 0.2.1, by layers of Transformer Engine, which FSDP's models have none of."""
    lora = (
        "actor_rollout_ref.model.lora.rank=32 actor_rollout_ref.model.lora.target_modules=all-linear "
        if layout is MEGATRON
        else "actor_rollout_ref.model.lora_rank=32 actor_rollout_ref.model.target_modules=all-linear "
    )
    out, done = roll(layout + lora, to_release=release)
    assert out["actor_train.model_args.lora_target"] == word
    questions = {d.key: d for d in done.ledger.decisions if d.key.endswith("lora_target")}
    assert bool(questions) is (word == "???")
    for question in questions.values():
        assert "ROLL" in question.why
        assert "q_proj" in question.choices[0]
    if questions:
        assert {f"actor_{role}.model_args.lora_target" for role in ("train", "infer")} == set(questions)


@pytest.mark.parametrize(("strategy", "count"), [("megatron_train", 0), ("fsdp2_train", 1)])
def test_check_finds_a_word_that_stands_for_no_layer(strategy: str, count: int) -> None:
    """mcore_adapter: find_all_linear_modules looks for Transformer Engine's classes."""
    words = (f"actor_train.strategy_args.strategy_name={strategy}", "actor_train.model_args.lora_target=all-linear")
    (config,) = documents(roll_config(*words))
    assert len([finding for finding in engine.check(config) if finding.code == "DIA323"]) == count


@pytest.mark.parametrize(("release", "packs"), [("0.1.3", False), ("0.2.1", True), ("0.3.0", True)])
def test_a_policy_packs_sequences_since_0_2_1(release: str, packs: bool) -> None:
    """0.1.3's base_config.validate_worker_config lets nobody but student, teacher and sft_train pack."""
    out, _ = roll(f"{MEGATRON}actor_rollout_ref.model.use_remove_padding=True ", to_release=release)
    assert ("actor_train.use_sequence_packing" in out) == packs


def test_only_the_models_own_part_of_the_overrides_arrives() -> None:
    """HFModelConfig merges override_config.model_config where it is there; the rest belongs to veRL's Megatron workers."""
    section = "+actor_rollout_ref.model.override_config."
    out, done = roll(f"{MEGATRON}{section}model_config.num_hidden_layers=4 {section}moe_config.freeze_moe_router=True ")
    assert {key: value for key, value in out.items() if "model_config_kwargs" in key} == {
        "actor_train.model_args.model_config_kwargs.num_hidden_layers": 4
    }
    frozen = "actor_rollout_ref.model.override_config.moe_config.freeze_moe_router"
    (line,) = [source for source in done.ledger.sources if source.key == frozen]
    assert (line.state, "stays as it was" in line.reason) == (State.NARROWED, True)
