"""What conversions and checks of strangers' configs once got wrong, each beside the code that decides it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rftconf.base.diagnostics import Diagnostic
from rftconf.base.errors import RefusedError
from rftconf.base.ledger import State
from rftconf.base.symbols import MISSING
from rftconf.convert.convert import Conversion, convert
from rftconf.diff.compare import compare
from rftconf.diff.sides import side
from rftconf.explain.key import key_facts
from rftconf.lint.engine import Options, check
from rftconf.load.load import load
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

ACTOR, ROLLOUT = "actor_rollout_ref.actor.", "actor_rollout_ref.rollout."
VERL = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=64 data.train_files=/d/t.parquet"
    " data.val_files=/d/v.parquet data.max_prompt_length=512 data.max_response_length=512 actor_rollout_ref.model.path=/m/q"
    f" {ACTOR}ppo_mini_batch_size=64 {ACTOR}ppo_micro_batch_size_per_gpu=4 {ROLLOUT}log_prob_micro_batch_size_per_gpu=4"
    f" {ROLLOUT}name=vllm {ROLLOUT}n=8 trainer.total_training_steps=10 trainer.n_gpus_per_node=8 trainer.nnodes=1 "
)
ROLL = (
    "pretrain: /m/q\nrollout_batch_size: 64\nnum_return_sequences_in_group: 8\nmax_steps: 10\nprompt_length: 512\n"
    "response_length: 512\nadv_estimator: grpo\nactor_train:\n"
    "  training_args: {per_device_train_batch_size: 4, gradient_accumulation_steps: 16}\n"
    "  strategy_args: {strategy_name: fsdp2_train}\n  device_mapping: list(range(0,8))\n  data_args: {file_name: [/d/a.jsonl]}\n"
    "actor_infer:\n  strategy_args: {strategy_name: vllm}\n  device_mapping: list(range(0,8))\n"
    "rewards:\n  math_rule: {worker_cls: a.b.C, tag_included: [x]}\n"
)
TRINITY = (
    "mode: both\nalgorithm: {algorithm_type: grpo, repeat_times: 8}\n"
    "model: {model_path: /m/q, max_prompt_tokens: 1024, max_response_tokens: 3072}\ncluster: {node_num: 1, gpu_per_node: 8}\n"
    "buffer: {batch_size: 32, total_steps: 10, explorer_input: {taskset: {path: /d/a}}}\nexplorer: {rollout_model: {engine_num: 4}}\n"
)


def document(text: str) -> Document:
    shell = "python3 -m" in text or "torchrun" in text
    return read(Source("run.sh" if shell else "run.yaml", text))


def converted(text: str, to: str) -> Conversion:
    return convert(document(text), to)


def lines(done: Conversion) -> dict[str, object]:
    return {line.key: line.value for line in done.ledger.targets}


def asked(done: Conversion) -> dict[str, str]:
    return {
        decision.key: f"{decision.has} {decision.why} {' '.join(decision.choices)}"
        for decision in done.ledger.decisions
    }


def codes(text: str) -> set[str]:
    return {diagnostic.code for diagnostic in found(text)}


def found(text: str) -> list[Diagnostic]:
    return check(document(text), Options())


def test_a_schedule_that_the_trainer_cannot_take_is_asked_about_with_the_sources_own() -> None:
    """veRL 0.9.1 workers/config/optimizer.py asserts constant or cosine; ROLL's training_args default to linear."""
    done = converted(ROLL, "trinity")
    assert lines(done)["algorithm.optimizer.lr_scheduler_type"] == MISSING
    question = asked(done)["algorithm.optimizer.lr_scheduler_type"]
    assert "linear" in question
    assert "constant" in question


@pytest.mark.parametrize("loss", ["kl_cov", "clip_cov"])
def test_a_loss_that_the_target_lacks_is_asked_about_or_refused(loss: str) -> None:
    """veRL 0.9.1 core_algos.register_policy_loss; ROLL 0.3.0 base_worker; ChatLearn 2025.10.23 loss_gallery."""
    text = VERL + f"{ACTOR}policy_loss.loss_mode={loss}"
    assert loss in asked(converted(text, "roll"))["importance_sampling"]
    trinity = converted(text, "trinity")
    assert loss in asked(trinity)["algorithm.policy_loss_fn"]
    assert lines(trinity)["algorithm.policy_loss_fn"] == MISSING
    with pytest.raises(RefusedError, match=loss):
        converted(text, "chatlearn")


@pytest.mark.parametrize("to", ["roll", "trinity", "chatlearn"])
def test_a_variable_for_how_to_resume_is_no_answer_to_it(to: str) -> None:
    """veRL 0.9.1 trainer_base.py looks at resume_mode when the run starts; until then nobody knows."""
    done = converted(VERL + "trainer.resume_mode=$HOW", to)
    (line,) = [line for line in done.ledger.sources if line.key == "trainer.resume_mode"]
    assert line.state is State.UNRESOLVED
    assert any("HOW" in text for text in asked(done).values())
    assert "Var(" not in done.text + "".join(asked(done).values()) + line.reason


def test_how_a_stopped_run_goes_on_is_asked_where_it_differs() -> None:
    """veRL 0.9.1 resumes by itself (resume_mode=auto); ROLL 0.3.0 names folders by the time of the start."""
    done = converted(VERL, "roll")
    assert "newest checkpoint" in asked(done)["resume_from_checkpoint"]
    assert "the default of trainer.resume_mode" not in done.text


def test_who_shares_gpus_is_asked_where_the_target_has_both() -> None:
    """Trinity-RFT 0.6.0 always separates explorer and trainer; veRL 0.9.1 has trainer.v1.trainer_mode."""
    assert "--layout separated" in asked(converted(TRINITY, "verl"))["layout"]


def test_a_variable_that_stops_a_strict_shell_is_asked_for() -> None:
    text = "set -euo pipefail\n" + VERL + f"{ROLLOUT}temperature=$TEMP"
    assert "--set TEMP" in asked(converted(text, "roll"))["$TEMP"]


def test_a_script_without_an_engine_is_of_a_release_that_does_not_demand_one() -> None:
    """veRL 0.8.0 rollout.yaml: name is ???; up to 0.6.1 it is vllm."""
    loaded = load(document(VERL.replace(f"{ROLLOUT}name=vllm", "")))
    assert loaded.stages[-1].values["stage.placement.rollout.engine"] == "vllm"
    assert "ENG002" not in codes(VERL.replace(f"{ROLLOUT}name=vllm", ""))


def test_arguments_that_the_monitor_does_not_read_arrive_nowhere() -> None:
    """Trinity-RFT 0.6.0 utils/monitor.py: WandbMonitor reads base_url and api_key."""
    text = TRINITY + "monitor: {monitor_type: wandb, monitor_args: {entity: me, base_url: http://w}}\n"
    done = converted(text, "roll")
    states = {line.key: line.state for line in done.ledger.sources}
    assert states["monitor.monitor_args.entity"] is State.DEAD_IN_SOURCE
    assert not [key for key in lines(done) if "entity" in key]


def test_another_frameworks_keys_do_not_come_with_a_clip() -> None:
    """ChatLearn's use_group_sequence_policy chooses the loss, and sets no clip."""
    pages = str(key_facts("verl", "actor_rollout_ref.actor.clip_ratio_c"))
    assert "clip_ratio_c" in pages
    assert "use_group_sequence_policy" not in pages


def test_the_folder_that_a_target_makes_itself_is_not_made_twice() -> None:
    """Trinity-RFT 0.6.0: checkpoints go to <root>/<project>/<name>."""
    text = VERL + "trainer.project_name=p trainer.experiment_name=e trainer.default_local_dir=/ck/p/e"
    assert lines(converted(text, "trinity"))["checkpoint_root_dir"] == "/ck"


def test_a_cap_by_value_in_place_of_a_second_clip_is_a_change_of_the_learning() -> None:
    """ChatLearn 2025.10.23 loss_gallery: final_clip_ratio=3 bounds the value, whatever clip_ratio_c was."""
    done = converted(VERL + f"{ACTOR}clip_ratio_c=10", "chatlearn")
    (change,) = [change for change in done.ledger.learning if change.cause == "cap of the loss"]
    assert "10·|advantage| in the source, at 3 here" in change.says


def test_no_length_is_0_and_no_interval_a_fraction() -> None:
    """veRL 0.9.1 trainer_base.py fails on a response length of 0; Hydra takes no fraction for an int."""
    agentic = ROLL.replace("prompt_length: 512\nresponse_length: 512\n", "sequence_length: 4096\n").replace(
        "rewards:\n  math_rule: {worker_cls: a.b.C, tag_included: [x]}\n",
        "train_env_manager: {max_env_num_per_worker: 16, num_env_groups: 8, group_size: 8, tags: [A], num_groups_partition: [8]}\n"
        "custom_envs: {A: {env_type: sokoban, env_manager_cls: a.b.E, max_steps: 5}}\n",
    )
    for to, length in (("verl", "data.max_response_length"), ("trinity", "model.max_response_tokens")):
        written = lines(converted(agentic, to))
        assert written[length] == 4096 - 1024  # what ROLL's default for a prompt leaves of a conversation
        assert not [key for key, value in written.items() if isinstance(value, Fraction)]
    with pytest.raises(RefusedError, match="turn by turn"):
        converted(agentic, "chatlearn")


CHATLEARN = (
    "runtime_args: {train_backend: megatron, max_replay_episode: 1, num_episode: 10, sample_per_episode: 128,"
    " train_global_batch_size: 128, train_micro_batch_size: 4, data_path: /d/a.json, exp_name: e}\nmodels:\n"
    "  policy_trainer: {load: /ck/m, num_gpu: 8, gpu_per_process: 1, trainable: true, tensor_model_parallel_size: 2,\n"
    "    megatron_model_cfg: {apply_rope_fusion: false}}\n"
    "  ref_policy: {load: /ck/m, num_gpu: 8, gpu_per_process: 1, tensor_model_parallel_size: 2}\n"
    "  policy: {load: /m/q, num_gpu: 8, tensor_model_parallel_size: 1, SIZES, generation_batch_size: 64,"
    " num_inference_per_prompt: 8}\n  reward: {num_cpu: 2, cpu_per_process: 1}\n"
)
MEGATRON = f"{ACTOR}strategy=megatron {ACTOR}megatron.tensor_model_parallel_size=2 "


@pytest.mark.parametrize("to", ["verl", "roll", "trinity"])
def test_half_of_a_common_limit_is_not_exact(to: str) -> None:
    """ChatLearn 1.2.0 prompt_dataset.py keeps prompts below seq_length; vllm_module.py generates what is left of it."""
    done = convert(document(CHATLEARN.replace("SIZES", "seq_length: 2048")), to, release="1.2.0")
    (line,) = [line for line in done.ledger.sources if line.key == "models.policy.seq_length"]
    assert line.state is State.NARROWED
    assert any("limits prompt and answer together" in text for text in asked(done).values())


@pytest.mark.parametrize("to", ["verl", "trinity"])
def test_a_folder_of_iterations_is_no_folder_of_shards(to: str) -> None:
    """Megatron's load_checkpoint reads latest_checkpointed_iteration.txt; veRL's engine gives dist_checkpointing.load the
    folder itself, whose validation.py wants metadata.json in it."""
    done = converted(CHATLEARN.replace("SIZES", "max_prompt_tokens_length: 512, max_response_tokens_length: 512"), to)
    (line,) = [line for line in done.ledger.sources if line.key == "models.policy_trainer.load"]
    assert line.state is State.NARROWED
    (question,) = [text for key, text in asked(done).items() if key.endswith("dist_checkpointing_path")]
    assert "metadata.json" in question


def test_a_folder_of_shards_is_no_folder_of_iterations() -> None:
    """ChatLearn 2025.10.23 megatron_policy_trainer.py: megatron.training's load_checkpoint, random weights without a record."""
    own = f"{ACTOR}megatron.use_dist_checkpointing=True {ACTOR}megatron.dist_checkpointing_path=/ck"
    done = converted(VERL + MEGATRON + own, "chatlearn")
    (line,) = [line for line in done.ledger.sources if line.key.endswith("dist_checkpointing_path")]
    assert line.state is State.NARROWED
    assert "random weights" in asked(done)["models.policy_trainer.load"]


def test_a_switch_of_megatron_that_chatlearn_has_is_written_for_it() -> None:
    """ChatLearn configs/megatron_config.py: apply_rope_fusion, which update_cfg leaves alone but for latent attention."""
    key = "megatron_model_cfg.apply_rope_fusion"
    done = converted(
        VERL + MEGATRON + f"+{ACTOR}megatron.override_transformer_config.apply_rope_fusion=False", "chatlearn"
    )
    assert lines(done)[f"models.policy_trainer.{key}"] is False
    assert not [line for line in done.ledger.sources if "apply_rope_fusion" in line.reason]
    back = converted(
        CHATLEARN.replace("SIZES", "max_prompt_tokens_length: 512, max_response_tokens_length: 512"), "roll"
    )
    assert lines(back)["actor_train.strategy_args.strategy_config.apply_rope_fusion"] is False


@pytest.mark.parametrize("release", ["0.5.0", "0.6.1", "0.9.1"])
def test_megatron_trains_for_all_roles_or_for_none(release: str) -> None:
    """veRL's ppo_megatron_trainer.yaml has Megatron's parts only: McoreCriticConfig.engine is its megatron block; up to 0.5
    main_ppo asserts it."""
    text = ROLL.replace("adv_estimator: grpo", "adv_estimator: gae").replace(
        "{strategy_name: fsdp2_train}",
        "{strategy_name: megatron_train, strategy_config: {tensor_model_parallel_size: 2}}",
    )
    text += "critic:\n  model_args: {model_type: trl}\n  strategy_args: {strategy_name: fsdp2_train}\n"
    text += "  training_args: {per_device_train_batch_size: 4, gradient_accumulation_steps: 16}\n  device_mapping: list(range(0,8))\n"
    done = convert(document(text), "verl", to_release=release)
    written = lines(done)
    assert (written["critic.strategy"], written["critic.megatron.tensor_model_parallel_size"]) == ("megatron", 2)
    (line,) = [line for line in done.ledger.sources if line.key == "critic.strategy_args.strategy_name"]
    assert line.state is State.NARROWED
    assert "fsdp2 became megatron" in line.reason


def test_a_penalty_of_the_reward_acts_where_no_switch_says_otherwise() -> None:
    """veRL 0.2.0 and 0.3.0 ray_trainer.fit: kl_ctrl acts unless actor.use_kl_loss, also in a fork with keys of its own."""
    text = VERL + "algorithm.kl_ctrl.kl_coef=0.002 data.own_key=3 "
    early = convert(document(text), "roll", release="0.2.0")
    assert (lines(early)["init_kl_coef"], "reference.device_mapping" in lines(early)) == (0.002, True)
    (line,) = [line for line in early.ledger.sources if line.key == "algorithm.kl_ctrl.kl_coef"]
    assert line.state is not State.DEAD_IN_SOURCE


@pytest.mark.parametrize("strategy", ["deepspeed_train", "???", "${oc.env:S}"])
def test_who_trains_is_asked_where_nobody_told(strategy: str) -> None:
    """ChatLearn algorithm/grpo.py raises for a train_backend that is neither fsdp nor megatron."""
    done = converted(ROLL.replace("fsdp2_train", f"'{strategy}'"), "chatlearn")
    assert lines(done)["runtime_args.train_backend"] == MISSING
    assert "runtime_args.train_backend" in asked(done)


def test_sides_that_draw_and_learn_in_step_have_no_staleness_to_compare() -> None:
    pair = side("a", load(document(VERL))), side("b", load(document(ROLL)))
    (stage,) = compare(*pair).stages
    assert [(total.a, total.b) for total in stage.totals if total.total.name == "staleness at most"] == [(0, 0)]


@pytest.mark.parametrize(
    ("text", "false"),
    [
        (TRINITY + "synchronizer: {sync_style: dynamic_by_explorer, sync_interval: 2}\n", {"KEY004"}),
        (VERL + 'algorithm.rollout_correction.rollout_is=token algorithm.rollout_correction.rollout_is_threshold="0.5_4.0"',
         {"KEY004"}),
        ("torchrun -m verl.trainer.sft_trainer data.train_files=/d/t.parquet model.path=/m/q trainer.test_freq=after_each_epoch",
         {"KEY004"}),
        (VERL.replace("length=512", "length=9000") + f"{ACTOR}fsdp_config.ulysses_sequence_parallel_size=4"
         f" {ACTOR}use_dynamic_bsz=True {ACTOR}ppo_max_token_len_per_gpu=8192", {"LEN002", "LEN003"}),
        (ROLL.replace("[/d/a.jsonl]", '["???", "???"]'), {"DAT005"}),
        (VERL.replace("batch_size=64 ", "batch_size=60 ") + "trainer.v1.trainer_mode=separate_async", {"BAT002"}),
        ("defaults:\n  - ../config/deepspeed_zero2@_here_\n" + ROLL, {"KEY003"}),
    ],
)  # fmt: skip
def test_what_the_framework_takes_is_no_finding(text: str, false: set[str]) -> None:
    """Trinity-RFT 0.6.0 constants.py SyncStyle aliases; veRL 0.9.1 declares `str | float`, test_freq of SFT takes words, and
    splits a sequence over Ulysses' GPUs; separate_async asserts whole batches and fills none up."""
    assert not codes(text) & false


def test_two_findings_on_one_schedule_do_not_contradict() -> None:
    assert not codes(VERL + f"{ACTOR}optim.lr_scheduler_type=linear") >= {"OPT015", "DIA011"}
