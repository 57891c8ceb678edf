"""The expert's form beside Trinity-RFT's own config generator: every parameter, and the conditions under which it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette")

from rftconf.load.load import load, main_stage
from rftconf.mappers.profiles import profile_of, with_programs
from rftconf.mappers.tables import gates_of
from rftconf.schemas import catalogue, registry
from rftconf.studio import answers
from rftconf.studio.common import parameters
from rftconf.studio.generator import PARAMETERS, SHOWN
from rftconf.text.read.read import read
from rftconf.text.source import from_bytes

from .test_answers import ask

REGISTERED: dict[str, list[str]] = json.loads((Path(__file__).parent / "data" / "trinity_generator.json").read_text())[
    "releases"
]
KEYS = {parameter.name: [key.replace("[]", "[0]") for key in parameter.keys] for parameter in parameters("trinity")}
RUN = {
    "mode": "both",
    "model.model_path": "Qwen/Qwen2.5-7B-Instruct",
    "cluster.node_num": "1",
    "cluster.gpu_per_node": "8",
    "explorer.rollout_model.engine_num": "2",
}
TYPE, LOSS, ADVANTAGE = "algorithm.algorithm_type", "algorithm.policy_loss_fn", "algorithm.advantage_fn"
OFFLINE = {"mode": "train", TYPE: "sft"}
CONDITIONS: dict[str, tuple[dict[str, str], dict[str, str]]] = {
    "expert_data_ratio_in_sample_strategy": ({TYPE: "grpo"}, {TYPE: "mix", "algorithm.sample_strategy": "mix"}),
    "advantage_fn": (OFFLINE, {TYPE: "grpo"}),
    "gamma_in_advantage_fn": ({TYPE: "grpo"}, {TYPE: "reinforceplusplus"}),
    "lam_in_advantage_fn": ({TYPE: "reinforceplusplus"}, {TYPE: "ppo"}),
    "epsilon_in_advantage_fn": ({TYPE: "ppo"}, {TYPE: "grpo"}),
    "opmd_baseline_in_advantage_fn": ({TYPE: "grpo"}, {TYPE: "opmd"}),
    "tau_in_advantage_fn": ({TYPE: "grpo"}, {TYPE: "grpo", ADVANTAGE: "opmd"}),
    "kl_coef_in_kl_loss_fn": ({TYPE: "grpo", "algorithm.kl_loss_fn": "none"}, {TYPE: "grpo"}),
    "kl_penalty_fn": (OFFLINE, {TYPE: "ppo"}),
    "adaptive_in_kl_penalty_fn": ({TYPE: "ppo"}, {TYPE: "ppo", "algorithm.kl_penalty_fn": "k3"}),
    "kl_coef_in_kl_penalty_fn": ({TYPE: "ppo"}, {TYPE: "ppo", "algorithm.kl_penalty_fn": "k3"}),
    "clip_range_in_policy_loss_fn": (OFFLINE, {TYPE: "grpo"}),
    "sft_loss_agg_mode": ({TYPE: "dpo", "mode": "train"}, OFFLINE),
    "beta_in_policy_loss_fn": ({TYPE: "grpo"}, {TYPE: "dpo", "mode": "train"}),
    "label_smoothing_in_policy_loss_fn": ({TYPE: "grpo"}, {TYPE: "dpo", "mode": "train"}),
    "tau_in_policy_loss_fn": ({TYPE: "grpo"}, {TYPE: "opmd"}),
    "mu_in_policy_loss_fn": ({TYPE: "grpo"}, {TYPE: "mix"}),
    "entropy_coef_in_entropy_loss_fn": ({TYPE: "grpo", "algorithm.entropy_loss_fn": "none"}, {TYPE: "grpo"}),
    "reuse_cooldown_time": ({TYPE: "grpo"}, {"buffer.trainer_input.experience_buffer.replay_buffer.enable": "true"}),
    "priority_fn": ({TYPE: "grpo"}, {"buffer.trainer_input.experience_buffer.replay_buffer.enable": "true"}),
    "priority_fn_args": ({TYPE: "grpo"}, {"buffer.trainer_input.experience_buffer.replay_buffer.enable": "true"}),
    "runner_per_model": (OFFLINE, {TYPE: "grpo"}),
    "eval_interval": (OFFLINE, {TYPE: "grpo"}),
    "engine_num": (OFFLINE, {TYPE: "grpo"}),
    "tensor_parallel_size": (OFFLINE, {TYPE: "grpo"}),
    "gpu_memory_utilization": (OFFLINE, {TYPE: "grpo"}),
    "taskset_path": (OFFLINE, {TYPE: "grpo"}),
    "critic_model_path": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_lr": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_lr_scheduler_type": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_lr_warmup_steps_ratio": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_grad_clip": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_cliprange_value": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_ppo_micro_batch_size_per_gpu": ({TYPE: "grpo"}, {TYPE: "ppo", "trainer.use_dynamic_bsz": "false"}),
    "critic_save_checkpoint": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "critic_load_checkpoint": ({TYPE: "grpo"}, {TYPE: "ppo"}),
    "tensor_model_parallel_size": ({TYPE: "grpo"}, {"trainer.trainer_strategy": "megatron"}),
    "use_mbridge": ({TYPE: "grpo"}, {"trainer.trainer_strategy": "megatron"}),
    "recompute_method": ({TYPE: "grpo"}, {"trainer.trainer_strategy": "megatron"}),
    "forward_prefetch": ({"trainer.trainer_strategy": "megatron"}, {"trainer.trainer_strategy": "fsdp"}),
    "offload_policy": ({"trainer.trainer_strategy": "fsdp"}, {"trainer.trainer_strategy": "fsdp2"}),
    "sft_dataset_kwargs": ({TYPE: "grpo"}, OFFLINE),
    "dpo_dataset_kwargs": ({TYPE: "grpo"}, {TYPE: "dpo", "mode": "train"}),
    "actor_ppo_micro_batch_size_per_gpu": ({TYPE: "grpo"}, {"trainer.use_dynamic_bsz": "false"}),
}
"""Parameter to values beside which none of its keys acts, and values beside which one does."""


def test_every_parameter_of_the_generator_has_its_place() -> None:
    placements = {name for entries in PARAMETERS.values() for name in entries}
    registered = {name for names in REGISTERED.values() for name in names}
    assert len(registered) > 140
    assert registered == placements | set(SHOWN)
    assert set(REGISTERED) == set(registry.framework("trinity").releases)


def test_every_parameter_has_a_control_in_trinitys_form() -> None:
    form = {key["key"]: key for key in ask("keys", framework="trinity")["keys"]}
    lacking = [key for keys in KEYS.values() for key in keys if key not in form]
    assert lacking == []
    assert all(form[key]["topic"] for keys in KEYS.values() for key in keys)


@pytest.mark.parametrize("framework", [name for name in registry.FRAMEWORKS if name != "trinity"])
def test_every_parameter_has_a_control_or_a_reason(framework: str) -> None:
    """In some program of the newest release: what only Megatron's has stands in Megatron's form."""
    known = registry.framework(framework)
    forms = [catalogue.load(framework, None, trainer) for trainer in known.trainers_of(known.newest)]
    for parameter in parameters(framework):
        assert parameter.keys or parameter.why, parameter.name
        assert all(any(key in form for form in forms) for key in parameter.keys), parameter
    names = {name for entries in PARAMETERS.values() for name in entries}
    assert set(profile_of(framework).parameters) <= names
    data = ask("keys", framework=framework)
    new_names = {entry["name"] for entry in data["without"]}
    assert new_names == {parameter.name for parameter in parameters(framework) if not parameter.keys}
    assert {key["topic"] for key in data["keys"]} <= {*data["topics"], ""}


def test_the_display_of_the_trainers_gpus_follows_the_form() -> None:
    data = ask("new", framework="trinity", values={**RUN, "explorer.rollout_model.tensor_parallel_size": "2"})
    names = {total["name"]: total["value"] for total in data["totals"]}
    assert names["trainer's GPUs"] == 4
    assert names["engines' GPUs"] == 4


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_parameter_acts_under_its_condition(name: str) -> None:
    hidden, output = CONDITIONS[name]
    off = ask("new", framework="trinity", values={**RUN, **hidden})
    on = ask("new", framework="trinity", values={**RUN, **output})
    assert off["problem"] == on["problem"] == ""
    assert all(off["inactive"].get(key) for key in KEYS[name]), off["inactive"]
    assert any(key not in on["inactive"] for key in KEYS[name]), [on["inactive"].get(key) for key in KEYS[name]]


@pytest.mark.parametrize(
    ("framework", "key", "off", "on"),
    [
        ("verl", "algorithm.kl_ctrl.horizon", {}, {"algorithm.use_kl_in_reward": "true", "algorithm.kl_ctrl.type": "adaptive"}),
        ("verl", "critic.optim.lr", {"algorithm.adv_estimator": "grpo"}, {"algorithm.adv_estimator": "gae"}),
        ("verl", "critic.model.external_lib", {"algorithm.adv_estimator": "grpo"}, {"algorithm.adv_estimator": "gae"}),
        ("verl", "trainer.resume_from_path", {}, {"trainer.resume_mode": "resume_path"}),
        ("verl", "actor_rollout_ref.model.fused_kernel_options.impl_backend", {},
         {"actor_rollout_ref.model.use_fused_kernels": "true"}),
        ("verl", "actor_rollout_ref.actor.profiler.ranks", {}, {"actor_rollout_ref.actor.profiler.enable": "true"}),
        ("roll", "critic.training_args.weight_decay", {"adv_estimator": "grpo"}, {"adv_estimator": "gae"}),
        ("roll", "critic.data_args.tag", {"adv_estimator": "grpo"}, {"adv_estimator": "gae"}),
        ("roll", "actor_train.sequence_packing_args.algorithm", {}, {"actor_train.use_sequence_packing": "true"}),
        ("chatlearn", "runtime_args.log_args_dict.wandb_project", {}, {"runtime_args.log_args_dict.enable_wandb": "true"}),
        ("chatlearn", "models.policy_trainer.max_token_in_packing", {"models.policy_trainer.packing": "false"},
         {"models.policy_trainer.packing": "true"}),
    ],
)  # fmt: skip
def test_conditions_of_every_framework(framework: str, key: str, off: dict[str, str], on: dict[str, str]) -> None:
    assert ask("new", framework=framework, values=off)["inactive"].get(key)
    assert key not in ask("new", framework=framework, values=on)["inactive"]


def test_every_condition_has_keys_to_act_on() -> None:
    """A section or a pattern that fits nothing any more is a mistake, not a condition."""
    from fnmatch import fnmatchcase

    from rftconf.studio.forms import names

    for framework in registry.FRAMEWORKS:
        known = registry.framework(framework)
        entries = {
            name
            for trainer in known.trainers_of(known.newest)
            for name in names(framework, known.newest, trainer).values()
        }
        for gate in gates_of(framework).gates:
            assert all(any(fnmatchcase(name, key) for name in entries) for key in gate.keys), gate.keys
            assert gate.source
            assert gate.why
        for block in gates_of(framework).sections:
            assert any(fnmatchcase(name, f"{block.section}.{block.switch}") for name in entries), block


@pytest.mark.parametrize("framework", registry.FRAMEWORKS)
@pytest.mark.parametrize("algorithm", ["grpo", "ppo"])
def test_what_a_recipe_sets_acts(framework: str, algorithm: str) -> None:
    """Against conditions that catch too much: no key that a sized recipe writes is said to do nothing."""
    fields = {"algorithm": algorithm, "model": "Qwen/Qwen2.5-7B-Instruct", "gpus": 8, "gpu": "h200-141g"}
    answer = answers.answer("start", {"framework": framework, **fields})
    if answer.status != 200:
        pytest.skip(json.loads(answer.body)["error"]["message"])
    result = json.loads(answer.body)
    form = ask("new", framework=framework, release=result["release"], values=result["values"])
    document = read(from_bytes(form["name"], form["text"].encode()))
    names = main_stage(load(document, framework=framework, release=result["release"])).reading.inactive
    ours = {key: why for key, why in form["inactive"].items() if key in result["values"] and key not in names}
    assert set(ours) <= IDLE.get(framework, set()), ours


IDLE = {"chatlearn": {"runtime_args.log_args_dict.wandb_project"}}
"""What recipes write although a switch beside it is off: the name of the project, for whoever turns W&B on."""
BATCHES: dict[str, dict[str, str]] = {
    "trinity": {**RUN, TYPE: "grpo", "algorithm.repeat_times": "8", "buffer.batch_size": "32", "buffer.train_batch_size": "100"},
    "verl": {"trainer.n_gpus_per_node": "8", "actor_rollout_ref.actor.ppo_mini_batch_size": "130"},
    "roll": {
        "adv_estimator": "grpo", "rollout_batch_size": "100", "num_return_sequences_in_group": "8", "num_gpus_per_node": "8",
        "actor_train.training_args.per_device_train_batch_size": "4",
        "actor_train.training_args.gradient_accumulation_steps": "4", "actor_train.device_mapping": "list(range(0,8))",
    },
    "chatlearn": {
        "models.policy_trainer.num_gpu": "8", "runtime_args.train_global_batch_size": "100",
        "runtime_args.sample_per_episode": "1000",
    },
}  # fmt: skip


@pytest.mark.parametrize("framework", BATCHES)
def test_a_batch_that_does_not_divide_is_told(framework: str) -> None:
    """The generator's own check, by the rules of `check`."""
    data = ask("new", framework=framework, values=BATCHES[framework])
    options: list[dict[str, Any]] = [finding for finding in data["findings"] if finding["code"].startswith("BAT")]
    assert any("divide" in entry["message"] or "leave" in entry["message"] for entry in options), data["findings"]


@pytest.mark.parametrize("framework", registry.FRAMEWORKS)
def test_batches_and_lengths_say_what_they_count(framework: str) -> None:
    form = {key["key"]: key for key in ask("keys", framework=framework)["keys"]}
    counted = {
        "verl": ("data.train_batch_size", "data.max_response_length", "actor_rollout_ref.rollout.n", "trainer.nnodes"),
        "trinity": (
            "buffer.batch_size",
            "buffer.train_batch_size",
            "algorithm.repeat_times",
            "synchronizer.sync_interval",
        ),
        "roll": ("rollout_batch_size", "response_length", "num_return_sequences_in_group", "save_steps"),
        "chatlearn": ("runtime_args.train_global_batch_size", "models.policy.num_gpu", "runtime_args.num_episode"),
        "trl": ("per_device_train_batch_size", "gradient_accumulation_steps", "num_generations", "max_steps"),
        "openrlhf": ("rollout.batch_size", "train.batch_size", "rollout.n_samples_per_prompt", "ckpt.save_steps"),
        "nemo_rl": (
            "grpo.num_prompts_per_step",
            "policy.train_global_batch_size",
            "grpo.num_generations_per_prompt",
            "grpo.val_period",
        ),
    }
    assert all(form[key]["unit"] for key in counted[framework])


def test_arguments_of_functions_have_their_types_and_defaults() -> None:
    form = {key["key"]: key for key in ask("keys", framework="trinity")["keys"]}
    epsilon = form["algorithm.policy_loss_fn_args.enable_sequence_masking"]
    assert (epsilon["type"], epsilon["default"]) == ("bool", "false")
    assert "gspo" in form["algorithm.policy_loss_fn_args.clip_range_low"]["default"]


def test_what_a_beginner_adds_is_written_and_checked() -> None:
    fields = {"algorithm": "grpo", "model": "Qwen/Qwen2.5-7B-Instruct", "gpus": 8, "gpu": "h100-80g"}
    for framework in (known.name for known in with_programs()):
        plain = ask("start", framework=framework, **fields)
        rate = next(entry for entry in plain["further"] if entry["title"] == "Learning rate")
        batch = next(entry for entry in plain["further"] if entry["title"] == "Answers to a prompt")
        assert len(plain["further"]) > 6
        assert "Memory: peak" in plain["text"]
        assert plain["findings"] == plain["missed"] == [], "the recipe's own text is checked where it is made"
        changed = ask("start", framework=framework, **fields, fill={rate["key"]: "3e-6", batch["key"]: "1"})
        assert changed["missed"] == []
        assert changed["values"][batch["key"]] == "1"
        assert float(changed["values"][rate["key"]]) == 3e-6
        assert "Memory, before values were added:" in changed["text"]
        lines = [line for line in changed["text"].splitlines() if line not in plain["text"].splitlines()]
        assert all("recipe" not in line for line in lines), lines
        assert "BAT011" in [finding["code"] for finding in changed["findings"]], changed["findings"]


def test_a_form_without_values_knows_what_acts() -> None:
    for framework in registry.FRAMEWORKS:
        assert ask("new", framework=framework, values={})["inactive"], framework
