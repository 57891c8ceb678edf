"""Configs of frameworks that are not read are named, each by what only that framework has."""

from __future__ import annotations

import json

import pytest

from rftconf.base.errors import RefusedError, UnreadableError
from rftconf.load.load import load
from rftconf.schemas.foreign import FOREIGN, Foreign, Mark
from rftconf.schemas.foreign_configs import Traces, foreign_of, refuse_foreign
from rftconf.text.document import Document
from rftconf.text.read.read import read
from rftconf.text.source import Source

SAMPLES: dict[str, dict[str, str]] = {
    "openrlhf": {
        "sft.sh": "deepspeed --module openrlhf.cli.train_sft --data.max_len 2048\n",
    },
    "trl": {
        "cli.sh": "trl dpo --config mine.yaml\n",
        "script.sh": "accelerate launch --config_file zero3.yaml src/open_r1/sft.py --config mine.yaml\n",
        "sft.yaml": "model_name_or_path: org/small\ndataset_name: org/rows\nsave_steps: 5\n",
    },
    "accelerate": {"zero3.yaml": "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n"},
    "slime": {
        "run.sh": "CKPT=(\n  --hf-checkpoint small\n  --ref-load small_dist\n)\n"
        'python3 train.py --rollout-num-gpus 4 "${CKPT[@]}"\n'
    },
    "nemo-rl": {
        "run.sh": "uv run python examples/run_sft.py --config sft.yaml\n",
        **{f"{name}.yaml": f"{name}: {{max_num_steps: 32}}\n" for name in ("sft", "dpo", "rm")},
        **{f"{name}.yaml": f"{name}: {{num_prompts_per_step: 32}}\n" for name in ("ppo", "distillation")},
    },
    "areal": {
        "launch.sh": "python3 -m areal.infra.launcher.local train.py --config a.yaml\n",
        "example.sh": "python examples/math/gsm8k_rl.py --config a.yaml scheduler.type=local\n",
        "a.yaml": "experiment_name: mine\ntrial_name: first\nseed: 1\n",
        "rollout.yaml": "rollout: {max_head_offpolicyness: 2}\ngconfig: {n_samples: 4}\n",
    },
    "prime-rl": {
        "run.sh": "uv run rl @ rl.toml\n",
        "entry.sh": "torchrun -m prime_rl.entrypoints.trainer @ train.toml\n",
        "rl.toml": "[orchestrator]\nbatch_size = 64\n[trainer.optim]\nlr = 1e-6\n",
        "sft.toml": '[model]\nname = "small"\n[data]\nbatch_size = 8\n[optim]\nlr = 1e-5\n',
        "fake.toml": "[data.fake]\nbatch_size = 2\n",
        "evals.toml": 'model = "small"\n[eval.client]\nbase_url = "http://localhost"\n',
    },
    "roll-reward-fl": {
        "run.sh": "python examples/start_reward_fl_pipeline.py --config_path $P --config_name reward_fl_config\n",
        "face.yaml": "save_steps: 25\nactor_train:\n  strategy_args: {strategy_name: diffusion_deepspeed_train}\n"
        "  model_args: {model_config_kwargs: {model_paths: a.json, reward_model_path: /m}}\n",
    },
    "verl-omni": {
        "run.sh": "python3 -m verl_omni.trainer.main_diffusion data.train_batch_size=8\n",
        "own.sh": "python3 -m mine.main actor_rollout_ref.actor.diffusion_loss.clip_ratio=0.1\n",
        "omni.sh": "python3 -m mine.main actor_rollout_ref.actor.omni_loss.beta=0.1\n",
        "steps.yaml": "actor_rollout_ref: {rollout: {pipeline: {height: 512}}}\n",
    },
    "verl-vla": {
        "sft.sh": "vvla-train-sft --config-name mine trainer.total_epochs=1\n",
        "module.sh": "python -m verl_vla.entrypoints.train.sac trainer.total_epochs=1\n",
        "sac.yaml": "cluster: {actor_rollout_ref: {actor: {mini_batch_size: 8}}}\n",
    },
    "dance-grpo": {
        "keys.sh": "python3 -m mine.main actor_rollout_ref.actor.timestep_fraction=0.6 \\\n"
        "  actor_rollout_ref.actor.sampling_steps=40\n",
    },
    "skyrl": {
        "run.sh": "uv run -m skyrl_train.entrypoints.main_base trainer.epochs=1\n",
        "tinker.sh": "uv run -m skyrl.tinker.api\n",
        "keys.sh": "uv run -m mine.main trainer.policy.model.path=small trainer.placement.colocate_all=true \\\n"
        "  generator.n_samples_per_prompt=4 generator.inference_engine.num_engines=2\n",
    },
    "llama-factory": {
        "cli.sh": "llamafactory-cli train mine.yaml\n",
        "flags.sh": "python src/train.py --stage sft --finetuning_type lora\n",
        "mine.yaml": "stage: sft\nfinetuning_type: lora\noutput_dir: out\nsave_steps: 5\n",
        "data.json": json.dumps({"template": "plain", "cutoff_len": 512, "logging_steps": 1}),
    },
    "ms-swift": {
        "rlhf.sh": "NPROC_PER_NODE=8 \\\nswift rlhf --rlhf_type grpo --num_generations 8 --max_completion_length 512\n",
        "megatron.sh": "megatron sft --model small\n",
        "file.sh": "torchrun swift/cli/rlhf.py --model small\n",
        "grpo.yaml": "rlhf_type: grpo\nmodel: small\n",
    },
    "axolotl": {
        "cli.sh": "axolotl train mine.yml\n",
        "module.sh": "accelerate launch -m axolotl.cli.train mine.yml\n",
        "mine.yml": "base_model: org/small\ndatasets:\n  - path: org/rows\noutput_dir: out\nsave_steps: 1\n",
        "long.yml": "base_model: org/small\nsequence_len: 2048\nmicro_batch_size: 1\n",
    },
    "unsloth": {
        "cli.sh": "python unsloth-cli.py --model_name small\n",
        "studio.sh": "unsloth studio\n",
        "model.yaml": "training: {max_seq_length: 512, train_on_completions: true}\nlora: {lora_r: 16}\n",
    },
    "torchtune": {
        "run.sh": "tune run lora_finetune --config mine.yaml\n",
        "mine.yaml": "model: {_component_: torchtune.models.small}\nseed: 1\noutput_dir: out\n",
    },
    "open-instruct": {
        "fast.sh": "uv run python open_instruct/grpo_fast.py --beta 0.0\n",
        "mason.sh": "python mason.py --cluster one -- echo\n",
        "flags.sh": "$RUN --num_unique_prompts_rollout 64\n",
        "mix.yaml": "dataset_mixer_list: [org/rows, 1.0]\n",
    },
}
"""Framework to files in our own words."""
OURS = {
    "verl.sh": "python3 -m verl.trainer.main_ppo data.train_batch_size=64 trainer.nnodes=1 actor_rollout_ref.rollout.n=4\n",
    "verl.yaml": "data: {train_batch_size: 64, shuffle: true}\ntrainer: {nnodes: 1}\nactor_rollout_ref: {rollout: {n: 4}}\n",
    "trinity.yaml": "mode: both\nbuffer: {batch_size: 8}\nalgorithm: {algorithm_type: grpo}\nname: mine\n",
    "roll.yaml": "exp_name: mine\nseed: 1\nmax_steps: 5\nactor_train: {device_mapping: 'list(range(0,8))'}\n",
    "trl.sh": "accelerate launch --config_file zero3.yaml src/open_r1/grpo.py --num_generations 8\n",
    "trl.yaml": "model_name_or_path: org/small\ndataset_name: org/rows\nnum_generations: 8\nmax_completion_length: 512\n",
    "chatlearn.yaml": "runtime_args: {exp_name: mine}\nmodels: {policy: {num_gpu: 8}}\n",
}


def document(name: str, text: str) -> Document:
    return read(Source(name, text))


def _of(framework: str) -> list[Document]:
    return [document(name, text) for name, text in SAMPLES[framework].items()]


@pytest.mark.parametrize("foreign", FOREIGN, ids=lambda foreign: foreign.name)
def test_each_sample_is_named_and_refused(foreign: Foreign) -> None:
    for sample in _of(foreign.name):
        named = foreign_of(sample)
        assert named is not None, sample.name
        assert named[0].name == foreign.name, sample.name
        with pytest.raises(RefusedError, match=f"a config of {foreign.title.split(' ')[0]}"):
            load(sample)


@pytest.mark.parametrize(
    ("foreign", "mark"),
    [(foreign, mark) for foreign in FOREIGN for mark in foreign.marks],
    ids=lambda entry: getattr(entry, "name", None) or entry.program or ",".join(entry.keys or entry.flags[:2]),
)
def test_each_mark_is_shown_by_a_sample_and_by_none_of_ours(foreign: Foreign, mark: Mark) -> None:
    assert any(Traces(sample).shows(mark) for sample in _of(foreign.name)), mark
    assert not any(Traces(document(name, text)).shows(mark) for name, text in OURS.items())
    assert mark.source


def test_ours_are_not_refused_as_foreign() -> None:
    for name, text in OURS.items():
        refuse_foreign(document(name, text))
        assert foreign_of(document(name, text)) is None


def test_keys_that_all_trainers_of_trl_have_are_grpos_under_its_own_command() -> None:
    assert foreign_of(document("a.sh", "trl grpo --model_name_or_path org/small --dataset_name org/rows\n")) is None


def test_a_comment_is_no_mark() -> None:
    assert foreign_of(document("a.sh", "# python3 -m openrlhf.cli.train_sft\npython3 mine.py\n")) is None


def test_a_script_that_starts_ours_is_ours_whatever_else_it_runs() -> None:
    text = "trl sft --config warm_up.yaml\n" + OURS["verl.sh"]
    assert foreign_of(document("a.sh", text)) is None


def test_a_program_that_is_called_like_ours_is_known_by_what_it_is_given() -> None:
    text = "uv run -m mine.main_dapo trainer.policy.model.path=small trainer.placement.colocate_all=true data.x=1\n"
    named = foreign_of(document("a.sh", text))
    assert named is not None
    assert named[0].name == "skyrl"


def test_who_says_what_it_is_for_is_believed() -> None:
    text = "experiment_name: x\ntrial_name: y\nactor_train: {model_args: {}}\n"
    assert load(document("a.yaml", text), framework="roll").framework == "roll"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("docker-compose.yml", "services:\n  db: {image: postgres, ports: ['5432:5432']}\n"),
        ("package.json", '{"name": "mine", "version": "1.0.0", "scripts": {"test": "true"}}'),
        ("train.yaml", "output_dir: out\nseed: 1\nmax_steps: 5\nsave_steps: 5\nlearning_rate: 0.1\n"),
    ],
)
def test_what_a_framework_would_let_pass_makes_no_config(name: str, text: str) -> None:
    with pytest.raises(
        UnreadableError, match="no config of veRL, Trinity-RFT, ROLL, ChatLearn, TRL, OpenRLHF or NeMo-RL"
    ):
        load(document(name, text))


def test_the_nearest_framework_is_said_with_what_is_missing() -> None:
    with pytest.raises(
        UnreadableError, match="for ROLL it has only output_dir, seed, max_steps and 1 more, and no actor_train"
    ):
        load(document("train.yaml", "output_dir: out\nseed: 1\nmax_steps: 5\nsave_steps: 5\n"))
