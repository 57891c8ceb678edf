"""What a conversion asks of its user."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from rftconf.base.ledger import Basis
from rftconf.convert.convert import Conversion, convert
from rftconf.text.read.read import read
from rftconf.text.source import Source, from_bytes

HEAD = (
    "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.model.path=/m "
    "data.train_files=/d/train.parquet data.val_files=/d/test.parquet actor_rollout_ref.rollout.n=8 "
    "actor_rollout_ref.actor.use_dynamic_bsz=True "
)
WARNING = "fill in every ???"


def converted(overrides: str, **options: int) -> Conversion:
    return convert(read(from_bytes("run.sh", (HEAD + overrides + "\n").encode())), "trinity", **options)  # type: ignore[arg-type]


def test_an_unknown_value_is_asked_for_and_warned_of() -> None:
    done = converted("data.train_batch_size=$((BS * 4))")
    assert "???" in done.text
    assert any(note.startswith(WARNING) for note in done.ledger.notes)
    decisions = [decision for decision in done.ledger.decisions if decision.key == "synchronizer.sync_interval"]
    assert decisions
    assert "--set BS=..." in decisions[0].choices


def test_a_complete_plan_warns_of_nothing() -> None:
    done = converted("data.train_batch_size=64 actor_rollout_ref.actor.ppo_mini_batch_size=64", rows=7473)
    assert "???" not in done.text
    assert not any(note.startswith(WARNING) for note in done.ledger.notes)


def test_a_program_of_its_own_is_told() -> None:
    text = (HEAD + "data.train_batch_size=64\n").replace("verl.trainer.main_ppo", "recipe.prime.main_prime")
    script = text.replace("\n", " actor_rollout_ref.actor.ppo_mini_batch_size=64\n").encode()
    notes = convert(read(from_bytes("run.sh", script)), "trinity").ledger.notes
    assert any("recipe.prime.main_prime" in note for note in notes)
    assert not any(
        "main_ppo" in note for note in converted("actor_rollout_ref.actor.ppo_mini_batch_size=1024").ledger.notes
    )


def test_what_is_asked_for_does_not_depend_on_the_order_of_a_set(tmp_path: Path) -> None:
    script = (
        "python3 -m verl.trainer.main_ppo trainer.nnodes=$((DEVICES / PER_NODE)) data.train_files=$A/$B/$C.parquet\n"
    )
    (tmp_path / "run.sh").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "rftconf", "convert", str(tmp_path / "run.sh"), "--to", "roll"]
    names = {
        subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stderr
        for seed in "0123"
    }
    assert len(names) == 1
    assert "DEVICES" in names.pop()


def test_a_limit_of_prompt_and_answer_together_is_a_question() -> None:
    """ChatLearn 1.2.0 keeps prompts below seq_length and generates what is left of it (vllm_module, prompt_dataset)."""
    config = (
        "runtime_args: {train_backend: fsdp, max_replay_episode: 1, num_episode: 10, sample_per_episode: 128,"
        " train_global_batch_size: 128, train_micro_batch_size: 4, data_path: /d/a.json, exp_name: e}\n"
        "models:\n  policy_trainer: {load: /m/q, num_gpu: 8, gpu_per_process: 1, trainable: true}\n"
        "  ref_policy: {load: /m/q, num_gpu: 8, gpu_per_process: 1}\n"
        "  policy: {load: /m/q, num_gpu: 8, tensor_model_parallel_size: 1, seq_length: 2048, generation_batch_size: 64,"
        " num_inference_per_prompt: 8}\n  reward: {num_cpu: 2, cpu_per_process: 1}\n"
    )
    done = convert(read(Source("run.yaml", config)), "verl", framework="chatlearn", release="1.2.0")
    (decision,) = [decision for decision in done.ledger.decisions if decision.key == "data.max_prompt_length"]
    assert "models.policy.seq_length=2048" in decision.why
    (line,) = [line for line in done.lines if line.key == "data.max_prompt_length"]
    assert (line.value, line.basis) == (1024, Basis.CHOSEN)
