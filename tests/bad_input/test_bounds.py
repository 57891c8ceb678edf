"""Small files that ask for much are read within bounds, and the finding names what was cut."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from rftconf.cli.app import run
from tests.fuzz.growing import text_of

SECONDS = 10.0
"""On a busy machine; each takes less than two by itself, and took more than a minute, or never ended, without its bound."""
HEAD = "algorithm: {adv_estimator: grpo}\nactor_rollout_ref: {rollout: {name: vllm}}\n"
LAUNCH = "python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo actor_rollout_ref.rollout.name=vllm "
DOUBLED = "".join(f'x{i}: ["${{x{i - 1}}}", "${{x{i - 1}}}"]\n' for i in range(1, 40))
MEGATRON = "actor_rollout_ref.actor.strategy=megatron actor_rollout_ref.model.path=Qwen/Qwen2.5-7B "
CASES = {
    "a list that doubles": ("a.yaml", f"{HEAD}data: {{train_batch_size: 8}}\nx0: a\n{DOUBLED}", "plan", "SYN406"),
    "a number in base 60": ("a.yaml", f"{HEAD}data: {{train_batch_size: 1{':10' * 300_000}}}\n", "plan", "none is longer than 300"),
    "a key without end": ("a.sh", f"{LAUNCH}+{'a.' * 100_000}b=1\n", "plan", "a key of more than 1,000 characters"),
    "a line for each item": ("a.yaml", f"{HEAD}data: {{train_files: [{','.join('1' * 200_000)}]}}\n", "check", "this is data, not a config"),
    "stages without layers": ("a.sh", f"{LAUNCH}{MEGATRON}actor_rollout_ref.actor.megatron.pipeline_model_parallel_size=30000\n", "budget", ""),
    "more stages than a run has": ("a.yaml", text_of("stages", 10_000), "plan", "SYN511 there are 289 stages, more than 100"),
    "task sets": ("a.yaml", text_of("task sets", 200_000), "migrate", "SYN510"),
    "more keys than a config has": ("a.yaml", text_of("unknown keys", 200_000), "check", "there are 9,687 values, more than 5,000 in all"),
    "a key twice and again": ("a.yaml", HEAD + "a: 1\n" * 1_001, "check", "at least 901 more findings of this kind are left out"),
    "arithmetic that opens": ("a.sh", text_of("arithmetic that opens", 100_000), "check", "nested deeper than 40 levels"),
    "braces that open": ("a.sh", f"A=({'{' * 20_000})\n{LAUNCH}\n", "check", ""),
    "a pattern that backtracks": ("a.sh", f"X={'a' * 40}\nif [[ $X == +(a|aa)+(a|aa)b ]]; then N=1; fi\n{LAUNCH}data.seed=$N\n", "plan", ""),
    "an array that doubles": ("a.sh", "A=(a b)\n" + 'A=("${A[@]}" "${A[@]}")\n' * 25 + f'{LAUNCH}"${{A[@]}}"\n', "plan", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_ends_in_time_and_says_what_was_cut(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, text, verb, new_text = CASES[case]
    file = tmp_path / name
    file.write_text(text)
    started = time.perf_counter()
    more = {"budget": ["--gpu", "H100"], "migrate": ["--to-release", "0.5.2", "--check"]}
    code = run([verb, str(file), *more.get(verb, [])])
    took = time.perf_counter() - started
    out, err = capsys.readouterr()
    assert code in (0, 1, 2, 3)
    assert new_text in " ".join((out + err).split())
    assert took < SECONDS
